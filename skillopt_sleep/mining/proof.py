"""Prove the tasks that the model miner answers.

A model can be talked into anything by the text it reads. So a request, and what a task wants of an answer, must be in
the person's own words or mean the same (mining/person.py), and no run of words may come from anybody else.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple, assert_never

from msgspec.structs import replace

from skillopt_sleep.errors import ItemError
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.mining.deeds import TYPED, as_names, deeds, in_words, typed_commands
from skillopt_sleep.mining.person import Person
from skillopt_sleep.mining.provenance import authors, is_copied, own_turn, quote_of_command, quotes_of, said_at
from skillopt_sleep.mining.references import Said, proved_reference
from skillopt_sleep.mining.replies import MinedTask
from skillopt_sleep.mining.requests import Ask, request_context, request_words
from skillopt_sleep.mining.rules import made_task, reference_from_words
from skillopt_sleep.mining.words import clean, is_small_talk, sentences, whole_sentences
from skillopt_sleep.records import (
    Check,
    Checks,
    Command,
    Deed,
    DeedKind,
    Evidence,
    Exact,
    Op,
    Place,
    PlaceKind,
    Reference,
    Rubric,
    Session,
    Task,
)

REQUEST_CHARS = 2_000
MOST_QUOTES = 20
LESSON_CHARS = 100
MOST_DEEDS = 20
NAMED_PLACES = frozenset({PlaceKind.PATH, PlaceKind.WORK, PlaceKind.DOCUMENT})

NOT_SAID = "scored by your own words, as the model demanded more of an answer than you said"
NOT_ASKED = "asked in your own words, as the model's version of the request says more than you did"
CUT = f"cut to {REQUEST_CHARS:,} characters, because the miner's request or its context was longer"

_REACHED = re.compile(r"`[^`\n]+`|\S*\w/\S+|\w+(?:\.\w+)+|(?<!\w)--?[A-Za-z][\w-]*")


class Proven(NamedTuple):
    """A task that holds, and which parts of the miner's task didn't, in words that a note can count."""

    task: Task
    instead: tuple[str, ...] = ()


def proven_task(mined: MinedTask, labels: Mapping[str, Session], *, known: Collection[str] = ()) -> Proven:
    """Return the task with its provenance proved; raise ItemError if its session, request or evidence doesn't hold.

    If only the wording of its request or its reference can't be proved, the person's own words replace that. Its
    prompt is "" if the person asked for nothing but what they want from now on. `known` are names of lessons that
    were proved before.
    """
    session = labels.get(mined.session)
    if session is None:
        raise ItemError(f"the miner named a session that isn't there: {one_line(mined.session)}")
    if not own_turn(session, mined.ask):
        raise ItemError(f"{session.id}: the miner's request isn't a turn the person typed")
    signs = _cited(mined, session)
    evidence = _evidence(mined, session, signs)
    earlier = tuple(index for index in range(mined.ask) if own_turn(session, index))
    request, proven_context, instead = _proven_request(mined, session, earlier)
    request = _without_wish(request, mined.ask, evidence)
    reference = _reference(mined, session, evidence, signs)
    if reference is None:
        instead[NOT_SAID] = None
        reference = _reference_from_signs(session, evidence, signs, wish=mined.lesson)
    context = "\n".join(filter(None, (proven_context, request_context(session, mined.ask, earlier))))
    ask = Ask(mined.ask, tuple(quote.turn for quote in evidence))
    task = made_task(
        session,
        ask,
        prompt=request,
        context=context,
        reference=reference,
        evidence=evidence,
        signs=signs,
        wording=_named(mined, session, evidence, signs, sessions=labels.values(), known=known),
    )
    holds = _place(mined.where, Person(authors(session).own, quotes_of(evidence)))
    takes_back = one_line(clean(mined.takes_back[:REQUEST_CHARS]), limit=LESSON_CHARS)
    unclear = mined.lasts == "unclear"
    return Proven(replace(task, holds=holds, takes_back=takes_back, unclear=unclear), tuple(instead))


def _cited(mined: MinedTask, session: Session) -> tuple[Deed, ...]:
    """Return the deeds that the miner names by number; raise ItemError for a number without a deed."""
    done = deeds(session)
    numbers = dict.fromkeys(mined.deeds)
    if len(numbers) > MOST_DEEDS or any(not 0 < number <= len(done) for number in numbers):
        raise ItemError(f"{session.id}: the miner named a deed that isn't there")
    return tuple(done[number - 1] for number in numbers)


def _place(where: str, person: Person) -> Place:
    """Return where a lesson holds, in the person's words; its project if it names nothing that they wrote."""
    kind, _, name = one_line(clean(where[:REQUEST_CHARS]), limit=LESSON_CHARS).partition(":")
    kind, name = kind.strip().lower(), name.strip()
    if kind == PlaceKind.PERSON:
        return Place(kind=PlaceKind.PERSON)
    if kind in NAMED_PLACES and name and person.wrote(name):
        return Place(kind=PlaceKind(kind), name=name)
    return Place()


