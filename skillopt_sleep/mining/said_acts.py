"""Read from a person's own words and deeds what an agent has to do or to leave: commands, and files."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from skillopt_sleep.mining.clean import clean
from skillopt_sleep.mining.deed_words import TYPED
from skillopt_sleep.mining.grounds import Grounds
from skillopt_sleep.mining.person import Person
from skillopt_sleep.mining.provenance import quotes_of
from skillopt_sleep.mining.runner_table import RUNNERS, Kind, Takes
from skillopt_sleep.mining.runners import Place, Runnable, inside_of, read_words, runnables, runnables_shown
from skillopt_sleep.mining.sentences import sentences
from skillopt_sleep.mining.shell_lines import shown_lines
from skillopt_sleep.records import ACTING_OPS, Check, Checks, DeedKind, Op, Session, Task

MOST_CHECKS = 6
LONGEST_MENTION = 6  # words of a command in a sentence

_ALIAS = "zork"  # stands for what is named, so that its own words don't say what is wanted of it
_IN_QUOTES = re.compile(r"`([^`\n]{1,80})`|\"([^\"\n]{1,80})\"|«([^»\n]{1,80})»|“([^”\n]{1,80})”")
_WORD = re.compile(r"[^\s`\"'«»“”(),;!?]+")
_PATH = re.compile(r"(?<![\w./@-])/?(?:[\w.@-]+/)+[\w.@-]*|(?<![\w./@-])[\w@-]*(?:\.[\w@-]+)+(?![\w/])")
_FOLDER = re.compile(r"\b([\w.@-]+) (?:folder|directory|dir|Ordner|Verzeichnis|dossier|carpeta|pasta)\b")
# Names of programs that are words of their own.
_ORDINARY = frozenset({"make", "just", "go", "black", "node", "python"})
_RUNS = re.compile(
    r"(?:run|runs|ran|running|use|using|call|execute|do|with|via|through|after|before|and|then|führe|exécute|ejecuta"
    r"|lance|corre|roda|запусти)\W*$",
    re.IGNORECASE,
)
_OMITTED = re.compile(
    r"\b(?:forgot|forget|should(?:'ve| have)|didn['’]t|did not|haven['’]t|have not|never|must|have to|has to|need to"
    r"|needs to|always|without|vergessen|oublié)\b[^.;!?\n]{0,40}$",
    re.IGNORECASE,
)
_ORDERED = re.compile(r"(?:^|[,;:.!]|\b(?:please|then|and|first|just))\s*(?:re-?)?run\s+`?$", re.IGNORECASE)
_TOUCHES = re.compile(
    r"touch|edit|chang|modif|alter|writ|overwrit|delet|remov|mov|renam|leave|alone|hands off|off[- ]limits|generated"
    r"|read[- ]only|keep|stay|revert|restor|commit|format|fass|anfass|änder|schreib|finger|toque|toqu|cambi|edita"
    r"|mexa|altere|трога|меня|改|触|動",
    re.IGNORECASE,
)
_CHANGES = re.compile(
    r"\b(?:updat|add|edit|chang|writ|bump|extend|adjust|regenerat|append|note|list|record|mention|put|aktualisier|ergänz"
    r"|änder|actualiz|añad|agreg|mets|ajout|modifi)\w*",
    re.IGNORECASE,
)
_GENERIC = {
    Kind.LINT: (re.compile(r"\b(?:the|our|your|my) (?:linters?|lint)\b|\bden Linter\b|\ble linter\b"), ("lint",)),
    Kind.TEST: (
        re.compile(r"\b(?:the|our|all|all the) (?:tests|test suite|unit tests)\b|\bdie Tests\b|\bles tests\b"),
        ("test", "tests"),
    ),
    Kind.TYPE: (
        re.compile(r"\b(?:the|our) (?:type ?check(?:er|s)?)\b"),
        ("typecheck", "type-check", "types", "typing"),
    ),
}
_STARTS = frozenset(runner.words[0] for runner in RUNNERS)
_PLAIN = re.compile(r"[\w./:@+-]+(?: [\w./:@+-]+){0,3}")


class Mention(NamedTuple):
    """Something that the person named, as they wrote it, with where in the text, and the check's operand for it."""

    text: str
    start: int
    arg: str


