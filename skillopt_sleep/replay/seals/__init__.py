"""Seal programs that a model steers: by bubblewrap, the system's or the one that comes with Codex."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from skillopt_sleep.kit.scratch import remove_tree
from skillopt_sleep.protocols.sealing import Probe, Seal
from skillopt_sleep.replay.seals.bubblewrap import Bubblewrap
from skillopt_sleep.replay.seals.machine import codex_program, system_program

_LINUX: tuple[Seal, ...] = (
    Bubblewrap("bubblewrap", system_program),
    Bubblewrap("Codex's bubblewrap", codex_program),
)
# In order of preference.
SEALS: tuple[Seal, ...] = _LINUX if sys.platform == "linux" else ()


class SealChoice(NamedTuple):
    """The seal of a run, None if none holds, and how each did that was tried."""

    seal: Seal | None
    probes: tuple[Probe, ...]

    @property
    def why_not(self) -> str:
        """Say why nothing can be sealed, or "" if it can."""
        if self.seal:
            return ""
        if not self.probes:
            return "nothing is sealed on this system yet, only on Linux"
        tried = "; ".join(f"{probe.seal}: {probe.problem}" for probe in self.probes)
        return f"no seal holds on this machine ({tried})"

    @property
    def remedy(self) -> str:
        """Return what helps, or "" if a seal holds."""
        if self.seal:
            return ""
        return next((probe.remedy for probe in self.probes if probe.remedy), "use Linux, or WSL 2 on Windows")


def chosen(seals: Sequence[Seal], folder: Path) -> SealChoice:
    """Return the first seal that denies everything it must, tried in this folder."""
    probes: list[Probe] = []
    for number, seal in enumerate(seals):
        place = folder / str(number)
        place.mkdir(mode=0o700)
        try:
            probes.append(seal.probe(place))
        finally:
            remove_tree(place)
        if probes[-1].holds:
            return SealChoice(seal, tuple(probes))
    return SealChoice(None, tuple(probes))
