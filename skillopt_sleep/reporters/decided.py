"""Say what a person decided on a proposal, in the words that are used everywhere: adopted, rejected, put off."""

from collections.abc import Collection, Iterable
from datetime import datetime

from skillopt_sleep.stores.bank import ADOPTED, REJECTED, UNDONE, WAITING, WITHDRAWN, Decided

PUT_OFF = "You put it off until {:%Y-%m-%d}."
STATES = {
    WAITING: "It waits for you.",
    ADOPTED: "You adopted it.",
    REJECTED: "You rejected it.",
    UNDONE: "You adopted it, and took it back.",
    WITHDRAWN: "It was withdrawn.",
}

_IN_SHORT = {
    WAITING: "{} waits for you",
    ADOPTED: "you adopted {}",
    REJECTED: "you rejected {}",
    UNDONE: "you adopted {} and took it back",
    WITHDRAWN: "{} was withdrawn",
}


def in_few_words(decided: Decided, *, now: datetime) -> str:
    """Return the state of a proposal in a few words."""
    name = decided.proposal.id
    if sleeps(decided, now=now):
        return f"you put {name} off"
    return _IN_SHORT[decided.state].format(name)


def sleeps(decided: Decided, *, now: datetime) -> bool:
    """Return whether a proposal was put off, and isn't due again yet."""
    return decided.state == WAITING and decided.until is not None and decided.until > now


def decided_in_words(decided: Decided) -> str:
    """Return the state of a proposal as a sentence, with the reason if one was given."""
    words = STATES[decided.state]
    if decided.state == WAITING and decided.until is not None:
        return PUT_OFF.format(decided.until.astimezone())
    if not decided.reason:
        return words
    reason = f"«{decided.reason}»" if decided.state == REJECTED else decided.reason
    return f"{words.removesuffix('.')}: {reason}"


def told_of_all(known: Iterable[Decided], waits: Collection[str]) -> dict[str, str]:
    """Say of each proposal that doesn't wait now what was decided on it, by its id."""
    return {one.proposal.id: decided_in_words(one) for one in known if one.proposal.id not in waits}
