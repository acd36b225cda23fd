"""Whole nights with a canary in everything that reflection must never see."""

import json
import re
from collections.abc import Collection
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from skillopt_sleep.backends.replies import decoded
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.learning.augment import augment
from skillopt_sleep.learning.reflect import reflect
from skillopt_sleep.learning.rewrite import rewrite_full
from skillopt_sleep.night.night import run_night
from skillopt_sleep.proposals.targets import FileTargets
from skillopt_sleep.protocols.crew import StepRules
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.records import (
    Check,
    Checks,
    Completion,
    Exact,
    NightReport,
    Op,
    Prompt,
    Purpose,
    Reference,
    ReflectMode,
    Rubric,
    Session,
    Split,
    Task,
)
from skillopt_sleep.replay.judges import ReferenceJudge
from skillopt_sleep.replay.text import SingleShot
from skillopt_sleep.settings import (
    BackendSettings,
    BudgetSettings,
    MineSettings,
    Settings,
    StepSettings,
    find_paths,
)
from skillopt_sleep.wiring.night import wire
from tests.builders import a_rollout, a_session, a_task
from tests.fakes import FakeBackend
from tests.graded import judged
from tests.nights import ASKS, Shelf, Watcher, an_optimizer

ALWAYS = frozenset({Purpose.REFLECT, Purpose.AGGREGATE, Purpose.SELECT})
SLOW = frozenset({Purpose.SLOW_UPDATE, Purpose.META_SKILL})
REWORKING = frozenset({Purpose.REWRITE, Purpose.REWRITE_FULL, Purpose.AUGMENT})
LEARNING = ALWAYS | SLOW | REWORKING | {Purpose.DIAGNOSE, Purpose.REFLECT_DEEP, Purpose.BUDGET}
SMALL: dict[str, Any] = {"minibatch": 2, "merge_batch": 2}
SAID = (
    "no - we always use pnpm here, never npm",
    "no, please use tabs here, never spaces",
    "that is wrong, use ruff here, never flake8",
)
REFERENCES: tuple[Reference, ...] = (
    Exact(answer="okapi1x and nothing else"),
    Rubric(text="It talks about okapi2x at length."),
    Checks(items=(Check(op=Op.CONTAINS, arg="okapi3x"), Check(op=Op.NOT_CONTAINS, arg="okapi4x"))),
    Checks(items=(Check(op=Op.SECTION_CONTAINS, section="okapi5x", arg="okapi6x"),)),
    Checks(items=(Check(op=Op.REGEX, arg="okapi7x.*"), Check(op=Op.MAX_CHARS, arg="90909"))),
)
NAMES = re.compile(r"\n# Known lessons[^\n]*\n```\n(.*?)\n```\n\n# Sessions\n", re.DOTALL)
REFERENCE_CANARY = re.compile(r"okapi\d+x|90909")


class Gossip:
    """A model that tells all it can: its judge the demand, its miner the first words, its optimizer rules twice."""

    def __init__(self, inner: Backend) -> None:
        self.inner = inner

    def complete(self, prompt: Prompt) -> Completion:
        answer = self.inner.complete(prompt)
        if prompt.purpose is Purpose.JUDGE:
            # Only an answer that is known to meet its demand passes, so there is something to learn all the time.
            reply = judged(prompt.text, lambda _demand, answer: 1.0 if answer.startswith("I did it:") else 0.25)
            said = json.dumps({"grades": [grade | {"missing": prompt.text} for grade in reply["grades"]]})
        elif prompt.purpose is Purpose.MINE:
            lessons = json.loads(answer.text)["lessons"]
            said = json.dumps({"lessons": [one | {"lesson": first_words(one["quotes"][0])} for one in lessons]})
        elif prompt.purpose in {Purpose.REFLECT, Purpose.REFLECT_DEEP}:
            # Two wordings of each rule are more edits than lessons, so that some have to be selected.
            edits = json.loads(answer.text)["edits"]
            again = [edit | {"content": f"{edit['content']} So each time."} for edit in edits]
            said = json.dumps({"edits": [*edits, *again]})
        else:
            return answer
        return decoded(prompt, msgspec.structs.replace(answer, text=said, structured=None))


