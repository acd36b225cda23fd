"""Choose the seal of a run: the first that denies everything it must."""

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from skillopt_sleep.protocols.sealing import Probe, Seal
from skillopt_sleep.replay.seals.remedies import remedy

WHOLE = ", whole copies"  # ends the name of a seal that is tried a second time, without layers


class Choice(NamedTuple):
    """The seal of a run, None if none holds, and how each did that was tried."""

    seal: Seal | None
    probes: tuple[Probe, ...]

    @property
    def why_not(self) -> str:
        """Say why nothing can be sealed, or "" if it can."""
        if self.seal:
            return ""
        seals: dict[str, dict[str, None]] = {}
        for probe in self.probes:
            seals.setdefault(probe.problem, {})[probe.seal.removesuffix(WHOLE)] = None
        tried = "; ".join(f"{', '.join(names)}: {problem}" for problem, names in seals.items())
        return f"no seal holds on this machine ({tried or 'none is known for it'})"

    @property
    def remedy(self) -> str:
        """Return what helps, or "" if a seal holds."""
        if self.seal:
            return ""
        return next((probe.remedy for probe in self.probes if probe.remedy), remedy())


def chosen(seals: Sequence[Seal], folder: Path) -> Choice:
    """Return the first seal that holds, tried in this folder; keep the answer for the run."""
    probes: list[Probe] = []
    for seal, probe in tried(seals, folder):
        probes.append(probe)
        if probe.holds:
            return Choice(seal, tuple(probes))
    return Choice(None, tuple(probes))


def tried(seals: Sequence[Seal], folder: Path) -> Iterator[tuple[Seal, Probe]]:
    """Yield each seal with how it did, in folders below this one that are removed again."""
    for number, seal in enumerate(seals):
        place = folder / str(number)
        place.mkdir(mode=0o700)
        try:
            yield seal, seal.probe(place)
        finally:
            remove(place)


def remove(folder: Path) -> None:
    """Remove a folder with the layers that were mounted in it: the kernel leaves one in there that can't be read."""
    for layer in folder.glob("work/work"):
        layer.chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)
