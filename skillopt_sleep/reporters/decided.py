"""Say what a person decided on a proposal."""

from skillopt_sleep.stores.bank import ADOPTED, REJECTED, UNDONE, WAITING, WITHDRAWN, Decided

STATES = {
    WAITING: "It waits for you.",
    ADOPTED: "You adopted it.",
    REJECTED: "You turned it down.",
    UNDONE: "You adopted it, and took it back.",
    WITHDRAWN: "It was withdrawn.",
}


def decided_in_words(decided: Decided) -> str:
    """Return the state of a proposal as a sentence, with the reason if one was given."""
    words = STATES[decided.state]
    if not decided.reason:
        return words
    reason = f"«{decided.reason}»" if decided.state == REJECTED else decided.reason
    return f"{words.removesuffix('.')}: {reason}"