class House:
    """A machine wired as the program wires it, with every prompt on record."""

    def __init__(self, folder: Path, *, heuristic: bool, **step: Any) -> None:
        step.setdefault("edit_budget", 3)
        self.project = folder / "work" / "shop"
        self.project.mkdir(parents=True)
        (self.project / "CLAUDE.md").write_text("# Shop\n", encoding="utf-8")
        self.home = folder / "home"
        self.home.mkdir()
        self.paths = find_paths({"SKILLOPT_SLEEP_HOME": str(folder / "sleep")})
        self.gate: dict[str, float] = {}
        self.settings = Settings(
            backend=BackendSettings(name="simulated", model="simulated"),
            mine=MineSettings(miner="heuristic" if heuristic else "model"),
            step=StepSettings(**step),
            budget=BudgetSettings(calls=3_000),
        )
        self.heuristic = heuristic
        self.shelf = Shelf()
        self.prompts: list[Prompt] = []
        self.tasks: tuple[Task, ...] = ()

    def had(self, *numbers: int) -> None:
        """Sessions with a canary in the request, in the answer and in what the person said about it."""
        for n in numbers:
            for which in range(len(SAID)):
                mark = f"{which}n{n}"
                # The first to ask for something is on train, and each has its turn. A request comes back on other
                # days, so that it's on several sides.
                said = SAID[(which + n) % len(SAID)]
                ask = ASKS[(which + n) % len(ASKS)]
                at = utc_now() - timedelta(hours=80 - n)
                self.shelf.sessions.append(self._session(mark, ask, said, at=at))

    def _session(self, mark: str, ask: str, said: str, *, at: datetime) -> Session:
        turns = (f"{ask} for zebra{mark}z", f"Done with gnu{mark}z.", f"{said}, says quagga{mark}z")
        return a_session(
            *turns, id=f"claude_code:{mark}", project=str(self.project), cwd=str(self.project), started=at, ended=at
        )

    def refuses(self) -> None:
        """No edit gains enough from now on, so no lesson is settled."""
        self.gate = {"min_effect": 1.0}

    def takes_all(self) -> None:
        """A night takes on every lesson of the document, so that nothing has to be selected."""
        step = msgspec.structs.replace(self.settings.step, edit_budget=8)
        self.settings = msgspec.structs.replace(self.settings, step=step)

    def reviewed(self) -> None:
        """Tasks by hand with references of every kind, some on each side."""
        for n, reference in enumerate(REFERENCES * 2):
            self.shelf.tasks.append(
                a_task(
                    id=f"r{n}", session=f"tasks_file:t#{n}", project=str(self.project), source="tasks_file",
                    prompt=f"explain part {n % len(REFERENCES)} zebra9n{n}z", reference=reference, evidence=(),
                    at=utc_now() - timedelta(days=2),
                    split=Split.TRAIN if n < len(REFERENCES) else Split.VAL,
                )
            )  # fmt: skip

    def night(self) -> NightReport:
        night = wire(self.settings, self.paths, sources=(self.shelf,))
        recorded = Watcher(Gossip(night.crew.optimizer))
        crew = replace(
            night.crew,
            optimizer=recorded,
            executor=SingleShot(recorded),
            judge=ReferenceJudge(recorded),
            targets=FileTargets(self.home),
        )
        try:
            small = msgspec.structs.replace(night.plan.step, **SMALL)
            gate = msgspec.structs.replace(night.plan.gate, **self.gate)
            return run_night(crew, replace(night.plan, step=small, gate=gate))
        finally:
            self.tasks = night.store.bank.all_tasks()
            night.store.close()
            self.prompts += recorded.prompts

    def learning(self) -> str:
        """All that the optimizer was ever shown to learn from, and of earlier nights' tasks to name new ones by."""
        learned = [prompt.text for prompt in self.prompts if prompt.purpose in LEARNING]
        return "\n".join((*learned, self.names()))

    def names(self) -> str:
        """What the miner was ever shown of what earlier nights called their lessons."""
        return "\n".join(NAMES.findall(one.text)[0] for one in self.prompts if one.purpose is Purpose.MINE)


def first_words(quote: str) -> str:
    """What the person said when they first asked for what this quote asks for: in the first three sessions."""
    (first,) = (f"{said}, says quagga{which}n0z" for which, said in enumerate(SAID) if quote.startswith(said))
    return first


def marks(task: Task) -> set[str]:
    """The canaries of a task: in its request, in the answer to it, and in what the person said about it."""
    said = " ".join(
        (task.prompt, task.context, task.feedback.rejected, *(evidence.quote for evidence in task.feedback.evidence))
    )
    return set(re.findall(r"(?:zebra|gnu|quagga)\w+", said))


def assert_sealed(house: House, *, asked: Collection[Purpose] = ALWAYS) -> None:
    """Nothing of val or test and no reference was shown; what was to be shown was."""
    shown = house.learning()
    sides = {side: [task for task in house.tasks if task.split is side] for side in Split}
    hidden = {mark for side in (Split.VAL, Split.TEST) for task in sides[side] for mark in marks(task)}

    assert all(sides.values()), "a side is empty, so this shows nothing"
    assert {prompt.purpose for prompt in house.prompts} >= set(asked)
    assert {mark for mark in hidden if mark in shown} == set()
    assert REFERENCE_CANARY.findall(shown) == []
    assert {mark for task in sides[Split.TRAIN] for mark in marks(task) if mark in shown}


