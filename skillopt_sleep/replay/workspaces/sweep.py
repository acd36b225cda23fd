"""Remove what a killed process left: copies, half-made bases and scratch repositories; nothing of them is mounted."""

from pathlib import Path

from skillopt_sleep.kit.leftovers import Cleared, clear

COPY = "copy-"
MAKING = "making-"
SCRATCH = "scratch-"


def sweep(folder: Path) -> Cleared:
    """Remove from the folder of the workspaces what belongs to processes that have ended."""
    gone: tuple[Path, ...] = ()
    stuck: tuple[Path, ...] = ()
    for kind in (COPY, MAKING, SCRATCH):
        cleared = clear(folder, kind)
        gone += cleared.gone
        stuck += cleared.stuck
    return Cleared(gone, stuck)
