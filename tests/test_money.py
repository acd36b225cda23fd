"""Calls never exceed their limit; tokens and money by at most the calls in flight when it was reached."""

import random
import re
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import pytest
import stamina

from skillopt_sleep.backends.cached import Cached
from skillopt_sleep.backends.metered import Limits, Metered, NightMeter
from skillopt_sleep.backends.replies import decoded
from skillopt_sleep.backends.wrappers import ATTEMPTS, Repaired, Retried
from skillopt_sleep.errors import BudgetExhausted, CallFailed, FailureKind
from skillopt_sleep.learning.select import SelectReply
from skillopt_sleep.protocols.models import Backend, SpendTally
from skillopt_sleep.records import Completion, Limit, Prompt, Purpose, Usage
from skillopt_sleep.settings import BudgetSettings, Paths
from skillopt_sleep.stores.sqlite import SqliteStore
from skillopt_sleep.wiring.night import limits as limits_of
from tests.builders import a_prompt
from tests.fakes import NOON, FakeBackend, FakeClock, FakeLedger
from tests.stores.opening import open_at, seal

SEED = 1
NIGHTS = 200
PROJECTS = ("/shop", "/api", "")
LOST = (FailureKind.TIMED_OUT, FailureKind.KILLED, FailureKind.FLOODED)
KINDS = [kind for kind in FailureKind if kind is not FailureKind.OVER_BUDGET]
# Sums of such parts of a dollar are exact.
CENT = 1 / 1024


@pytest.fixture(autouse=True)
def no_waiting() -> Iterator[None]:
    """Retries as they are, without the waits between them."""
    with stamina.set_testing(True, attempts=ATTEMPTS, cap=True):
        yield


# Nothing was ever kept there.
PATHS = Paths(config=Path("/nowhere"), data=Path("/dev/null"))


class Died(BaseException):
    """The process ends here."""


@dataclass(eq=False, kw_only=True)
class Call:
    """What truly became of a call; kept by the test itself, apart from the ledger."""

    prompt: Prompt
    night: int
    at: datetime
    price: float | None
    entered: int
    exited: int = 0
    end: str = ""
    usage: Usage | None = None
    named: float | None = None
    text: str = ""

    @property
    def held(self) -> int:
        return 0 if self.end == "failed" else (len(self.prompt.text) + len(self.text)) // 4

    @property
    def tokens(self) -> int:
        return self.usage.tokens if self.usage else self.held

    @property
    def usd(self) -> float | None:
        if self.named is not None or self.usage is None or self.price is None:
            return self.named
        return self.usage.tokens * self.price

    @property
    def dollars(self) -> float:
        return self.held * (self.price or 0.0) if self.usd is None else self.usd

    @property
    def bare(self) -> bool:
        """Nothing is known of what it cost, and nothing could be held for it."""
        return self.usd is None and self.price is None and self.end not in {"failed", "done"}

    @property
    def unpriced(self) -> bool:
        return self.usd is None and (self.end == "done" or self.usage is not None)

    @property
    def unknown(self) -> bool:
        return self.usd is None and (self.end != "failed" or self.usage is not None)


def tally(calls: Sequence[Call]) -> SpendTally:
    """What a ledger should say of these calls."""
    dearest = max((call.usd for call in calls if call.usd is not None), default=0.0)
    return SpendTally(
        purposes=dict(Counter(call.prompt.purpose for call in calls)),
        usage=sum((call.usage for call in calls if call.usage), Usage()),
        usd=None if any(call.unknown for call in calls) else sum(call.usd or 0.0 for call in calls),
        unnamed=sum(call.end != "failed" and call.usage is None for call in calls),
        tokens=sum(call.tokens for call in calls),
        dollars=sum(call.dollars for call in calls) + dearest * sum(call.bare for call in calls),
        unpriced=sum(call.unpriced for call in calls),
        repairs=sum(call.prompt.repair for call in calls),
    )


def is_reached(limit: Limit, calls: Sequence[Call]) -> bool:
    spent = tally(calls)
    return any(
        most and most <= used for most, used in zip(limit, (spent.calls, spent.tokens, spent.dollars), strict=True)
    )


