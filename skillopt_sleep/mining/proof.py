"""Prove the tasks that the model miner answers.

A model can be talked into anything by the text it reads. So a request, and what a task wants of an answer, must be in
the person's own words or mean the same (mining/person.py), and no run of words may come from anybody else.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, assert_never

from msgspec.structs import replace

from skillopt_sleep.errors import ItemError
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.mining.asks import Ask
from skillopt_sleep.mining.clean import clean
from skillopt_sleep.mining.deeds import typed_commands
from skillopt_sleep.mining.person import Person
from skillopt_sleep.mining.provenance import authors, is_copied, own_turn, quotes_of
from skillopt_sleep.mining.references import Said, proved_reference
from skillopt_sleep.mining.replies import MinedTask
from skillopt_sleep.mining.requests import request_context, request_words
from skillopt_sleep.mining.rules import made_task, reference_from_words
from skillopt_sleep.mining.sentences import whole_sentences
from skillopt_sleep.mining.words import is_small_talk
from skillopt_sleep.records import Check, Checks, Evidence, Exact, Op, Reference, Rubric, Session, Task

REQUEST_CHARS = 2_000
MOST_QUOTES = 20
LESSON_CHARS = 100

NOT_SAID = "scored by the person's own words, because those don't hold what the miner wanted of an answer"
NOT_ASKED = "asked in the person's own words, because those don't hold the miner's request or its context"
CUT = f"cut to {REQUEST_CHARS:,} characters, because the miner's request or its context was longer"

_REACHED = re.compile(r"`[^`\n]+`|\S*\w/\S+|\w+(?:\.\w+)+|(?<!\w)--?[A-Za-z][\w-]*")


class Proven(NamedTuple):
    """A task that holds, and which parts of the miner's task didn't, in words that a note can count."""

    task: Task
    instead: tuple[str, ...] = ()


def proven_task(mined: MinedTask, labels: Mapping[str, Session]) -> Proven:
    """Return the task with its provenance proved; raise ItemError if its session, request or evidence doesn't hold.

    If only the wording of its request or its reference can't be proved, the person's own words replace that.
    """
    session = labels.get(mined.session)
    if session is None:
        raise ItemError(f"the miner named a session that isn't there: {one_line(mined.session)}")
    if not own_turn(session, mined.ask) or not mined.prompt.strip():
        raise ItemError(f"{session.id}: the miner's request isn't a turn the person typed")
    evidence = _evidence(mined, session)
    earlier = tuple(index for index in range(mined.ask) if own_turn(session, index))
    request, proven_context, instead = _proven_request(mined, session, earlier)
    reference = _reference(mined, session, evidence)
    if reference is None:
        instead[NOT_SAID] = None
        reference = _reference_from_words(session, evidence)
    context = "\n".join(filter(None, (proven_context, request_context(session, mined.ask, earlier))))
    ask = Ask(mined.ask, tuple(quote.turn for quote in evidence))
    task = made_task(session, ask, prompt=request, context=context, reference=reference, evidence=evidence)
    lesson = _lesson(mined.lesson, session, evidence, labels.values())
    return Proven(replace(task, wording=lesson), tuple(instead))


def _proven_request(mined: MinedTask, session: Session, earlier: Sequence[int]) -> tuple[str, str, dict[str, None]]:
    """Return the request, its context, and what of the two isn't the miner's."""
    instead: dict[str, None] = {}
    request = _cut(mined.prompt)
    context = _cut(mined.context)
    if (request, context) != (clean(mined.prompt).strip(), clean(mined.context).strip()):
        instead[CUT] = None
    _refuse_foreign(session, {"request": request, "context": context})
    in_request = Person(own_turn(session, mined.ask), [])
    so_far = Person("\n".join(own_turn(session, index) for index in (*earlier, mined.ask)), [])
    if so_far.unsaid(request) or in_request.reversed_by(request):
        instead[NOT_ASKED] = None
        request = _cut(request_words(session, mined.ask))
    if context and so_far.unsaid(context):
        instead[NOT_ASKED] = None
        context = ""
    return request, context, instead


def _cut(text: str) -> str:
    """Return the text as a task may keep it."""
    return clean(text[: 2 * REQUEST_CHARS]).strip()[:REQUEST_CHARS].strip()


def _evidence(mined: MinedTask, session: Session) -> tuple[Evidence, ...]:
    """Return the quotes with all of the sentences they stand in; raise ItemError if one isn't the person's."""
    if not mined.corrections:
        raise ItemError(f"{session.id}: the miner named no correction")
    quotes: dict[Evidence, None] = {}
    for correction in mined.corrections:
        typed = own_turn(session, correction.turn)
        is_later = correction.turn > mined.ask
        if not is_later or not correction.quote.strip() or correction.quote not in typed:
            raise ItemError(f"{session.id}: the miner's quote isn't in what the person typed after the request")
        quote = whole_sentences(typed, correction.quote)
        quotes[Evidence(session=session.id, turn=correction.turn, quote=quote)] = None
        if len(quotes) > MOST_QUOTES:
            raise ItemError(f"{session.id}: the miner named more than {MOST_QUOTES} corrections")
    return tuple(quotes)


def _reference(mined: MinedTask, session: Session, evidence: Sequence[Evidence]) -> Reference | None:
    """Return what the miner wants, or None unless it is the person's wish and nothing of it is somebody else's."""
    checks: list[Check] = []
    for check in mined.checks:
        if check.op not in set(Op):
            return None
        checks.append(Check(op=Op(check.op), arg=str(check.arg), section=check.section))
    said = Said(
        request=own_turn(session, mined.ask),
        corrections=tuple(quotes_of(evidence)),
        ran="\n".join(command for _, command in typed_commands(session)),
        rejected=frozenset(event.name for event in session.tools if event.rejected),
    )
    try:
        reference = proved_reference(checks, mined.rubric, mined.answer, said)
        _refuse_foreign(session, {"demand": _text_of(reference)})
    except ItemError:
        return None
    return reference


def _text_of(reference: Reference) -> str:
    match reference:
        case Checks():
            return " ".join(f"{check.arg} {check.section}" for check in reference.items)
        case Rubric():
            return reference.text
        case Exact():
            return reference.answer
        case _:
            assert_never(reference)


def _reference_from_words(session: Session, evidence: Sequence[Evidence]) -> Reference:
    """Return the person's own words as a reference; raise ItemError if they ask for nothing."""
    quotes = quotes_of(evidence)
    if all(map(is_small_talk, quotes)):
        raise ItemError(f"{session.id}: the miner's quotes ask for nothing")
    return reference_from_words(quotes)


