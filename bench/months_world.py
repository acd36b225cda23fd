"""A person whose wishes are known, three of which change in mid-course, and an optimizer that is often right.

Ten matters, some of which come up often and others seldom, each with two wishes that contradict one another; a rule is
the words of a wish. The target does as the document says, mostly; where both rules of a matter stand in it, it follows
either. Each text of the document has luck with some requests and bad luck with others, and keeps it.
"""

import ast
import math
import random
import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Literal, NamedTuple

from bench.gate_worlds import centred
from skillopt_sleep.errors import ItemError
from skillopt_sleep.prompts.grading import ANSWERS_PER_CALL
from skillopt_sleep.protocols.work import Pool
from skillopt_sleep.records import Document, Prompt, Purpose, Score, Task, Trajectory
from tests.builders import a_task
from tests.fakes import NOON

Writes = Literal["replace", "append", "nothing"]
NIGHTS = 60
MATTERS = 10
CHANGED = 3  # of so many matters the person changes their mind
CHANGE = (20, 40)  # on a night between these
MOST_REQUESTS = 3
RIGHT = 0.7  # the chance that reflection finds the rule and not a useless one
RIDER = 0.5  # the chance that it writes one more useless rule beside what it writes in a matter
WRONG = 0.08  # the chance that the judge takes an answer for the opposite of what it is
NOTICED = 0.5  # the chance that one request of the new wish tells that it takes the old one back
LUCK = 0.7  # its spread, on the logit
HURTS = 0.1  # the chance that a right rule harms another matter
HARM = 0.4
WITHOUT, UNDER, BOTH, AGAINST = 0.2, 0.9, 0.5, 0.05
SELDOM = [1 / (matter + 1) for matter in range(MATTERS)]  # how often each matter comes up, by Zipf
WISHES = (
    ("- Indent code with tabs.", "- Four spaces are the indentation of code."),
    ("- Answer in German.", "- English is the language of every reply."),
    ("- Name branches after their ticket.", "- A branch is called what its feature is called."),
    ("- Install packages with pnpm.", "- Yarn is what packages are installed with."),
    ("- Put tests beside the module they test.", "- All tests live in one folder at the top."),
    ("- Dates go year, month, day.", "- The day stands first when a date is written."),
    ("- Keep summaries to three sentences.", "- Give a summary as a bulleted list."),
    ("- Log errors as JSON objects.", "- Errors belong into plain log lines."),
    ("- Prices are given in cents.", "- Euros with two decimals are how a price is shown."),
    ("- Start each pull request with its risk.", "- The test plan opens every pull request."),
)
_MARK = re.compile(r"matter (\d), wish (\d)")
_EDITABLE = re.compile(r"^# Editable part of the instructions\n(.*?)(?:^# |\Z)", re.MULTILINE | re.DOTALL)
_ATTEMPT = re.compile(r"^## Attempt (\d+)$", re.MULTILINE)
_PROPOSAL = re.compile(r"^## Proposal (\d+)\n`+\n\(.*?\) (\w+) (['\"].*?['\"]): (.*?)\n`+$", re.MULTILINE)
_WHEN = ("On Mondays", "Before lunch", "After a release", "In long sessions", "With new colleagues", "When it rains")
_WHAT = (
    "think about",
    "look again at",
    "stay calm over",
    "take pride in",
    "have respect for",
    "remember the point of",
)
_WHOM = ("the reader", "older modules", "quiet corners", "small numbers", "the build", "empty lines", "common sense")
_HOW = ("gently", "with an open mind", "as a craftsman would", "more than once", "in good spirits", "without haste")


class Wish(NamedTuple):
    """One of the two wishes in a matter."""

    matter: int
    version: int

    @property
    def rule(self) -> str:
        """The words of its rule."""
        return WISHES[self.matter][self.version]

    @property
    def against(self) -> str:
        """The words of the rule that says the opposite."""
        return WISHES[self.matter][1 - self.version]

    @property
    def lesson(self) -> str:
        """The id of its lesson."""
        return f"matter {self.matter}, wish {self.version}"


