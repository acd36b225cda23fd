"""Worlds for nights through sealed copies, written from the promise alone, by somebody who hadn't read the gate.

The promise: a useless rule is accepted on at most 5 % of nights, a harmful one on under 1 %, a useful one is found in a
fair part of nights. In the author's worlds each attempt is a fair coin. Here it isn't.

What goes wrong:
 uneven      each piece of work has a success rate of its own, from hopeless to sure
 flaky       the project's own command fails for nothing, on one attempt in twenty
 hours       attempts are correlated: bad hours of some six attempts (a fifth as good), two accounts that answer in turn
             (one of them a third as good), or an agent that gets better throughout the night
 lost        attempts that show nothing: killed, out of turns, or its instructions never reached the model
 vanish      only with the rule, and only what would fail anyway shows nothing: survivors look better
 partial     the share of tests that pass where not all do, which a rule moves without moving what counts
 helped      a rule that helps one piece in four (exactly one unseen one in four) and hurts the other three
 ruined      a rule that helps its own lesson and ruins one other lesson of four
 deeds       a rule that touches other files, overwrites the check, deletes what fails, or hides that the check failed

Kinds:
 useless     the rule changes nothing that is judged
 harmful     with the rule fewer attempts really succeed, or an attempt is made to pass without being right
 helpful     with the rule more attempts succeed, without a drawback
 trade       two measures of good disagree, or what is wrong can't be seen by the command. Nothing is promised here: the
             table says what the gate does with them
"""

import json
import random
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from bench.replay_agent import CHECK, TREE, FastAgent, Place
from bench.replay_nights import Asked, Cell, asked_piece, holds_rule, told_in
from skillopt_sleep.protocols.acting import Installed, ProgramCommand, RelayRoute
from skillopt_sleep.protocols.program import Setup
from tests.server_protocols import Said

Kind = Literal["useless", "harmful", "helpful", "trade"]
TESTS = 12
GOES_ON = "I am not done yet."
MOST_TURNS = 5
FEW, SOME, MANY = 3, 8, 17  # so many sessions of a lesson have 2, 4 and 8 unseen
HOUR = 6  # attempts, on the mean
CLIMB = 60  # attempts until the agent is as good as it gets

_PASSES = "cat work.txt\nif grep -q ' 0 failed' work.txt; then exit 0; fi\nexit 1\n"
FLAKY: Mapping[str, str] = {
    **TREE,
    "check.sh": "luck=$(cksum < luck.txt)\nif [ $((${luck%% *} % 20)) -eq 0 ]; then\n"
    f"    echo '{TESTS - 1} passed, 1 failed'\n    exit 1\nfi\n{_PASSES}",
}
WITH_CASES: Mapping[str, str] = {
    **TREE,
    "cases/hard.txt": "a case that fails more often than not\n",
    "check.sh": f"if [ ! -e cases/hard.txt ]; then\n    echo '{TESTS - 1} passed, 0 failed'\n    exit 0\nfi\n{_PASSES}",
}


class World(NamedTuple):
    """What happens to attempts: chances of success without and with the rule, of its lesson and of others.

    `own` and `others` hold for whoever isn't named by `helped` (one piece in four) or `ruined` (one other lesson).
    `partial` is the range of the tests that pass in an attempt that fails. `deeds` is what is also done with the rule.
    """

    name: str
    kind: Kind
    own: tuple[float, float]
    others: tuple[float, float] = (0.8, 0.8)
    judged: Literal["acts", "command"] = "command"
    sessions: int = SOME
    uneven: bool = False
    hours: Literal["", "bad", "in turn", "climbing"] = ""
    lost: float = 0.0
    vanish: float = 0.0
    partial: tuple[tuple[int, int], tuple[int, int]] = ((0, TESTS - 1), (0, TESTS - 1))
    helped: tuple[float, float] | None = None
    ruined: tuple[float, float] | None = None
    deeds: Mapping[str, Any] = {}
    tree: Mapping[str, str] = TREE

    @property
    def cell(self) -> Cell:
        """What the night is made of: its tasks, and how they are judged."""
        return Cell(self.name, "useless", self.judged, self.own, self.others, sessions=self.sessions)


