"""Tell whether a session's instructions already said what the person had to correct.

Then the lesson isn't unknown to the agent, it wasn't followed.
"""

from functools import lru_cache

from skillopt_sleep.mining.person import Person
from skillopt_sleep.mining.sentences import sentences
from skillopt_sleep.records import Session

LEAST_SHARED = 0.5  # of a longer sentence less is about something else


def said_already(session: Session, wording: str) -> bool:
    """Tell whether an instruction that was in force says what this wording says, in nearly the same words."""
    for file in session.instructions:
        for sentence in sentences(file.text):
            if _says(sentence, wording):
                return True
    return False


def _says(sentence: str, wording: str) -> bool:
    """Tell whether each word of the wording is in the sentence, most of the sentence in it, and nothing reversed."""
    instruction = _person(sentence)
    if not instruction.weigh(wording).said or instruction.unsaid(wording):
        return False
    if instruction.reversed_by(wording) or instruction.refuses(wording):
        return False
    shared = _person(wording).weigh(sentence)
    told = len(shared.said)
    return told >= LEAST_SHARED * (told + len(shared.mild) + len(shared.foreign))


@lru_cache(maxsize=4096)
def _person(text: str) -> Person:
    """Return the words of an instruction as if a person had said them; the same are in force in many sessions."""
    return Person(text, ())
