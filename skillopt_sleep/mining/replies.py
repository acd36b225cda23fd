"""The model miner's side: what it is shown of a session, what it may answer, and the proof of what it answers.

A model can be talked into anything by the text it reads. So what a task wants must stand in the person's own words,
and no run of words may come from anybody else's.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from skillopt_sleep.errors import ItemError
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.mining.asks import Ask
from skillopt_sleep.mining.requests import pasted_words, request_context
from skillopt_sleep.mining.rules import made_task, reference_from_words
from skillopt_sleep.mining.signals import signals
from skillopt_sleep.mining.spans import own_words
from skillopt_sleep.records import (
    SHAPE_OPS,
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
LESSON_CHARS = 100
COPIED_WORDS = 3

_WORD = re.compile(r"\w+")
_NAMED = re.compile(
    r"`[^`\n]+`|https?://\S+|\S*[\w]/[\w]\S*"  # quoted, addresses, paths
    r"|\w+(?:[-.]\w+)+"  # hyphened and dotted words
    r"|(?<!\w)--?[A-Za-z][\w-]+|\b\w*(?:\d[A-Za-z_-]|[A-Za-z_-]\d|[a-z][A-Z]|\w_\w)\w*\b"  # flags, identifiers
)
_REACHED = re.compile(r"`[^`\n]+`|\S*\w/\S+|\w+(?:\.\w+)+|(?<!\w)--?[A-Za-z][\w-]*")
_WORDED_OPS = frozenset({Op.CONTAINS, Op.NOT_CONTAINS, Op.SECTION_CONTAINS})


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


def checked_task(mined: MinedTask, labels: Mapping[str, Session]) -> Task:
    """The task with its provenance proved; ItemError names what doesn't hold.

    Where only the reference can't be proved, the person's own words stand for it.
    """
    session = labels.get(mined.session)
    if session is None:
        raise ItemError(f"the miner named a session that isn't there: {mined.session!r}")
    if not _own(session, mined.ask) or not mined.prompt.strip():
        raise ItemError(f"{session.id}: the miner's request isn't a turn the person typed")
    if not mined.corrections:
        raise ItemError(f"{session.id}: the miner named no correction")
    evidence = [Evidence(session=session.id, turn=q.turn, quote=q.quote) for q in mined.corrections]
    for quote in evidence:
        if quote.turn <= mined.ask or not quote.quote.strip() or quote.quote not in _own(session, quote.turn):
            raise ItemError(f"{session.id}: the miner's quote isn't in what the person typed after the request")
    _refuse_foreign(session, {"request": mined.prompt, "context": mined.context})
    reference = _reference(mined, session, evidence)
    earlier = tuple(index for index in range(mined.ask) if _own(session, index))
    context = "\n".join(
        part for part in (mined.context.strip(), request_context(session, mined.ask, earlier)) if part
    )
    ask = Ask(mined.ask, tuple(quote.turn for quote in evidence))
    task = made_task(
        session, ask, prompt=mined.prompt.strip(), context=context, reference=reference, evidence=evidence
    )
    return replace(task, lesson=_lesson(mined.lesson, session, labels.values()))


def _own(session: Session, turn: int) -> str:
    """The person's own words in a turn; empty where they typed nothing there."""
    if not 0 <= turn < len(session.turns) or session.turns[turn].origin is not Origin.USER:
        return ""
    return own_words(session.turns[turn].text)


def _reference(mined: MinedTask, session: Session, evidence: Sequence[Evidence]) -> Reference:
    unknown = [check.op for check in mined.checks if check.op not in set(Op)]
    if unknown:
        raise ItemError(f"{session.id}: the miner wrote an unknown check: {', '.join(unknown)}")
    try:
        return _proved(mined, session)
    except ItemError:
        return reference_from_words([quote.quote for quote in evidence])


def _proved(mined: MinedTask, session: Session) -> Reference:
    """What the miner wants, if nothing of it is somebody else's; ItemError names what is."""
    items = tuple(Check(op=Op(check.op), arg=str(check.arg), section=check.section) for check in mined.checks)
    if items and any(check.op not in SHAPE_OPS for check in items):
        own, _ = _by_whom(session)
        if any(check.op in _WORDED_OPS and check.arg.casefold() not in own.casefold() for check in items):
            raise ItemError(f"{session.id}: the miner checks for something the person never wrote")
        _refuse_foreign(session, {"pattern": " ".join(f"{check.arg} {check.section}" for check in items)})
        return Checks(items=items)
    if mined.rubric.strip():
        _refuse_foreign(session, {"demand": mined.rubric})
        return Rubric(text=mined.rubric.strip())
    if mined.answer.strip():
        _refuse_foreign(session, {"demand": mined.answer})
        return Exact(answer=mined.answer.strip())
    raise ItemError(f"{session.id}: the miner's task has nothing to score an answer by but its shape")


def _lesson(said: str, session: Session, others: Iterable[Session]) -> str:
    """The name as one short line; none where its words are somebody else's, in whatever session the model read.

    Nor is there one where it names an address, a path or a flag that the person didn't: the model is shown the name
    again, on later nights.
    """
    own, _ = _by_whom(session)
    foreign = "\n".join(_by_whom(other)[1] for other in others)
    name = one_line(said, limit=LESSON_CHARS)
    named = {match[0].strip("`").casefold() for match in _REACHED.finditer(name)}
    unheard = any(one not in own.casefold() for one in named)
    return "" if unheard or _copied(name, own=own, foreign=foreign) else name


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
