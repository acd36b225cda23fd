"""Put together what waits for a decision, one rule at a time, the strongest first; and what was decided last."""

from datetime import datetime

from skillopt_sleep.deciding.read import look_at, rules_to_decide
from skillopt_sleep.errors import SleepError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.records import Proof, Proposal, Record
from skillopt_sleep.reporters.cards import wording
from skillopt_sleep.reporters.gains import both_arms
from skillopt_sleep.reporters.statistics import documents
from skillopt_sleep.web.card import Card, card_of
from skillopt_sleep.web.desk import Desk
from skillopt_sleep.web.ways import DecidedLine, Notice, decided_lines, notice_of

LAST = 5  # decisions that are listed below what waits


class Line(Record, frozen=True, kw_only=True):
    """A rule in the list of what waits; `here` is the one that is shown."""

    id: str
    text: str
    document: str
    proof: str
    here: bool


class Inbox(Record, frozen=True, kw_only=True):
    """What waits, one of it as a card, what just happened, what was decided last, and what went wrong."""

    lines: tuple[Line, ...]
    card: Card | None
    number: int = 0
    previous: str = ""
    next: str = ""
    whole: str = ""
    asleep: int = 0
    notice: Notice | None = None
    decided: tuple[DecidedLine, ...] = ()
    trouble: tuple[tuple[str, str], ...] = ()


def inbox(
    desk: Desk, name: str = "", *, did: str = "", trouble: tuple[SleepError, ...] = (), now: datetime | None = None
) -> Inbox:
    """Return what waits, with the proposal of this name as a card, else the first rule."""
    now = now or utc_now()
    rules = rules_to_decide(desk.store)
    names = [proposal.id for proposal in rules]
    here = name or (names[0] if names else "")
    seen = look_at(desk.store, desk.journal, here) if here else None
    at = names.index(here) if here in names else -1
    card = card_of(seen, now=now) if seen else None
    problems = (*desk.damaged, *trouble)
    decided = [line for line in decided_lines(desk.store, now=now) if line.id not in {did, here}]
    return Inbox(
        lines=tuple(_line(proposal, here=proposal.id == here) for proposal in rules),
        card=card,
        number=at + 1,
        previous=names[at - 1] if at > 0 else "",
        next=names[at + 1] if 0 <= at < len(names) - 1 else "",
        whole=card.part_of if card else "",
        asleep=len(desk.store.bank.snoozed(now)),
        notice=notice_of(desk.store, did, now=now) if did else None,
        decided=tuple(decided[:LAST]),
        trouble=tuple((error.message, error.remedy) for error in problems),
    )


def _line(proposal: Proposal, *, here: bool) -> Line:
    proof = proposal.label or "proven"
    if proposal.solved and proposal.proof is not Proof.EDITED:
        proof = f"{both_arms(proposal.solved)} as you asked"
        if proposal.label:
            proof = f"{proof}, {proposal.label.partition(':')[0]}"
    return Line(id=proposal.id, text=wording(proposal), document=documents(proposal), proof=proof, here=here)
