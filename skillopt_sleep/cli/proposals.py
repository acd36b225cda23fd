"""Look at proposals, as `review --show` does."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from skillopt_sleep.cli.blocks import say_blocks
from skillopt_sleep.cli.console import say, say_all, say_json, say_next
from skillopt_sleep.cli.decisions import consistent_journal
from skillopt_sleep.cli.status import proposal_data
from skillopt_sleep.deciding import read as reading
from skillopt_sleep.deciding.chosen import Chosen, named
from skillopt_sleep.deciding.read import Waiting, read_waiting, staged_diff
from skillopt_sleep.deciding.stored import opened, opened_to_read
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.markdown import spelled
from skillopt_sleep.pages.blocks import Answer, Answers, Sentence, Table
from skillopt_sleep.proposals.written import diff
from skillopt_sleep.reporters.gains import sentence
from skillopt_sleep.reporters.rule_page import more, staged_change, whole
from skillopt_sleep.reporters.status import in_a_line, notes, status
from skillopt_sleep.stores.bank import ADOPTED, OPEN, WAITING, WITHDRAWN, Decided
from skillopt_sleep.stores.sqlite import SqliteStore


def show_proposals(names: Sequence[str], *, verbose: bool, as_json: bool) -> None:
    """Show proposals, each with the person's words, both answers, the proof and the change; or list all."""
    with opened_to_read() as store, consistent_journal(store) as journal, TemporaryDirectory() as scratch:
        if not names:
            _list(store, as_json=as_json)
            return
        found = [one for name in names for one in named(store, name, scratch=Path(scratch))]
        if as_json:
            say_json([one.decided.proposal for one in found])
            return
        for one in found:
            ids = [decided.proposal.id for decided in store.bank.family(one.name)]
            _show(one, read_waiting(store, one, journal), _divided(one.decided, ids), verbose=verbose)


def _show(one: Chosen, waiting: Waiting, divided: str, *, verbose: bool) -> None:
    """Print all that a person needs to decide, the commands to do it, and if `verbose` the rest."""
    proposal, state = one.decided.proposal, one.decided.state
    words = divided or status(one.decided, now=utc_now())
    told = map(Sentence, [sentence(words), *notes(one.decided)])
    known = [*whole(waiting.rule), *(more(proposal, waiting.whole) if verbose else ()), *told]
    staged = () if waiting.rule.changes else staged_change(staged_diff(one.folder))
    say_blocks([*known, *staged])
    say("")
    if state == ADOPTED:
        say_next(f"skillopt-sleep undo {proposal.id}", label="Take back")
    elif state in OPEN:
        say_next(f"skillopt-sleep adopt {proposal.id}", label="Yes")
        if state == WAITING:
            say_next(f"skillopt-sleep reject {proposal.id}", label="No")
    if verbose:
        say("")
        say_all(_done_by_both(waiting.rule.answers))
        for old in reversed(one.decided.earlier):
            say(f"Version {proposal.version}; version {old.version} of {old.night}: {spelled(old.summary)}")
    else:
        say_next(f"skillopt-sleep review --show {proposal.id} --verbose", label="Statistics")


def _done_by_both(answers: Answers | None) -> Iterator[str]:
    """Yield all that is kept of what the agent did in sealed copies, without the rule and with it."""
    if answers is None:
        return
    for title, answer in zip(answers.titles, (answers.before, answers.after), strict=True):
        if answer.whole:
            yield f"{title}, the agent did:"
            yield from (f"  {line}" for part in answer.whole for line in part.splitlines())
            yield ""


def _list(store: SqliteStore, *, as_json: bool) -> None:
    proposals = store.bank.proposals()
    if as_json:
        say_json([proposal_data(decided) for decided in proposals])
        return
    if not proposals:
        say("No proposals yet.")
        return
    ids = [decided.proposal.id for decided in proposals]
    rows: list[tuple[str, ...]] = []
    for decided in proposals:
        state = _divided(decided, ids) or decided.state
        rows.append((decided.proposal.id, state, in_a_line(decided, now=utc_now())))
    say_blocks([Table(("proposal", "state", "rule"), tuple(rows))])


def _divided(decided: Decided, ids: Sequence[str]) -> str:
    """Say what stands in place of a proposal that was divided or reworded; "" if it wasn't."""
    name = decided.proposal.id
    parts = [one.removeprefix(name) for one in ids if one.rpartition(".")[0] == name]
    if decided.state != WITHDRAWN or not parts:
        return ""
    return f"{'reworded as' if len(decided.proposal.edits) == 1 else 'split into'} {', '.join(parts)}"


def names_of_rules(names: Sequence[str]) -> list[str]:
    """Return the ids of all rules that wait, or of those in the named proposals, in the order to decide on them."""
    with opened_to_read() as store, consistent_journal(store):
        return [proposal.id for proposal in reading.rules_to_decide(store, names)]


def read_rule(name: str) -> Waiting | None:
    """Return a rule as it would be adopted now; None if it was decided on in the meantime."""
    with opened() as store, consistent_journal(store) as journal:
        return reading.read_rule(store, journal, name)


def as_data(waiting: Waiting) -> dict[str, object]:
    """Return what is shown of a rule as plain data."""
    rule = waiting.rule
    told = rule.answers
    return {
        "id": rule.id,
        "document": rule.document,
        "rule": rule.text,
        "proof": waiting.proposal.proof,
        "label": rule.label,
        "cautions": rule.cautions,
        "said": [said._asdict() for said in rule.said],
        "sessions": rule.sessions,
        "often": rule.often,
        "request": told.request if told else "",
        "answers": [_answer(title, answer) for title, answer in _titled(told)],
        "proven": tuple(filter(None, (rule.tried, *rule.proof))),
        "diff": "".join(diff(change.document, change.old.encode(), change.new.encode()) for change in rule.changes),
        "cost": rule.cost,
        "reaches": rule.reaches,
    }


def _titled(told: Answers | None) -> list[tuple[str, Answer]]:
    return list(zip(told.titles, (told.before, told.after), strict=True)) if told else []


def _answer(title: str, answer: Answer) -> dict[str, object]:
    return {"title": title, "as_asked": answer.solved, "did": answer.did, "text": answer.text}
