"""One stand-in per protocol, in memory: each does what it is told and remembers what it was asked."""

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeVar

import msgspec

from skillopt_sleep.backends.replies import decoded
from skillopt_sleep.errors import CallFailed, CallPending, ItemError, SealBroken
from skillopt_sleep.kit.process import ProcessResult
from skillopt_sleep.protocols.models import Backend, Preflight, Reservation, ReservedCost, SpendTally
from skillopt_sleep.protocols.sealing import Policy, Probe
from skillopt_sleep.protocols.work import Pool
from skillopt_sleep.records import (
    CallState,
    Completion,
    Document,
    Prompt,
    Purpose,
    Score,
    Spend,
    Task,
    Trajectory,
    Usage,
    wants_a_tool,
)

Item = TypeVar("Item")
Result = TypeVar("Result")

# A text, something that is sent as JSON, a whole completion, or an error to raise.
Answer = str | Mapping[str, object] | msgspec.Struct | Exception
Answers = Answer | Callable[[Prompt], Answer]

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


class FakeBackend:
    """Answers each purpose as told, and any other with `otherwise`; a reply is decoded as a real backend would.

    A purpose that nobody told it about fails the test.
    """

    def __init__(
        self,
        answers: Mapping[Purpose, Answers] | None = None,
        *,
        otherwise: Answers | None = None,
        usage: Usage | None = None,
    ) -> None:
        self.answers: dict[Purpose, Answers] = {} if otherwise is None else dict.fromkeys(Purpose, otherwise)
        self.answers |= answers or {}
        self.usage = usage
        self.prompts: list[Prompt] = []
        self._lock = threading.Lock()

    def complete(self, prompt: Prompt) -> Completion:
        with self._lock:
            self.prompts.append(prompt)
        assert prompt.purpose in self.answers, f"nobody expected a {prompt.purpose} prompt:\n{prompt.text}"
        answer = self.answers[prompt.purpose]
        if callable(answer):
            answer = answer(prompt)
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, Completion):
            return decoded(prompt, answer)
        text = answer if isinstance(answer, str) else msgspec.json.encode(answer).decode()
        return decoded(prompt, Completion(text=text, usage=self.usage, model="fake"))

    def asked(self, purpose: Purpose) -> list[Prompt]:
        """The prompts of one purpose, in order."""
        return [prompt for prompt in self.prompts if prompt.purpose is purpose]


def asked_first(backend: Backend) -> tuple[Preflight, ...]:
    """For a crew: only a call tells whether this model answers."""
    return (Preflight(lambda _until: False, backend),)


def in_turn(*answers: Answer) -> Callable[[Prompt], Answer]:
    """One answer after the other; the last one stays."""
    left = list(answers)
    return lambda prompt: left.pop(0) if len(left) > 1 else left[0]


class FakeExecutor:
    """Attempts as told: a text, a trajectory, or a function of task, document and sample."""

    def __init__(
        self,
        attempt: str | Trajectory | Callable[[Task, Document, int], str | Trajectory] = "done",
        *,
        text_only: bool = True,
    ) -> None:
        self.attempt = attempt
        self.text_only = text_only
        self.jobs: list[tuple[Task, Document, int]] = []

    def reaches(self, task: Task) -> bool:
        return not self.text_only or not (task.setting.needs_repository or wants_a_tool(task.reference))

    def run(self, task: Task, document: Document, *, sample: int) -> Trajectory:
        self.jobs.append((task, document, sample))
        made = self.attempt(task, document, sample) if callable(self.attempt) else self.attempt
        return Trajectory(response=made, text_only=True) if isinstance(made, str) else made


class FakeJudge:
    """Grades as told: a number, a score, an error to raise, or a function of task and trajectory."""

    def __init__(
        self, grade: float | Score | Exception | Callable[[Task, Trajectory], float | Score | Exception] = 1.0
    ) -> None:
        self.grade = grade
        self.graded: list[tuple[Task, Trajectory]] = []

    def score(self, task: Task, trajectory: Trajectory) -> Score:
        self.graded.append((task, trajectory))
        grade = self.grade(task, trajectory) if callable(self.grade) else self.grade
        if isinstance(grade, Exception):
            raise grade
        if isinstance(grade, Score):
            return grade
        return Score(hard=float(grade >= 1), soft=grade, why="" if grade >= 1 else "it is not what was asked for")

    def scores(
        self, answers: Sequence[tuple[Task, Trajectory]], *, pool: Pool, label: str
    ) -> Sequence[Score | ItemError]:
        return pool.map(self._score_or_why, answers, label=label)

    def _score_or_why(self, answer: tuple[Task, Trajectory]) -> Score | ItemError:
        try:
            return self.score(*answer)
        except ItemError as error:
            return error


