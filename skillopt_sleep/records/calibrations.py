"""Calibration: whether what judges a task can be trusted: its command in the repository, or a model."""

from enum import StrEnum

import msgspec

from skillopt_sleep.records.record import Record, counted
from skillopt_sleep.records.workspaces import NO_WORKSPACE_WORDS, NoWorkspace, Workspace


class NoCommand(StrEnum):
    """Why nothing of a session's own can judge its task in the repository; a closed set."""

    NO_SEAL = "no_seal"
    NO_WORKSPACE = "no_workspace"
    NO_COMMAND = "no_command"
    NOT_RUN = "not_run"
    ALWAYS_GREEN = "always_green"
    NO_END_STATE = "no_end_state"
    END_STATE_RED = "end_state_red"
    FLAKY = "flaky"
    BREAKS_OTHERS = "breaks_others"
    TOO_SLOW = "too_slow"
    LATER = "later"


NO_COMMAND_WORDS = {
    NoCommand.NO_SEAL: "no agent can act in a sealed copy here",
    NoCommand.NO_WORKSPACE: "its repository can't be had as it was",
    NoCommand.NO_COMMAND: "no test, linter, build or type check turned from failing to passing in it, and nothing "
    "that you said or ran names a command or a file of the repository",
    NoCommand.NOT_RUN: "its command doesn't run in a sealed copy",
    NoCommand.ALWAYS_GREEN: "its command passes although nothing was done",
    NoCommand.NO_END_STATE: "no commit holds what the session ended with",
    NoCommand.END_STATE_RED: "its command fails on what the session ended with, too",
    NoCommand.FLAKY: "its command doesn't answer twice the same",
    NoCommand.BREAKS_OTHERS: "other tests that passed before fail, or are gone, with what the session ended with",
    NoCommand.TOO_SLOW: "its command takes too long",
    NoCommand.LATER: "left for another night, as trying the commands of others took long",
}
"""The reasons in words."""


class Calibration(Record, frozen=True, kw_only=True):
    """Whether a reference can be trusted in a repository: `refused` is None if it can, `because` adds the case.

    `end` is the end state that passed.
    """

    refused: NoCommand | None = None
    because: str = ""
    end: Workspace | None = None


class Calibrations(Record, frozen=True, kw_only=True):
    """What of a night's sessions can be judged in their repositories.

    Of the `sessions` with a request that no answer in words can show, so many yielded a calibrated command, so many
    `checks` of what was done alone, so many `rubrics` by which the judge grades changes; `refused` counts the others
    by code, and `workspaces` those of them whose repository can't be had, by why.
    """

    sessions: int = 0
    commands: int = 0
    checks: int = 0
    rubrics: int = 0
    refused: dict[str, int] = msgspec.field(default_factory=dict)
    workspaces: dict[str, int] = msgspec.field(default_factory=dict)

    @property
    def in_words(self) -> str:
        """Say how many sessions yielded what can judge them, and why the others didn't; "" without any session."""
        if not self.sessions:
            return ""
        asked = counted(self.sessions, "session asked", "sessions asked")
        yielded: list[str] = []
        if self.commands:
            yielded.append(f"{self.commands} can be judged by a command of the project's own")
        if self.checks:
            yielded.append(f"{self.checks} by what the agent runs and changes")
        if self.rubrics:
            yielded.append(f"{self.rubrics} by the judge, who sees the changes as a diff")
        for code, count in sorted(self.refused.items()):
            yielded.append(f"{count} can't: {self._why(NoCommand(code))}")
        return f"{asked} for what only work in the repository can show: {'; '.join(yielded)}"

    def _why(self, code: NoCommand) -> str:
        """Return why nothing of a session can judge it; of a repository that can't be had, the reason too."""
        words = NO_COMMAND_WORDS[code]
        if code is not NoCommand.NO_WORKSPACE or not self.workspaces:
            return words
        gone = [NO_WORKSPACE_WORDS[NoWorkspace(reason)] for reason in sorted(self.workspaces)]
        return f"{words} ({'; '.join(gone)})"


class AnswerKind(StrEnum):
    """The kinds of known answer; only one that meets its demand should pass.

    A longer one misses its demand at length; an echo misses it and repeats its words.
    """

    MEETS = "meets"
    MISSES = "misses"
    LONGER = "longer"
    ECHO = "echo"


_WORDS = {
    AnswerKind.MEETS: "good answers",
    AnswerKind.MISSES: "bad ones",
    AnswerKind.LONGER: "bad ones that are only longer",
    AnswerKind.ECHO: "bad ones that only repeat what was asked for",
}


class KnownAnswer(Record, frozen=True, kw_only=True):
    """An answer to a task's request of which it is known whether it meets the demand."""

    kind: AnswerKind
    response: str


class KindCount(Record, frozen=True, kw_only=True):
    """The number of the `n` known answers of one kind that were graded correctly."""

    kind: AnswerKind
    right: int
    n: int


class JudgeReading(Record, frozen=True, kw_only=True):
    """The number of `n` known answers that the judge graded correctly in a night, by kind.

    `because` says why its grades decide nothing that night; it is "" if they count. That many requests stay `untried`
    which only it could grade.
    """

    right: int = 0
    n: int = 0
    kinds: tuple[KindCount, ...] = ()
    because: str = ""
    untried: int = 0

    @property
    def by_kind(self) -> str:
        """The counts of each kind in words."""
        return ", ".join(f"{count.right} of {count.n} {_WORDS[count.kind]}" for count in self.kinds)
