"""Grade an attempt by code: an exact answer, checks, or a project's command; no reason quotes what was looked for."""

from pathlib import PurePosixPath
from typing import assert_never

import regex

from skillopt_sleep.errors import ItemError
from skillopt_sleep.kit.codec import is_json
from skillopt_sleep.kit.tests_counted import count_tests
from skillopt_sleep.records import Check, CheckResult, Checks, Command, CommandRun, Exact, Op, Score, Trajectory
from skillopt_sleep.replay.judges.acts import changed, may_have_run, names, ran

REGEX_SECONDS = 0.05
REFUSAL_CHARS = 600
HEADING_CHARS = 200
COMMAND = "$ "  # begins a line that stands for a command, as the target is told

COMMAND_CHECK = "command"
# Folders of what tests read: cases, expected output, snapshots.
_OF_TESTS = frozenset(
    {"test", "tests", "__tests__", "spec", "specs", "testdata", "fixtures", "snapshots", "__snapshots__", "golden"}
)
_MISSING = frozenset({126, 127})  # the shell's codes for a program that isn't there or can't be run

_HEADING = regex.compile(r"^(?:#{1,6}\s+|\*\*)(.+?)(?:\*\*)?:?\s*#*\s*$")
_REFUSAL = regex.compile(
    r"^\W*(?:i(?:'m| am) (?:sorry|unable|not able)|sorry\b|i (?:can(?:'t|not)|won't|must decline)|as an ai\b"
    r"|unfortunately,? i can)",
    regex.IGNORECASE,
)
_WHY = {
    Op.CONTAINS: "something that was asked for is missing",
    Op.NOT_CONTAINS: "it has something that was ruled out",
    Op.REGEX: "it does not have the form that was asked for",
    Op.SECTION_CONTAINS: "a section lacks something that was asked for",
    Op.MAX_CHARS: "it is too long",
    Op.MIN_CHARS: "it is too short",
    Op.JSON_VALID: "it is not valid JSON",
    Op.TOOL_CALLED: "a tool that was asked for was not used",
    Op.COMMAND_RUN: "a command that was asked for was not run",
    Op.COMMAND_NOT_RUN: "a command that was ruled out was run",
    Op.FILE_CHANGED: "a file that had to change was left as it was",
    Op.FILE_UNTOUCHED: "a file that was to be left alone was changed",
    Op.NO_REFUSAL: "it refuses",
}


def score_checks(reference: Checks, trajectory: Trajectory) -> Score:
    """Return hard 1 if all checks pass, and their share as soft; raise ItemError if one can't be decided."""
    if not reference.items:
        raise ItemError("the task has no checks")
    results: list[CheckResult] = []
    reasons: list[str] = []
    for check in reference.items:
        passed = _holds(check, trajectory)
        results.append(CheckResult(name=check.op, passed=passed, arg=check.arg))
        if not passed and _WHY[check.op] not in reasons:
            reasons.append(_WHY[check.op])
    count = sum(result.passed for result in results)
    return Score(
        hard=float(count == len(results)),
        soft=count / len(results),
        why="; ".join(reasons),
        checks=tuple(results),
    )


def _holds(check: Check, trajectory: Trajectory) -> bool:
    text = trajectory.response
    match check.op:
        case Op.CONTAINS:
            return check.arg.casefold() in text.casefold()
        case Op.NOT_CONTAINS:
            return not _has_word(check.arg, text)
        case Op.REGEX:
            return _matches(check.arg, text)
        case Op.SECTION_CONTAINS:
            return check.arg.casefold() in _section(check.section, text).casefold()
        case Op.MAX_CHARS:
            return len(_said(trajectory)) <= _number(check)
        case Op.MIN_CHARS:
            return len(_said(trajectory)) >= _number(check)
        case Op.JSON_VALID:
            return is_json(_said(trajectory))
        case Op.TOOL_CALLED | Op.COMMAND_RUN | Op.COMMAND_NOT_RUN | Op.FILE_CHANGED | Op.FILE_UNTOUCHED:
            return _did(check, trajectory)
        case Op.NO_REFUSAL:
            return not _refuses(text)
        case _:
            assert_never(check.op)


