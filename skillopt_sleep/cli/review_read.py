"""Read what waits for a person's decision, rule by rule, without changing anything."""

from collections.abc import Sequence

from skillopt_sleep.cli.settled import settled
from skillopt_sleep.deciding import read as reading
from skillopt_sleep.deciding.read import Waiting
from skillopt_sleep.deciding.stored import opened, opened_to_read
from skillopt_sleep.proposals.diff import diff
from skillopt_sleep.reporters.card import Answer, Answers


def names_of_rules(names: Sequence[str]) -> list[str]:
    """Return the ids of all rules that wait, or of those in the named proposals, in the order to decide on them."""
    with opened_to_read() as store, settled(store):
        return [proposal.id for proposal in reading.rules_to_decide(store, names)]


def read_rule(name: str) -> Waiting | None:
    """Return a rule as it would be adopted now; None if it was decided on in the meantime."""
    with opened() as store, settled(store) as journal:
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
        "proven": rule.proof,
        "diff": "".join(diff(change.document, change.old.encode(), change.new.encode()) for change in rule.changes),
        "cost": rule.cost,
        "reaches": rule.reaches,
    }


def _titled(told: Answers | None) -> list[tuple[str, Answer]]:
    return list(zip(told.titles, (told.before, told.after), strict=True)) if told else []


def _answer(title: str, answer: Answer) -> dict[str, object]:
    return {"title": title, "as_asked": answer.solved, "did": answer.did, "text": answer.text}
