"""Tell whether instructions already said what the person had to correct.

Then the lesson isn't unknown to the agent, it wasn't followed.
"""

from collections.abc import Iterable
from functools import lru_cache

from skillopt_sleep.kit.likeness import likeness
from skillopt_sleep.kit.words import counted, home_path
from skillopt_sleep.mining.person import Person
from skillopt_sleep.mining.sentences import sentences
from skillopt_sleep.mining.wishes import Wish, read_wish
from skillopt_sleep.records import Document, InForce, Session, Task

LEAST_SHARED = 0.5  # of a longer sentence less is about something else


def said_already(session: Session, wording: str) -> bool:
    """Tell whether an instruction that was in force says what this wording says, in nearly the same words."""
    return bool(_place(session.instructions, wording))


def stands_already(document: Document, tasks: Iterable[Task], *, rule: str = "") -> str:
    """Say where the rule stands in the other files that the agent loads, and how often it had it; "" if nowhere.

    Without a rule it is what the tasks ask for, whose sessions tell how often.
    """
    places: dict[str, None] = {}
    sessions: set[str] = set()
    for task in tasks:
        asked = (task.wording,) if task.wording else task.quotes
        for words in (rule,) if rule else asked:
            place = _place(document.others, words, by_wish=not rule)
            if place:
                places[place] = None
                sessions.update([task.session] if task.not_followed else [])
    if not places:
        return ""
    where = f"it stands already in {' and '.join(map(home_path, places))}"
    if not sessions:
        return where
    return f"{where}; the agent had it in {counted(len(sessions), 'session')} and didn't follow it"


def _place(files: Iterable[InForce], wording: str, *, by_wish: bool = False) -> str:
    """Return the path of the first file that says this, "" if none does; `by_wish`, also if it asks for the same."""
    wish = read_wish(wording)
    for file in files:
        for sentence in sentences(file.text):
            # What shares few words isn't read closely, which takes a thousand times as long.
            if not likeness(wording, sentence):
                continue
            if _says(sentence, wording) or (by_wish and wish != Wish() and read_wish(sentence) == wish):
                return file.path
    return ""


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
