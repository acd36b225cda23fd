"""Tell whether instructions already said what the person had to correct.

Then the lesson isn't unknown to the agent, it wasn't followed.
"""

import re
from collections.abc import Collection, Iterable
from functools import lru_cache

from skillopt_sleep.kit.likeness import likeness
from skillopt_sleep.kit.words import counted, home_path
from skillopt_sleep.mining.person import Person
from skillopt_sleep.mining.sentences import sentences
from skillopt_sleep.mining.wishes import Wish, read_wish
from skillopt_sleep.records import BY_HAND, Document, InForce, Session, Task

LEAST_SHARED = 0.5  # of a longer sentence less is about something else
_WRAPPED = re.compile(r"(?m)^(?!#)(.+)\n(?![ \t]*(?:[-*+][ \t]|[>#]|\d+[.)]|$))")  # a line that goes on in the next
_LAYOUT = re.compile(r"[\s\\*_`]+")


def said_already(session: Session, wording: str) -> bool:
    """Tell whether an instruction that was in force says what this wording says, in nearly the same words."""
    said = (sentence for file in session.instructions for sentence in sentences(file.text))
    # What shares few words isn't read closely, which takes a thousand times as long.
    return any(likeness(wording, sentence) and _says(sentence, wording) for sentence in said)


def stands_already(document: Document, tasks: Collection[Task], *, rule: str = "") -> str:
    """Say where the rule stands in the other files that the agent loads, and how often it had it; "" if nowhere.

    Without a rule it is what the tasks ask for, whose sessions tell how often. What another agent's sessions taught
    too stands nowhere, because that agent loads other files.
    """
    if any(task.source not in {document.loaded_by, BY_HAND} for task in tasks):
        return ""
    known = _place(document.others, rule)
    places = dict.fromkeys([known] if known else ())
    sessions: set[str] = set()
    for task in tasks:
        found = [known]
        if not rule:
            asked = (task.wording,) if task.wording else task.quotes
            found = [_place(document.others, one) for words in asked for one in sentences(words)]
        for place in filter(None, found):
            places[place] = None
            sessions.update([task.session] if task.not_followed else [])
    if not places:
        return ""
    where = f"it stands already in {' and '.join(map(home_path, places))}"
    if not sessions:
        return where
    return f"{where}; the agent had it in {counted(len(sessions), 'session')} and didn't follow it"


def _place(files: Iterable[InForce], rule: str) -> str:
    """Return the path of the first file with each sentence of the rule, in its words or as the same wish; else ""."""
    for file in files:
        there = {_plain(sentence): sentence for sentence in sentences(_WRAPPED.sub(r"\1 ", file.text))}
        asked = sentences(_WRAPPED.sub(r"\1 ", rule))
        if asked and all(
            _plain(one) in there or any(_repeats(other, one) for other in there.values()) for one in asked
        ):
            return file.path
    return ""


def _plain(sentence: str) -> str:
    """Return the words of a sentence without their layout."""
    return _LAYOUT.sub(" ", sentence.casefold()).lstrip(" -+>").rstrip(" .!?")


def _repeats(sentence: str, asked: str) -> bool:
    """Tell whether the sentence has the wish that is asked for, and says nothing else."""
    wish = read_wish(asked)
    return Wish() != wish == read_wish(sentence) and _says(sentence, asked) and _says(asked, sentence)


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
