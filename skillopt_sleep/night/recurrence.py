"""Did it stop? Count how often each adopted rule's lesson was corrected before and since, in sessions that are alike.

A session counts if a night has read it, in the lesson's project, with an agent that reads the rule's file, and the
lesson could come up in it: it was corrected there, or something was asked that is worded like a request in which it
was. It is an observation: whoever corrects less, whatever the agent does, sees fewer corrections too.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from statistics import NormalDist
from typing import NamedTuple

from rapidfuzz import fuzz

from skillopt_sleep.agents import TITLES
from skillopt_sleep.mining.split import ALIKE
from skillopt_sleep.night.reading import RULES
from skillopt_sleep.protocols.stores import OpenNight
from skillopt_sleep.records import (
    Corrected,
    Evidence,
    IndexedSession,
    Lesson,
    LessonState,
    PlaceKind,
    Proof,
    Proposal,
    Recurrence,
    Session,
    Task,
    lessons_of,
)

LEVEL = 0.9
# Corrections are called fewer once what was seen is so many times likelier if they are, and not before so many
# sessions since: one strict or lax week says little. Counted out, a lesson that is corrected as often as before ever
# gets there in fewer than 1 of 25 cases (tests/night/test_recurrence.py).
ENOUGH, LEAST = 30.0, 40
WEEKS = 12
QUOTES = 3
_REQUEST_CHARS = 300  # of a request that is compared: how it begins says what it is about
_BATCH = 100  # sessions decoded at once
# What is expected of shares, as the a and b of a beta distribution: corrections in a fourth of sessions, then in one
# of twenty; and if they stay as they were, in any share of sessions.
_BEFORE, _SINCE, _UNCHANGED = (3.0, 9.0), (2.0, 38.0), (1.0, 1.0)


class SeenSession(NamedTuple):
    """A session: when it began, whether the lesson was corrected in it, and whether it could come up in it."""

    began: datetime
    corrected: bool
    could_come_up: bool = True


class Comparison(NamedTuple):
    """What was corrected before and since, the interval of the change in the share, and the decision."""

    before: Corrected
    since: Corrected
    change: tuple[float, float] | None
    fewer: bool


def compare(sessions: Iterable[SeenSession], adopted: datetime) -> Comparison:
    """Compare how often a lesson was corrected before and since, among the sessions in which it could come up.

    The decision may be read after every session.
    """
    counts = {False: [0, 0], True: [0, 0]}
    for session in sessions:
        if session.could_come_up or session.corrected:
            count = counts[session.began >= adopted]
            count[0] += session.corrected
            count[1] += 1
    before, since = (Corrected(times=counts[late][0], sessions=counts[late][1]) for late in (False, True))
    change = change_interval(before, since)
    return Comparison(before, since, change, is_fewer(before, since))


def is_fewer(before: Corrected, since: Corrected) -> bool:
    """Tell whether corrections have become fewer, in enough sessions to say so."""
    change = change_interval(before, since)
    is_clear = since.sessions >= LEAST and change is not None and change[1] < 0
    return is_clear and _odds_of_fewer(before, since) >= ENOUGH


def change_interval(before: Corrected, since: Corrected) -> tuple[float, float] | None:
    """Return the 90 % interval of the change in the share (Agresti & Caffo 2000: two more sessions on each side)."""
    if not before.sessions or not since.sessions:
        return None
    middle, variance = 0.0, 0.0
    for sign, side in ((1, since), (-1, before)):
        n = side.sessions + 2
        share = (side.times + 1) / n
        middle += sign * share
        variance += share * (1 - share) / n
    half = NormalDist().inv_cdf((1 + LEVEL) / 2) * math.sqrt(variance)
    return max(-1.0, middle - half), min(1.0, middle + half)


def _odds_of_fewer(before: Corrected, since: Corrected) -> float:
    """Return how many times likelier what was seen is if the share fell than if it stayed: a Bayes factor.

    The lesson is only known because it was corrected once, so that session doesn't count.
    """
    known = 1 if before.times else 0
    times, sessions = before.times - known, before.sessions - known
    fell = _mean_chance(times, sessions, _BEFORE) + _mean_chance(since.times, since.sessions, _SINCE)
    stayed = _mean_chance(times + since.times, sessions + since.sessions, _UNCHANGED)
    return math.exp(fell - stayed)


def _mean_chance(times: int, sessions: int, expected: tuple[float, float]) -> float:
    """Return the logarithm of the mean chance of these sessions, over the shares of a beta distribution."""
    a, b = expected
    return _log_beta(a + times, b + sessions - times) - _log_beta(a, b)


def _log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


class _Read(NamedTuple):
    """The open night, the indexed sessions by their id, and the ids of those that this night reads."""

    page: OpenNight
    held: Mapping[str, IndexedSession]
    tonight: frozenset[str]


def recurrences(
    page: OpenNight,
    *,
    read: Sequence[Session],
    lessons: Sequence[Lesson],
    tasks: Sequence[Task],
    at: datetime,
) -> tuple[Recurrence, ...]:
    """Return how often the lesson of each adopted rule was corrected, oldest adoption first.

    The night has `read` these sessions, and its `lessons` and `tasks` are newer than what is stored.
    """
    adoptions = page.bank.adoptions()
    rules = [rule for rule in page.bank.live() if rule.id in adoptions and rule.proof is not Proof.WORDS]
    known = {lesson.id: lesson for lesson in (*page.lessons.every(), *lessons)}
    current: dict[str, Lesson] = {}
    for lesson in known.values():
        current |= dict.fromkeys((lesson.id, *lesson.joins), lesson)
    first: dict[str, Proposal] = {}
    for rule in sorted(rules, key=lambda rule: adoptions[rule.id]):
        for name in (*rule.lessons, *lessons_of(rule.edits)):
            if name in current and current[name].state is not LessonState.TAKEN_BACK:
                first.setdefault(current[name].id, rule)
    if not first:
        return ()
    held = {one.line.id: one for one in page.index.held(RULES, unread=False)}
    looked = _Read(page, held, frozenset(session.id for session in read))
    found: list[Recurrence] = []
    for name, rule in first.items():
        lesson = known[name]
        seen = dict(_seen(lesson, rule, _requests(lesson, page, tasks), looked))
        found.append(_recurrence(lesson, rule, seen, looked.tonight, adopted=adoptions[rule.id], at=at))
    return tuple(found)


def _requests(lesson: Lesson, page: OpenNight, tasks: Sequence[Task]) -> list[str]:
    """Return the beginnings of the requests in which a lesson was corrected."""
    names = {lesson.id, *lesson.joins}
    own = [*page.bank.tasks_of(names), *(task for task in tasks if task.lesson in names)]
    return list(dict.fromkeys(_beginning(task.prompt) for task in own))


def _beginning(text: str) -> str:
    return text[:_REQUEST_CHARS].casefold()


def _seen(lesson: Lesson, rule: Proposal, asked: Sequence[str], looked: _Read) -> Iterator[tuple[str, SeenSession]]:
    """Yield the sessions that a night has read where the lesson holds, by their ids; none whose answers are gone."""
    corrected, held = set(lesson.sessions), looked.held
    places = {lesson.project, *(held[name].line.project for name in corrected if name in held)}
    names: list[str] = []
    for name, one in held.items():
        is_read = (one.night or name in looked.tonight) and one.heard is not None and one.heard.typed
        is_there = lesson.holds.kind is PlaceKind.PERSON or one.line.project in places
        follows = not rule.read_by or TITLES.get(one.line.source) in rule.read_by
        if is_read and is_there and follows:
            names.append(name)
    for start in range(0, len(names), _BATCH):
        for session in looked.page.index.sessions(names[start : start + _BATCH]):
            if session.is_answered and not session.is_emptied:
                is_corrected = session.id in corrected
                could = is_corrected or _is_asked(session, asked)
                yield session.id, SeenSession(session.started, is_corrected, could)


def _is_asked(session: Session, asked: Sequence[str]) -> bool:
    """Tell whether something was typed in the session that is worded like one of these requests."""
    typed = [_beginning(text) for text in session.typed]
    return any(fuzz.token_set_ratio(text, one, score_cutoff=ALIKE) for text in typed for one in asked)


def _recurrence(
    lesson: Lesson,
    rule: Proposal,
    seen: Mapping[str, SeenSession],
    tonight: frozenset[str],
    *,
    adopted: datetime,
    at: datetime,
) -> Recurrence:
    now = compare(seen.values(), adopted)
    earlier = compare((one for name, one in seen.items() if name not in tonight), adopted)
    again: dict[tuple[str, int], Evidence] = {}  # each turn once
    for piece in lesson.signs:
        if piece.session in seen and seen[piece.session].began >= adopted:
            again[piece.session, piece.turn] = piece
    monday = at.astimezone().date() - timedelta(days=at.astimezone().weekday())
    first = monday - timedelta(weeks=WEEKS - 1)
    weeks = [(0, 0)] * WEEKS
    for session in seen.values():
        week = (session.began.astimezone().date() - first).days // 7
        if session.could_come_up and 0 <= week < WEEKS:
            times, sessions = weeks[week]
            weeks[week] = times + session.corrected, sessions + 1
    return Recurrence(
        lesson=lesson.id,
        wording=lesson.wording,
        proposal=rule.id,
        adopted=adopted,
        before=now.before,
        since=now.since,
        change=now.change,
        fewer=now.fewer,
        again=tuple(again.values())[-QUOTES:],
        first=first,
        weeks=tuple(weeks),
        news=now.since.times > earlier.since.times or now.fewer is not earlier.fewer,
    )