def month_of(moment: datetime) -> datetime:
    return datetime(moment.year, moment.month, 1, tzinfo=UTC)


@dataclass(eq=False, kw_only=True)
class World:
    """A user whose nights follow one another on one store; `seen` is what happened how often."""

    folder: Path
    rng: random.Random
    clock: FakeClock
    store: SqliteStore
    calls: list[Call] = field(default_factory=list[Call])
    flying: dict[int, Call] = field(default_factory=dict[int, Call])
    ticks: Iterator[int] = field(default_factory=count)
    died: bool = False
    seen: Counter[str] = field(default_factory=Counter[str])

    def reopen(self) -> None:
        """Another process takes over."""
        self.store.close()
        self.store = open_at(self.folder, clock=self.clock)
        self.died = False
        self.seen["a crash"] += 1

    def some_limit(self, calls: int) -> Limit:
        """One that about so many calls may reach."""
        rng = self.rng
        tokens, cents = rng.randint(1, calls * 50), rng.randint(1, calls * 50)
        set_at_all = [rng.random() < 0.2 for _ in range(3)]
        return Limit(rng.randint(1, calls) * set_at_all[0], tokens * set_at_all[1], cents * CENT * set_at_all[2])


@dataclass(eq=False, kw_only=True)
class RandomModel:
    """Answers, fails in every way and dies by chance, and writes down what it took."""

    world: World
    failing: float
    dying: float
    telling: float

    def complete(self, prompt: Prompt) -> Completion:
        world, rng = self.world, self.world.rng
        call = world.flying[threading.get_ident()]
        call.end = "died"
        time.sleep(rng.choice((0, 0, 0.0005, 0.001)))
        if world.died or rng.random() < self.dying:
            world.died = True
            raise Died
        fails = rng.random() < self.failing
        if rng.random() < (0.2 if fails else self.telling):
            call.usage = Usage(input_tokens=rng.randint(1, 60), output_tokens=rng.randint(0, 20))
        if fails and prompt.schema and rng.random() < 0.5:
            # An answer of no use is paid for all the same, whether or not its bill came.
            call.end = "failed" if call.usage else "lost"
            return decoded(prompt, Completion(text="prose", usage=call.usage))
        call.named = rng.randint(0, 60) * CENT if rng.random() < 0.3 else None
        if fails:
            kind = rng.choice(KINDS)
            call.end = "lost" if kind in LOST else "failed"
            tokens = (call.usage.input_tokens, call.usage.output_tokens, 0) if call.usage else None
            raise CallFailed(kind, "by chance", tokens=tokens, usd=call.named)
        call.end = "done"
        call.text = '{"selected_indices": [0]}' if prompt.schema else "done"
        return decoded(prompt, Completion(text=call.text, usage=call.usage, usd=call.named))


@dataclass(eq=False, kw_only=True)
class Noted:
    """Around the meter: notes when a call came to it and when it was settled."""

    inner: Backend
    night: "Night"

    def complete(self, prompt: Prompt) -> Completion:
        night, world = self.night, self.night.world
        call = Call(prompt=prompt, night=night.number, at=world.clock(), price=night.price, entered=next(world.ticks))
        world.flying[threading.get_ident()] = call
        try:
            return self.inner.complete(prompt)
        except (BudgetExhausted, CallFailed) as error:
            if not call.end and night.threads == 1 and not night.is_over(prompt.project):
                raise AssertionError(f"refused without a reason: {error}") from error
            raise
        finally:
            call.exited = next(world.ticks)
            if call.end:
                world.calls.append(call)


