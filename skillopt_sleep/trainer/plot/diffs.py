"""Show what each accepted skill changed in the one before it."""

import difflib
from collections.abc import Sequence
from pathlib import Path

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.records import Record
from skillopt_sleep.trainer.plot.curves import in_order, name_of, verdicts
from skillopt_sleep.trainer.summary import EpochRecord, History, StepRecord, Summary

AROUND = 2  # unchanged lines that are shown around a change
_HEADERS = 2


class Line(Record, frozen=True, kw_only=True):
    """A line of a diff: "+" for a new one, "-" for one that is gone, " " for an unchanged one, "@" for a gap."""

    sign: str
    text: str


class SkillDiff(Record, frozen=True, kw_only=True):
    """The change from one version of the skill to the next one that was current, and why it was taken."""

    what: str
    base: int
    version: int
    reason: str
    lines: tuple[Line, ...]


def diffs(history: History, summary: Summary | None, folder: Path) -> tuple[SkillDiff, ...]:
    """Return the change of every step and epoch that gave the training another skill, and of a removal at its end."""
    found: list[SkillDiff] = []
    before = 0
    for record in in_order(history):
        base = record.base if isinstance(record, StepRecord) else before
        version = record.current.version
        if version > base:
            lines = diff(_skill(folder, base), _skill(folder, version))
            found.append(
                SkillDiff(what=name_of(record), base=base, version=version, reason=_reason(record), lines=lines)
            )
        before = version
    if summary is not None and summary.best.standing.version > before:
        found.append(_removal(history, summary, folder))
    return tuple(found)


def _removal(history: History, summary: Summary, folder: Path) -> SkillDiff:
    """Return what the best skill lost when rules that show nothing were taken out of it."""
    last = in_order(history)[-1]
    base = last.current.version if summary.promoted else last.best.version
    version = summary.best.standing.version
    gated = summary.learned.gated
    lines = diff(_skill(folder, base), _skill(folder, version))
    reason = gated.reason if gated else ""
    return SkillDiff(what="rules taken out at the end", base=base, version=version, reason=reason, lines=lines)


def diff(before: str, after: str) -> tuple[Line, ...]:
    """Return the lines that differ, with a few around them."""
    return tuple(_lines(before.splitlines(), after.splitlines()))


def _lines(before: Sequence[str], after: Sequence[str]) -> list[Line]:
    unified = list(difflib.unified_diff(before, after, n=AROUND, lineterm=""))[_HEADERS:]
    lines: list[Line] = []
    for text in unified:
        if text.startswith("@"):
            if lines:
                lines.append(Line(sign="@", text=""))
        else:
            lines.append(Line(sign=text[0], text=text[1:]))
    return lines


def _reason(record: StepRecord | EpochRecord) -> str:
    """Return why the skill was taken, in the gate's words."""
    reasons = [gated.reason for gated in verdicts(record) if gated.reason]
    if isinstance(record, StepRecord) and record.appendix:
        reasons.append("new notes in the appendix, put in without a trial")
    return "; ".join(reasons)


def _skill(folder: Path, version: int) -> str:
    path = folder / "skills" / f"skill_v{version:04d}.md"
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"{path} can't be read: {error}", remedy="resume the run (train --resume): it is written again for free"
        ) from error