def _proven_request(mined: MinedTask, session: Session, earlier: Sequence[int]) -> tuple[str, str, dict[str, None]]:
    """Return the request, its context, and what of the two isn't the miner's."""
    instead: dict[str, None] = {}
    request = _cut(mined.prompt)
    context = _cut(mined.context)
    if (request, context) != (clean(mined.prompt).strip(), clean(mined.context).strip()):
        instead[CUT] = None
    own, foreign = authors(session)
    if is_copied(context, own=own, foreign=foreign):
        instead[NOT_ASKED] = None
        context = ""
    _refuse_foreign(session, {"request": request})
    in_request = Person(own_turn(session, mined.ask), [])
    so_far = Person("\n".join(own_turn(session, index) for index in (*earlier, mined.ask)), [])
    if so_far.unsaid(request) or in_request.reversed_by(request):
        instead[NOT_ASKED] = None
        request = _cut(request_words(session, mined.ask))
    if context and so_far.unsaid(context):
        instead[NOT_ASKED] = None
        context = ""
    return request, context, instead


def _without_wish(request: str, ask: int, evidence: Sequence[Evidence]) -> str:
    """Return the request without the sentences of its own turn that say the wish, which would give the answer away.

    It is "" if nothing else was asked for: then the lesson has no request yet that could test it.
    """
    said = "\n".join(quote.quote for quote in evidence if quote.turn == ask)
    if not said:
        return request
    wishes = set(sentences(said))
    return " ".join(part for part in sentences(request) if part not in wishes)


def _cut(text: str) -> str:
    """Return the text as a task may keep it."""
    return clean(text[: 2 * REQUEST_CHARS]).strip()[:REQUEST_CHARS].strip()


def _evidence(mined: MinedTask, session: Session, signs: Sequence[Deed]) -> tuple[Evidence, ...]:
    """Return the quotes with all of the sentences they stand in, and the commands that the person typed.

    Raises ItemError if a quote isn't the person's, or if neither words nor deeds are named.
    """
    if not mined.corrections and not signs:
        raise ItemError(f"{session.id}: the miner named no correction")
    quotes: dict[Evidence, None] = {}
    for deed in signs:
        if deed.kind in TYPED and deed.what.strip():
            quotes[quote_of_command(deed, session)] = None
    for correction in mined.corrections:
        typed = own_turn(session, correction.turn)
        is_earlier = correction.turn < mined.ask
        if is_earlier or not correction.quote.strip() or correction.quote not in typed:
            raise ItemError(f"{session.id}: the miner's quote isn't in what the person typed after the request")
        quote = whole_sentences(typed, correction.quote)
        at = said_at(session, correction.turn)
        quotes[Evidence(session=session.id, turn=correction.turn, quote=quote, at=at)] = None
        if len(quotes) > MOST_QUOTES:
            raise ItemError(f"{session.id}: the miner named more than {MOST_QUOTES} corrections")
    return tuple(quotes)


def _reference(
    mined: MinedTask, session: Session, evidence: Sequence[Evidence], signs: Sequence[Deed]
) -> Reference | None:
    """Return what the miner wants, or None unless it is the person's wish and nothing of it is somebody else's."""
    checks: list[Check] = []
    for check in mined.checks:
        if check.op not in set(Op):
            return None
        checks.append(Check(op=Op(check.op), arg=str(check.arg), section=check.section))
    said = Said(
        request=own_turn(session, mined.ask),
        corrections=tuple(_wishes(evidence, signs)),
        ran="\n".join(command for _, command in typed_commands(session)),
        rejected=frozenset(event.name for event in session.tools if event.rejected),
    )
    try:
        reference = proved_reference(checks, mined.rubric, mined.answer, said)
        _refuse_foreign(session, {"demand": _text_of(reference)}, said=in_words(signs))
    except ItemError:
        return None
    return reference