@dataclass(eq=False, kw_only=True)
class Night:
    """One night under limits of its own; a project that isn't named has none."""

    world: World
    number: int
    limits: Limits
    projects: dict[str, Limit]
    threads: int
    price: float | None
    telling: float
    until: datetime = NOON

    @property
    def calls(self) -> list[Call]:
        return [call for call in self.world.calls if call.night == self.number]

    def of_project(self, project: str) -> list[Call]:
        return [call for call in self.calls if call.prompt.project == project]

    def of_month(self, moment: datetime) -> list[Call]:
        return [call for call in self.world.calls if month_of(call.at) == month_of(moment)]

    def is_over(self, project: str) -> bool:
        """Whether there is a reason to refuse this project's next call."""
        now, night, month = self.world.clock(), self.limits.night, Limit(usd=self.limits.month_usd)
        own = self.projects.get(project, Limit())
        return (
            now >= self.until
            or is_reached(night, self.calls)
            or is_reached(month, self.of_month(now))
            or is_reached(own, self.of_project(project))
            or bool((night.usd or month.usd) and tally(self.calls).unpriced)
            or bool(own.usd and tally(self.of_project(project)).unpriced)
        )

    def live(self, waves: Sequence[Sequence[Prompt]], *, dying: float, resumed: bool) -> None:
        """One life of the night; what it spent is looked at when all its calls ended."""
        world = self.world
        with world.store.open_night() as page:
            assert page.resumed == resumed
            meter = NightMeter(world.store.ledger, self.limits, clock=world.clock)
            self.until = world.clock() + timedelta(minutes=self.limits.minutes)
            failing = world.rng.choice((0.0, 0.2, 0.6))
            model = RandomModel(world=world, failing=failing, dying=dying, telling=self.telling)
            price = self.price
            metered = Metered(
                model, meter, model="m", price=lambda _, usage: None if price is None else usage.tokens * price
            )
            inner = Retried(Repaired(Noted(inner=metered, night=self)))
            asked = Cached(inner, world.store.calls, model="m", version=lambda: "1")
            with ThreadPoolExecutor(self.threads) as pool:
                for wave in waves:
                    list(pool.map(lambda prompt: self.ask(asked, prompt), wave))
                    world.clock.pass_by(minutes=world.rng.randint(0, 40))
            self.check(meter)
            if not world.died:
                seal(page)

    def ask(self, asked: Backend, prompt: Prompt) -> None:
        if self.world.died:
            return
        before = len(self.world.calls)
        try:
            asked.complete(prompt)
            self.world.seen["an answer from the store"] += self.threads == 1 and len(self.world.calls) == before
        except Died:
            pass
        except (BudgetExhausted, CallFailed) as error:
            said = re.sub(r"\d+(\.\d+)?(e-\d+)?|/\w+", "N", error.message)
            self.world.seen[said] += 1

    def check(self, meter: NightMeter) -> None:
        now, ledger = self.world.clock(), self.world.store.ledger
        spent = tally(self.calls)
        assert ledger.spent() == spent
        assert ledger.spent_in_month(now) == tally(self.of_month(now))
        known = spent.unnamed < spent.calls or not spent.calls
        spend = meter.spend()
        assert (spend.calls, spend.repairs, spend.usd) == (spent.calls, spent.repairs, spent.usd)
        assert spend.tokens == (spent.usage.tokens if known else None)
        self.holds(self.limits.night, self.calls)
        for month in {month_of(call.at) for call in self.calls}:
            self.holds(Limit(usd=self.limits.month_usd), self.of_month(month))
        for project, limit in self.projects.items():
            assert ledger.spent(project=project) == tally(self.of_project(project))
            self.holds(limit, self.of_project(project))

    def holds(self, limit: Limit, calls: Sequence[Call]) -> None:
        """Calls never exceed the limit, tokens and dollars only by what was in flight as the last one was let through."""
        tonight = [call for call in calls if call.night == self.number]
        if not tonight:
            return
        last = max(call.entered for call in tonight)
        settled = [call for call in calls if call.exited < last]
        assert len(calls) - len(settled) <= self.threads
        assert not limit.calls or len(calls) <= limit.calls
        assert not limit.tokens or sum(call.tokens for call in settled) < limit.tokens
        assert not limit.usd or sum(call.dollars for call in settled) < limit.usd
        assert not limit.usd or not any(call.unpriced for call in settled if call.night == self.number)
        self.world.seen["tokens beyond the limit"] += 0 < limit.tokens < tally(calls).tokens
        self.world.seen["dollars beyond the limit"] += 0 < limit.usd < tally(calls).dollars


def a_question(number: int) -> Prompt:
    """The same at every time."""
    schema = {"purpose": Purpose.SELECT, "schema": SelectReply} if number % 2 else {}
    return a_prompt(f"Question {number}\n{'x' * (number % 50)}", project=PROJECTS[number % 3], **schema)


