"""Find what can judge a request that is done once more in its repository: commands and what must (not) be done.

Everything is found by code: in the commands that the session ran, and in the person's own words and deeds. What a
model, a tool, a file or a page said counts for nothing. A sentence is read by its clauses: what one names is wanted
or ruled out by that clause's words alone.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from skillopt_sleep.kit.shell import read_line
from skillopt_sleep.mining.command_lines import read_words, runnables, turned_commands
from skillopt_sleep.mining.deeds import TYPED
from skillopt_sleep.mining.provenance import quotes_of
from skillopt_sleep.mining.requests import Take, own_turn, takes
from skillopt_sleep.mining.runners import LONGEST, Checkout, known_runner
from skillopt_sleep.mining.words import clean, rules_out, sentences, was_left_out
from skillopt_sleep.records import Check, Checks, Command, DeedKind, Op, Reference, Session, Task, wants_a_tool

MOST_LATER = 6
LATER_CHARS = 2_000
MOST_CHECKS = 6
LONGEST_MENTION = 6  # words of a command in a sentence

_NAMED = "…"  # stands for what is named or quoted, so that its own words don't say what is wanted
_IN_QUOTES = re.compile(r"`[^`\n]{1,80}`|\"[^\"\n]{1,80}\"|«[^»\n]{1,80}»|“[^”\n]{1,80}”")
_QUOTES = frozenset('`"«»“”')
_WORD = re.compile(r"[^\s`\"'«»“”(),;!?，。、]+")
_RUNS = re.compile(
    r"\b(?:run|running|execut\w+|us(?:e|ing)|call|(?:aus)?führen?|lass|nutze|verwende|lance[rz]?|exécute[rz]?|utilise"
    r"|ejecut\w+|rod[ae]r?|запус\w+|прогон\w+)\b|运行|跑|执行|実行|\b(?:never|nie|jamais|nunca|никогда)\W+…",
    re.IGNORECASE,
)
_CHANGES = re.compile(
    r"\b(?:(?:updat|adds?\b|adding|edit|chang|writ|modif|touch|delet|remov|mov|renam|commit|format|aktualisier|ergänz|änder"
    r"|schreib|fass|geändert|ajout|actuali[zc]|añad|edita|toc|agreg|atuali[zc]|adicion|mexa|alter|обнов|добав"
    r"|измен|трога)\w*|alone|hands off|finger weg|ruhe|tranquille|paz)|更新|修改|改|碰|动|触",
    re.IGNORECASE,
)
_AFTER = r"(?:before|until|without|bevor|bis|ohne|avant|sans|antes|sin|sem|перед|пока|без)\b"
# Where another wish may begin.
_CLAUSE = re.compile(
    rf"[,;:!?\n—–，；：！？。、]|\.(?=\s|$)|(?=\b{_AFTER})|之前|(?=而不是)"
    r"|(?=\b(?:and|but|unless|except|outside|other than|instead of|rather than|und|aber|außer|sondern|(?:an)?statt"
    r"|et|mais|sauf|au lieu de|plutôt que|y|excepto|sino|pero|en (?:vez|lugar) de|e|exceto|mas|em vez de"
    r"|и|но|а|кроме|вместо)\b)",
    re.IGNORECASE,
)
_BEGINS_AFTER = re.compile(rf"\W*{_AFTER}", re.IGNORECASE)
# What may stand before the verb of a plain demand.
_BEFORE_VERB = re.compile(
    r"\W*(?:(?:please|no|then|and|but|first|just|also|always|you (?:must|should|have to)|i want you to|bitte|und"
    r"|immer|et|il faut|toujours|y|siempre|por favor|e|sempre|и|всегда|пожалуйста)\b\W*|请|先)*",
    re.IGNORECASE,
)
_IT = re.compile(r"\b(?:it|es|ça|lo|isso|его)\b|它", re.IGNORECASE)
_NOT_ALL = re.compile(r"\b(?:just|only|need|nur|nötig)\b", re.IGNORECASE)  # "don't just run it", "no need to run it"


class CandidateReference(NamedTuple):
    """A reference to try, and the `whole` of a narrowed command: its other tests must stay as they are."""

    reference: Reference
    whole: Command | None = None


class RepositoryJudging(NamedTuple):
    """What can judge a task in its repository, in the order to try it in, and the messages that follow its own."""

    proofs: tuple[CandidateReference, ...] = ()
    later: tuple[str, ...] = ()


class Mention(NamedTuple):
    """Something that the person named, as they wrote it, with where in the text, and the check's operand for it."""

    text: str
    start: int
    arg: str