class Person:
    """What is asked each day, and by which wish; of some matters they change their mind."""

    def __init__(self, draw: random.Random, changed: int = CHANGED) -> None:
        self._draw = draw
        self._changes = {matter: draw.randint(*CHANGE) for matter in draw.sample(range(MATTERS), changed)}
        self.ended: set[str] = set()

    def wish(self, matter: int, night: int) -> Wish:
        """Return what the person wants in this matter by then."""
        return Wish(matter, int(night >= self._changes.get(matter, NIGHTS + 1)))

    def asked(self, night: int, document: Document) -> list[Task]:
        """Return the requests of a day, each of a session of its own; what takes an old wish back may be noticed."""
        tasks: list[Task] = []
        for number in range(self._draw.randint(1, MOST_REQUESTS)):
            (matter,) = self._draw.choices(range(MATTERS), SELDOM)
            wish = self.wish(matter, night)
            name = f"{night}-{number}"
            takes_back = ""
            if wish.version and self._draw.random() < NOTICED:
                takes_back = Wish(wish.matter, 0).lesson
                self.ended.add(takes_back)
            tasks.append(
                a_task(
                    id=name,
                    session=f"claude_code:{name}",
                    prompt=f"Please do piece {name} of {wish.lesson}.",
                    at=day(night) + timedelta(hours=number),
                    lesson=wish.lesson,
                    takes_back=takes_back,
                    project=document.project,
                    document=document.id,
                    evidence=(),
                )
            )
        return tasks


class MonthWorld:
    """The models of a month: attempts that follow the document, grades, and edits as the optimizer writes them."""

    def __init__(self, draw: random.Random, writes: Writes, budget: int) -> None:
        self._draw, self._writes, self._budget = draw, writes, budget
        self._kept: dict[tuple[str, str, int], Trajectory] = {}
        self._wishes: dict[str, Wish] = {}
        self._hurts: dict[str, int] = {}
        self._chances: dict[tuple[str, str], float] = {}
        for matter, rules in enumerate(WISHES):
            for rule in rules:
                if draw.random() < HURTS:
                    self._hurts[rule] = (matter + draw.randrange(1, MATTERS)) % MATTERS
        self.useless: set[str] = set()
        self.attempts = self.graded = self.optimized = self.before = 0

    @property
    def calls(self) -> int:
        """All calls of target, judge and optimizer."""
        return self.attempts + self.graded + self.optimized

    def know(self, tasks: Sequence[Task]) -> None:
        """Remember by which wish these tasks were asked."""
        self._wishes |= {task.id: wish_of(task.lesson) for task in tasks}

    def begin_night(self) -> None:
        """Forget the answers of the night before, and begin to count anew."""
        self._kept.clear()
        self.before = self.calls

    def reaches(self, _task: Task, /) -> bool:
        """Every request can be tried in words."""
        return True

    def run(self, task: Task, document: Document, *, sample: int) -> Trajectory:
        """Attempt a request, the same question once a night."""
        key = (task.id, document.text, sample)
        if key not in self._kept:
            self.attempts += 1
            done = self._draw.random() < self._chance(task.id, document)
            said = f"{'done' if done else 'not done'}: {self._draw.getrandbits(64):x}"
            self._kept[key] = Trajectory(response=said, text_only=True)
        return self._kept[key]

    def _chance(self, task: str, document: Document) -> float:
        """Return how likely an attempt at this request does what is wanted, by its luck with the document's text."""
        key = (task, document.body)
        if key not in self._chances:
            wish = self._wishes[task]
            harm = sum(
                HARM for rule, matter in self._hurts.items() if matter == wish.matter and rule in document.body
            )
            rate = max(0.02, chance(wish, document.body) - harm)
            if document.body:
                rate = 1 / (1 + math.exp(-centred(round(rate, 2), LUCK) - self._draw.gauss(0, LUCK)))
            self._chances[key] = rate
        return self._chances[key]

    def misjudged(self) -> bool:
        """Whether the judge is wrong about an answer."""
        return self._draw.random() < WRONG

    def answers(self) -> Mapping[Purpose, Any]:
        """Return what the optimizer answers, by purpose."""
        return {
            Purpose.REFLECT: self._reflect,
            Purpose.AGGREGATE: self._merge,
            Purpose.SELECT: self._select,
            Purpose.SLOW_UPDATE: lambda _prompt: {"reasoning": "so", "guidance": ""},
            Purpose.META_SKILL: lambda _prompt: {"reasoning": "so", "notes": ""},
        }

    def _merge(self, prompt: Prompt) -> dict[str, object]:
        """Write equal proposals as one, and keep the others as they are."""
        self.optimized += 1
        merged: dict[str, dict[str, object]] = {}
        numbers: dict[str, list[int]] = {}
        for number, op, target, content in _PROPOSAL.findall(prompt.text):
            numbers.setdefault(content, []).append(int(number))
            merged[content] = {"op": op, "target": ast.literal_eval(target), "content": content, "reason": "said"}
        edits = [
            {**edit, "support_count": len(numbers[content]), "proposals": numbers[content]}
            for content, edit in merged.items()
        ]
        return {"reasoning": "so", "edits": edits}

    def _select(self, prompt: Prompt) -> dict[str, object]:
        self.optimized += 1
        return {"reasoning": "so", "selected_indices": list(range(self._budget))}

    def _reflect(self, prompt: Prompt) -> dict[str, object]:
        """Write a rule for each matter that is shown, right or useless, often a second; of two wishes the later holds."""
        self.optimized += 1
        before, _, attempts = prompt.text.partition("\n# Attempts\n")
        editable = _EDITABLE.search(before)
        assert editable is not None, before
        shown: dict[int, dict[int, list[int]]] = {}
        pieces = _ATTEMPT.split(attempts)[1:]
        for number, text in zip(pieces[::2], pieces[1::2], strict=True):
            found = _MARK.search(text)
            if found is not None:
                shown.setdefault(int(found[1]), {}).setdefault(int(found[2]), []).append(int(number))
        edits: list[dict[str, object]] = []
        for matter, versions in shown.items():
            version = max(versions)
            written = [self._edit(Wish(matter, version), editable[1])]
            if self._draw.random() < RIDER:
                written.append(self._useless())
            edits += [{**edit, "reason": "said", "attempts": versions[version]} for edit in written if edit]
        return {"reasoning": "so", "edits": edits[: self._budget]}

    def _edit(self, wish: Wish, standing: str) -> dict[str, object]:
        if self._writes == "nothing" or self._draw.random() >= RIGHT:
            return self._useless()
        if wish.rule in standing:
            return {}
        if self._writes == "replace" and wish.against in standing:
            return {"op": "replace", "target": wish.against, "content": wish.rule}
        return {"op": "append", "content": wish.rule}

    def _useless(self) -> dict[str, object]:
        when, what, whom, how = (self._draw.choice(words) for words in (_WHEN, _WHAT, _WHOM, _HOW))
        words = f"- {when} {what} {whom} {how}."
        self.useless.add(words)
        return {"op": "append", "content": words}


