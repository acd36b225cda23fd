"""Real nights: `run_night` on a real store, with the real prompts, cache and judge; the model behind them is a world."""

import json
import random
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

from skillopt_sleep.backends.replies import decoded
from skillopt_sleep.mining.split import split
from skillopt_sleep.protocols import Backend
from skillopt_sleep.records import BY_HAND, Completion, NightReport, Outcome, Prompt, Purpose, Rubric
from tests.benchmarks.gate_cells import DECISIVE, NOTHING, USEFUL, USELESS, WORDS
from tests.benchmarks.gate_figures import RIDERS, Count
from tests.benchmarks.gate_nights import GATE, a_gate_plan
from tests.benchmarks.gate_page import proven
from tests.benchmarks.gate_worlds import SAID, Asked, Kind, Rule, Target, World, worth
from tests.builders import a_task
from tests.graded import judged, shown_items
from tests.nights import Machine, Watcher

DEMAND = "The answer does the work with pnpm and never with npm."
SESSIONS = {4: 8, 7: 15}  # so many sessions of a lesson have so many on val
OTHERS = 4
CONTROLS = {"misses": f"Worth 0.000: the old way. {SAID}", "meets": f"Worth 1.000: as wanted. {SAID}"}
Sees = Callable[[random.Random, str, str], float]  # the grade of an answer to this demand


def fair(draw: random.Random, demand: str, answer: str) -> float:
    """Grade what the answer is worth."""
    return worth(answer)


def mostly_right(draw: random.Random, demand: str, answer: str) -> float:
    """Take one answer in ten for the opposite of what it is."""
    return worth(answer) if draw.random() < 0.9 else 1 - worth(answer)


def paying_for_length(draw: random.Random, demand: str, answer: str) -> float:
    """Add up to .3 for an answer twice as long as they mostly are."""
    usual = len(SAID) + 40
    return min(1.0, worth(answer) + 0.3 * min(1.0, max(0.0, len(answer) / usual - 1)))


def paying_for_echo(draw: random.Random, demand: str, answer: str) -> float:
    """Take an answer that repeats the demand for one that meets it."""
    return 1.0 if demand.strip().lower() in answer.lower() else worth(answer)


AT_LENGTH = Rule("long", "- Answer at length and explain each step twice.", NOTHING, f" {SAID}" * 2)
ECHOING = Rule("echo", "- Close each answer with what was wanted.", NOTHING, f" {DEMAND}")


class NightCell(NamedTuple):
    """Real nights of one kind: what is proposed, what the judge sees, and how good attempts are."""

    title: str
    rules: tuple[Rule, ...]
    val: int = 4
    base: float = 0.5
    others: int = 0
    others_base: float = 0.9
    target: Target = Target()
    sees: Sees = fair


class Real(NamedTuple):
    """How a real night ended, the rules it proposes as proven, its calls, and how often a change was accepted."""

    outcome: Outcome
    staged: frozenset[str]
    calls: int
    accepted: int


CELLS = (
    NightCell("night: useless, repeats by prompt", USELESS, 7, target=Target(repeats="prompt")),
    NightCell("night: 0 -> .9, 4+4 at .9", DECISIVE, base=0.0, others=OTHERS),
    NightCell(
        "night: two riders with .2 -> .9",
        (*(Rule("first", WORDS["first"], USEFUL),), *(Rule(name, WORDS[name], NOTHING) for name in RIDERS[:2])),
        7,
        base=0.2,
    ),
    NightCell("judges: lenient", USELESS, sees=lambda draw, demand, answer: 1.0),
    NightCell("judges: harsh", USELESS, sees=lambda draw, demand, answer: 0.0),
    NightCell("judges: random", USELESS, sees=lambda draw, demand, answer: float(draw.random() < 0.5)),
    NightCell("judges: pays for length", (AT_LENGTH,), sees=paying_for_length),
    NightCell("judges: pays for echo", (ECHOING,), sees=paying_for_echo),
    NightCell("judges: right 9 of 10", DECISIVE, base=0.0, others=OTHERS, sees=mostly_right),
)
IDLE = frozenset({Outcome.NOTHING_NEW, Outcome.NO_HEADROOM})


class Models:
    """Everything that a night asks of models: attempts, grades, answers of known worth, and what the optimizer says."""

    def __init__(
        self,
        attempts: Backend,
        grade: Callable[[str, str], float],
        replies: Mapping[Purpose, Callable[[Prompt], Any]],
    ) -> None:
        self._attempts, self._grade, self._replies = attempts, grade, replies

    def complete(self, prompt: Prompt) -> Completion:
        """Answer in the form that the prompt asks for."""
        match prompt.purpose:
            case Purpose.ROLLOUT:
                return self._attempts.complete(prompt)
            case Purpose.PREFLIGHT:
                return Completion(text="ready", model="world")
            case Purpose.JUDGE:
                reply: Any = judged(prompt.text, self._grade)
            case Purpose.CONTROLS:
                items = range(1, len(shown_items(prompt.text)) + 1)
                reply = {"controls": [{"item": number, **CONTROLS} for number in items]}
            case _:
                reply = self._replies[prompt.purpose](prompt)
        return decoded(prompt, Completion(text=json.dumps(reply), model="world"))


