"""Sessions to tasks: a request that was corrected, with a reference made from the user's own correction."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from skillopt_sleep.errors import ItemError
from skillopt_sleep.mining.wishes import is_correction, read_wish
from skillopt_sleep.prompts import fill
from skillopt_sleep.protocols import Backend, Pool
from skillopt_sleep.records import (
    SHAPE_OPS,
    Check,
    Checks,
    Evidence,
    Exact,
    Note,
    Op,
    Origin,
    Prompt,
    Purpose,
    Reference,
    Rubric,
    Session,
    Task,
)

CONTEXT_ASKS = 2
CONTEXT_CHARS = 600
TURN_CHARS = 2_000


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


class MineReply(msgspec.Struct, frozen=True):
    """What the model miner answers."""

    tasks: tuple[MinedTask, ...]


class Mined(msgspec.Struct, frozen=True, kw_only=True):
    """The tasks, what went wrong on the way, and the sessions that a failed call left unread."""

    tasks: tuple[Task, ...] = ()
    notes: tuple[Note, ...] = ()
    lost: tuple[str, ...] = ()


def mine(sessions: Sequence[Session], *, optimizer: Backend | None, pool: Pool, per_call: int, most: int) -> Mined:
    """The corrected requests of these sessions, by the model, or by rules where there is no optimizer.

    The rules know English. A model's task is kept only if its quotes stand in turns the person typed; what it missed
    although the person named exactly what they want is added by the rules. A call that fails loses its batch, which
    is noted. At most `most`, the newest first.
    """
    worth = [session for session in sessions if len(session.typed) > 1]
    if optimizer is None:
        found = [Mined(tasks=tuple(_by_rules(session))) for session in worth]
    else:
        batches = [worth[i : i + per_call] for i in range(0, len(worth), per_call)]
        found = pool.map(lambda batch: _by_model(batch, optimizer), batches, label="mine")
    tasks = sorted((task for part in found for task in part.tasks), key=lambda task: (task.at, task.id))
    notes = [note for part in found for note in part.notes]
    if len(tasks) > most:
        remedy = "nothing; the next night takes them, or raise mine.max_tasks"
        notes.append(
            Note(stage="mine", summary=f"{len(tasks) - most} tasks are more than one night takes", remedy=remedy)
        )
    return Mined(
        tasks=tuple(tasks[-most:]),
        notes=tuple(notes),
        lost=(*(name for part in found for name in part.lost), *(task.session for task in tasks[:-most])),
    )


def _by_rules(session: Session) -> Iterator[Task]:
    """A typed turn that corrects makes the request before it a task; corrections in a row belong together."""
    asks: list[int] = []
    corrections: list[Evidence] = []
    for index, turn in enumerate(session.turns):
        if turn.origin is not Origin.USER:
            continue
        since = corrections[-1].turn if corrections else asks[-1] if asks else 0
        if asks and (is_correction(turn.text) or _was_stopped(session, before=index, since=since)):
            corrections.append(Evidence(session=session.id, turn=index, quote=turn.text))
            continue
        if corrections:
            yield _ruled_task(session, asks, corrections)
        asks.append(index)
        corrections = []
    if corrections:
        yield _ruled_task(session, asks, corrections)


def _was_stopped(session: Session, *, before: int, since: int) -> bool:
    """Whether the person rejected a tool call between these turns: what they type next is a correction."""
    return any(event.rejected and since <= event.turn < before for event in session.tools)


def _ruled_task(session: Session, asks: Sequence[int], corrections: Sequence[Evidence]) -> Task:
    earlier = [session.turns[index].text[:CONTEXT_CHARS] for index in asks[:-1][-CONTEXT_ASKS:]]
    context = "\n".join(f"Earlier in this conversation: {text}" for text in earlier)
    words = "\n".join(evidence.quote for evidence in corrections)
    reference = _checks_from_words(words) or Rubric(
        text=f"The person corrected an earlier answer to this request. In their words: «{words}». "
        "A good answer already does what they ask for there."
    )
    prompt = session.turns[asks[-1]].text
    return _task(session, asks[-1], prompt=prompt, context=context, reference=reference, evidence=corrections)


def _checks_from_words(words: str) -> Checks | None:
    """What the words name exactly, or None where they name nothing but a length."""
    wish = read_wish(words)
    items = [Check(op=Op.CONTAINS, arg=term) for term in wish.want]
    items += [Check(op=Op.NOT_CONTAINS, arg=term) for term in wish.avoid]
    if items and wish.at_most:
        items.append(Check(op=Op.MAX_CHARS, arg=str(wish.at_most)))
    return Checks(items=tuple(items)) if items else None


def _by_model(sessions: Sequence[Session], optimizer: Backend) -> Mined:
    labels = {f"S{number}": session for number, session in enumerate(sessions, start=1)}
    prompt = Prompt(
        purpose=Purpose.MINE,
        text=fill("mine", sessions=_show(labels), ops=", ".join(Op)),
        schema=MineReply,
    )
    try:
        reply = optimizer.complete(prompt).structured
    except ItemError as error:
        ids = tuple(session.id for session in sessions)
        what = f"a call failed, {len(ids)} of the sessions stay unread: {error.message}"
        note = Note(stage="mine", summary=what, remedy=error.remedy)
        return Mined(notes=(note,), lost=ids)
    assert isinstance(reply, MineReply)  # noqa: S101 - a backend decodes into the prompt's schema or raises
    tasks: list[Task] = []
    notes: list[Note] = []
    for mined in reply.tasks:
        try:
            tasks.append(_checked_task(mined, labels))
        except ItemError as error:
            notes.append(Note(stage="mine", summary=error.message))
    heard = {(said.session, said.turn) for task in tasks for said in task.evidence}
    missed = (task for session in sessions for task in _by_rules(session) if isinstance(task.reference, Checks))
    tasks += (task for task in missed if all((said.session, said.turn) not in heard for said in task.evidence))
    return Mined(tasks=tuple(tasks), notes=tuple(notes))


def _show(labels: Mapping[str, Session]) -> str:
    """The sessions as JSON, every turn with its index and origin."""
    shown = [
        {
            "session": label,
            "turns": [
                {"turn": index, "origin": turn.origin, "text": turn.text[:TURN_CHARS]}
                for index, turn in enumerate(session.turns)
            ],
        }
        for label, session in labels.items()
    ]
    return json.dumps(shown, ensure_ascii=False, indent=1)


def _checked_task(mined: MinedTask, labels: Mapping[str, Session]) -> Task:
    """The task with its provenance proved; ItemError names what doesn't hold."""
    session = labels.get(mined.session)
    if session is None:
        raise ItemError(f"the miner named a session that isn't there: {mined.session!r}")
    if not _is_typed(session, mined.ask) or not mined.prompt.strip():
        raise ItemError(f"{session.id}: the miner's request isn't a turn the person typed")
    evidence = [Evidence(session=session.id, turn=q.turn, quote=q.quote) for q in mined.corrections]
    for quote in evidence:
        text = session.turns[quote.turn].text if _is_typed(session, quote.turn) else ""
        if quote.turn <= mined.ask or not quote.quote.strip() or quote.quote not in text:
            raise ItemError(f"{session.id}: the miner's quote isn't in what the person typed after the request")
    if not evidence:
        raise ItemError(f"{session.id}: the miner named no correction")
    return _task(
        session,
        mined.ask,
        prompt=mined.prompt.strip(),
        context=mined.context.strip(),
        reference=_reference(mined, session),
        evidence=evidence,
    )


