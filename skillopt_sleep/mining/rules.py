"""Make tasks of corrected requests by rules, without a model.

Corrections are found by what the person did and by the words of mining/words.py. If the person named what they want,
it becomes checks (mining/wishes.py); else their own words become a rubric.
"""

import hashlib
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from skillopt_sleep.mining.answers import answer_between
from skillopt_sleep.mining.asks import Ask, asks
from skillopt_sleep.mining.clean import clean
from skillopt_sleep.mining.deeds import deeds
from skillopt_sleep.mining.provenance import quotes_of
from skillopt_sleep.mining.requests import needs_workspace, request_context, request_words
from skillopt_sleep.mining.spans import own_words
from skillopt_sleep.mining.wishes import Wish, last_wish
from skillopt_sleep.records import (
    Check,
    Checks,
    Evidence,
    Op,
    Origin,
    Reference,
    Rubric,
    Session,
    Task,
)


def ruled_tasks(session: Session) -> Iterator[Task]:
    """Yield a task for every request of the session that was corrected in words."""
    earlier: list[int] = []
    for ask in asks(session):
        quotes: list[Evidence] = []
        for turn in ask.corrections:
            words = own_words(session.turns[turn].text)
            if words:
                quotes.append(Evidence(session=session.id, turn=turn, quote=words))
        prompt = request_words(session, ask.turn)
        if quotes and prompt:
            yield made_task(
                session,
                ask,
                prompt=prompt,
                context=request_context(session, ask.turn, tuple(earlier)),
                reference=reference_from_words(quotes_of(quotes)),
                evidence=quotes,
            )
        earlier.append(ask.turn)


def made_task(
    session: Session, ask: Ask, *, prompt: str, context: str, reference: Reference, evidence: Sequence[Evidence]
) -> Task:
    """Return the task with its id, the answers before and after the correction, and what the person did."""
    key = hashlib.blake2b(f"{session.id}\0{ask.turn}\0{prompt}".encode(), digest_size=6).hexdigest()
    turns = [quote.turn for quote in evidence]
    first = min(turns)
    last = max(*turns, *ask.corrections, first)
    end = _next_typed(session, last)
    accepted = answer_between(session, last, end) if end < len(session.turns) else ""
    return Task(
        id=key,
        prompt=clean(prompt),
        context=clean(context),
        reference=reference,
        session=session.id,
        project=session.project,
        source=session.source,
        at=session.started,
        evidence=tuple(replace(quote, quote=clean(quote.quote)) for quote in evidence),
        rejected=clean(answer_between(session, ask.turn, first)),
        accepted=clean(accepted),
        deeds=tuple(deed for deed in deeds(session) if ask.turn <= deed.turn < end),
        skills=session.skills,
        in_words=not needs_workspace(session, ask.turn, first),
    )


def reference_from_words(said: Sequence[str]) -> Reference:
    """Return checks of what the words name in the end, or a rubric that quotes them if they name nothing."""
    cleaned = [clean(words) for words in said]
    items = wished_checks(last_wish(cleaned))
    if items:
        return Checks(items=items)
    return _rubric(cleaned)


def wished_checks(wish: Wish) -> tuple[Check, ...]:
    """Return checks of what was named exactly; none if only a length was."""
    items = [Check(op=Op.CONTAINS, arg=term) for term in wish.want]
    items += [Check(op=Op.NOT_CONTAINS, arg=term) for term in wish.avoid]
    if items and wish.at_most:
        items.append(Check(op=Op.MAX_CHARS, arg=str(wish.at_most)))
    return tuple(items)


def simpler_references(reference: Reference, said: Sequence[str]) -> tuple[Reference, ...]:
    """Return the reference, and what may replace it if it can't tell a good answer from a bad one."""
    if not isinstance(reference, Checks):
        return (reference,)
    wanted = tuple(check for check in reference.items if check.op is Op.CONTAINS)
    references: list[Reference] = [reference]
    if wanted and len(wanted) < len(reference.items):
        references.append(Checks(items=wanted))
    references.append(_rubric(said))
    return tuple(references)


def _rubric(said: Sequence[str]) -> Rubric:
    words = "\n".join(dict.fromkeys(said))
    return Rubric(
        text=f"The person corrected an earlier answer to this request. In their words: «{words}». "
        "A good answer already does what they ask for there."
    )


def _next_typed(session: Session, after: int) -> int:
    """Return the next turn that the person typed, or the number of turns if there is none."""
    for index in range(after + 1, len(session.turns)):
        if session.turns[index].origin is Origin.USER:
            return index
    return len(session.turns)