def _models(world: World, cell: NightCell) -> Models:
    edits = [{"op": "append", "content": rule.words, "reason": "said"} for rule in cell.rules]
    replies: dict[Purpose, Callable[[Prompt], Any]] = {
        Purpose.REFLECT: lambda _prompt: {"edits": edits},
        Purpose.AGGREGATE: lambda _prompt: {"edits": edits},
        Purpose.SELECT: lambda _prompt: {"selected_indices": [0, 1, 2, 3]},
        Purpose.BUDGET: lambda _prompt: {"edits": 4},
    }
    return Models(world, lambda demand, answer: cell.sees(world.draw, demand, answer), replies)


def real_night(cell: NightCell, seed: int) -> Real:
    """Run one night in a folder of its own."""
    world = World(f"{cell.title} {seed}", cell.rules, cell.target, jump_within=4 * cell.val * GATE.rounds)
    with tempfile.TemporaryDirectory(prefix="bench-gate-") as name:
        machine = Machine(Path(name), model=Watcher(_models(world, cell)))
        project = machine.project()
        asked = _asked(cell, str(project), machine)
        machine.shelf.tasks = [each.task for each in asked]
        # The world has to know the sides too: a train task is one that went wrong by day.
        sides = split(machine.shelf.tasks, known=(), sides={})
        world.know([each._replace(task=task) for each, task in zip(asked, sides, strict=True)])
        world.begin_night()
        plan = a_gate_plan(GATE)
        report = machine.night(calls=1000, reporters=(), gate=plan.gate, removal=plan.removal, min_edit_budget=4)
    return _ended(world, report)


def _asked(cell: NightCell, project: str, machine: Machine) -> list[Asked]:
    """Return the requests of the last days, one a session, as a person wrote them into a tasks file."""
    made: list[Asked] = []
    first = machine.clock() - timedelta(days=2)

    def add(lesson: str, turn: int, kind: Kind, base: float) -> None:
        session = f"claude_code:{lesson}-{turn}"
        task = a_task(
            id=f"{lesson}-{turn}",
            prompt=f"Please do piece {turn} of {lesson} for me.",
            reference=Rubric(text=DEMAND if kind == "own" else f"The answer keeps to the rules of {lesson}."),
            session=session,
            project=project,
            source=BY_HAND,
            at=first + timedelta(minutes=10 * len(made)),
            lesson=lesson,
            wording=f"rules of {lesson}",
            rejected=CONTROLS["misses"],
            accepted=CONTROLS["meets"],
            evidence=(),
        )
        made.append(Asked(task, kind, base))

    for turn in range(SESSIONS[cell.val]):
        add("installing", turn, "own", cell.base)
    for number in range(cell.others):
        for turn in range(2):
            add(f"matter{number}", turn, "other", cell.others_base)
    return made


def _ended(world: World, report: NightReport) -> Real:
    staged: set[str] = set()
    hits = 0
    for change in filter(None, map(proven, report.documents)):
        hits += 1
        staged.update(world.rules_in(change.body))
    return Real(report.verdict, frozenset(staged), report.spend.calls, hits)


Nights = Mapping[NightCell, Sequence[Real]]


def rows(nights: Nights) -> list[str]:
    """Return a line for each cell: what was staged, the outcomes, the calls."""
    lines = ["", f"{'real nights and judges':40} {'staged':>6}    nights"]
    for cell, ends in nights.items():
        outcomes = ", ".join(f"{name} {n}" for name, n in Counter(end.outcome.value for end in ends).most_common())
        calls = sum(end.calls for end in ends) / len(ends)
        lines.append(f"{cell.title:40} {_staged(ends)} {calls:6.0f} calls  {outcomes}")
    return lines


def _staged(ends: Sequence[Real]) -> Count:
    return Count(sum(end.accepted > 0 for end in ends), len(ends))


def figures(nights: Nights) -> dict[str, float]:
    """Return the figures of the real nights and of the judges."""
    of: dict[str, Any] = {cell.title: ends for cell, ends in nights.items()}
    bad = ("lenient", "harsh", "random", "pays for length", "pays for echo")
    judges = [of[f"judges: {name}"] for name in bad if f"judges: {name}" in of]
    found: dict[str, float] = {}
    if judges:
        found["judges_improved"] = max(_staged(ends).rate for ends in judges)
        found["judges_nothing_to_do"] = max(Count(_idle(ends), len(ends)).rate for ends in judges)
    for name, title in (
        ("judge_9_of_10_power", "judges: right 9 of 10"),
        ("night_false_accept", "night: useless, repeats by prompt"),
        ("night_decisive_power", "night: 0 -> .9, 4+4 at .9"),
    ):
        if title in of:
            found[name] = _staged(of[title]).rate
    riders = of.get("night: two riders with .2 -> .9", ())
    won = [end for end in riders if end.accepted]
    if won:
        found["night_riders_staged"] = sum(bool(end.staged.intersection(RIDERS)) for end in won) / len(won)
    return {name: round(value, 4) for name, value in found.items()}


def _idle(ends: Sequence[Real]) -> int:
    return sum(end.outcome in IDLE for end in ends)