def said_acts(session: Session, task: Task, place: Place, grounds: Grounds) -> tuple[Check, ...]:
    """Return what the person's words and deeds behind a task want done and left; a later word holds."""
    typed = {deed.what for deed in task.deeds if deed.kind in TYPED}
    quotes = [clean(quote) for quote in quotes_of(task.evidence) if quote not in typed]
    found: dict[tuple[bool, str], Check] = {}
    for deed in task.deeds:
        if deed.kind in {DeedKind.CHECKED, DeedKind.RAN}:
            for one in runnables_shown(deed.what, place, grounds):
                found[True, wanted_words(one)] = Check(op=Op.COMMAND_RUN, arg=wanted_words(one))
    for quote in quotes:
        for sentence in sentences(quote):
            for check in _of_sentence(sentence, quotes, session, place, grounds):
                found[check.op in {Op.COMMAND_RUN, Op.COMMAND_NOT_RUN}, check.arg] = check
    return tuple(found.values())[:MOST_CHECKS]


def stands(reference: Checks, place: Place, grounds: Grounds) -> bool:
    """Tell whether the files and commands that the checks name are in the repository."""
    for check in reference.items:
        if check.op is Op.COMMAND_RUN and not runnables(check.arg, place, grounds):
            return False
        if check.op in {Op.FILE_CHANGED, Op.FILE_UNTOUCHED} and _existing(check.arg, place, grounds) != check.arg:
            return False
        if check.op not in ACTING_OPS:
            return False
    return True


def wanted_words(one: Runnable) -> str:
    """Return the words with which a command begins that counts as this one, whatever its options and files."""
    named = one.runner.takes in {Takes.TARGETS, Takes.RECIPES, Takes.SCRIPTS}
    words = one.argv if named else one.runner.words
    if words[1:2] == ("-m",):
        words = words[2:]
    return " ".join(words)


def _of_sentence(
    sentence: str, quotes: Sequence[str], session: Session, place: Place, grounds: Grounds
) -> Iterator[Check]:
    commands = list(_commands(sentence, session, place, grounds))
    for mention in commands:
        sign = _wants(mention.text, quotes)
        before = sentence[: mention.start]
        if sign > 0 or (sign == 0 and (_OMITTED.search(before) or _ORDERED.search(before))):
            yield Check(op=Op.COMMAND_RUN, arg=mention.arg)
        elif sign < 0:
            yield Check(op=Op.COMMAND_NOT_RUN, arg=mention.arg)
    ruled_out = list(_commands_of_agent(sentence, session))
    for mention in ruled_out:
        if _wants(mention.text, quotes) < 0:
            yield Check(op=Op.COMMAND_NOT_RUN, arg=mention.arg)
    taken = [*commands, *ruled_out]
    for mention in _paths(sentence, place, grounds):
        if any(other.start <= mention.start < other.start + len(other.text) for other in taken):
            continue
        sign = _wants(mention.text, quotes)
        if sign < 0 and _TOUCHES.search(sentence):
            yield Check(op=Op.FILE_UNTOUCHED, arg=mention.arg)
        elif sign > 0 and mention.arg in grounds.files and _CHANGES.search(sentence):
            yield Check(op=Op.FILE_CHANGED, arg=mention.arg)


def _wants(text: str, quotes: Sequence[str]) -> int:
    """Return 1 if the person wants what they named so, -1 if they don't, 0 if they don't say."""
    pattern = re.compile(rf"[`\"«“]?(?<![\w/.-]){re.escape(text)}(?![\w/])[`\"»”]?")
    signs = [Person("", [pattern.sub(_ALIAS, quote)]).wants(_ALIAS) for quote in quotes if pattern.search(quote)]
    return next((sign for sign in reversed(signs) if sign), 0)


