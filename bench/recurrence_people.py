"""People who teach an agent a lesson, and whose true rate of correcting it before and since a rule is known.

They were written from the promise alone, without sight of the code that counts. A person works in sessions: in bursts and
slow weeks, on few weekends, with holidays, in blocks of days on one of several projects. In some sessions the lesson comes
up; the agent gets it wrong in some of these, and the person corrects some of what is wrong, on tired days less of it. A
rule is adopted because corrections were frequent lately, or at any time. What could come up is recognised, or not quite.
"""

import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Literal, NamedTuple

from skillopt_sleep.night.recurrence import SeenSession

Adopts = Literal["new", "lately", "any"]
BEGUN = datetime(2025, 1, 6, 8, tzinfo=UTC)  # a Monday
MOST_WEEKS = 104  # a person is followed no longer, before a rule or since
SESSIONS_A_DAY = (1.0, 6.0)
WEEKEND = 0.15
HOLIDAY, HOLIDAY_DAYS = 1 / 80, (5, 14)
WEEKS = (0.3, 1.0, 1.0, 1.0, 1.0, 2.0)  # a week's work: slow, ordinary, a burst
PROJECTS, NEXT_PROJECT = 3, 0.2
COMES_UP = (0.2, 0.7)
ELSEWHERE = 0.3  # in the other projects it comes up less often
TIRED, TIRED_DAYS = 0.6, 0.4
FRESH = (1 - TIRED * TIRED_DAYS) / (1 - TIRED_DAYS)  # so that the mean over the days is the rate
NEXT_MOOD = 0.3  # from a strict week to a lax one, or back
TIMES = (2, 5)  # so many corrected sessions found a rule
LATELY = 14
LOOK_BACK = 30
SAYS_YES = (0, 6)  # days after the night that proposed it
ANY_DAY = (21, 120)
DRIFT_WEEKS = 16
ENDS = (7, 56)  # days after a rule was adopted


class World(NamedTuple):
    """How often a lesson is corrected before and since, and what else changes meanwhile."""

    title: str
    before: float  # the mean share corrected, of the sessions in which it came up
    since: float
    work: float = 1.0  # how often it comes up at the end of the drift, by how often it did
    strict: float = 1.0  # the same of how often it is corrected
    ends: bool = False  # its kind of work ends after the rule was adopted
    moods: float = 0.0  # strict and lax weeks: so much more and less
    overlooked: float = 0.0  # of the sessions in which it came up
    imagined: float = 0.0  # of the others


class Lived(NamedTuple):
    """A session, and what only the world knows of it: the person's rate, or None where the lesson didn't come up."""

    seen: SeenSession
    rate: float | None


class Life(NamedTuple):
    """A person's sessions until the rule, the moment of its adoption, and the sessions since."""

    before: Sequence[Lived]
    adopted: datetime
    since: Iterator[Lived]


class Person:
    """Live one day after the other, in one world."""

    def __init__(self, world: World, draw: random.Random) -> None:
        """Draw a person: how much they work, on what, and how often the lesson comes up there."""
        self.world = world
        self.draw = draw
        self.a_day = draw.uniform(*SESSIONS_A_DAY)
        often = draw.uniform(*COMES_UP)
        self.comes_up = [often] + [often * draw.uniform(ELSEWHERE, 1) for _ in range(draw.randrange(PROJECTS))]
        self.project = 0
        self.week = 1.0
        self.strict_week = draw.random() < 0.5
        self.away = 0
        self.day = 0
        self.adopted: int | None = None
        self.ends = draw.randint(*ENDS)

    @property
    def now(self) -> datetime:
        """The morning of the day that comes next."""
        return BEGUN + timedelta(days=self.day)

    def live(self) -> list[Lived]:
        """Return the sessions of the next day."""
        if self.day % 7 == 0:
            self.week = self.draw.choice(WEEKS)
            if self.draw.random() < NEXT_MOOD:
                self.strict_week = not self.strict_week
        if self.draw.random() < NEXT_PROJECT:
            self.project = self.draw.randrange(len(self.comes_up))
        mood = TIRED if self.draw.random() < TIRED_DAYS else FRESH
        sessions = [self._session(moment, mood) for moment in self._moments()]
        self.day += 1
        return sessions

    def _moments(self) -> list[datetime]:
        weekend = self.day % 7 > 4
        if self.away:
            self.away -= 1
            return []
        if not weekend and self.draw.random() < HOLIDAY:
            self.away = self.draw.randint(*HOLIDAY_DAYS)
        expected = self.a_day * self.week * (WEEKEND if weekend else 1)
        number = sum(self.draw.random() < expected / 20 for _ in range(20))
        return sorted(self.now + timedelta(hours=self.draw.uniform(0, 11)) for _ in range(number))

    def _session(self, began: datetime, mood: float) -> Lived:
        world = self.world
        often = self.comes_up[self.project] * self._drifted(world.work)
        if world.ends and self.adopted is not None and self.day > self.adopted + self.ends:
            often = 0.0
        came_up = self.draw.random() < often
        recognised = self.draw.random() < (1 - world.overlooked if came_up else world.imagined)
        if not came_up:
            return Lived(SeenSession(began=began, corrected=False, could_come_up=recognised), None)
        rate = (world.before if self.adopted is None else world.since) * self._drifted(world.strict)
        moods = 1 + (world.moods if self.strict_week else -world.moods)
        corrected = self.draw.random() < rate * mood * moods
        return Lived(SeenSession(began=began, corrected=corrected, could_come_up=recognised), rate)

    def _drifted(self, until: float) -> float:
        return 1 + (until - 1) * min(1.0, self.day / (7 * DRIFT_WEEKS))


