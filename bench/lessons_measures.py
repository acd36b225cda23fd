"""Compare the lessons that were mined with the truth of the made-up history."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from skillopt_sleep.records import Deed, DeedKind, Evidence, Lesson, LessonState

TRUTH = Path(__file__).parent / "lessons_history" / "truth.json"
# Which of our kinds a planted deed may be found as.
KINDS: Mapping[str, frozenset[DeedKind]] = {
    "rejected": frozenset({DeedKind.REJECTED, DeedKind.STOPPED}),
    "interrupted": frozenset({DeedKind.STOPPED, DeedKind.REJECTED}),
    "own_command": frozenset({DeedKind.RAN, DeedKind.CHECKED}),
    "own_check": frozenset({DeedKind.CHECKED, DeedKind.RAN}),
    "undone": frozenset({DeedKind.UNDONE, DeedKind.RAN}),
    "redone": frozenset({DeedKind.EDITED}),
}

# A file that only changed on disk is no deed: a formatter may have done it. The history's author planted four of those.
NO_DEED = frozenset({"redone"})

Sign = Evidence | Deed


class Occurrence(NamedTuple):
    """One place in the history where the truth says something was wanted: a quote, or a deed."""

    id: str
    lesson: str
    session: str
    quote: str
    deed: str
    target: str

    def shown_by(self, sign: Sign) -> bool:
        """Tell whether a mined quote or deed is this occurrence."""
        if not sign.session.endswith(self.session):
            return False
        if isinstance(sign, Evidence):
            wanted = _folded(self.quote or self.target)
            said = _folded(sign.quote)
            return bool(wanted) and (wanted in said or said in wanted)
        if not self.deed or sign.kind not in KINDS[self.deed]:
            return False
        target, what = _folded(self.target), _folded(sign.what)
        return self.deed == "interrupted" or not what or target in what or what in target


class Truth(NamedTuple):
    """The planted lessons' occurrences, what held for once, and the lessons that no longer live."""

    occurrences: tuple[Occurrence, ...]
    for_once: tuple[Occurrence, ...]
    retired: frozenset[str]


class Figures(NamedTuple):
    """The figures of one miner; those that have no case are None."""

    wishes_found: float | None
    deeds_found: float | None
    for_once_kept: int
    taken_back_alive: int
    pair_precision: float | None
    pair_recall: float | None
    lessons: int
    noticed: int
    unknown: int


def read_truth() -> Truth:
    """Read what was planted."""
    data: dict[str, Any] = json.loads(TRUTH.read_text(encoding="utf-8"))
    planted = tuple(_occurrences(data["lessons"]))
    once = tuple(_occurrences(data["for_once"]))
    return Truth(planted, once, frozenset(data["nights"][-1]["retired"]))


def _occurrences(rows: Sequence[Mapping[str, Any]]) -> Iterator[Occurrence]:
    for row in rows:
        for number, one in enumerate(row["occurrences"], start=1):
            yield Occurrence(
                id=one.get("id", f"{row['id']}#{number}"),
                lesson=row["id"],
                session=one["session_id"],
                quote=one.get("quote", ""),
                deed=one.get("deed", ""),
                target=one.get("target", ""),
            )


def compare(truth: Truth, lessons: Sequence[Lesson]) -> Figures:
    """Return the figures of these mined lessons; one that is only noticed has found nothing yet."""
    meant = meanings(truth, lessons)
    founded = [lesson for lesson in lessons if lesson.state is not LessonState.NOTICED]
    shown = {lesson.id: _shown(lesson, truth, meant[lesson.id]) for lesson in founded}
    rightly = {one.id for lesson in founded for one in shown[lesson.id] if one.lesson == meant[lesson.id]}
    said = [one.id in rightly for one in truth.occurrences if one.quote]
    done = [one.id in rightly for one in truth.occurrences if one.deed and one.deed not in NO_DEED]
    precision, recall = _pairs(shown.values())
    alive = {meant[lesson.id] for lesson in lessons if lesson.state is not LessonState.TAKEN_BACK}
    return Figures(
        wishes_found=_share(said),
        deeds_found=_share(done),
        for_once_kept=sum(1 for one in truth.for_once if _is_kept(one, truth, lessons, meant)),
        taken_back_alive=len(alive & truth.retired),
        pair_precision=precision,
        pair_recall=recall,
        lessons=len(founded),
        noticed=len(lessons) - len(founded),
        unknown=sum(1 for lesson in founded if not meant[lesson.id]),
    )


def meanings(truth: Truth, lessons: Sequence[Lesson]) -> dict[str, str]:
    """Return for each mined lesson the planted one that most of its signs are of, "" if none is.

    Where two planted lessons were said in one sentence, each of them gets one mined lesson.
    """
    votes: dict[str, Counter[str]] = {}
    for lesson in lessons:
        votes[lesson.id] = Counter()
        for sign in signs_of(lesson):
            for occurrence in truth.occurrences:
                if occurrence.shown_by(sign):
                    votes[lesson.id][occurrence.lesson] += 1
    meant: dict[str, str] = dict.fromkeys(votes, "")
    taken: Counter[str] = Counter()
    for name in sorted(votes, key=lambda name: (len(votes[name]), -votes[name].total())):
        best = sorted(votes[name], key=lambda planted: (taken[planted] > 0, -votes[name][planted]))
        if best:
            meant[name] = best[0]
            taken[best[0]] += 1
    return meant


def signs_of(lesson: Lesson) -> tuple[Sign, ...]:
    """Return all that shows a lesson."""
    return (*lesson.quotes, *lesson.deeds)


def _is_kept(once: Occurrence, truth: Truth, lessons: Sequence[Lesson], meant: Mapping[str, str]) -> bool:
    """Tell whether a mined lesson rests on what held for one time only, and on no planted lesson's words there."""
    for lesson in lessons:
        for sign in signs_of(lesson):
            if once.shown_by(sign) and not any(
                other.shown_by(sign) and other.lesson == meant[lesson.id] for other in truth.occurrences
            ):
                return True
    return False


def _shown(lesson: Lesson, truth: Truth, meant: str) -> set[Occurrence]:
    """Return the occurrences that a mined lesson rests on; of two in one sentence only that of its own meaning."""
    shown: set[Occurrence] = set()
    for sign in signs_of(lesson):
        here = [one for one in truth.occurrences if one.shown_by(sign)]
        own = [one for one in here if one.lesson == meant]
        shown.update(own or here)
    return shown


def _pairs(shown: Iterable[set[Occurrence]]) -> tuple[float | None, float | None]:
    """Return precision and recall over pairs of found occurrences: of one planted lesson, and of one mined one."""
    lessons_of: dict[Occurrence, set[int]] = {}
    for number, occurrences in enumerate(shown):
        for occurrence in occurrences:
            lessons_of.setdefault(occurrence, set()).add(number)
    joined: list[bool] = []
    belong: list[bool] = []
    for one, other in combinations(sorted(lessons_of), 2):
        together = bool(lessons_of[one] & lessons_of[other])
        if together:
            joined.append(one.lesson == other.lesson)
        if one.lesson == other.lesson:
            belong.append(together)
    return _share(joined), _share(belong)


def _share(cases: Sequence[bool]) -> float | None:
    return round(sum(cases) / len(cases), 3) if cases else None


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
