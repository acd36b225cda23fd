"""Say what was decided on a rule, and the way back from there."""

from datetime import datetime
from pathlib import Path

from skillopt_sleep.deciding.shown import digest_of
from skillopt_sleep.kit.clock import shown
from skillopt_sleep.kit.words import ago, home_path
from skillopt_sleep.records import Proof, Record
from skillopt_sleep.reporters.cards import wording
from skillopt_sleep.reporters.decided import STATES, sleeps
from skillopt_sleep.reporters.statistics import documents
from skillopt_sleep.stores.bank import ADOPTED, OPEN, REJECTED, UNDONE, Decided
from skillopt_sleep.stores.sqlite import SqliteStore
from skillopt_sleep.web.addresses import file_at

UNDO, WAIT, WAKE, TEST = "undo", "wait", "wake", "test"


class Way(Record, frozen=True, kw_only=True):
    """A form that takes a decision back or goes on from it: its address, its button, and what that does.

    `shown` tells whether the decision is still the one on the page.
    """

    action: str
    button: str
    does: str
    shown: str


class Notice(Record, frozen=True, kw_only=True):
    """What happened to a rule, and the way back; the text goes on with the `files` that were written, if any.

    Each file has the address of its page.
    """

    text: str
    link: str
    files: tuple[tuple[str, str], ...] = ()
    way: Way | None = None


class DecidedLine(Record, frozen=True, kw_only=True):
    """A rule in the list of what was decided; `again` says that it can be adopted again on its page."""

    id: str
    text: str
    document: str
    became: str
    reason: str
    way: Way | None
    again: bool


def notice_of(store: SqliteStore, name: str, *, now: datetime) -> Notice | None:
    """Say what was done with a proposal, as the store knows it; None if it knows none of this name."""
    found = [one for one in store.bank.family(name) if one.proposal.id == name]
    if not found:
        return None
    (decided,) = found
    adopted = decided.proposal.paths if decided.state == ADOPTED else ()
    return Notice(
        text=_happened(decided, now=now),
        link=name,
        files=tuple((home_path(path), file_at(Path(path))) for path in adopted),
        way=way_of(decided, now=now),
    )


def way_of(decided: Decided, *, now: datetime) -> Way | None:
    """Return the way back from what was decided, or on to a trial of own words; None if there is none."""
    seen = state_shown(decided)
    if decided.state == ADOPTED:
        return Way(action=UNDO, button="Undo", does="takes it out of the file again", shown=seen)
    if decided.state == REJECTED:
        return Way(action=WAIT, button="Let it wait again", does="takes the rejection back", shown=seen)
    if sleeps(decided, now=now):
        return Way(action=WAKE, button="Ask me now", does="lets it wait today", shown=seen)
    if decided.state in OPEN and decided.proposal.proof is Proof.EDITED and not decided.again:
        return Way(action=TEST, button="Test them in the next night", does="your words are untested", shown=seen)
    return None


def became(decided: Decided, *, now: datetime) -> str:
    """Say what became of a proposal, and when that was decided."""
    if decided.until and sleeps(decided, now=now):
        return f"You put it off until {shown(decided.until)}."
    words = STATES[decided.state]
    if not decided.decided:
        return words
    return f"{words.removesuffix('.')} ({ago(datetime.fromisoformat(decided.decided), now)})."


def state_shown(decided: Decided) -> str:
    """Return what tells whether a decision is still the one that was shown."""
    until = decided.until.isoformat() if decided.until else ""
    return digest_of((decided.proposal.id, decided.state, decided.decided, decided.reason, until, decided.again))


def decided_lines(store: SqliteStore, *, now: datetime) -> list[DecidedLine]:
    """Return what the person decided: what was put off first, then the latest decision first."""
    asleep = sorted(store.bank.snoozed(now), key=lambda one: one.until or now)
    decided = sorted(store.bank.proposals(ADOPTED, REJECTED, UNDONE), key=_moment, reverse=True)
    return [_line(one, now=now) for one in (*asleep, *decided)]


def _moment(decided: Decided) -> float:
    return datetime.fromisoformat(decided.decided).timestamp() if decided.decided else 0.0


def _line(decided: Decided, *, now: datetime) -> DecidedLine:
    proposal = decided.proposal
    return DecidedLine(
        id=proposal.id,
        text=wording(proposal),
        document=documents(proposal),
        became=became(decided, now=now),
        reason=decided.reason if decided.state == REJECTED else "",
        way=way_of(decided, now=now),
        again=decided.state == UNDONE,
    )


def _happened(decided: Decided, *, now: datetime) -> str:
    proposal = decided.proposal
    name = proposal.id
    if decided.state == ADOPTED:
        return f"Adopted {name}: wrote"
    if decided.state == REJECTED:
        return f"Rejected {name}: this edit of {documents(proposal)} will not be tried again."
    if decided.state == UNDONE:
        return f"{name} is taken back: it isn't in {documents(proposal)}."
    if decided.until and sleeps(decided, now=now):
        return f"{name} is put off until {shown(decided.until)}."
    if decided.again:
        return f"The next night tests {name}. It stays untested until then, and you decide."
    if decided.state in OPEN and proposal.proof is Proof.EDITED:
        return f"Your words wait as {name}, untested."
    return f"{name} waits for you again."