def life(world: World, adopts: Adopts, seed: str) -> Life:
    """Return the life of a person who adopts a rule; one who never does is not asked."""
    draw = random.Random(seed)
    while True:
        person = Person(world, draw)
        before = _until_adopted(person, adopts)
        if before is not None:
            return Life(before, person.now - timedelta(hours=1), _onwards(person))


def _until_adopted(person: Person, adopts: Adopts) -> list[Lived] | None:
    """Live until the rule is adopted, if ever.

    new: on the night after so many corrected sessions of a lesson that never came up before. lately: once so many were
    corrected in two weeks, with a look back of a month when the first night comes. any: on a day that has nothing to do with it.
    """
    wanted = person.draw.randint(*TIMES)
    random_day = person.draw.randint(*ANY_DAY)
    lived: list[Lived] = []
    while person.day < 7 * MOST_WEEKS:
        lived.extend(person.live())
        corrected = [each.seen.began for each in lived if each.seen.corrected]
        if adopts == "any":
            proposed = person.day >= random_day
        elif adopts == "new":
            proposed = len(corrected) >= wanted
        else:
            recent = [began for began in corrected if began > person.now - timedelta(days=LATELY)]
            proposed = person.day >= LOOK_BACK and len(recent) >= wanted
        if proposed:
            for _ in range(0 if adopts == "any" else person.draw.randint(*SAYS_YES)):
                lived.extend(person.live())
            person.adopted = person.day
            return lived if any(each.rate is not None for each in lived) else None
    return None


def _onwards(person: Person) -> Iterator[Lived]:
    last = person.day + 7 * MOST_WEEKS
    while person.day < last:
        yield from person.live()


HELPED = World("helps: 25 % to 5 %", 0.25, 0.05)
CHANGES = (
    HELPED,
    World("helps: 40 % to 10 %", 0.40, 0.10),
    World("helps: 25 % to 5 %, recognised amiss", 0.25, 0.05, overlooked=0.2, imagined=0.05),
    World("the person gets laxer", 0.25, 0.25, strict=0.4),
)
# In these nothing gets better: a call of fewer is false.
NO_BETTER = (
    World("no change: 5 %", 0.05, 0.05),
    World("no change: 15 %", 0.15, 0.15),
    World("no change: 25 %", 0.25, 0.25),
    World("no change: 50 %", 0.50, 0.50),
    World("harms: 10 % to 30 %", 0.10, 0.30),
    World("the person gets stricter", 0.25, 0.25, strict=1.8),
    World("strict and lax weeks", 0.25, 0.25, moods=0.4),
    World("comes up ever less", 0.25, 0.25, work=0.25),
    World("comes up ever less, some overlooked", 0.25, 0.25, work=0.25, overlooked=0.2),
    World("comes up ever less, some imagined", 0.25, 0.25, work=0.25, imagined=0.05),
    World("comes up ever less, both", 0.25, 0.25, work=0.25, overlooked=0.2, imagined=0.05),
    World("its kind of work ends", 0.25, 0.25, ends=True),
)
# In the end only sessions that are taken for such are counted, so there is no true share since: shown, but in no figure.
BEYOND = (World("its kind of work ends, some imagined", 0.25, 0.25, ends=True, imagined=0.05),)
