"""The model miner's side: what it is shown of a session, what it may answer, and the proof of what it answers.

A model can be talked into anything by the text it reads. So a request, and what a task wants of an answer, must be in
the person's own words or mean the same (mining/carried.py), and no run of words may come from anybody else's.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, assert_never

import msgspec
from msgspec.structs import replace

from skillopt_sleep.errors import ItemError
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.mining.asks import Ask
from skillopt_sleep.mining.carried import Own, whole_sentences
from skillopt_sleep.mining.clean import clean
from skillopt_sleep.mining.references import Said, proved_reference
from skillopt_sleep.mining.requests import pasted_words, request_context, request_words
from skillopt_sleep.mining.rules import made_task, reference_from_words
from skillopt_sleep.mining.signals import signals, typed_commands
from skillopt_sleep.mining.spans import own_words
from skillopt_sleep.mining.words import is_small_talk
from skillopt_sleep.records import (
    Check,
    Checks,
    Evidence,
    Exact,
    Op,
    Origin,
    Reference,
    Rubric,
    Session,
    Task,
    Turn,
)

TURN_CHARS = 2_000
REQUEST_CHARS = 2_000
MOST_QUOTES = 20
LESSON_CHARS = 100
COPIED_WORDS = 3

_WORD = re.compile(r"\w+")
_NAMED = re.compile(
    r"`[^`\n]+`|https?://\S+|\S*[\w]/[\w]\S*"  # quoted, addresses, paths
    r"|\w+(?:[-.]\w+)+"  # hyphened and dotted words
    r"|(?<!\w)--?[A-Za-z][\w-]+|\b\w*(?:\d[A-Za-z_-]|[A-Za-z_-]\d|[a-z][A-Z]|\w_\w)\w*\b"  # flags, identifiers
)
_REACHED = re.compile(r"`[^`\n]+`|\S*\w/\S+|\w+(?:\.\w+)+|(?<!\w)--?[A-Za-z][\w-]*")


class MinedQuote(msgspec.Struct, frozen=True):
    """A user turn and words copied from it."""

    turn: int
    quote: str


class MinedCheck(msgspec.Struct, frozen=True):
    """A check as the miner writes it."""

    op: str
    arg: str | int = ""
    section: str = ""


class MinedTask(msgspec.Struct, frozen=True):
    """A task as the miner writes it."""

    session: str
    ask: int
    prompt: str
    corrections: tuple[MinedQuote, ...]
    context: str = ""
    checks: tuple[MinedCheck, ...] = ()
    rubric: str = ""
    answer: str = ""
    lesson: str = ""


class MineReply(msgspec.Struct, frozen=True):
    """What the model miner answers."""

    tasks: tuple[MinedTask, ...]


def shown(labels: Mapping[str, Session]) -> str:
    """The sessions as JSON: every turn with its index and origin, and what was done after it.

    Of a typed turn only the person's own words are shown.
    """
    found = [{"session": label, "turns": _shown_turns(session)} for label, session in labels.items()]
    return json.dumps(found, ensure_ascii=False, indent=1)


def _shown_turns(session: Session) -> list[dict[str, object]]:
    done: dict[int, list[str]] = defaultdict(list)
    for signal in signals(session):
        done[signal.turn].append(f"{signal.kind}: {signal.what}" if signal.what else signal.kind)
    return [
        _shown_turn(index, turn) | ({"then": done[index]} if index in done else {})
        for index, turn in enumerate(session.turns)
    ]


def _shown_turn(index: int, turn: Turn) -> dict[str, object]:
    if turn.origin is not Origin.USER:
        return {"turn": index, "origin": turn.origin, "text": turn.text[:TURN_CHARS]}
    own: dict[str, object] = {
        "turn": index,
        "origin": turn.origin,
        "text": own_words(turn.text)[:TURN_CHARS],
    }
    pasted = len(pasted_words(turn.text))
    return own | ({"pasted": f"{pasted} characters, not shown"} if pasted else {})


class Proven(NamedTuple):
    """A task that holds, and what of the miner's it was proved not to be: each as a note may count it."""

    task: Task
    instead: tuple[str, ...] = ()


NOT_SAID = "scored by the person's own words, as what the miner wanted of an answer isn't in them"
NOT_ASKED = "asked in the person's own words, as the miner's request or its context isn't in them"
CUT = f"asked in no more than {REQUEST_CHARS:,} characters, as the miner's request or its context was longer"


def checked_task(mined: MinedTask, labels: Mapping[str, Session]) -> Task:
    """The task with its provenance proved; ItemError names what doesn't hold.

    Where only the request or the reference can't be proved, the person's own words stand for it.
    """
    return proven_task(mined, labels).task


def proven_task(mined: MinedTask, labels: Mapping[str, Session]) -> Proven:
    """The task as `checked_task` says, and what of it the person's own words stand for."""
    session = labels.get(mined.session)
    if session is None:
        raise ItemError(f"the miner named a session that isn't there: {one_line(mined.session)}")
    if not _own(session, mined.ask) or not mined.prompt.strip():
        raise ItemError(f"{session.id}: the miner's request isn't a turn the person typed")
    evidence = _evidence(mined, session)
    instead: dict[str, None] = {}
    request, given = _cut(mined.prompt), _cut(mined.context)
    if (request, given) != (clean(mined.prompt).strip(), clean(mined.context).strip()):
        instead[CUT] = None
    _refuse_foreign(session, {"request": request, "context": given})
    earlier = tuple(index for index in range(mined.ask) if _own(session, index))
    asked = Own(_own(session, mined.ask), [])
    before = Own("\n".join(_own(session, index) for index in (*earlier, mined.ask)), [])
    if before.unheard(request) or asked.turned(request):
        instead[NOT_ASKED] = None
        request = _cut(request_words(session, mined.ask))
    if given and before.unheard(given):
        instead[NOT_ASKED] = None
        given = ""
    reference = _reference(mined, session, evidence)
    if reference is None:
        instead[NOT_SAID] = None
        reference = _from_words(session, evidence)
    context = "\n".join(part for part in (given, request_context(session, mined.ask, earlier)) if part)
    ask = Ask(mined.ask, tuple(quote.turn for quote in evidence))
    task = made_task(session, ask, prompt=request, context=context, reference=reference, evidence=evidence)
    named = replace(task, lesson=_lesson(mined.lesson, session, evidence, labels.values()))
    return Proven(named, tuple(instead))


