"""Nights through sealed copies in worlds whose truth is known: what a rule really does to how the agent acts."""

import hashlib
import json
import random
import re
import subprocess
import tempfile
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol

from bench.gate_nights import GATE, a_gate_plan
from bench.gate_page import proven
from bench.replay_agent import CHECK, TREE, USUAL, Place, sealed_copy
from skillopt_sleep.protocols.sealing import Seal
from skillopt_sleep.records import (
    BY_HAND,
    Check,
    Checks,
    Command,
    Op,
    Purpose,
    Task,
    Workspace,
)
from tests.builders import a_task
from tests.fakes import FakeBackend
from tests.nights import Machine, Watcher
from tests.server import Asked, ModelServer
from tests.server_protocols import Said

RULE = "- Finish a piece with the seventh step of the handbook."
SESSIONS = 8  # of the lesson that the rule is for: four of them are on val
OTHERS = 4  # other lessons of the project, two sessions each
LINTED = Checks(items=(Check(op=Op.COMMAND_RUN, arg=CHECK),))
TESTED = Command(argv=("sh", "check.sh"), tests=("check.sh",))
_PIECE = re.compile(r"piece (\d+) of (\w+)")


class Cell(NamedTuple):
    """Nights of one kind: the chance that an attempt succeeds without and with the rule, for its lesson and others.

    `judged` says what grades an attempt: that the agent ran a command, or the project's own command with its counts of
    tests. With `repeats` the agent does the same each time it is given the same text.
    """

    name: str
    kind: Literal["useless", "harmful", "helpful"]
    judged: Literal["acts", "command"]
    own: tuple[float, float]
    others: tuple[float, float] = (0.8, 0.8)
    repeats: bool = False
    sessions: int = SESSIONS


CELLS = (
    Cell("acts, half succeed", "useless", "acts", (0.5, 0.5)),
    Cell("command with counts, a fifth succeed", "useless", "command", (0.2, 0.2)),
    Cell("acts, the same each time", "useless", "acts", (0.5, 0.5), repeats=True),
    Cell("acts, .6 -> .3", "harmful", "acts", (0.6, 0.3)),
    Cell("command, helps its own .2 -> .9, others .8 -> .4", "harmful", "command", (0.2, 0.9), (0.8, 0.4)),
    Cell("acts, .1 -> .9", "helpful", "acts", (0.1, 0.9)),
    Cell("command with counts, .1 -> .9", "helpful", "command", (0.1, 0.9)),
)


class Ended(NamedTuple):
    """How a night ended: whether it stages the rule as proven, its outcome, and how many attempts were begun."""

    staged: bool
    outcome: str
    attempts: int


class Answering(Protocol):
    """A model behind the agent: it answers each turn, and counts the attempts."""

    attempts: int

    def __call__(self, asked: Asked, /) -> Said:
        """Answer one turn of an attempt."""
        ...


class World:
    """The model behind the agent: it decides what the agent does, by what the agent was told."""

    def __init__(self, cell: Cell, seed: int) -> None:
        self._cell = cell
        self._draw = random.Random(f"{cell.name} {seed}")
        self._seed = f"{cell.name} {seed}"
        self.attempts = 0

    def __call__(self, asked: Asked) -> Said:
        """Answer the one turn of an attempt."""
        self.attempts += 1
        text = told_in(asked)
        _, lesson = asked_piece(text)
        chances = self._cell.own if lesson == "installing" else self._cell.others
        chance = chances[holds_rule(text)]
        draw = self._draw
        if self._cell.repeats:
            draw = random.Random(hashlib.sha256(f"{self._seed} {text}".encode()).hexdigest())
        good = draw.random() < chance
        passed = 4 if good else draw.randrange(4)
        words = "Done." if self._cell.repeats else f"Done, in {draw.randrange(10**9)} steps."
        return Said(json.dumps({"linted": good, "passed": passed, "words": words}))


def told_in(asked: Asked) -> str:
    """Return all that the agent tells its model."""
    text = asked.body["messages"][0]["content"]
    if isinstance(text, str):
        return text
    return "".join(block.get("text", "") for block in text)


def holds_rule(text: str) -> bool:
    """Return whether the rule stands in this text."""
    return RULE.removeprefix("- ") in text


def asked_piece(text: str) -> tuple[int, str]:
    """Return which piece of which lesson is asked for."""
    found = _PIECE.search(text)
    return (int(found[1]), found[2]) if found else (0, "")


def night(cell: Cell, seed: int, seal: Seal) -> Ended:
    """Run one night of this cell."""
    return ended(cell, World(cell, seed), seal)


def ended(cell: Cell, world: Answering, seal: Seal, place: Place = USUAL) -> Ended:
    """Run one night in a folder of its own: real store, seal, copies, relay, judge, engine and gate."""
    with tempfile.TemporaryDirectory(prefix="bench-", dir="/tmp") as name, ModelServer() as server:
        server.acts = world
        folder = Path(name)
        machine = Machine(folder, model=Watcher(_optimizer()))
        root = machine.project()
        commit = repository(root, place.tree)
        machine.shelf.tasks = _asked(cell, root, commit, machine, place.mark)
        plan = a_gate_plan(GATE)
        report = machine.night(
            calls=20_000,
            gate=plan.gate,
            removal=plan.removal,
            copies=lambda store, meter: sealed_copy(
                seal,
                server.root_url,
                folder / "r",
                draws=store.calls.draws(),
                meter=meter,
                night="n",
                acting=place.acting,
                turns=place.turns,
            ),
        )
    changes = [change for change in map(proven, report.documents) if change is not None]
    staged = any(holds_rule(change.body) for change in changes)
    return Ended(staged, report.verdict.value, world.attempts)


def repository(root: Path, tree: Any = TREE) -> str:
    """Make a repository with these files, and return its one commit."""
    for path, text in tree.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    fixed = ["-c", "user.name=n", "-c", "user.email=n@example.org"]
    for words in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-qm", "one"]):
        subprocess.run(["git", *fixed, *words], cwd=root, check=True, capture_output=True)
    done = subprocess.run(["git", "rev-parse", "HEAD"], cwd=root, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def _optimizer() -> FakeBackend:
    proposed = {"edits": [{"op": "append", "content": RULE, "reason": "said"}]}
    return FakeBackend(
        {
            Purpose.PREFLIGHT: "ready",
            Purpose.REFLECT: proposed,
            Purpose.AGGREGATE: proposed,
            Purpose.SELECT: {"selected_indices": [0]},
            Purpose.BUDGET: {"edit_budget": 4},
        }
    )


def _asked(cell: Cell, root: Path, commit: str, machine: Machine, mark: str) -> list[Task]:
    """Return the requests of the last days, one a session, as a person wrote them into a tasks file."""
    made: list[Task] = []
    first = machine.clock() - timedelta(days=2)
    reference = LINTED if cell.judged == "acts" else TESTED

    def add(lesson: str, turn: int) -> None:
        made.append(
            a_task(
                id=f"{lesson}-{turn}{mark}",
                prompt=f"Please do piece {turn} of {lesson} for me.",
                reference=reference,
                workspace=Workspace(root=str(root), commit=commit),
                needs_repository=True,
                session=f"claude_code:{lesson}-{turn}",
                project=str(root),
                source=BY_HAND,
                at=first + timedelta(minutes=10 * len(made)),
                lesson=lesson,
                wording=f"rules of {lesson}",
                evidence=(),
            )
        )

    for turn in range(cell.sessions):
        add("installing", turn)
    for number in range(OTHERS):
        for turn in range(2):
            add(f"matter{number}", turn)
    return made