class SerialPool:
    """Runs everything here and now; `labels` is what was run."""

    width = 1

    def __init__(self) -> None:
        self.labels: list[str] = []

    def map(self, function: Callable[[Item], Result], items: Sequence[Item], *, label: str) -> tuple[Result, ...]:
        self.labels.append(label)
        results: list[Result] = []
        pending: CallPending | None = None
        for item in items:
            try:
                results.append(function(item))
            except CallPending as error:
                pending = error
        if pending:
            raise pending
        return tuple(results)

    def together(self, chain: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        pending: CallPending | None = None
        for item in items:
            try:
                result = chain(item)
            except CallPending as error:
                pending = error
            else:
                yield result
        if pending:
            raise pending


class FakeLedger:
    """A ledger of one night; entry n is the n-th reservation."""

    def __init__(self) -> None:
        self.reserved: list[Reservation] = []
        self.settled: dict[int, tuple[CallState, Usage | None, float | None]] = {}
        self.odd_events = 0
        self._lock = threading.Lock()

    def reserve(self, call: Reservation) -> int:
        with self._lock:
            self.reserved.append(call)
            return len(self.reserved) - 1

    def settle(
        self,
        entry: int,
        state: CallState,
        *,
        usage: Usage | None,
        usd: float | None,
        odd_events: int = 0,
        held: ReservedCost | None = None,
    ) -> None:
        with self._lock:
            if held is not None:
                self.reserved[entry] = self.reserved[entry]._replace(**held._asdict())
            self.settled[entry] = (state, usage, usd)
            self.odd_events += odd_events

    def spent(self, *, project: str | None = None) -> SpendTally:
        with self._lock:
            lines = [
                (call, *self.settled.get(entry, (CallState.RESERVED, None, None)))
                for entry, call in enumerate(self.reserved)
                if project is None or call.project == project
            ]
        paid = [
            (call, state, usage, usd) for call, state, usage, usd in lines if state is not CallState.FAILED or usage
        ]
        dollars = [usd for _, _, _, usd in paid]
        useless = sum(usd or 0.0 for _, state, usage, usd in lines if state is CallState.FAILED and not usage)
        dearest = max((usd for _, _, _, usd in lines if usd is not None), default=0.0)
        open_ = {CallState.RESERVED, CallState.LOST}
        held = sum(
            (dearest if call.usd is None and state in open_ else call.usd or 0.0)
            for call, state, _, usd in paid
            if usd is None
        )
        usage = sum((usage for _, _, usage, _ in lines if usage), Usage())
        return SpendTally(
            purposes=Counter(call.purpose for call, *_ in lines),
            usage=usage,
            usd=None if None in dollars else sum(usd for usd in dollars if usd is not None) + useless,
            unnamed=sum(usage is None for _, _, usage, _ in paid),
            tokens=usage.tokens + sum(call.tokens for call, _, usage, _ in paid if usage is None),
            dollars=sum(usd for _, _, _, usd in paid if usd is not None) + held + useless,
            unpriced=sum(
                (state is CallState.DONE or usage is not None) and usd is None for _, state, usage, usd in paid
            ),
            repairs=sum(call.repair for call, *_ in lines),
            odd_events=self.odd_events,
        )

    def spent_in_month(self, moment: datetime) -> SpendTally:
        return self.spent()


class FakeCalls:
    """Completed calls by content; what is kept has no decoded form, as on disk."""

    def __init__(self) -> None:
        self.kept: dict[str, Completion] = {}

    def get(self, key: str) -> Completion | None:
        return self.kept.get(key)

    def draws(self) -> "FakeCalls":
        return self

    def put(self, key: str, completion: Completion) -> None:
        self.kept[key] = msgspec.structs.replace(completion, structured=None)


class FakeFailures:
    """How questions failed, by their keys."""

    def __init__(self) -> None:
        self.kept: dict[str, CallFailed] = {}

    def get(self, key: str) -> CallFailed | None:
        return self.kept.get(key)

    def put(self, key: str, error: CallFailed) -> None:
        self.kept[key] = error


class FakeMeter:
    """A meter that never complains, unless it is given an error to raise at the end."""

    def __init__(self, error: Exception | None = None, *, spent: Spend | None = None, left: int = 10_000) -> None:
        self.error = error
        self.spent = spent or Spend()
        self.calls_left = left

    def spend(self) -> Spend:
        return self.spent

    def left(self) -> int:
        return self.calls_left

    def check(self) -> None:
        if self.error:
            raise self.error


class FakeClock:
    """Stands still until it is set or moved on."""

    def __init__(self, now: datetime = NOON) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def pass_by(self, **time: float) -> None:
        """Move on by what `timedelta` understands: `minutes=5`."""
        self.now += timedelta(**time)


class FakeSeal:
    """A seal that says what it is told to of itself, and can run nothing."""

    def __init__(self, probe: Probe) -> None:
        self.name = probe.seal
        self.probed = 0
        self._probe = probe

    def probe(self, folder: Path, /) -> Probe:
        self.probed += 1
        return self._probe

    def run(self, argv: Sequence[str], policy: Policy, *, stdin: bytes = b"") -> ProcessResult:
        raise SealBroken(f"{self.name} can't run anything")
