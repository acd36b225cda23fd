"""Say what a person decided on a proposal, in the words that are used everywhere: adopted, rejected, put off."""

from collections.abc import Collection, Iterable

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


def state_in_words(name: str, state: str) -> str:
    """Return the state of a proposal in a few words; one of which nothing is kept is gone."""
    return _IN_SHORT.get(state, "{} is gone").format(name)


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
