"""Known answers: what the judge is tried on every night, and how often it was right."""

from enum import StrEnum

from skillopt_sleep.records.record import Record


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