def _commands(sentence: str, session: Session, place: Place, grounds: Grounds) -> Iterator[Mention]:
    """Yield the known runners that a sentence names and that the repository has."""
    end = 0
    for match in _IN_QUOTES.finditer(sentence):
        for one in runnables(_inner(match), place, grounds):
            if _is_used(one, session, grounds):
                yield Mention(_inner(match), match.start(), wanted_words(one))
    words = list(_WORD.finditer(sentence))
    for number, word in enumerate(words):
        if word.start() < end or word[0] not in _STARTS or _is_quoted(word.start(), sentence):
            continue
        if word[0] in _ORDINARY and not _RUNS.search(sentence[: word.start()]):
            continue
        for last in range(min(number + LONGEST_MENTION, len(words)), number, -1):
            part = sentence[word.start() : words[last - 1].end()].rstrip(".:")
            one = read_words(part.split(), place, grounds)
            if one is not None and _is_used(one, session, grounds):
                yield Mention(part, word.start(), wanted_words(one))
                end = word.start() + len(part)
                break
    yield from _by_kind(sentence, session, place, grounds)


def _by_kind(sentence: str, session: Session, place: Place, grounds: Grounds) -> Iterator[Mention]:
    """Yield "the linter" and the like, as the command that the person typed or that the project names so."""
    for kind, (pattern, names) in _GENERIC.items():
        match = pattern.search(sentence)
        if match is None or not _RUNS.search(sentence[: match.start()]):
            continue
        lines = [command.text for command in session.commands]
        for name in names:
            lines += [f"make {name}", f"just {name}", f"npm run {name}"]
        for line in lines:
            ones = [one for one in runnables_shown(line, place, grounds) if one.kind is kind]
            if ones:
                yield Mention(match[0], match.start(), wanted_words(ones[0]))
                break


def _is_used(one: Runnable, session: Session, grounds: Grounds) -> bool:
    """Tell whether the project uses this program: it defines it, names it, or it was run in the session."""
    if one.runner.takes in {Takes.TARGETS, Takes.RECIPES, Takes.SCRIPTS}:
        return True
    words = [word for word in one.runner.words if word not in {"python", "-m", "--test"}]
    if not words or words[0] in grounds.tools or words[0] in {"unittest", "cargo", "go"}:
        return True
    lines = [event.brief for event in session.tools] + [command.text for command in session.commands]
    return any(words[0] in line.split() for line in lines)


def _commands_of_agent(sentence: str, session: Session) -> Iterator[Mention]:
    """Yield what a sentence names that the agent had run: `git push`, `npm install`."""
    named: dict[str, None] = {}
    for event in session.tools:
        for line in shown_lines(event.brief):
            for count in (3, 2):
                words = " ".join(line.words[:count])
                if len(line.words) >= count and _PLAIN.fullmatch(words):
                    named[words] = None
    for words in sorted(named, key=len, reverse=True):
        match = re.search(rf"(?<![\w/.-]){re.escape(words)}(?![\w/-])", sentence)
        if match:
            yield Mention(words, match.start(), words)
            return


def _paths(sentence: str, place: Place, grounds: Grounds) -> Iterator[Mention]:
    """Yield the files and folders of the repository that a sentence names."""
    seen: set[str] = set()
    candidates = [(match.start(), match[0].rstrip(".")) for match in _PATH.finditer(sentence)]
    candidates += [(match.start(1), match[1]) for match in _FOLDER.finditer(sentence)]
    candidates += [(match.start(), _inner(match)) for match in _IN_QUOTES.finditer(sentence)]
    for start, text in sorted(candidates):
        existing = _existing(text, place, grounds)
        if existing and existing not in seen:
            seen.add(existing)
            yield Mention(text, start, existing)


def _existing(text: str, place: Place, grounds: Grounds) -> str:
    """Return the path of the repository that the text names, as seen from the root or from where the agent stood."""
    if not text.strip("./") or " " in text:
        return ""
    for folder in ("", place.folder):
        inside = inside_of(text, Place(place.root, folder))
        if inside and grounds.has(inside):
            return inside
    return ""


def _inner(match: re.Match[str]) -> str:
    return next(group for group in match.groups() if group is not None)


def _is_quoted(start: int, sentence: str) -> bool:
    return any(match.start() <= start < match.end() for match in _IN_QUOTES.finditer(sentence))
