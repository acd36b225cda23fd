"""Say why a rule is there, or why something that the person said is none: how far it came, and what to do."""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TypeVar

from msgspec.structs import replace

from skillopt_sleep.agents import TITLES
from skillopt_sleep.kit.likeness import LIKE, likeness
from skillopt_sleep.kit.words import home_path
from skillopt_sleep.proposals.origins import RuleOrigin
from skillopt_sleep.records import (
    BECAME,
    NEXT_STEPS,
    Became,
    Correction,
    Evidence,
    Lesson,
    LessonState,
    NightReport,
    Record,
    taken_back,
    why_ended,
)
from skillopt_sleep.reporters.status import NEXT, status_of
from skillopt_sleep.stores.bank import ADOPTED, WAITING

NAME_IT = "say in a session exactly what you want: a name, a command, a path"
MISSING = "nothing; the next session with a request for it becomes the test"
ELSEWHERE = "nothing; said in one more of your projects, it is a rule of your own, for all of them"
OWN_FILE = "nothing; a night in which it comes up again tries it in a file that is read there"
_Known = TypeVar("_Known", RuleOrigin, Lesson)
_PROGRESS = {became: number for number, became in enumerate(Became)}


class Absence(Record, frozen=True, kw_only=True):
    """The end of something the person said, with their first words for it.

    `end` is the state of its proposal, what became of its correction or lesson, "typed" if it founded nothing, or
    "not found". `rule` is what was written for it, `because` the reason in words. It may have been `pasted`.
    """

    said: tuple[Evidence, ...]
    end: str
    because: str
    next: str
    rule: str = ""
    proposal: str = ""
    lesson: str = ""
    wording: str = ""
    task: str = ""
    night: str = ""
    pasted: bool = False


Reports = Callable[[], Iterable[NightReport]]


def absence(
    asked: str,
    known: Sequence[RuleOrigin],
    lessons: Sequence[Lesson],
    reports: Reports,
    typed: Callable[[str], Absence | None],
    *,
    sessions: int,
    purged: bool,
) -> Absence:
    """Return what became of what is most like the words asked for, or of the lesson with that id.

    It is looked for in what was proposed, in the lessons and in the corrections of past nights, the nearest of which
    wins, and at last in what was `typed` in any of the `sessions` that are kept; others may have been `purged`.
    """
    named = {lesson.id: lesson for lesson in lessons}
    origin, near = _best(
        asked, ((one, one.asked.lessons, (one.rule, *(piece.quote for piece in one.asked.said))) for one in known)
    )
    lesson, nearer = _best(
        asked, ((one, (one.id,), (one.wording, *(piece.quote for piece in one.quotes))) for one in lessons)
    )
    correction, night, nearest = _best_correction(asked, reports)
    if correction is not None and correction.lesson not in named and nearest > max(near, nearer):
        return _of_correction(correction, night)
    if origin is not None and near >= nearer:
        return _of_origin(origin, origin.asked.said, known)
    if lesson is not None:
        decided = _rule_of(lesson, known)
        return of_lesson(lesson, named, reports) if decided is None else _of_origin(decided, lesson.signs, known)
    return typed(asked) or _not_found(sessions, purged=purged)


def _not_found(sessions: int, *, purged: bool) -> Absence:
    """Say why nothing like the words is known, as far as that is known."""
    because = "nothing like it was typed in any session that was found"
    remedy = "see which sessions are read: skillopt-sleep harvest; or say it in a session"
    if purged:
        because = "nothing like it is in the sessions that are kept, and what you purged can't be looked up"
    elif not sessions:
        because = "no session has been read yet"
        remedy = "read them, which sends nothing: skillopt-sleep harvest; then ask again"
    return Absence(said=(), end="not found", because=because, next=remedy)


def _best(asked: str, known: Iterable[tuple[_Known, Collection[str], Iterable[str]]]) -> tuple[_Known | None, float]:
    """Return what has this id or a text most like it, and how much it is; of equals the latest."""
    best: _Known | None = None
    nearest = LIKE
    for one, ids, texts in known:
        if asked in ids:
            return one, float("inf")
        near = max(likeness(asked, text) for text in texts)
        if near >= nearest:
            best, nearest = one, near
    return best, nearest if best else 0.0


def _best_correction(asked: str, reports: Reports) -> tuple[Correction | None, str, float]:
    """Return the correction most like it with its night, of equals that of the newest night."""
    best: tuple[Correction | None, str, float] = None, "", 0.0
    for report in reports():
        alike = [(likeness(asked, one.quote), _PROGRESS[one.became], one) for one in report.found.corrections.listed]
        near, _, one = max(alike, key=lambda pair: pair[:2], default=(0.0, 0, None))
        if near >= LIKE and near > best[2]:
            best = one, report.night, near
    return best