def acting(session: Session, task: Task, checkout: Checkout) -> RepositoryJudging:
    """Return what can judge the task when it is done once more in this state of its repository."""
    turns, first = _turns_of(session, task)
    later: list[str] = []  # no corrections
    for index, take in takes(session):
        words = clean(own_turn(session, index))[:LATER_CHARS].strip()
        if turns.start < index < first and take is not Take.CORRECTION and words:
            later.append(words)
    return RepositoryJudging(tuple(_proofs(session, task, turns, first, checkout)), tuple(later[:MOST_LATER]))


def could_act(task: Task) -> bool:
    """Tell whether a task may be judged by what an agent does, so that it is worth having its repository."""
    if needs_repository(task):
        return True
    return isinstance(task.reference, Checks) and all(
        check.op is Op.CONTAINS and known_runner(check.arg.split()) is not None for check in task.reference.items
    )


def needs_repository(task: Task) -> bool:
    """Tell whether no answer in words can show what the task wants."""
    return task.setting.needs_repository or wants_a_tool(task.reference)


def _turns_of(session: Session, task: Task) -> tuple[range, int]:
    """Return the turns from a task's request to the next one's, and the first of those that corrected it."""
    turns = [piece.turn for piece in task.feedback.evidence] + [deed.turn + 1 for deed in task.feedback.deeds]
    first = min(turns, default=len(session.turns))
    last = max(turns, default=first)
    requests = [index for index, take in takes(session) if take is Take.REQUEST]
    earlier = [index for index in requests if index < first] or [0]
    asked = [index for index in earlier if task.prompt and task.prompt in clean(own_turn(session, index))]
    end = next((index for index in requests if index > last), len(session.turns))
    return range((asked or earlier)[-1], end), first


def _proofs(
    session: Session, task: Task, turns: range, first: int, checkout: Checkout
) -> Iterator[CandidateReference]:
    """Yield what can judge the task: what its own words say comes before a command that happened to be run."""
    if isinstance(task.reference, Checks) and wants_a_tool(task.reference):
        yield CandidateReference(task.reference)
        return
    said = said_acts(session, task, checkout)
    wanted = [check.arg for check in said if check.op is Op.COMMAND_RUN]
    if not needs_repository(task) and not (said and could_act(task)):
        return
    for command, whole in turned_commands(session, turns, first, checkout):
        if not said or any(arg in " ".join(command.argv) for arg in wanted):
            yield CandidateReference(command, whole)
    if said:
        yield CandidateReference(Checks(items=said))


def said_acts(session: Session, task: Task, checkout: Checkout) -> tuple[Check, ...]:
    """Return what the person's words and deeds behind a task want done and left; a later word holds."""
    typed = {deed.what for deed in task.feedback.deeds if deed.kind in TYPED}
    found: dict[str, Check] = {}
    for deed in task.feedback.deeds:
        if deed.kind in {DeedKind.CHECKED, DeedKind.RAN}:
            for one in runnables(deed.what.partition("|")[0], checkout):  # `pytest | tail` ran pytest
                found[one.wanted] = Check(op=Op.COMMAND_RUN, arg=one.wanted)
    for quote in quotes_of(task.feedback.evidence):
        if quote not in typed:
            for sentence in sentences(clean(quote)):
                found |= {check.arg: check for check in _of_sentence(sentence, session, checkout)}
    return tuple(found.values())[:MOST_CHECKS]


