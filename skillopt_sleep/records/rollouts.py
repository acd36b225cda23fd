"""Rollout: an attempt, what happened in it, its grade."""

from skillopt_sleep.records.record import Record
from skillopt_sleep.records.sessions import Usage
from skillopt_sleep.records.workspaces import CommandRun

MOST_SHOWN = 20  # commands and files of an attempt that a reader is shown
CHECK_CHARS = 1_000
DIFF_CHARS = 4_000


class Trajectory(Record, frozen=True, kw_only=True):
    """The course of one attempt; `failure` says why there is no response, `text_only` that no tools could run.

    `model` is the one that answered, if it said so. An attempt in a copy of the repository names its `seal`, and
    brings the `commands` that ran, the `diff` it left and how many `turns` it took; the `deleted_files` are among the
    `changed_files`. `checked` is the run of its task's own command on a copy of what it left.
    """

    response: str = ""
    tool_calls: tuple[str, ...] = ()
    commands: tuple[CommandRun, ...] = ()
    changed_files: tuple[str, ...] = ()
    deleted_files: tuple[str, ...] = ()
    diff: str = ""
    checked: CommandRun | None = None
    turns: int = 0
    seal: str = ""
    seconds: float = 0.0
    usage: Usage | None = None
    failure: str = ""
    text_only: bool = False
    model: str = ""

    @property
    def told(self) -> str:
        """Return what happened, for a reader: the answer, and what was done and left by an attempt with tools."""
        if not self.seal:
            return self.response
        lines: list[str] = []
        for command in self.commands[-MOST_SHOWN:]:
            failed = f"  (exit {command.status})" if command.status else ""
            lines.append(f"$ {command.text}{failed}")
        if self.changed_files:
            lines.append(f"(changed: {', '.join(self.changed_files[:MOST_SHOWN])})")
        else:
            lines.append("(changed no file)")
        if self.checked is not None:
            how = "passed" if self.checked.status == 0 else "failed"
            lines.append(f"(the project's own check {how} afterwards)")
            if self.checked.status:
                lines.append(self.checked.output[-CHECK_CHARS:])
        lines.append(self.response)
        if self.diff:
            lines.append(self.diff[:DIFF_CHARS])
        return "\n".join(lines)


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
