"""Read what waits for a person's decision, rule by rule, without changing anything."""

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from skillopt_sleep.deciding.chosen import Chosen, named, single_rules
from skillopt_sleep.errors import ProposalError, SleepError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.codec import to_json
from skillopt_sleep.pages.blocks import Answers
from skillopt_sleep.proposals.journal import Journal
from skillopt_sleep.proposals.plan import plan_adoption
from skillopt_sleep.records import Proposal, Recurrence
from skillopt_sleep.reporters.recurrence import sharpens
from skillopt_sleep.reporters.rule import Change, Rule, answers, in_order, rule_of
from skillopt_sleep.stores.bank import OPEN, Decided
from skillopt_sleep.stores.sqlite import SqliteStore


class Waiting(NamedTuple):
    """A rule that waits: its proposal, the one this is a part of (or itself), and what is shown of it.

    To decide on one that `divides` its proposal lets all rules of that one wait by themselves.
    """

    proposal: Proposal
    whole: Proposal
    rule: Rule
    divides: bool = False


class Seen(NamedTuple):
    """A proposal with its decision, all that is shown of it, and the change as it was staged, "" if that is gone.

    Of an adopted one, `since` says how often its lessons were corrected before and since.
    """

    decided: Decided
    waiting: Waiting
    staged: str
    since: tuple[Recurrence, ...] = ()


def rules_to_decide(store: SqliteStore, names: Sequence[str] = ()) -> list[Proposal]:
    """Return all rules that wait, or those of the named proposals, in the order to decide on them."""
    found: list[Proposal] = []
    wanted = names or [decided.proposal.id for decided in store.bank.to_decide(utc_now())]
    with TemporaryDirectory() as scratch:
        for name in wanted:
            for one in named(store, name):
                if one.decided.state in OPEN:
                    found += (rule.decided.proposal for rule in _rules(store, one, Path(scratch)))
    return in_order(found)


def rules_waiting(store: SqliteStore) -> int:
    """Count the rules that wait for a decision."""
    return len(rules_to_decide(store))


def read_rule(store: SqliteStore, journal: Journal, name: str) -> Waiting | None:
    """Return a rule as it would be adopted now; None if it was decided on in the meantime."""
    seen = look_at(store, journal, name)
    if seen is None or seen.decided.state not in OPEN:
        return None
    return seen.waiting


def look_at(store: SqliteStore, journal: Journal, name: str) -> Seen | None:
    """Return a rule with its decision, whatever that is; None if it was divided or reworded in the meantime."""
    with TemporaryDirectory() as scratch:
        (one, *_) = named(store, name, scratch=Path(scratch))
        if one.name != name:
            return None
        since = tuple(found for found in store.recurrences().values() if found.proposal == name)
        return Seen(one.decided, read_waiting(store, one, journal), staged_diff(one.folder), since)


def read_waiting(store: SqliteStore, one: Chosen, journal: Journal) -> Waiting:
    """Return a chosen proposal with all that is shown of it; its change only while it can be adopted."""
    proposal = one.decided.proposal
    above = proposal.id.rpartition(".")[0]
    known = {decided.proposal.id: decided.proposal for decided in store.bank.family(above or proposal.id)}
    whole = known.get(above, proposal)
    changes, problem = _changes(one, journal) if one.decided.state in OPEN else ([], "")
    rule = rule_of(proposal, changes, _answers(store, one), now=utc_now(), whole=whole)
    if one.decided.state in OPEN:
        rule = rule._replace(sharpens=sharpens(proposal, store.recurrences().values()))
    if problem:
        rule = rule._replace(cautions=(*rule.cautions, problem))
    return Waiting(proposal, whole, rule, divides=proposal.id not in known)


def _rules(store: SqliteStore, one: Chosen, scratch: Path) -> list[Chosen]:
    """Return each rule of a proposal by itself, or the proposal if its rules can't be taken one by one."""
    if len(one.decided.proposal.edits) == 1:
        return [one]
    try:
        return single_rules(store, one.decided, scratch=scratch)
    except SleepError:
        return [one]


def _changes(one: Chosen, journal: Journal) -> tuple[list[Change], str]:
    """Return what adopting would change in each file as it is now; and if it can't be adopted, why."""
    proposal = one.decided.proposal
    try:
        plan = plan_adoption(one.folder, proposal, journal=journal)
    except ProposalError as error:
        return [], f"{error.message}; {error.remedy}"
    documents = {file.path: file.document for file in proposal.files}
    return [Change(documents[move.path], text_of(move.old), text_of(move.new)) for move in plan.moves], ""


def staged_diff(folder: Path) -> str:
    """Return the change as it was staged; "" if its file is gone."""
    try:
        return (folder / "change.diff").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def text_of(data: bytes | None) -> str:
    """Return the bytes of a file as text for a person."""
    return (data or b"").decode(errors="replace").removeprefix("\ufeff")


def _answers(store: SqliteStore, one: Chosen) -> Answers | None:
    """Return what was answered in the night that tried the rule, or else in that of an earlier version."""
    for version in (one.decided.proposal, *reversed(one.decided.earlier)):
        found = answers(one.decided.proposal, store.report(version.night), store.folder(version.night))
        if found:
            return found
    return None


def shown_of(waiting: Waiting) -> str:
    """Return a digest of what a rule would do: its words, its proof, and each file as it is and as it would be."""
    proposal = waiting.proposal
    edits = [(edit.op, edit.target, edit.content) for edit in proposal.edits]
    changes = [tuple(change) for change in waiting.rule.changes]
    return digest_of(
        (proposal.id, proposal.version, proposal.proof, proposal.tested.n, edits, changes, waiting.rule.cautions)
    )


def digest_of(parts: Iterable[object]) -> str:
    """Return a short digest of these values, which another one of them doesn't have."""
    return hashlib.sha256(to_json(list(parts))).hexdigest()[:32]
