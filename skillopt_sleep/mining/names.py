"""The names of lessons, and the words they were said in: how they are compared, and what a model says of them."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from pathlib import PurePath
from typing import NamedTuple, TypeVar

import msgspec

from skillopt_sleep.errors import BudgetExhausted
from skillopt_sleep.kit.markdown import fence, one_line
from skillopt_sleep.mining.deeds import as_names
from skillopt_sleep.mining.mined import ask_model
from skillopt_sleep.mining.wishes import Wish, read_wish
from skillopt_sleep.mining.words import is_small_talk, states_rule, takes_back
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.protocols.work import Pool
from skillopt_sleep.records import Lesson, LessonState, Note, PlaceKind, Purpose

MOST = 40
SAID_CHARS = 200
MOST_SHOWN = 3  # so many of the person's words are shown beside a name
FAILURE = "the names of lessons could not be compared"
LONG = 7  # so many words say more than that the answer before was wrong
EVERY_PROJECT = ""  # stands for all projects, where one is named
_APART = re.compile(r"[,;!?。、，；！？…]+|\s[-–—]+\s|[.:]+(?=\s|$)")
_QUOTES = str.maketrans("’‘`*", "''  ", '"“”„«»「」『』')
_WORD = re.compile(
    r"[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+(?:['.-]\w+)*|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2}"
)
_NAMED = re.compile(r"`[^`\n]+`|(?<!\w)--?[a-z]|\w[._/]\w|\w\d|\d\w", re.IGNORECASE)


# Models read a reply's docstrings: they are in its schema.
class SameReply(msgspec.Struct, frozen=True):
    """The lines that are one lesson."""

    same: tuple[tuple[int, ...], ...] = ()


class LessonsReply(SameReply, frozen=True):
    """The lines that are one lesson, pairs of which the first takes the second back, and lines that nobody said."""

    # As a pair of types it would be `prefixItems` in the schema, which Claude Code refuses.
    instead: tuple[tuple[int, ...], ...] = ()
    unsaid: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if any(len(pair) != 2 for pair in self.instead):  # noqa: PLR2004 - the one that holds, and the other
            raise ValueError("instead holds pairs of numbers only")


AnyReply = TypeVar("AnyReply", bound=SameReply)


class Names(NamedTuple):
    """The names of lessons, each after the day it last came up: those known, and those only noticed.

    `folded` has all of them as they are compared.
    """

    known: list[str]
    noticed: list[str]
    folded: set[str]

    def add(self, name: str, last: datetime, *, is_noticed: bool) -> None:
        """Take up a name that came up last at this time."""
        (self.noticed if is_noticed else self.known).append(f"{last:%Y-%m-%d} {name}")
        self.folded.add(folded(name))


def names_in(project: str, lessons: Iterable[Lesson]) -> Names:
    """Return the names of the lessons that hold in a project: of each kind the latest 40, the latest last.

    A lesson that was taken back is no example to follow, so it is left out.
    """
    names = Names([], [], set())
    here = [lesson for lesson in lessons if lesson.wording and holds_in(lesson, project)]
    here.sort(key=lambda lesson: lesson.last)
    noticed = [lesson for lesson in here if lesson.state is LessonState.NOTICED]
    known = [lesson for lesson in here if lesson.state not in {LessonState.NOTICED, LessonState.TAKEN_BACK}]
    for lesson in (*known[-MOST:], *noticed[-MOST:]):
        names.add(lesson.wording, lesson.last, is_noticed=lesson.state is LessonState.NOTICED)
    return names


def holds_in(lesson: Lesson, project: str) -> bool:
    """Tell whether a lesson holds in a project: its own ones do, and those of the person in all."""
    return lesson.project == project or lesson.holds.kind is PlaceKind.PERSON


def folded(text: str) -> str:
    """Return a name or a quote as it is compared: without case, blanks, punctuation and quotation marks."""
    plain = unicodedata.normalize("NFKC", text).casefold().translate(_QUOTES)
    return "".join(_APART.sub(" ", plain).split())


@lru_cache(maxsize=8192)
def says_what(text: str) -> bool:
    """Tell whether a quote says what is wanted: not "no, wrong" or thanks, but two words or a named thing."""
    if is_small_talk(text):
        return False
    words = [word for word in _WORD.findall(text) if takes_back(word) or not is_small_talk(word)]
    if takes_back(text) and len(words) < LONG:
        return states_rule(text) or read_wish(text) != Wish()
    return len(words) > 1 or bool(_NAMED.search(text))


def alike(lessons: Sequence[Lesson], known: Collection[str]) -> list[list[str]]:
    """Group the ids of lessons with one name or the same words; `known` are those of earlier nights.

    Words of a session in which they stand for several lessons tell none.
    """
    meant: defaultdict[tuple[str, str, bool], set[str]] = defaultdict(set)
    for lesson in lessons:
        for piece in lesson.quotes:
            meant[folded(piece.quote), piece.session, lesson.id in known].add(folded(lesson.wording))
    unsure = {words for (words, _, _), names in meant.items() if len(names) > 1}
    groups: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for lesson in lessons:
        said = {folded(piece.quote): piece.quote for piece in lesson.quotes if piece.deed is None}
        name = folded(lesson.wording)
        keys = [words for words, quote in said.items() if says_what(quote) and words not in unsure]
        for key in (name, *keys):
            groups[key][lesson.id] = None
    return [list(group) for group in groups.values() if len(group) > 1]


def numbered(numbers: Iterable[Sequence[int]], lessons: Sequence[Lesson]) -> list[list[str]]:
    """Return lists of the ids of the lessons with these numbers, without numbers that none of them has."""
    valid = range(1, len(lessons) + 1)
    groups = [[lessons[number - 1].id for number in group if number in valid] for group in numbers]
    return [group for group in groups if group]


def replies_to(
    questions: Mapping[str, Sequence[Lesson]], schema: type[AnyReply], optimizer: Backend, pool: Pool
) -> tuple[Mapping[str, AnyReply], tuple[Note, ...]]:
    """Return the model's reply on the lessons of each project, without the calls that failed, and notes on those."""

    def ask(project: str) -> AnyReply | Note:
        lines = "\n".join(f"{number}. {_shown(lesson)}" for number, lesson in enumerate(questions[project], 1))
        return ask_model(
            optimizer,
            Purpose.LESSONS,
            {"lessons": fence(lines)},
            schema=schema,
            project=project,
            stage="mine",
            failure=FAILURE,
            template="" if schema is LessonsReply else "lessons_everywhere",
        )

    try:
        answers = pool.map(ask, list(questions), label="lessons")
    except BudgetExhausted as error:
        return {}, (Note(stage="mine", summary=f"{FAILURE}: {error.message}", remedy=error.remedy),)
    pairs = zip(questions, answers, strict=True)
    replies = {project: answer for project, answer in pairs if not isinstance(answer, Note)}
    return replies, tuple(answer for answer in answers if isinstance(answer, Note))


def _shown(lesson: Lesson) -> str:
    """Return a lesson with the last that the person said or did for it, where it holds, and when it came up."""
    quotes = [piece.quote for piece in lesson.quotes if piece.deed is None and piece.quote != lesson.wording]
    said = [*[*dict.fromkeys(quotes)][-MOST_SHOWN:], *[*dict.fromkeys(as_names(lesson.deeds))][-MOST_SHOWN:]]
    quote = "".join(f" «{one_line(words, limit=SAID_CHARS)}»" for words in said)
    holds = "everywhere"
    if lesson.holds.kind is not PlaceKind.PERSON:
        holds = ", ".join(filter(None, (PurePath(lesson.project).name, one_line(lesson.holds.name))))
    return f"{one_line(lesson.wording)}{quote} ({holds}, {lesson.first:%Y-%m-%d} to {lesson.last:%Y-%m-%d})"
