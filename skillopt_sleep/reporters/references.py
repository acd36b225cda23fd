"""Say how an answer is scored."""

import shlex
from typing import assert_never

from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.records import Check, CheckResult, Checks, Command, Exact, Op, Reference, Rubric, Trust

_WORDS = {
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
    return _WORDS[check.op].format(check=check)