def _lesson(lesson: str, session: Session, evidence: Sequence[Evidence], sessions: Iterable[Session]) -> str:
    """Return the lesson's name as one short line, or "" if it can't be trusted.

    The model is shown the name again on later nights. So none of its words may be somebody else's in any of the
    `sessions` that the model read. It may not name an address, a path or a flag that the person didn't, nor be mostly
    words they didn't say, nor want what they don't.
    """
    name = one_line(clean(lesson[:REQUEST_CHARS]), limit=LESSON_CHARS)
    own = authors(session).own
    folded = own.casefold()
    for match in _REACHED.finditer(name):
        if match[0].strip("`").casefold() not in folded:
            return ""
    person = Person(own, quotes_of(evidence))
    weighed = person.weigh(name)
    if len(weighed.foreign) > len(weighed.said) or person.refuses(name):
        return ""
    foreign = "\n".join(authors(read).foreign for read in sessions)
    if is_copied(name, own=own, foreign=foreign):
        return ""
    return name


def _refuse_foreign(session: Session, written: Mapping[str, str]) -> None:
    """Raise ItemError if one of the miner's texts, by name, says what somebody else wrote and the person didn't."""
    own, foreign = authors(session)
    for name, text in written.items():
        if is_copied(text, own=own, foreign=foreign):
            raise ItemError(f"{session.id}: the miner's {name} says what somebody else wrote")
