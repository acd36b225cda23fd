"""Make tasks of a lesson that the model miner named: what of it is kept, and the requests that test it.

A model can be talked into anything by the text it reads. So a lesson needs words that the person typed or deeds that
they did, which code finds (mining/quotes.py). Its sentence is the model's, unless it may be somebody else's
(mining/provenance.py); then the person's own words replace it.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from skillopt_sleep.errors import ItemError
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.mining.deeds import TYPED, as_names
from skillopt_sleep.mining.names import folded, says_what
from skillopt_sleep.mining.provenance import authors, is_theirs, quote_of_command, quotes_of, said_at
from skillopt_sleep.mining.quotes import BARE, LessonSign, Request, Wishes, is_praise, request_of
from skillopt_sleep.mining.requests import Ask, Take, answer_between, request_context, takes
from skillopt_sleep.mining.rules import made_task, reference_from_words, wished_checks
from skillopt_sleep.mining.wishes import last_wish
from skillopt_sleep.mining.words import clean, is_small_talk, lasting_words, states_rule
from skillopt_sleep.records import (
    Check,
    Checks,
    DeedKind,
    Evidence,
    Op,
    Place,
    PlaceKind,
    Reference,
    Rubric,
    Session,
    Task,
)

PROMPT_CHARS = 2_000
LESSON_CHARS = 160
SHORTEST_TERM = 3

_NAMED_PLACES = frozenset({PlaceKind.PATH, PlaceKind.WORK, PlaceKind.DOCUMENT})
_DAY = re.compile(r"\d{4}-\d\d-\d\d\s+")


# Models read a reply's docstrings: they are in its schema.
class MinedLesson(msgspec.Struct, frozen=True):
    """One thing that the person wants, with all quotes that say it and the marks of all deeds that show it."""

    lesson: str
    quotes: tuple[str, ...]
    lasts: Literal["from now on", "this time", "unclear"] = "from now on"
    where: str = "project"
    takes_back: str = ""


class MineReply(msgspec.Struct, frozen=True):
    """What the model miner answers."""

    lessons: tuple[MinedLesson, ...]


class MinedEvidence(NamedTuple):
    """What the model was shown and quoted.

    `known` are the names of known lessons, folded; `wishes` are the words of all lessons of the reply.
    """

    known: Collection[str]
    sessions: Sequence[Session]
    wishes: Wishes


class Proven(NamedTuple):
    """The tasks of one lesson, and the person's words for it if it holds for one time only."""

    tasks: tuple[Task, ...]
    for_once: tuple[str, ...] = ()


def proven_lesson(mined: MinedLesson, signs: Sequence[LessonSign], read: MinedEvidence) -> Proven:
    """Return a task for each request that the lesson came up at; raise ItemError if its signs ask for nothing.

    `signs` are the words and deeds that its quotes stand for. A task's prompt is "" if nothing was asked that could
    test the lesson.
    """
    if not signs:
        raise ItemError("the person neither typed nor did what it quotes")
    lasting = [sign for sign in signs if sign.deed or lasting_words(sign.words)]
    # Words that say how things are done here, and not that it is for once, aren't for this time on a model's word.
    is_rule = any(states_rule(sign.words) for sign in lasting)
    is_once = not lasting or (mined.lasts == "this time" and not is_rule)
    # Thanks ask for nothing, nor does what was for one time where the rest is for all times.
    signs = [one for one in signs if one.deed or not is_small_talk(one.words)]
    signs = [one for one in signs if one.deed or is_once or lasting_words(one.words)]
    words = [sign.words for sign in signs if sign.words]
    done = as_names(sign.deed for sign in signs if sign.deed)
    if not words and not done:
        raise ItemError("its quotes ask for nothing")
    sentence = _sentence(mined.lesson)
    told_in = {sign.session.id: sign.session for sign in signs}
    own = "\n".join((*(authors(session).own for session in told_in.values()), *done))
    if folded(sentence) not in read.known and not _is_kept(sentence, signs, own, read.sessions):
        sentence = ""
    # Only what was said first: the optimizer is shown no later words, as these may be of a request it is tested on.
    wording = sentence or one_line(clean([*words, *done][0]), limit=LESSON_CHARS)
    place = _place(mined.where, own)
    takes_back = _sentence(mined.takes_back)
    tasks: list[Task] = []
    for request, group in _by_request(signs, read.wishes):
        task = _task(request, group, _reference(group, sentence), wording)
        wanted = replace(task.wanted, holds=place, takes_back=takes_back, unclear=mined.lasts != "from now on")
        tasks.append(replace(task, wanted=wanted))
    return Proven(tuple(tasks), tuple(words or [wording]) if is_once else ())


