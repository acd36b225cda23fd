"""Say where a proposal stands: waiting, put off, adopted, rejected, taken back or withdrawn, and what to do next."""

from collections.abc import Collection, Iterable, Iterator
from datetime import datetime

from skillopt_sleep.kit.clock import to_the_minute
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.kit.words import ago, span
from skillopt_sleep.records import Proof
from skillopt_sleep.reporters.gains import sentence, shown_gain
from skillopt_sleep.reporters.rule import documents, wording
from skillopt_sleep.stores.bank import ADOPTED, REJECTED, UNDONE, WAITING, WITHDRAWN, Banked, Decided

PUT_OFF = "put_off"
RULE_CHARS = 400  # of a rule on one line
STATES = {
    WAITING: "{} waits for you",
    PUT_OFF: "you put {} off",
    ADOPTED: "you adopted {}",
    REJECTED: "you rejected {}",
    UNDONE: "you adopted {}, and took it back",
    WITHDRAWN: "{} was withdrawn",
}
NEXT = {
    WAITING: "skillopt-sleep review --show {}",
    ADOPTED: "skillopt-sleep why {}",
    UNDONE: "adopt it again: skillopt-sleep adopt {}",
    REJECTED: "skillopt-sleep review --show {}",
    WITHDRAWN: "skillopt-sleep review --show {}",
}
NO_NIGHT = "No night has run yet."
NO_REPORT = "This night has no report yet."
NO_CALL = "Nothing was spent: no night has called a model yet."
NO_RULE = "No rule of ours stands now, or its record was purged; then name its file: skillopt-sleep why FILE"
HAND_WRITTEN = "yours: no proposal is known that brought it"
PURGED = "adopted by skillopt-sleep; its record was purged"
REFUSED = (
    "You rejected its rule, so no night proposes it again in these words for the same file. A later night may "
    "propose it in other words. To have these back, open the rule: «Let it wait again»."
)
A_NIGHT = (
    "A night reads what you corrected in your agents' sessions, tries rules that would have spared you that, and "
    "proposes those that prove themselves. It changes nothing: you decide in the morning."
)
TASKS = (
    "The requests that nights ask again. They learn from some and decide with others; those kept back are only "
    "reported. No night uses a task that you drop, and every night of its project one that you pin."
)
TO_STOP = (
    "To stop it: `skillopt-sleep pause --now`. What was paid for is kept, and the next night goes on from there."
)
PASTED = "you pasted this, so no rule comes of it"
PARTLY_PASTED = "a part of it was pasted, of which no rule comes"
OWN_WORDS = "Your words replace the rule. They haven't been tested."


def is_put_off(decided: Decided, *, now: datetime) -> bool:
    """Return whether a proposal was put off, and isn't due again yet."""
    return decided.state == WAITING and decided.until is not None and decided.until > now


def status(decided: Decided, *, now: datetime, name: str = "it") -> str:
    """Say where a proposal stands, since when, and the reason if one was given; it is called by its `name`."""
    if decided.until and is_put_off(decided, now=now):
        return f"{STATES[PUT_OFF].format(name)} until {to_the_minute(decided.until)}"
    return status_of(decided.state, name=name, decided=decided.decided, reason=decided.reason, now=now)


def status_of(
    state: str, *, now: datetime | None = None, name: str = "it", decided: str = "", reason: str = ""
) -> str:
    """Say the same of a state, with the day of the decision if it is told what time it is `now`."""
    words = STATES[state].format(name)
    if now and decided and state != WAITING:
        at = datetime.fromisoformat(decided)
        words = f"{words} on {span(at, at, now)}"
    if reason:
        words = f"{words}: «{reason}»" if state == REJECTED else f"{words}: {reason}"
    return words


def told_of_all(known: Iterable[Decided], waits: Collection[str], *, now: datetime) -> dict[str, str]:
    """Say of each proposal that doesn't wait now what was decided on it, by its id."""
    return {one.proposal.id: sentence(status(one, now=now)) for one in known if one.proposal.id not in waits}


def happened(decided: Decided, *, now: datetime) -> str:
    """Say what a decision did with a proposal; of an adopted one, the files that were written come after it."""
    proposal, name = decided.proposal, decided.proposal.id
    if decided.state == ADOPTED:
        return f"Adopted {name}: wrote"
    if decided.state == REJECTED:
        return f"Rejected {name}: this edit of {documents(proposal)} will not be tried again."
    if decided.state == UNDONE:
        return f"{name} is taken back: it isn't in {documents(proposal)}."
    if decided.until and is_put_off(decided, now=now):
        return f"{name} is put off until {to_the_minute(decided.until)}."
    if decided.again:
        return next_night_tests(name)
    if proposal.proof is Proof.EDITED:
        return f"Your words wait as {name}, untested."
    return f"{name} waits for you again."


def in_a_line(decided: Decided, *, now: datetime) -> str:
    """Say a rule on one line: its file, what shows that it helps, and what should be known of it."""
    proposal = decided.proposal
    known = [
        f"«{one_line(wording(proposal), limit=RULE_CHARS)}» → {documents(proposal)}.",
        *shown_gain(proposal)[:1],
        f"Look twice ({proposal.touches})." if proposal.touches else "",
        sentence(proposal.label),
        sentence(status(decided, now=now)) if is_put_off(decided, now=now) else "",
        *notes(decided),
    ]
    return " ".join(filter(None, known))


def next_night_tests(name: str) -> str:
    """Say that the next night tests a rule in the person's own words."""
    return f"The next night tests {name} again, as you asked. It stays untested until then, and you decide."


def notes(decided: Decided) -> list[str]:
    """Return what else should be known before a decision: what the next night tests."""
    return [next_night_tests("it")] if decided.again and decided.state == WAITING else []


def waiting(count: int) -> str:
    """Say how many rules wait for a decision."""
    if not count:
        return "Nothing waits for you"
    return f"{count} rules wait for you" if count > 1 else "One rule waits for you"


def goes_on(night: str) -> str:
    """Say that a night was cut off."""
    return f"The night of {night} isn't over. The next run goes on with it, and asks nothing twice."


def overtaken(night: str) -> str:
    """Say that a night was left behind."""
    return f"{night}: another night ran with other settings. Answers to its prompts are kept."


def by_hand(entry: Banked, *, now: datetime) -> Iterator[str]:
    """Yield what the person did to a task, and what follows."""
    if entry.edited and entry.earlier:
        yield f"you edited it {ago(entry.edited, now)}; later nights keep your version"
    elif entry.edited:
        yield f"you added it {ago(entry.edited, now)}"
    if entry.waits:
        yield "the next night uses it"
    if entry.pinned:
        yield f"you pinned it {ago(entry.pinned, now)}: every night of its project uses it"
    if entry.dropped:
        yield f"you dropped it {ago(entry.dropped, now)}: it is never used"
