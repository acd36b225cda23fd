"""Rollout: an attempt, what happened in it, its grade."""

from skillopt_sleep.records.record import Record
from skillopt_sleep.records.sessions import Usage
from skillopt_sleep.records.workspaces import CommandRun


class Trajectory(Record, frozen=True, kw_only=True):
    """The course of one attempt; `failure` says why there is no response, `text_only` that no tools could run.

    `model` is the one that answered, if it said so. An attempt in a copy of the repository names its `seal`, and
    brings the `commands` that ran, the `diff` it left and how many `turns` it took; `checked` is the run of its
    task's own command on a copy of what it left.
    """

    response: str = ""
    tool_calls: tuple[str, ...] = ()
    commands: tuple[CommandRun, ...] = ()
    changed_files: tuple[str, ...] = ()
    diff: str = ""
    checked: CommandRun | None = None
    turns: int = 0
    seal: str = ""
    exit: int | None = None
    seconds: float = 0.0
    usage: Usage | None = None
    failure: str = ""
    text_only: bool = False
    model: str = ""


class CheckResult(Record, frozen=True, kw_only=True):
    """One check and whether it passed; `arg` is for the report and never shown to the optimizer."""

    name: str
    passed: bool
    arg: str = ""


class Score(Record, frozen=True, kw_only=True):
    """A grade: hard and soft in [0, 1]; `why` gives the reason in words, never with a judge's pattern."""

    hard: float
    soft: float
    why: str = ""
    checks: tuple[CheckResult, ...] = ()


class Rollout(Record, frozen=True, kw_only=True):
    """One attempt at one task under one document; a `score` of None means not scored, never 0.

    `failed` says that a call to a model failed: the attempt shows nothing and could be repeated.
    """

    task: str
    document_sha: str
    sample: int
    trajectory: Trajectory
    score: Score | None = None
    note: str = ""
    failed: bool = False