class MonthJudge:
    """Grades a few answers a call, and is seldom wrong."""

    def __init__(self, world: MonthWorld) -> None:
        self._world = world

    def score(self, task: Task, trajectory: Trajectory) -> Score:
        """Grade one answer."""
        self._world.graded += 1
        return self._score(trajectory)

    def scores(
        self, answers: Sequence[tuple[Task, Trajectory]], *, pool: Pool, label: str
    ) -> Sequence[Score | ItemError]:
        """Grade several answers a call."""
        self._world.graded += -(-len(answers) // ANSWERS_PER_CALL)
        return [self._score(trajectory) for _, trajectory in answers]

    def _score(self, trajectory: Trajectory) -> Score:
        done = trajectory.response.startswith("done") is not self._world.misjudged()
        return Score(hard=float(done), soft=float(done), why="" if done else "it isn't what was asked for")


def chance(wish: Wish, text: str) -> float:
    """Return how likely an attempt with these rules in its prompt is what the person wants."""
    if wish.rule in text:
        return BOTH if wish.against in text else UNDER
    return AGAINST if wish.against in text else WITHOUT


def wish_of(lesson: str) -> Wish:
    """Return the wish of a lesson, by its id."""
    found = _MARK.fullmatch(lesson)
    assert found is not None, lesson
    return Wish(int(found[1]), int(found[2]))


def day(night: int) -> datetime:
    """Return the noon of the day before this night."""
    return NOON + timedelta(days=night)