def _is_typed(session: Session, turn: int) -> bool:
    return 0 <= turn < len(session.turns) and session.turns[turn].origin is Origin.USER


def _reference(mined: MinedTask, session: Session) -> Reference:
    unknown = [check.op for check in mined.checks if check.op not in set(Op)]
    if unknown:
        raise ItemError(f"{session.id}: the miner wrote an unknown check: {', '.join(unknown)}")
    items = tuple(Check(op=Op(check.op), arg=str(check.arg), section=check.section) for check in mined.checks)
    if items and any(check.op not in SHAPE_OPS for check in items):
        return Checks(items=items)
    if mined.rubric.strip():
        return Rubric(text=mined.rubric.strip())
    if mined.answer.strip():
        return Exact(answer=mined.answer.strip())
    raise ItemError(f"{session.id}: the miner's task has nothing to score an answer by but its shape")


def _task(
    session: Session, ask: int, *, prompt: str, context: str, reference: Reference, evidence: Sequence[Evidence]
) -> Task:
    key = hashlib.blake2b(f"{session.id}\0{ask}\0{prompt}".encode(), digest_size=6).hexdigest()
    return Task(
        id=key,
        prompt=prompt,
        context=context,
        reference=reference,
        session=session.id,
        project=session.project,
        source=session.source,
        at=session.started,
        evidence=tuple(evidence),
    )
