"""Nights on a made fortnight: the sessions on disk, the real night with default settings, a scripted mind and target."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple, TypeVar

from msgspec.structs import replace

from bench.fortnight_mind import Known, Mind, Target
from bench.fortnight_world import Fortnight, Session
from skillopt_sleep.agents.claude_code.sessions import ClaudeCode
from skillopt_sleep.backends.cached import Cached
from skillopt_sleep.backends.handoff import Answered, HandoffBackend
from skillopt_sleep.backends.metered import Limits, Metered, NightMeter
from skillopt_sleep.backends.wrappers import Recorded, Redacted, Repaired, Retried, Watched
from skillopt_sleep.errors import CallPending
from skillopt_sleep.kit.files import private_dir
from skillopt_sleep.learning.rule import TriedRule
from skillopt_sleep.night.night import run_night
from skillopt_sleep.pools.threads import ThreadPool
from skillopt_sleep.proposals.stage import FolderStager
from skillopt_sleep.proposals.targets import FileTargets
from skillopt_sleep.protocols.models import Backend, Preflight
from skillopt_sleep.records import Completion, Decision, Limit, NightReport, Prompt, Purpose, Usage
from skillopt_sleep.replay.judges import ReferenceJudge
from skillopt_sleep.replay.text import SingleShot
from skillopt_sleep.settings import BackendSettings, Settings, find_paths
from skillopt_sleep.stores.sqlite import SqliteStore
from skillopt_sleep.wiring.night import make_plan
from tests.fakes import FakeClock
from tests.nights import a_crew
from tests.sessions import Exchange, ToolCall, claude_session

SETTINGS = Settings(backend=BackendSettings(name="openai", model="mind"))  # and all else by default
FILES = ("Makefile", "vendor/readme.txt", "src/generated/readme.txt")  # what a project has that rules may name
MOST_STOPS = 60
Item = TypeVar("Item")
Result = TypeVar("Result")
_PROMPT = re.compile(r"^## Prompt\n\n(`{3,})\n(.*)\n\1\n\Z", re.DOTALL | re.MULTILINE)
_ANSWER = re.compile(r"^    (/.*\.md)$", re.MULTILINE)


class Scripted:
    """A model by name that answers through `inner` at once and for nothing, and counts what it is asked for."""

    version = ""

    def __init__(self, name: str, inner: Backend) -> None:
        self.name, self._inner = name, inner
        self.asked = Counter[Purpose]()

    def ready(self, _until: object) -> bool:
        return True

    def price(self, _model: str, _usage: Usage) -> float | None:
        return 0.0

    def complete(self, prompt: Prompt) -> Completion:
        self.asked[prompt.purpose] += 1
        return replace(self._inner.complete(prompt), usage=Usage(input_tokens=len(prompt.text) // 4))


class Decided(NamedTuple):
    """A rule with a verdict, and how many calls the night had made by then."""

    calls: int
    decision: Decision
    rule: TriedRule


class WatchedPool(ThreadPool):
    """A pool that notes when a rule's trial has its verdict."""

    def __init__(self, workers: int, meter: NightMeter) -> None:
        super().__init__(workers, lambda _label, _done, _total: None)
        self._meter = meter
        self.decided: list[Decided] = []

    def together(self, chain: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        def noted(item: Item) -> Result:
            result = chain(item)
            for one in result if isinstance(result, tuple) else ():
                if isinstance(one, TriedRule):
                    self.decided.append(Decided(self._meter.spend().calls, one.tested.verdict.decision, one))
            return result

        yield from super().together(noted, items)


class Night(NamedTuple):
    """A night's report, its verdicts in order of time, and how often it stopped for answers."""

    report: NightReport
    decided: tuple[Decided, ...]
    stops: int


class Machine:
    """The home of a person after their fortnight, on which nights run one after the other."""

    def __init__(self, folder: Path, world: Fortnight) -> None:
        self.folder, self.world = folder, world
        self.known = Known(world)
        self.clock = FakeClock(world.ends + timedelta(hours=4))
        self._paths = find_paths({"SKILLOPT_SLEEP_HOME": str(folder / "sleep")})
        for project in {session.project for session in world.sessions}:
            home = self.project(project)
            home.mkdir(parents=True)
            (home / "CLAUDE.md").write_text(f"# {project}\n\nA small service.\n", encoding="utf-8")
            for name in FILES:
                (home / name).parent.mkdir(parents=True, exist_ok=True)
                (home / name).write_text("check:\nbuild:\n" if name == "Makefile" else "made\n", encoding="utf-8")
        for session in world.sessions:
            self._write(session)

    def project(self, name: str) -> Path:
        """Return the folder of a project."""
        return self.folder / "work" / name

    def _write(self, session: Session) -> None:
        claude_session(
            self.folder / ".claude" / "projects",
            cwd=str(self.project(session.project)),
            started=session.at,
            exchanges=exchanges(session),
        )

    def night(self, *, by_hand: bool = False) -> Night:
        """Return the night of a day later than the last one; `by_hand`, the mind answers files in a folder."""
        stops = 0
        while True:
            try:
                report, decided = self._run(by_hand=by_hand)
            except CallPending:
                stops += 1
                assert stops < MOST_STOPS, "the night doesn't close"
                self._answer_all()
            else:
                self.clock.pass_by(hours=24)
                return Night(report, decided, stops)

    def _run(self, *, by_hand: bool) -> tuple[NightReport, tuple[Decided, ...]]:
        store = SqliteStore(self.folder / "data", clock=self.clock, lookback=timedelta(days=30), config="")
        budget = SETTINGS.budget
        limits = Limits(night=Limit(budget.calls, budget.tokens), minutes=budget.minutes)
        meter = NightMeter(store.ledger, limits, clock=self.clock)
        mind = Scripted("mind", Mind(self.known))
        target = Scripted("target", Target(self.known))
        handoff = HandoffBackend(self.folder / "handoff")

        def called(model: Scripted | HandoffBackend) -> Backend:
            asked: Backend = Retried(Repaired(Metered(model, meter, model=model.name, price=model.price)))
            if isinstance(model, HandoffBackend):
                asked = Answered(asked, model)
            cached = Cached(asked, store.calls, model=model.name, version=lambda: "")
            return Recorded(Watched(Redacted(cached), meter), lambda: store.page.folder)

        of_mind, of_target = called(handoff if by_hand else mind), called(target)
        pool = WatchedPool(SETTINGS.night.workers, meter)
        crew = a_crew(
            sources=(ClaudeCode(self.folder / ".claude"),),
            preflights=(Preflight(mind.ready, of_mind), Preflight(target.ready, of_target)),
            optimizer=of_mind,
            grader=of_mind,
            executor=SingleShot(of_target, night=lambda: store.page.drawn),
            judge=ReferenceJudge(of_mind),
            pool=pool,
            meter=meter,
            store=store,
            targets=FileTargets(private_dir(self.folder)),
            stager=FolderStager(),
            clock=self.clock,
            by_hand=by_hand,
        )
        plan = make_plan(SETTINGS, self._paths, model="mind")
        try:
            return run_night(crew, plan), tuple(pool.decided)
        finally:
            store.close()

    def _answer_all(self) -> None:
        """Answer each prompt that waits from its file alone."""
        mind = Mind(self.known)
        for path in sorted((self.folder / "handoff" / "open").glob("*.md")):
            shown = path.read_text(encoding="utf-8")
            prompt, answer = _PROMPT.search(shown), _ANSWER.search(shown)
            assert prompt
            assert answer
            purpose = Purpose(path.name.split("-")[1])
            Path(answer[1]).write_text(mind.answer(purpose, prompt[2]), encoding="utf-8")


def exchanges(session: Session) -> list[Exchange]:
    """Return a session as a transcript holds it: what a person runs or takes back, the agent had done otherwise."""
    made: list[Exchange] = []
    turns = [*session.turns]
    for place in range(0, len(turns), 2):
        asked, answer = turns[place : place + 2]
        tools: list[ToolCall] = []
        following = turns[place + 2] if place + 2 < len(turns) else None
        if following is not None and following.deed == "undid":
            tools = [ToolCall(path=following.text.split()[-1], content="made anew\n")]
        elif following is not None and following.deed == "ran":
            tools = [ToolCall(command=answer.text.split("`")[1])]
        made.append(Exchange(asked.text, answer.text, tools=tools, in_shell=bool(asked.deed)))
    return made