@pytest.fixture(params=[True, False], ids=["rules and one sample", "a model and two samples"])
def house(request: pytest.FixtureRequest, tmp_path: Path) -> House:
    return House(tmp_path, samples=1 if request.param else 2, heuristic=request.param)


def test_nothing_of_val_or_test_and_no_reference_reaches_the_optimizer(house: House) -> None:
    house.had(*range(7))
    house.reviewed()

    report = house.night()

    assert report.found.tasks["train"]
    assert report.documents
    assert "never flake8" in house.learning()
    assert_sealed(house)


def test_the_references_were_in_play(tmp_path: Path) -> None:
    house = House(tmp_path, heuristic=False)
    house.takes_all()
    house.had(*range(7))
    house.reviewed()
    house.night()

    judged = "\n".join(prompt.text for prompt in house.prompts if prompt.purpose is Purpose.JUDGE)
    assert REFERENCE_CANARY.search(judged)
    assert any(REFERENCE_CANARY.search(str(task.reference)) for task in house.tasks)


WAYS: dict[str, tuple[dict[str, Any], Collection[Purpose]]] = {
    "deep": ({"reflection": "deep"}, {Purpose.DIAGNOSE, Purpose.REFLECT_DEEP, Purpose.SELECT}),
    "shallow, contrasts": ({"reflection": "shallow", "samples": 3}, ALWAYS),
    "rewritten, with requests made up": (
        {"mode": "rewrite", "augment": 2},
        {*ALWAYS, Purpose.REWRITE, Purpose.AUGMENT},
    ),
    "rewritten in full": ({"mode": "full_rewrite"}, {Purpose.REWRITE_FULL, Purpose.REWRITE}),
}


@pytest.mark.parametrize(("step", "asked"), WAYS.values(), ids=WAYS)
def test_nothing_of_it_reaches_the_optimizer_in_any_way_to_reflect(
    tmp_path: Path, step: dict[str, Any], asked: Collection[Purpose]
) -> None:
    house = House(tmp_path, heuristic=False, **step)
    house.had(*range(7))
    house.reviewed()
    house.night()

    assert_sealed(house, asked=asked)


def test_what_is_recalled_from_earlier_nights_is_as_hidden(house: House) -> None:
    house.refuses()
    house.takes_all()
    house.had(0, 1, 2)
    house.reviewed()
    house.night()
    house.had(3, 4, 5, 6)

    report = house.night()

    (document,) = report.documents
    assert document.tasks.train > report.found.tasks["train"]
    assert document.tasks.val > report.found.tasks["val"]
    assert house.heuristic or "quagga" in house.names()
    assert_sealed(house, asked=ALWAYS - {Purpose.SELECT})


def test_what_comes_up_again_while_its_proposal_waits_is_as_hidden(tmp_path: Path) -> None:
    house = House(tmp_path, heuristic=False)
    house.had(0, 1, 2)
    house.reviewed()
    house.night()
    house.had(3, 4, 5, 6)

    report = house.night()

    (document,) = report.documents
    assert document.tried.offered
    assert "quagga" in house.names()
    assert_sealed(house)


def test_nothing_of_it_reaches_the_optimizer_when_it_looks_back(tmp_path: Path) -> None:
    house = House(tmp_path, heuristic=True, slow_every=1, edit_budget=2)
    house.reviewed()
    for first in (0, 4, 8):
        house.had(*range(first, first + 4))
        house.night()

    assert_sealed(house, asked=ALWAYS | SLOW)


@pytest.mark.parametrize("mode", get_args(ReflectMode))
def test_showing_val_to_reflection_would_be_caught(mode: ReflectMode) -> None:
    unseen, backend = a_task(split=Split.VAL), FakeBackend()

    with pytest.raises(ValueError, match="is not on train"):
        reflect(
            [a_rollout(task=unseen.id)],
            {unseen.id: unseen},
            optimizer=an_optimizer(backend),
            rules=StepRules(reflection=mode, successes=True),
            measure=lambda score: score.soft,
        )
    assert backend.prompts == []


def test_showing_val_to_what_rewrites_or_makes_up_requests_would_be_caught() -> None:
    unseen, backend = a_task(split=Split.VAL), FakeBackend()

    with pytest.raises(ValueError, match="is not on train"):
        rewrite_full(
            [a_rollout(task=unseen.id)],
            {unseen.id: unseen},
            optimizer=an_optimizer(backend),
            measure=lambda score: score.soft,
            minibatch=6,
        )
    with pytest.raises(ValueError, match="is not on train"):
        augment([unseen], each=1, optimizer=an_optimizer(backend))
    assert backend.prompts == []