def _rule_of(lesson: Lesson, known: Sequence[RuleOrigin]) -> RuleOrigin | None:
    """Return the rule of a lesson that still holds, an adopted one before the latest; None without one."""
    if lesson.state is LessonState.TAKEN_BACK:
        return None
    own = [origin for origin in known if lesson.id in origin.asked.lessons]
    return max(reversed(own), key=lambda origin: origin.proposed.state == ADOPTED, default=None)


def _of_origin(origin: RuleOrigin, said: Sequence[Evidence], known: Sequence[RuleOrigin]) -> Absence:
    state = origin.proposed.state
    because, next_step = status_of(state, name="its rule", reason=origin.proposed.reason), NEXT[state]
    of_lessons = [one for one in known if not set(one.asked.lessons).isdisjoint(origin.asked.lessons)]
    readers = {title for one in of_lessons if one.proposed.state == ADOPTED for title in one.proposed.read_by}
    taught = {TITLES.get(piece.session.partition(":")[0], "") for piece in said} - {""}
    if origin.proposed.state == ADOPTED and readers and not taught <= readers:
        others = " and ".join(sorted(taught - readers))
        because = f"{because}; but {others} doesn't read {home_path(origin.proposed.paths[0])}"
        waiting = [one.proposed.proposal for one in of_lessons if one.proposed.state == WAITING]
        next_step = f"skillopt-sleep review --show {waiting[-1]}" if waiting else OWN_FILE
    return Absence(
        said=tuple(said),
        end=origin.proposed.state,
        because=because,
        next=next_step.format(origin.proposed.proposal),
        rule=origin.rule,
        proposal=origin.proposed.proposal,
        lesson=origin.asked.lessons[0] if origin.asked.lessons else "",
        wording=origin.asked.wordings[0] if origin.asked.wordings else "",
        night=origin.proposed.night,
    )


def of_lesson(lesson: Lesson, named: dict[str, Lesson], reports: Reports) -> Absence:
    """Say how far a lesson came that has no rule: the end of the newest night that tried it."""
    if lesson.state is LessonState.TAKEN_BACK:
        return _absence(lesson, Became.TAKEN_BACK, why_ended(taken_back(named.values()).get(lesson.id)))
    is_open = lesson.state is not LessonState.NOTICED and len(lesson.sessions) > 1
    became = Became.NOT_REACHED if is_open else Became.NEEDS_SESSION
    found = _absence(lesson, became, BECAME[became])
    for report in reports():
        own = [one for one in report.found.corrections.listed if one.lesson == lesson.id]
        if own:
            furthest = max(own, key=lambda one: _PROGRESS[one.became])
            found = _absence(lesson, furthest.became, reason(furthest))
            found = replace(found, task=furthest.task, night=report.night, rule=_edit_for(lesson, report))
            break
    if found.end != Became.NEEDS_SESSION:
        return found
    times = len(lesson.sessions)
    alike = [one for one in named.values() if one.wording.casefold() == lesson.wording.casefold()]
    projects = len({lesson.project, *(one.project for one in alike)})
    if times > 1:
        because = f"it came up in {times} sessions, and too few of them have a request that can test it"
        return replace(found, because=because, next=MISSING)
    if projects > 1:
        return replace(found, because=f"it was said in {projects} projects, once in each", next=ELSEWHERE)
    return found


def _absence(lesson: Lesson, became: Became, because: str) -> Absence:
    return Absence(
        said=lesson.signs,
        end=became.value,
        because=because,
        next=NEXT_STEPS[became],
        lesson=lesson.id,
        wording=lesson.wording,
    )


def _edit_for(lesson: Lesson, report: NightReport) -> str:
    """Return the last edit that this night wrote for the lesson; "" without one."""
    content = ""
    for outcome in report.documents:
        for applied in outcome.tried.edits:
            if lesson.id in applied.edit.lessons:
                content = applied.edit.content
    return content.strip()


def _of_correction(correction: Correction, night: str) -> Absence:
    return Absence(
        said=(correction.sign,),
        end=correction.became.value,
        because=reason(correction),
        next=NEXT_STEPS[correction.became],
        lesson=correction.lesson,
        task=correction.task,
        night=night,
    )


def reason(correction: Correction) -> str:
    """Return what became of a correction, in words."""
    words = BECAME[correction.became]
    return f"{words} ({correction.because})" if correction.because else words