def spend_a_night(world: World, number: int) -> None:
    rng = world.rng
    projects = {project: world.some_limit(8) for project in PROJECTS if project}
    limits = Limits(
        night=world.some_limit(30),
        minutes=rng.choice((30, 6_000, 6_000, 6_000)),
        month_usd=world.some_limit(600).usd,
        project=lambda project: projects.get(project, Limit()),
    )
    night = Night(
        world=world,
        number=number,
        limits=limits,
        projects=projects,
        threads=rng.randint(1, 8),
        price=rng.choice((None, CENT, 2 * CENT)),
        telling=rng.choice((1.0, 1.0, 0.8)),
    )
    waves = [[a_question(number * 12 + rng.randrange(30)) for _ in range(8)] for _ in range(4)]
    dying = rng.choice((0.0, 0.0, 0.02, 0.1))
    for life in range(5):
        night.live(waves, dying=dying if life < 4 else 0.0, resumed=life > 0)
        if not world.died:
            break
        world.reopen()
    world.clock.pass_by(minutes=rng.randint(1, 3_000))


# What the nights must have met, or they have shown nothing.
MET = (
    "a crash",
    "an answer from the store",
    "tokens beyond the limit",
    "dollars beyond the limit",
    "by chance",
    "the limit of N minutes is reached",
    *(f"the limit of {what} is reached" for what in ("N calls", "N tokens", "$N")),
    "the month's limit of $N is reached",
    *(f"the limit of {what} for N is reached" for what in ("N calls", "N tokens", "$N")),
    "what a call cost isn't known, so a limit in dollars can't be kept",
    "what a call for N cost isn't known, so its limit in dollars can't be kept",
)


@pytest.mark.slow
def test_no_limit_is_exceeded_over_many_random_nights_with_crashes(tmp_path: Path) -> None:
    clock = FakeClock()
    world = World(folder=tmp_path, rng=random.Random(SEED), clock=clock, store=open_at(tmp_path, clock=clock))
    for number in range(NIGHTS):
        spend_a_night(world, number)
    # An attempt is drawn afresh by every night that goes to its end.
    answered = Counter(
        (call.prompt.text.split("\n", 1)[0], call.night if call.prompt.purpose is Purpose.ROLLOUT else -1)
        for call in world.calls
        if call.end == "done"
    )
    assert set(answered.values()) == {1}, "a question was paid twice"
    assert [met for met in MET if not world.seen[met]] == []
    world.store.close()


def test_a_project_limits_its_own_part(tmp_path: Path) -> None:
    (tmp_path / ".skillopt-sleep").mkdir()
    (tmp_path / ".skillopt-sleep" / "project.toml").write_text("[budget]\ncalls = 2\nusd = 9.0\n", encoding="utf-8")
    budget = BudgetSettings(month_usd=7.0)

    limits = limits_of(budget, PATHS)

    assert limits.project(str(tmp_path)) == Limit(2, 0, 9.0)
    assert limits.project(str(tmp_path / "elsewhere")) == Limit()
    assert (limits.night, limits.month_usd) == (Limit(budget.calls, budget.tokens, budget.usd), 7.0)


def test_a_night_asks_no_more_for_a_project_than_the_project_allows(tmp_path: Path) -> None:
    (tmp_path / ".skillopt-sleep").mkdir()
    (tmp_path / ".skillopt-sleep" / "project.toml").write_text("[budget]\ncalls = 2\n", encoding="utf-8")
    inner = FakeBackend(otherwise="done")
    backend = Metered(
        inner, NightMeter(FakeLedger(), limits_of(BudgetSettings(), PATHS), clock=FakeClock()), model="m"
    )

    for _ in range(2):
        backend.complete(a_prompt(project=str(tmp_path)))
    with pytest.raises(CallFailed, match="limit of 2 calls") as caught:
        backend.complete(a_prompt(project=str(tmp_path)))
    assert caught.value.kind is FailureKind.OVER_BUDGET
    backend.complete(a_prompt(project="/home/ada/else"))
    assert len(inner.prompts) == 3