def _of_sentence(sentence: str, session: Session, checkout: Checkout) -> Iterator[Check]:
    for mention in _commands(sentence, checkout):
        wanted = _is_wanted(mention, sentence, _RUNS)
        if wanted is not None:
            yield Check(op=Op.COMMAND_RUN if wanted else Op.COMMAND_NOT_RUN, arg=mention.arg)
    of_agent = _command_of_agent(sentence, session)
    if of_agent and _is_wanted(of_agent, sentence, _RUNS) is False:
        yield Check(op=Op.COMMAND_NOT_RUN, arg=of_agent.arg)
    for mention in _paths(sentence, checkout):
        wanted = _is_wanted(mention, sentence, _CHANGES)
        if wanted is False:
            yield Check(op=Op.FILE_UNTOUCHED, arg=mention.arg)
        elif wanted and mention.arg in checkout.files:
            yield Check(op=Op.FILE_CHANGED, arg=mention.arg)


def _is_wanted(mention: Mention, sentence: str, acts: re.Pattern[str]) -> bool | None:
    """Tell whether the person wants this done to what they named, or None if they don't say so plainly."""
    before = sentence[: mention.start].rstrip('`"«“')
    after = sentence[mention.start + len(mention.text) :].lstrip('`"»”')
    *earlier, begun = _CLAUSE.split(_IN_QUOTES.sub(_NAMED, before))
    ended, *later = _CLAUSE.split(_IN_QUOTES.sub(_NAMED, after))
    clause = begun + _NAMED + ended
    if not acts.search(clause):  # "it is generated, don't edit it"
        of_it = "".join(later[:1])
        return False if _IT.search(of_it) and acts.search(of_it) and rules_out(of_it) else None
    if _BEGINS_AFTER.match(clause):  # "never commit without running it"
        return True if rules_out(" ".join(earlier)) else None
    if was_left_out(clause):
        return True
    if rules_out(clause):
        return None if _NOT_ALL.search(clause) else False
    verb = _BEFORE_VERB.match(clause)
    is_demand = verb is not None and acts.match(clause, verb.end()) and not sentence.rstrip().endswith(("?", "？"))
    return True if is_demand else None


def _commands(sentence: str, checkout: Checkout) -> Iterator[Mention]:
    """Yield the commands of known runners that a sentence names, in quotes or without."""
    for quoted in _IN_QUOTES.finditer(sentence):
        for one in runnables(quoted[0][1:-1], checkout):
            yield Mention(quoted[0], quoted.start(), one.wanted)
    unquoted = _IN_QUOTES.sub(lambda quoted: " " * len(quoted[0]), sentence)
    words = list(_WORD.finditer(unquoted))
    end = 0
    for number, word in enumerate(words):
        if word.start() < end:
            continue
        for last in range(min(number + LONGEST_MENTION, len(words)), number, -1):
            part = unquoted[word.start() : words[last - 1].end()].rstrip(".:")
            one = read_words(part.split(), checkout)
            if one is not None:
                yield Mention(part, word.start(), one.wanted)
                end = word.start() + len(part)
                break


def _command_of_agent(sentence: str, session: Session) -> Mention | None:
    """Return the longest command that the sentence names and that the agent had run: `git push`, `npm install`."""
    named: set[str] = set()
    for event in session.tools:
        for step in read_line(event.brief[:LONGEST]).steps:
            if len(step.bare) > 1:
                named |= {" ".join(step.bare[:3]), " ".join(step.bare[:2])}
    for words in sorted(named, key=lambda words: (-len(words), words)):
        match = re.search(rf"(?<![\w/.-]){re.escape(words)}(?![\w/-])", sentence)
        if match:
            return Mention(words, match.start(), words)
    return None


def _paths(sentence: str, checkout: Checkout) -> Iterator[Mention]:
    """Yield the files and folders of the repository that a sentence names, from the root or from where one stands."""
    for word in _WORD.finditer(sentence):
        text = word[0].rstrip(".:")
        start, end = word.span()
        is_quoted = {sentence[start - 1 : start], sentence[end : end + 1]} <= _QUOTES
        if not is_quoted and not set("./") & set(text):
            continue
        found = [checkout._replace(folder=folder).inside(text) for folder in ("", checkout.folder)]
        existing = next((path for path in found if path and checkout.has(path)), "")
        if existing:
            yield Mention(text, start, existing)