def _wishes(evidence: Sequence[Evidence], signs: Sequence[Deed]) -> list[str]:
    """Return what the person said and what their deeds say; a command that undoes is no wish for what it names."""
    undoing = {deed.what for deed in signs if deed.kind is DeedKind.UNDONE}
    spoken = [quote for quote in quotes_of(evidence) if quote not in undoing]
    return [*spoken, *in_words(signs)]


def _text_of(reference: Reference) -> str:
    match reference:
        case Checks():
            return " ".join(f"{check.arg} {check.section}" for check in reference.items)
        case Rubric():
            return reference.text
        case Exact():
            return reference.answer
        case Command():
            return " ".join(reference.argv)
        case _:
            assert_never(reference)


def _reference_from_signs(
    session: Session, evidence: Sequence[Evidence], signs: Sequence[Deed], *, wish: str
) -> Reference:
    """Return the person's own words or deeds as a reference; raise ItemError if they ask for nothing.

    Beside a deed that says something, only words about the same thing as the miner's `wish` count: others may be
    about this one occasion.
    """
    typed = {deed.what for deed in signs if deed.kind in TYPED}
    spoken = [quote for quote in quotes_of(evidence) if quote not in typed]
    done = in_words(signs)
    if done:
        spoken = [quote for quote in spoken if Person("", [quote]).shares(wish[:REQUEST_CHARS])]
    if spoken and not all(map(is_small_talk, spoken)):
        return reference_from_words(spoken)
    if not done:
        raise ItemError(f"{session.id}: the miner's quotes ask for nothing")
    if all(deed.kind in {DeedKind.RAN, DeedKind.CHECKED} for deed in signs):
        return Checks(items=tuple(Check(op=Op.CONTAINS, arg=command) for command in sorted(typed)))
    return Rubric(text=f"What the person did says: «{' '.join(done)}». A good answer makes that unneeded.")


def _named(
    mined: MinedTask,
    session: Session,
    evidence: Sequence[Evidence],
    signs: Sequence[Deed],
    *,
    sessions: Iterable[Session],
    known: Collection[str],
) -> str:
    """Return the lesson's name as one short line: the miner's if it can be trusted, else the person's own words.

    A `known` name was trusted before. It is "" if the miner gave none.
    """
    name = one_line(clean(mined.lesson[:REQUEST_CHARS]), limit=LESSON_CHARS)
    if not name or name in known or _is_trusted(name, session, evidence, signs, sessions):
        return name
    words = [correction.quote for correction in mined.corrections] or as_names(signs)
    return one_line(clean(" / ".join(words)), limit=LESSON_CHARS)


def _is_trusted(
    name: str, session: Session, evidence: Sequence[Evidence], signs: Sequence[Deed], sessions: Iterable[Session]
) -> bool:
    """Tell whether a lesson's name says what the person said or did.

    The model is shown the name again on later nights. So none of its words may be somebody else's in any of the
    `sessions` that the model read. It may not name an address, a path or a flag that the person didn't, nor be mostly
    words they didn't say, nor want what they don't.
    """
    done = in_words(signs)
    own = "\n".join((authors(session).own, *done))
    folded = own.casefold()
    for match in _REACHED.finditer(name):
        if match[0].strip("`").casefold() not in folded:
            return False
    person = Person(own, _wishes(evidence, signs))
    weighed = person.weigh(name)
    if len(weighed.foreign) > len(weighed.said) or person.refuses(name):
        return False
    foreign = "\n".join(authors(read).foreign for read in sessions)
    return not is_copied(name, own=own, foreign=foreign)


def _refuse_foreign(session: Session, written: Mapping[str, str], *, said: Sequence[str] = ()) -> None:
    """Raise ItemError if one of the miner's texts, by name, says what somebody else wrote and the person didn't.

    What they `said` besides, by their deeds, is theirs.
    """
    own, foreign = authors(session)
    own = "\n".join((own, *said))
    for name, text in written.items():
        if is_copied(text, own=own, foreign=foreign):
            raise ItemError(f"{session.id}: the miner's {name} says what somebody else wrote")
