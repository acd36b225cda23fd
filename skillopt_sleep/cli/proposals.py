"""The command `show`: look at proposals."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from skillopt_sleep.cli.completing import proposal_ids
from skillopt_sleep.cli.console import (
    BAD,
    DIM,
    GOOD,
    NAME,
    Column,
    Part,
    print_lines,
    say,
    say_all,
    say_json,
    say_next,
    say_table,
    stdout,
)
from skillopt_sleep.cli.review_shown import page
from skillopt_sleep.cli.settled import settled
from skillopt_sleep.deciding.chosen import Chosen, named
from skillopt_sleep.deciding.read import Waiting, read
from skillopt_sleep.deciding.stored import opened_to_read
from skillopt_sleep.errors import StaleProposal
from skillopt_sleep.kit.clock import shown, utc_now
from skillopt_sleep.kit.markdown import spelled, visible
from skillopt_sleep.reporters.card import Answers
from skillopt_sleep.reporters.gains import sentence
from skillopt_sleep.reporters.statistics import TESTED_NEXT, places, statistics
from skillopt_sleep.stores.bank import ADOPTED, OPEN, WAITING, WITHDRAWN, Decided
from skillopt_sleep.stores.sqlite import SqliteStore

_DIFF_STYLES = {"+": GOOD, "-": BAD, "@": DIM}


def show(
    proposal: Annotated[
        str, typer.Argument(help="A proposal, as in P-0001; lists all by default.", autocompletion=proposal_ids)
    ] = "",
    *,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="With the statistics, the sessions and the error rate.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the proposal as JSON.")] = False,
) -> None:
    """Show a proposal as `review` does: your words, the answers with and without it, the proof and the change."""
    with opened_to_read() as store, settled(store) as journal:
        if not proposal:
            _list(store, as_json=as_json)
            return
        with TemporaryDirectory() as scratch:
            for one in named(store, proposal, scratch=Path(scratch)):
                if as_json:
                    say_json(one.decided.proposal)
                else:
                    ids = [decided.proposal.id for decided in store.bank.family(one.name)]
                    _show(one, read(store, one, journal), _state(one.decided, ids), verbose=verbose)


def _show(one: Chosen, waiting: Waiting, state_words: str, *, verbose: bool) -> None:
    """Print all that a person needs to decide, the commands to do it, and if `verbose` the rest."""
    proposal, state, rule = one.decided.proposal, one.decided.state, waiting.rule
    stored = "" if rule.changes else _diff(one.folder, state)
    print_lines(page(rule, state=state_words, width=stdout().width))
    for line in stored.splitlines():
        say((line, _DIFF_STYLES.get(line[:1], "")))
    say("")
    say_all(_notes(one.decided))
    if state == ADOPTED:
        say_next(f"skillopt-sleep undo {proposal.id}", label="Take back")
    elif state in OPEN:
        say_next(f"skillopt-sleep adopt {proposal.id}", label="Yes")
        if state == WAITING:
            say_next(f"skillopt-sleep reject {proposal.id}", label="No")
    if verbose:
        say("")
        say_all(_done_by_both(rule.answers))
        say_all(statistics(proposal, waiting.whole))
        say_all(places(proposal))
        for old in reversed(one.decided.earlier):
            say(f"Version {proposal.version}; version {old.version} of {old.night}: {spelled(old.summary)}")
    else:
        say_next(f"skillopt-sleep show {proposal.id} --verbose", label="Statistics")


def _done_by_both(answers: Answers | None) -> Iterator[str]:
    """Yield all that is kept of what the agent did in sealed copies, without the rule and with it."""
    if answers is None:
        return
    for title, answer in zip(answers.titles, (answers.before, answers.after), strict=True):
        if answer.whole:
            yield f"{title}, the agent did:"
            yield from (f"  {line}" for part in answer.whole for line in part.splitlines())
            yield ""


def _notes(decided: Decided) -> Iterator[str]:
    """Yield what was decided, what waits to be tested, and what else should be known before a decision."""
    proposal = decided.proposal
    if decided.reason and decided.state == WITHDRAWN:
        yield f"Withdrawn on {decided.decided[:10]}: {visible(decided.reason)}"
    elif decided.reason:
        yield f"Your reason: «{visible(decided.reason)}»"
    if decided.again and decided.state == WAITING:
        yield TESTED_NEXT
    if proposal.pair:
        yield proposal.pair
    if proposal.doubt:
        yield f"Note that {visible(proposal.doubt)}."


def _list(store: SqliteStore, *, as_json: bool) -> None:
    proposals = store.bank.proposals()
    if as_json:
        say_json([_row(decided) for decided in proposals])
        return
    if not proposals:
        say("No proposals yet.")
    ids = [decided.proposal.id for decided in proposals]
    rows: list[list[Part]] = []
    for decided in proposals:
        proposal = decided.proposal
        text = spelled(proposal.summary)
        asleep = decided.state == WAITING and decided.until and decided.until > utc_now()
        notes = [
            f"look twice ({proposal.touches})" if proposal.touches else "",
            proposal.label,
            f"snoozed until {shown(decided.until)}" if asleep and decided.until else "",
        ]
        for note in filter(None, notes):
            text += f"{'' if text.endswith(('.', '.”')) else '.'} {sentence(note)}"
        rows.append([(proposal.id, NAME), _state(decided, ids), text])
    say_table([Column(""), Column(""), Column("", wrapped=True)], rows)


def _state(decided: Decided, ids: Sequence[str]) -> str:
    """Return a proposal's state in words; of one that was divided or reworded, what stands in its place."""
    name = decided.proposal.id
    parts = [one.removeprefix(name) for one in ids if one.rpartition(".")[0] == name]
    if decided.state != WITHDRAWN or not parts:
        return decided.state
    if len(decided.proposal.edits) == 1:
        return f"reworded as {', '.join(parts)}"
    return f"split into {', '.join(parts)}"


def _row(decided: Decided) -> dict[str, object]:
    proposal = decided.proposal
    return {
        "id": proposal.id,
        "state": decided.state,
        "version": proposal.version,
        "proof": proposal.proof,
        "label": proposal.label,
        "document": proposal.document,
        "summary": proposal.summary,
        "warnings": proposal.warnings,
    }


def _diff(folder: Path, state: str) -> str:
    """Return the change as it was staged; raise StaleProposal if what waits can't be adopted without it."""
    try:
        return visible((folder / "change.diff").read_text(encoding="utf-8", errors="replace")).rstrip()
    except FileNotFoundError as error:
        if state == WAITING:
            raise StaleProposal(
                f"{folder} is gone, and the change with it", remedy="reject it; a later night can propose it again"
            ) from error
        return "The files of this proposal are gone, and its change with them."
    except OSError as error:
        raise StaleProposal(f"can't read {folder}: {error.strerror}", remedy="make it readable") from error