def _is_kept(sentence: str, signs: Sequence[LessonSign], own: str, sessions: Sequence[Session]) -> bool:
    """Tell whether the sentence may stand; an agent that was corrected may repeat what the person wants."""
    turns: defaultdict[str, set[int]] = defaultdict(set)
    for sign in signs:
        if (sign.turn, Take.CORRECTION) in takes(sign.session):
            turns[sign.session.id].add(sign.turn)
    foreign = "\n".join(authors(session, corrected=turns[session.id]).foreign for session in sessions)
    work = "\n".join(answer_between(sign.session, sign.before, sign.turn + 1) for sign in signs)
    return is_theirs(sentence, own=own, work=work, foreign=foreign)


def in_own_words(task: Task) -> Task | None:
    """Return the task with what the person said or did instead of the model's sentence; None if that says nothing."""
    words = quotes_of(piece for piece in task.feedback.evidence if piece.deed is None)
    done = as_names(task.feedback.deeds)
    if not done and not any(len(said.split()) > BARE or says_what(said) for said in words):
        return None
    reference = task.reference
    if isinstance(reference, Rubric):
        reference = reference_from_words(words) if words else Rubric(text=" ".join(done))
    wanted = replace(task.wanted, wording=one_line([*words, *done][0], limit=LESSON_CHARS))
    return replace(task, wanted=wanted, reference=reference)


def _sentence(text: str) -> str:
    """Return a lesson as the model wrote it, on one line and without the day that known lessons are shown with."""
    return one_line(_DAY.sub("", clean(text[:PROMPT_CHARS]), count=1), limit=LESSON_CHARS)


def _by_request(signs: Iterable[LessonSign], wishes: Wishes) -> list[tuple[Request, list[LessonSign]]]:
    """Return the requests that the signs are about, each with its signs."""
    groups: dict[tuple[str, int], tuple[Request, list[LessonSign]]] = {}
    for sign in signs:
        request = request_of(sign.session, sign.turn, wishes)
        groups.setdefault((sign.session.id, request.turn), (request, []))[1].append(sign)
    return list(groups.values())


def _task(request: Request, signs: Sequence[LessonSign], reference: Reference, wording: str) -> Task:
    session = signs[0].session
    evidence: list[Evidence] = []
    for sign in sorted(signs, key=lambda sign: sign.turn):
        if sign.words:
            at = said_at(session, sign.turn)
            evidence.append(Evidence(session=session.id, turn=sign.turn, quote=sign.words, at=at))
        elif sign.deed and sign.deed.kind in TYPED and sign.deed.what.strip():
            evidence.append(quote_of_command(sign.deed, session))
    task = made_task(
        session,
        Ask(request.turn, tuple(quote.turn for quote in evidence)),
        prompt=request.prompt[:PROMPT_CHARS].strip(),
        context=request_context(session, request.turn, request.earlier) if request.prompt else "",
        reference=reference,
        evidence=evidence,
        signs=[sign.deed for sign in signs if sign.deed],
        wording=wording,
    )
    # Of an answer that was praised nobody knows how another one fares, nor what else was right about it.
    is_praised = all(sign.turn > request.turn and is_praise(session, sign.turn) for sign in signs)
    if not is_praised:
        return task
    return replace(task, feedback=replace(task.feedback, rejected="", accepted=""))


def _reference(signs: Iterable[LessonSign], sentence: str) -> Reference:
    """Return checks of the terms that the person named, as far as the sentence is about them, else the sentence.

    A check that the person ran themselves is one too. Without a sentence it is all that they said or did.
    """
    words = [clean(sign.words) for sign in signs if sign.words]
    done = [sign.deed for sign in signs if sign.deed]
    wish = last_wish(words)
    checks = wished_checks(wish)
    if not words and all(deed.kind in {DeedKind.RAN, DeedKind.CHECKED} for deed in done):
        checks = tuple(Check(op=Op.CONTAINS, arg=what) for what in dict.fromkeys(clean(deed.what) for deed in done))
    if not sentence and checks:
        return Checks(items=checks)
    if not sentence:
        return reference_from_words(words) if words else Rubric(text=" ".join(as_names(done)))
    checked = {clean(deed.what) for deed in done if deed.kind is DeedKind.CHECKED}
    # A term of two letters is in any word.
    about = tuple(
        one
        for one in checks
        if one.arg in checked or (len(one.arg) >= SHORTEST_TERM and one.arg.casefold() in sentence.casefold())
    )
    # A sentence that names only what is to be left out, where something was wanted instead, may turn the wish round.
    if about and (not wish.want or any(check.op is Op.CONTAINS for check in about)):
        return Checks(items=about)
    return Rubric(text=sentence)


def _place(where: str, own: str) -> Place:
    """Return where a lesson holds, in the person's words; its project if it names nothing that they wrote."""
    kind, _, name = _sentence(where).partition(":")
    kind, name = kind.strip().lower(), name.strip()
    if kind == PlaceKind.PERSON:
        return Place(kind=PlaceKind.PERSON)
    if kind in _NAMED_PLACES and name and name.casefold() in own.casefold():
        return Place(kind=PlaceKind(kind), name=name)
    return Place()
