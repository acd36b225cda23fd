"""Tell whether instructions already said what the person had to correct.

Then the lesson isn't unknown to the agent, it wasn't followed.
"""

import re
from collections.abc import Collection, Iterable

from skillopt_sleep.kit.words import counted, home_path
from skillopt_sleep.mining.wishes import Wish, read_wish
from skillopt_sleep.mining.words import rules_out, sentences
from skillopt_sleep.records import BY_HAND, Document, InForce, Session, Task

MOST_UNSHARED = 2  # a sentence with so many times the words is about something else
_WRAPPED = re.compile(r"(?m)^(?!#)(.+)\n(?![ \t]*(?:[-*+][ \t]|[>#]|\d+[.)]|$))")  # a line that goes on in the next
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\u3040-\u30ff\u3400-\u9fff](?:[\w.+#/@-]*[\w+#/])?|--?\w[\w-]*")
# They say nothing by themselves, or what the wish and the negation of a sentence say.
_EMPTY_WORDS = (
    "a an the is are be it and always please never not no don't do instead of rather than here write keep put give go"
    " goes needs should must has have to from now on der die das ein eine und immer bitte nie nicht kein keine statt"
    " hier le la les et toujours jamais pas plutôt que ici el los y siempre nunca en vez de aquí o os e sempre não em"
    " aqui и всегда никогда не здесь вместо 请 总 是 不 要 别 这 里"
)
_EMPTY = frozenset(_EMPTY_WORDS.split())


def said_already(session: Session, wording: str) -> bool:
    """Tell whether an instruction that was in force says what this wording says, in nearly the same words."""
    return any(_says(sentence, wording) for file in session.instructions for sentence in sentences(file.text))


def says_already(document: Document, task: Task) -> bool:
    """Tell whether the document says now what the person wanted of the task, in nearly the same words."""
    asked = [one for words in (task.wanted.wording, *task.quotes) for one in sentences(words)]
    there = sentences(document.text)
    return any(_says(sentence, one) or _says(one, sentence) for sentence in there for one in asked)


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
            asked = (task.wanted.wording,) if task.wanted.wording else task.quotes
            found = [_place(document.others, one) for words in asked for one in sentences(words)]
        for place in filter(None, found):
            places[place] = None
            sessions.update([task.session] if task.feedback.not_followed else [])
    if not places:
        return ""
    where = f"it stands already in {' and '.join(map(home_path, places))}"
    if not sessions:
        return where
    return f"{where}; the agent had it in {counted(len(sessions), 'session')} and didn't follow it"


def _place(files: Iterable[InForce], rule: str) -> str:
    """Return the path of the first file with each sentence of the rule, in its words and no others; else ""."""
    asked = sentences(_WRAPPED.sub(r"\1 ", rule))
    for file in files:
        there = sentences(_WRAPPED.sub(r"\1 ", file.text))
        if asked and all(any(_says(each, one) and _says(one, each) for each in there) for one in asked):
            return file.path
    return ""


def _says(sentence: str, wording: str) -> bool:
    """Tell whether a sentence has all words of the wording and few more, in their order, and rules out the same."""
    asked, said = _words(wording), _words(sentence)
    if not asked or not set(asked) <= set(said) or len(set(said)) >= MOST_UNSHARED * len(set(asked)):
        return False
    if rules_out(sentence) != rules_out(wording):
        return False
    wish, other = read_wish(wording), read_wish(sentence)
    if {*wish.want} & {*other.avoid} or {*wish.avoid} & {*other.want}:
        return False
    rest = iter(said)
    return Wish() != wish == other or all(word in rest for word in asked)


def _words(text: str) -> list[str]:
    words = _WORD.findall(text.casefold().replace("’", "'"))
    return [word for word in words if word not in _EMPTY]
