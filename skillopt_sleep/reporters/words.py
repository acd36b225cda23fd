"""Plain words for what the program calls by short names: purposes, stages, splits, and how an answer is scored."""

import shlex
from collections.abc import Collection, Iterable
from typing import assert_never

from skillopt_sleep.agents import AGENTS
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.records import (
    Check,
    CheckResult,
    Checks,
    Command,
    Exact,
    Op,
    Purpose,
    Reference,
    Rubric,
    Split,
    Trust,
    model_names,
)

PURPOSES = {
    Purpose.PREFLIGHT: "a first call to see that it answers",
    Purpose.MINE: "finding corrections",
    Purpose.LESSONS: "wording the lessons",
    Purpose.CONTROLS: "writing answers that test the judge",
    Purpose.PROVE: "checking the quotes",
    Purpose.ROLLOUT: "attempts",
    Purpose.JUDGE: "grading",
    Purpose.REFLECT: "learning from failures",
    Purpose.DIAGNOSE: "finding causes",
    Purpose.REFLECT_DEEP: "learning from causes",
    Purpose.AGGREGATE: "merging edits",
    Purpose.BUDGET: "how many edits to try",
    Purpose.SELECT: "choosing edits",
    Purpose.FIT: "fitting edits to the project",
    Purpose.REWRITE: "rewriting the rules",
    Purpose.REWRITE_FULL: "rewriting the document",
    Purpose.AUGMENT: "more requests like these",
    Purpose.SLOW_UPDATE: "looking back",
    Purpose.META_SKILL: "the optimizer's own notes",
}
_PURPOSES = {purpose.value: words for purpose, words in PURPOSES.items()}
STAGES = {"trial": "trying edits", "screen": "a first look at edits", "guard": "asking other lessons"}
GRADE = "grade "
FRESH = "fresh round "
LABELS = {"known answers": "answers that test the judge"}
SPLITS = {Split.TRAIN: "learn", Split.VAL: "decide", Split.TEST: "kept back"}
USES = {Split.TRAIN: "to learn from", Split.VAL: "to decide with", Split.TEST: "kept back"}
SET_A_PRICE = """skillopt-sleep config set prices.{} "[0.20, 0.60]" (with your dollars per million tokens)"""
_CHECKS = {
    Op.CONTAINS: "contains «{check.arg}»",
    Op.NOT_CONTAINS: "doesn't contain the word «{check.arg}»",
    Op.REGEX: "matches the pattern «{check.arg}»",
    Op.SECTION_CONTAINS: "contains «{check.arg}» in its section «{check.section}»",
    Op.MAX_CHARS: "has at most {check.arg} characters",
    Op.MIN_CHARS: "has at least {check.arg} characters",
    Op.JSON_VALID: "is valid JSON",
    Op.TOOL_CALLED: "calls the tool «{check.arg}»",
    Op.COMMAND_RUN: "runs `{check.arg}`",
    Op.COMMAND_NOT_RUN: "doesn't run `{check.arg}`",
    Op.FILE_CHANGED: "changes {check.arg}",
    Op.FILE_UNTOUCHED: "leaves {check.arg} as it is",
    Op.NO_REFUSAL: "doesn't refuse",
}


def purpose_words(purpose: str) -> str:
    """Return what calls of this purpose are for; a purpose that isn't known stays as it is."""
    return _PURPOSES.get(purpose, purpose)


def stage_words(label: str) -> str:
    """Return the label of a stage, as in "rollout shop-api/CLAUDE.md", in words."""
    if label.startswith(GRADE):
        return f"grading, {stage_words(label.removeprefix(GRADE))}"
    if label.startswith(FRESH):
        return f"asking once more: {label.removeprefix(FRESH)}"
    if label in LABELS:
        return LABELS[label]
    name, blank, rest = label.partition(" ")
    words = STAGES.get(name) or purpose_words(name)
    return f"{words}{':' if blank and words != name else ''}{blank}{rest}"


def unpriced(models: Iterable[str], set_by_now: Collection[str]) -> str:
    """Say that no price was known for these models, and how to set one of those that have none by now."""
    named = tuple(dict.fromkeys(models))
    text = f"No price was known for {', '.join(named)}."
    keys = [key for key in map(model_names, named) if key not in AGENTS and key not in set_by_now]
    return f"{text} Set it: {SET_A_PRICE.format(keys[0])}" if keys else text


def scored_by(reference: Reference) -> tuple[str, ...]:
    """Return what an answer must do, one line per demand; each completes "A right answer …"."""
    match reference:
        case Exact():
            return (f"is exactly «{reference.answer}», ignoring case and surrounding white space",)
        case Checks():
            return tuple(map(_check_words, reference.items))
        case Rubric(of_changes=True):
            return (f"leaves changes in the files of which the judge agrees: {reference.text}",)
        case Rubric():
            return (f"is one of which the judge agrees: {reference.text}",)
        case Command():
            return (f"leaves the repository so that `{shlex.join(reference.argv)}` succeeds",)
        case _:
            assert_never(reference)


def checked_in_words(result: CheckResult) -> str:
    """Say what a model graded or code checked; a check that isn't known, or of a section, is named only."""
    if result.name == Trust.RUBRIC:
        return f"graded by the judge: {one_line(result.arg, limit=200)}"
    words = result.name.replace("_", " ")
    if result.name in set(Op) and Op(result.name) is not Op.SECTION_CONTAINS:
        words = _check_words(Check(op=Op(result.name), arg=result.arg))
    return f"checked in code: {words}"


def _check_words(check: Check) -> str:
    return _CHECKS[check.op].format(check=check)
