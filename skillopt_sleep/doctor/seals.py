"""Check what a replay can be sealed with on this machine, by trying it."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from skillopt_sleep.doctor.findings import Finding, Topic, fine, unknown
from skillopt_sleep.protocols.sealing import Denial, Probe, Seal
from skillopt_sleep.replay.seals import SEALS, chosen


def look_at_seals(folder: Path, seals: Sequence[Seal] = SEALS) -> Iterator[Finding]:
    """Report each seal that was tried, up to the first that holds; having none is no problem, only less is tried."""
    folder.mkdir()
    choice = chosen(seals, folder)
    if choice.seal is None:
        yield unknown(Topic.SEALS, "no seal holds here: requests are asked in text only", choice.remedy)
    for probe in choice.probes:
        yield fine(Topic.SEALS, _says(probe))


def _says(probe: Probe) -> str:
    version = f" ({probe.version})" if probe.version and probe.version != probe.seal else ""
    denied = [denial.value.replace("_", " ") for denial in Denial if denial in probe.denied]
    if probe.holds:
        holds = f"{probe.seal}{version} can be used, if replay.sealed is on"
        return f"{holds}; it denies all it must: {', '.join(denied)}"
    if denied:
        return f"{probe.seal}{version} isn't used: {probe.problem}; it denies: {', '.join(denied)}"
    return f"{probe.seal}{version} isn't used: {probe.problem}"