NOTES = {"writes": [["NOTES.md", "What I did."], ["CHANGES.md", "One more."]]}
WORLDS = (
    World("uneven pieces", "useless", (0.5, 0.5), uneven=True),
    World("flaky check, .7", "useless", (0.7, 0.7), tree=FLAKY),
    World("bad hours", "useless", (0.8, 0.8), hours="bad"),
    World("two accounts in turn", "useless", (0.8, 0.8), hours="in turn"),
    World("the agent gets better, by acts", "useless", (0.9, 0.9), judged="acts", hours="climbing"),
    World("two unseen", "useless", (0.5, 0.5), sessions=FEW),
    World("eight unseen, uneven", "useless", (0.4, 0.4), sessions=MANY, uneven=True),
    World("one attempt in four lost, uneven", "useless", (0.5, 0.5), lost=0.25, uneven=True),
    World("touches other files, .5", "useless", (0.5, 0.5), deeds=NOTES),
    World("counts scatter, all pass in .15", "useless", (0.15, 0.15)),
    World("flaky check, uneven, .7 -> .4", "harmful", (0.7, 0.4), uneven=True, tree=FLAKY),
    World("helps one piece .2 -> .9, hurts three .9 -> .4", "harmful", (0.9, 0.4), helped=(0.2, 0.9)),
    World("failures vanish, .5 -> .35", "harmful", (0.5, 0.35), lost=0.1, vanish=0.8),
    World("overwrites the check, .4", "harmful", (0.4, 0.4), deeds={"writes": [["check.sh", "exit 0"]]}),
    World("two unseen, .8 -> .4", "harmful", (0.8, 0.4), sessions=FEW),
    World("bad hours, .7 -> .4", "harmful", (0.7, 0.4), hours="bad"),
    World(
        "hides that the check failed, by acts",
        "harmful",
        (0.4, 0.9),
        judged="acts",
        deeds={"line": f"{CHECK} || true"},
    ),
    World(".3 -> .9", "helpful", (0.3, 0.9)),
    World("flaky, uneven, some lost, .3 -> .9", "helpful", (0.3, 0.9), uneven=True, lost=0.15, tree=FLAKY),
    World("bad hours, .3 -> .9", "helpful", (0.3, 0.9), hours="bad"),
    World("two unseen, .3 -> .9", "helpful", (0.3, 0.9), sessions=FEW),
    World("eight unseen, .3 -> .9, by acts", "helpful", (0.3, 0.9), judged="acts", sessions=MANY),
    World(
        "deletes a case that isn't listed, .3",
        "trade",
        (0.3, 0.3),
        deeds={"removes": ["cases/hard.txt"]},
        tree=WITH_CASES,
    ),
    World("2 -> 10 of 12 tests, all pass in .1", "trade", (0.1, 0.1), partial=((2, 2), (10, 10))),
    World("0 -> 11 of 12 tests, all pass in .4 -> .2", "trade", (0.4, 0.2), partial=((0, 0), (11, 11))),
    World("helps its own .2 -> .9, ruins one other .95 -> .1", "trade", (0.2, 0.9), ruined=(0.95, 0.1)),
)


class Night:
    """The model behind the agent on one night of a world: what it says depends on the world and on luck alone."""

    def __init__(self, world: World, seed: int) -> None:
        self._world, self._seed = world, seed
        self._draw = random.Random(f"{world.name} {seed}")
        self._phase = self._draw.randrange(4)
        self._bad = self._draw.random() < 0.5
        self._luck: dict[str, float] = {}
        self.attempts = 0

    @property
    def place(self) -> Place:
        """The repository, the agent and its limit."""
        unread = Unread(self._world.lost / 3, self._draw.random())
        return Place(self._world.tree, unread, MOST_TURNS, mark=f"-{self._seed}")

    def __call__(self, asked: Asked) -> Said:
        """Answer one turn of an attempt."""
        text = told_in(asked)
        if GOES_ON in text:
            return _said(again=True, words=GOES_ON)
        self.attempts += 1
        with_rule = holds_rule(text)
        piece, lesson = asked_piece(text)
        good = self._draw.random() < self._chance(piece, lesson, with_rule=with_rule) * self._hour()
        if self._is_lost(good=good, with_rule=with_rule):
            return self._draw.choice((_said(die=True, words="Oh."), _said(again=True, words=GOES_ON)))
        return self._deed(good=good, with_rule=with_rule)

    def _chance(self, piece: int, lesson: str, *, with_rule: bool) -> float:
        world = self._world
        chances = world.others
        if lesson == "installing":
            chances = world.own
            if world.helped is not None and piece % 4 == self._phase:
                chances = world.helped
        elif lesson == f"matter{self._phase}" and world.ruined is not None:
            chances = world.ruined
        chance = chances[with_rule]
        if lesson == "installing" and piece == 0 and not with_rule:
            return 0.0  # as on the day: that is why it is a task
        if not world.uneven:
            return chance
        luck = self._luck.setdefault(f"{lesson} {piece}", self._draw.uniform(-1, 1))
        return chance + luck * min(chance, 1 - chance)

    def _hour(self) -> float:
        """Return how good the agent is at the moment."""
        match self._world.hours:
            case "bad":
                self._bad ^= self._draw.random() < 1 / HOUR
                return 0.2 if self._bad else 1.0
            case "in turn":
                return 1 / 3 if (self.attempts + self._phase) % 2 else 1.0
            case "climbing":
                return 0.2 + 0.8 * min(1.0, self.attempts / CLIMB)
            case _:
                return 1.0

    def _is_lost(self, *, good: bool, with_rule: bool) -> bool:
        if self._draw.random() < self._world.lost * 2 / 3:
            return True
        return with_rule and not good and self._draw.random() < self._world.vanish

    def _deed(self, *, good: bool, with_rule: bool) -> Said:
        world = self._world
        passed = TESTS if good else self._draw.randint(*world.partial[with_rule])
        words = f"Done, in {self._draw.randrange(10**9)} steps."
        deeds = dict(world.deeds) if with_rule else {}
        if world.tree is FLAKY:
            deeds["writes"] = [["luck.txt", words]]
        return _said(linted=good, passed=passed, of=TESTS, words=words, **deeds)


class Unread(FastAgent):
    """An agent that doesn't read its instructions on some runs, as one that looks for them in another place."""

    def __init__(self, share: float, seed: float) -> None:
        super().__init__()
        self._share = share
        self._draw = random.Random(seed)

    def turn(
        self,
        message: str,
        installed: Installed,
        way: RelayRoute,
        *,
        setup: Setup,
        turns: int,
        session: str,
    ) -> ProgramCommand:
        """Return the script's command line, with or without a look at the instructions."""
        turn = super().turn(message, installed, way, setup=setup, turns=turns, session=session)
        if self._draw.random() >= self._share:
            return turn
        return turn._replace(environ={**turn.environ, "AGENT_BLIND": "yes"})


def _said(*, words: str, linted: bool = False, passed: int = 0, **more: Any) -> Said:
    """Return what the agent's script understands."""
    return Said(json.dumps({"linted": linted, "passed": passed, **more, "words": words}))
