"""Make tasks of corrected requests by rules, without a model.

Corrections are found by what the person did and by the words of mining/words.py. If the person named what they want,
it becomes checks (mining/wishes.py); else their own words become a rubric.
"""

import hashlib
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.mining.deeds import deeds
from skillopt_sleep.mining.in_force import said_already
from skillopt_sleep.mining.provenance import quote_of_command, quotes_of, said_at
from skillopt_sleep.mining.requests import Ask, answer_between, asks, needs_workspace, own_turn, request_context
from skillopt_sleep.mining.wishes import Wish, last_wish
from skillopt_sleep.mining.words import clean, lasting_words
from skillopt_sleep.records import (
    Check,
    Checks,
    Deed,
    DeedKind,
    Evidence,
    Feedback,
    Op,
    Origin,
    Reference,
    Rubric,
    Session,
    Task,
    TaskSetting,
    Wanted,
)

LONGEST_COMMAND = 60


class Ruled(NamedTuple):
    """The tasks that rules find in a session, and what the person wanted for one time only."""

    tasks: tuple[Task, ...]
    for_once: tuple[str, ...] = ()


def ruled_tasks(session: Session) -> Ruled:
    """Return a task for every request that the person corrected, in words or by a check that they ran themselves.

    What holds for one time only makes none.
    """
    tasks: list[Task] = []
    for_once: list[str] = []
    earlier: list[int] = []
    done = deeds(session)
    commands = _checks_of_their_own(done)
    requests = asks(session)
    for ask, following in zip(requests, [*requests, None][1:], strict=True):
        quotes: list[Evidence] = []
        for turn in ask.corrections:
            words = own_turn(session, turn)
            lasting = lasting_words(words)
            if lasting:
                quotes.append(Evidence(session=session.id, turn=turn, quote=lasting, at=said_at(session, turn)))
            elif words:
                for_once.append(words)
        prompt = own_turn(session, ask.turn)
        context = request_context(session, ask.turn, tuple(earlier))
        made = partial(made_task, session, ask, prompt=prompt, context=context)
        end = following.turn if following else len(session.turns)
        if quotes and prompt:
            around = [deed for deed in done if ask.turn <= deed.turn < end and deed not in commands]
            reference = reference_from_words(quotes_of(quotes))
            tasks.append(made(reference=reference, evidence=quotes, signs=around))
        for deed in commands:
            if prompt and ask.turn < deed.turn < end:
                reference = Checks(items=(Check(op=Op.CONTAINS, arg=deed.what),))
                wording = f"Run {deed.what} before you say that it is done"
                quote = quote_of_command(deed, session)
                tasks.append(made(reference=reference, evidence=[quote], signs=(deed,), wording=wording))
        earlier.append(ask.turn)
    return Ruled(tuple(tasks), tuple(for_once))


def _checks_of_their_own(done: Sequence[Deed]) -> list[Deed]:
    """Return the tests and linters that the person ran, each command once."""
    commands: dict[str, Deed] = {}
    for deed in done:
        if deed.kind is DeedKind.CHECKED and 0 < len(deed.what) <= LONGEST_COMMAND and "\n" not in deed.what:
            commands.setdefault(deed.what, deed)
    return list(commands.values())


def made_task(
    session: Session,
    ask: Ask,
    *,
    prompt: str,
    context: str,
    reference: Reference,
    evidence: Sequence[Evidence],
    signs: Sequence[Deed] = (),
    wording: str = "",
) -> Task:
    """Return the task with its id, the answers before and after the correction, and what the person did.

    Its id is made of the request and of the lesson's wording: two lessons of one correction are two tasks.
    """
    named = f"\0{wording.casefold()}" if wording else ""
    key = hashlib.blake2b(f"{session.id}\0{ask.turn}\0{prompt}{named}".encode(), digest_size=6).hexdigest()
    turns = [quote.turn for quote in evidence]
    first = min(turns or [deed.turn + 1 for deed in signs])
    last = max([*turns, *ask.corrections], default=first)
    end = last + 1
    while end < len(session.turns) and session.turns[end].origin is not Origin.USER:
        end += 1
    done = {deed.turn for deed in signs}
    accepted = ""
    # What the agent says of a command that the person ran is no answer to what they want.
    if any(turn not in done for turn in turns) and end < len(session.turns):
        accepted = answer_between(session, last, end)
    return Task(
        id=key,
        prompt=clean(prompt),
        context=clean(context),
        reference=reference,
        session=session.id,
        project=session.project,
        source=session.source,
        at=session.started,
        feedback=Feedback(
            evidence=tuple(replace(quote, quote=clean(quote.quote)) for quote in evidence),
            deeds=tuple(replace(deed, what=clean(deed.what)) for deed in signs),
            rejected=clean(answer_between(session, ask.turn, first)),
            accepted=clean(accepted),
            not_followed=any(
                said_already(session, words) for words in ([wording] if wording else quotes_of(evidence))
            ),
        ),
        setting=TaskSetting(
            folder=session.cwd,
            skills=session.skills,
            in_words=not needs_workspace(session, ask.turn, first),
        ),
        wanted=Wanted(wording=wording),
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


def simpler_references(task: Task) -> tuple[Reference, ...]:
    """Return the task's reference, and what may replace it if it can't tell a good answer from a bad one."""
    reference = task.reference
    if not isinstance(reference, Checks):
        return (reference,)
    wanted = tuple(check for check in reference.items if check.op is Op.CONTAINS)
    references: list[Reference] = [reference]
    if wanted and len(wanted) < len(reference.items):
        references.append(Checks(items=wanted))
    said = [piece.quote for piece in task.feedback.evidence if piece.deed is None]
    if task.wanted.wording:
        references.append(Rubric(text=task.wanted.wording))
    elif said:
        references.append(_rubric(said))
    return tuple(references)


def _rubric(said: Sequence[str]) -> Rubric:
    words = "\n".join(dict.fromkeys(said))
    return Rubric(
        text=f"What the person said of an answer to this request: «{words}». "
        "A good answer already does what they want there."
    )