def _own(session: Session, turn: int) -> str:
    """The person's own words in a turn; empty where they typed nothing there."""
    if not 0 <= turn < len(session.turns) or session.turns[turn].origin is not Origin.USER:
        return ""
    return own_words(session.turns[turn].text)


def _cut(text: str) -> str:
    """The text as it may be kept in a task."""
    return clean(text[: 2 * REQUEST_CHARS]).strip()[:REQUEST_CHARS].strip()


def _evidence(mined: MinedTask, session: Session) -> tuple[Evidence, ...]:
    """The quotes with all of the sentences they were taken from; ItemError where one isn't the person's."""
    if not mined.corrections:
        raise ItemError(f"{session.id}: the miner named no correction")
    found: dict[Evidence, None] = {}
    for turn, quote in ((one.turn, one.quote) for one in mined.corrections):
        own = _own(session, turn)
        if turn <= mined.ask or not quote.strip() or quote not in own:
            raise ItemError(f"{session.id}: the miner's quote isn't in what the person typed after the request")
        found[Evidence(session=session.id, turn=turn, quote=whole_sentences(own, quote))] = None
        if len(found) > MOST_QUOTES:
            raise ItemError(f"{session.id}: the miner named more than {MOST_QUOTES} corrections")
    return tuple(found)


def _reference(mined: MinedTask, session: Session, evidence: Sequence[Evidence]) -> Reference | None:
    """What the miner wants, if it is the person's wish and nothing of it is somebody else's."""
    if any(check.op not in set(Op) for check in mined.checks):
        return None
    items = tuple(Check(op=Op(check.op), arg=str(check.arg), section=check.section) for check in mined.checks)
    said = Said(
        request=_own(session, mined.ask),
        corrections=tuple(quote.quote for quote in evidence),
        ran="\n".join(command for _, command in typed_commands(session)),
        rejected=frozenset(event.name for event in session.tools if event.rejected),
    )
    try:
        reference = proved_reference(items, mined.rubric, mined.answer, said)
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


def _from_words(session: Session, evidence: Sequence[Evidence]) -> Reference:
    """The person's own words as a reference; ItemError where they ask for nothing."""
    said = [quote.quote for quote in evidence]
    if all(map(is_small_talk, said)):
        raise ItemError(f"{session.id}: the miner's quotes ask for nothing")
    return reference_from_words(said)


def _lesson(said: str, session: Session, evidence: Sequence[Evidence], others: Iterable[Session]) -> str:
    """The name as one short line; none where its words are somebody else's, in whatever session the model read.

    Nor is there one where it names an address, a path or a flag that the person didn't, where most of it isn't
    theirs, or where it wants what they don't: the model is shown the name again, on later nights.
    """
    own, _ = _by_whom(session)
    foreign = "\n".join(_by_whom(other)[1] for other in others)
    name = one_line(clean(said[:REQUEST_CHARS]), limit=LESSON_CHARS)
    named = {match[0].strip("`").casefold() for match in _REACHED.finditer(name)}
    person = Own(own, [quote.quote for quote in evidence])
    theirs, _, invented = person.weighed(name)
    unheard = any(one not in own.casefold() for one in named) or len(invented) > len(theirs)
    return "" if unheard or person.refuses(name) or _copied(name, own=own, foreign=foreign) else name


def _by_whom(session: Session) -> tuple[str, str]:
    """All that the person wrote, and all that others did."""
    own = "\n".join(_own(session, index) for index in range(len(session.turns)))
    return own, "\n".join((*map(_foreign, session.turns), *(event.brief for event in session.tools)))


def _refuse_foreign(session: Session, written: Mapping[str, str]) -> None:
    """ItemError where one of these texts, by what it is, says what somebody else wrote and the person didn't."""
    own, foreign = _by_whom(session)
    for name, text in written.items():
        if _copied(text, own=own, foreign=foreign):
            raise ItemError(f"{session.id}: the miner's {name} says what somebody else wrote")


def _foreign(turn: Turn) -> str:
    return pasted_words(turn.text) if turn.origin is Origin.USER else turn.text


def _copied(text: str, *, own: str, foreign: str) -> bool:
    """Whether a named thing or a run of three words comes from foreign text and not from the person's."""
    own, foreign = own.casefold(), foreign.casefold()
    named = {match[0].strip("`").casefold() for match in _NAMED.finditer(text)}
    if any(name in foreign and name not in own for name in named):
        return True
    runs = _runs(text.casefold())
    return not runs.isdisjoint(_runs(foreign) - _runs(own))


def _runs(text: str) -> set[tuple[str, ...]]:
    words = _WORD.findall(text)
    return {tuple(words[at : at + COPIED_WORDS]) for at in range(len(words) - COPIED_WORDS + 1)}
