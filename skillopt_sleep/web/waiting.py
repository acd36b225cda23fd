"""Put together what waits for a decision: one rule at a time, the strongest first."""

from datetime import datetime

from skillopt_sleep.deciding.read import look_at, rules_to_decide
from skillopt_sleep.deciding.shown import digest_of
from skillopt_sleep.errors import SleepError
from skillopt_sleep.kit.clock import shown, utc_now
from skillopt_sleep.kit.words import home_path
from skillopt_sleep.records import Proof, Proposal, Record
from skillopt_sleep.reporters.cards import wording
from skillopt_sleep.reporters.gains import both_arms
from skillopt_sleep.reporters.statistics import documents
from skillopt_sleep.stores.bank import ADOPTED, OPEN, REJECTED, UNDONE, WAITING, Decided
from skillopt_sleep.web.card import Card, card_of
from skillopt_sleep.web.desk import Desk


class Line(Record, frozen=True, kw_only=True):
    """A rule in the list of what waits; `here` is the one that is shown."""

    id: str
    text: str
    document: str
    proof: str
    here: bool


class Notice(Record, frozen=True, kw_only=True):
    """What happened, and the form that takes it back or goes on: its address, its button, and what it was shown."""

    text: str
    action: str = ""
    button: str = ""
    shown: str = ""
    link: str = ""


class Inbox(Record, frozen=True, kw_only=True):
    """What waits, one of it as a card, what just happened, and what went wrong."""

    lines: tuple[Line, ...]
    card: Card | None
    number: int = 0
    previous: str = ""
    next: str = ""
    whole: str = ""
    asleep: int = 0
    notice: Notice | None = None
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
    card = card_of(seen) if seen else None
    problems = (*desk.damaged, *trouble)
    done = did or ("" if card is None or card.waits else here)
    return Inbox(
        lines=tuple(_line(proposal, here=proposal.id == here) for proposal in rules),
        card=card,
        number=at + 1,
        previous=names[at - 1] if at > 0 else "",
        next=names[at + 1] if 0 <= at < len(names) - 1 else "",
        whole=card.part_of if card else "",
        asleep=len(desk.store.bank.snoozed(now)),
        notice=notice_of(desk, done, now=now) if done else None,
        trouble=tuple((error.message, error.remedy) for error in problems),
    )


def state_shown(decided: Decided) -> str:
    """Return what tells whether a decision is still the one that was shown."""
    until = decided.until.isoformat() if decided.until else ""
    return digest_of((decided.proposal.id, decided.state, decided.decided, decided.reason, until, decided.again))


def _line(proposal: Proposal, *, here: bool) -> Line:
    proof = proposal.label or "proven"
    if proposal.solved and proposal.proof is not Proof.EDITED:
        proof = f"{both_arms(proposal.solved)} as you asked"
        if proposal.label:
            proof = f"{proof}, {proposal.label.partition(':')[0]}"
    return Line(id=proposal.id, text=wording(proposal), document=documents(proposal), proof=proof, here=here)


def notice_of(desk: Desk, name: str, *, now: datetime) -> Notice | None:
    """Say what was done with a proposal, as the store knows it; None if it knows none of this name."""
    found = [one for one in desk.store.bank.family(name) if one.proposal.id == name]
    if not found:
        return None
    (decided,) = found
    proposal, seen = decided.proposal, state_shown(decided)
    if decided.state == ADOPTED:
        paths = " and ".join(map(home_path, proposal.paths))
        return Notice(text=f"Adopted {name}: wrote {paths}.", action="undo", button="Undo", shown=seen, link=name)
    if decided.state == REJECTED:
        text = f"Rejected {name}: this edit of {documents(proposal)} will not be tried again."
        return Notice(text=text, action="wait", button="Undo", shown=seen, link=name)
    if decided.state == UNDONE:
        return Notice(text=f"{name} is taken back: it isn't in {documents(proposal)}.", link=name)
    if decided.state == WAITING and decided.until and decided.until > now:
        text = f"{name} sleeps until {shown(decided.until)}."
        return Notice(text=text, action="wake", button="Undo", shown=seen, link=name)
    if decided.again:
        return Notice(text=f"The next night tests {name}. It stays untested until then, and you decide.", link=name)
    if decided.state in OPEN and proposal.proof is Proof.EDITED:
        text = f"Your words wait as {name}, untested."
        return Notice(text=text, action="test", button="Test them in the next night", shown=seen, link=name)
    return Notice(text=f"{name} waits for you again.", link=name)