def _did(check: Check, trajectory: Trajectory) -> bool:
    """Decide a check of what the agent did; raise ItemError if the attempt had no tools."""
    if trajectory.text_only:
        raise ItemError("a text-only attempt can't call tools, so this task can't be scored by one")
    match check.op:
        case Op.COMMAND_RUN:
            return ran(trajectory, check.arg)
        case Op.COMMAND_NOT_RUN:
            return not may_have_run(trajectory, check.arg)
        case Op.FILE_CHANGED:
            return changed(trajectory, check.arg)
        case Op.FILE_UNTOUCHED:
            return not changed(trajectory, check.arg)
        case _:
            return check.arg in trajectory.tool_calls


def _said(trajectory: Trajectory) -> str:
    """Return the response; of an attempt without tools, its lines that stand for commands are no part of it."""
    if not trajectory.text_only:
        return trajectory.response
    lines = trajectory.response.splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith(COMMAND))


def _refuses(text: str) -> bool:
    """Return whether the answer is empty, or short and begins like a refusal."""
    if not text.strip():
        return True
    return len(text) < REFUSAL_CHARS and _REFUSAL.search(text) is not None


def _has_word(term: str, text: str) -> bool:
    """Return whether the term is a whole word of the text: `npm` isn't one in `pnpm`, nor `-f` in `--fast-f`."""
    pattern = rf"(?<![\w-]){regex.escape(term)}(?![\w-])"
    return regex.search(pattern, text, flags=regex.IGNORECASE) is not None


def _matches(pattern: str, text: str) -> bool:
    try:
        return regex.search(pattern, text, flags=regex.MULTILINE, timeout=REGEX_SECONDS) is not None
    except regex.error as error:
        raise ItemError(f"the task's pattern is not a regular expression: {error}") from error
    except TimeoutError as error:
        raise ItemError("the task's pattern takes too long on this answer") from error


def _section(name: str, text: str) -> str:
    """Return the lines from the heading that contains the name up to the next heading; "" without such a heading."""
    lines: list[str] = []
    inside = False
    fenced = False
    for line in text.splitlines():
        if line.lstrip().startswith("```"):
            fenced = not fenced
        heading = None if fenced else _HEADING.match(line[:HEADING_CHARS])
        if heading:
            inside = name.casefold() in heading[1].casefold()
        elif inside:
            lines.append(line)
    return "\n".join(lines)


def _number(check: Check) -> int:
    if not check.arg.isdecimal():
        raise ItemError(f"{check.op} needs a whole number, not {check.arg!r}")
    return int(check.arg)


def score_exact(reference: Exact, trajectory: Trajectory) -> Score:
    """Return 1 if the texts are equal, ignoring case and white space, else 0."""
    passed = _plain(reference.answer) == _plain(trajectory.response)
    return Score(
        hard=float(passed),
        soft=float(passed),
        why="" if passed else "the answer is not the one that was wanted",
        checks=(CheckResult(name="exact", passed=passed, arg=reference.answer),),
    )


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def score_command(reference: Command, trajectory: Trajectory) -> Score:
    """Return hard 1 if the command ended with 0; soft is the share of its tests that passed, if it says how many.

    An attempt that changes the tests fails, and so does one that deletes what they may read. Raises ItemError if the
    command didn't run.
    """
    checked = trajectory.checked
    if checked is None or checked.status is None:
        raise ItemError("the project's own command could not be run on what the attempt left")
    if checked.status in _MISSING:
        raise ItemError("the project's own command was not found in the replay")
    touched = [path for path in trajectory.changed_files if any(names(test, path) for test in reference.tests)]
    if touched:
        return _command_score(hard=False, soft=0.0, why="it changed the tests that judge it")
    if any(map(_is_of_tests, trajectory.deleted_files)):
        return _command_score(hard=False, soft=0.0, why="it deleted what the tests that judge it may read")
    if checked.status == 0:
        return _command_score(hard=True, soft=1.0, why="")
    return _command_score(hard=False, soft=share_passed(checked), why="the project's own check fails")


def _is_of_tests(path: str) -> bool:
    return not _OF_TESTS.isdisjoint(part.lower() for part in PurePosixPath(path).parts[:-1])


def share_passed(checked: CommandRun) -> float:
    """Return the share of tests that passed, by what the command printed; 0 if it doesn't say."""
    counts = count_tests(checked.output)
    if counts is None or not counts.passed:
        return 0.0
    return counts.passed / (counts.passed + (counts.failed or 1))


def _command_score(*, hard: bool, soft: float, why: str) -> Score:
    return Score(hard=float(hard), soft=soft, why=why, checks=(CheckResult(name=COMMAND_CHECK, passed=hard),))
