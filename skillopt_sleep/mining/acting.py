"""Find what can judge a request that is done once more in its repository: commands and what must (not) be done.

Everything is found by code: in the commands that the session ran, and in the person's own words and deeds. What a
model, a tool, a file or a page said founds nothing. A sentence is read by its clauses: what a clause names is wanted
or ruled out by that clause's words alone.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from skillopt_sleep.mining.command_lines import read_words, runnables, simple_lines, turned_commands
from skillopt_sleep.mining.deeds import TYPED
from skillopt_sleep.mining.provenance import quotes_of
from skillopt_sleep.mining.requests import Take, own_turn, takes
from skillopt_sleep.mining.runners import Checkout, known_runner
from skillopt_sleep.mining.wishes import read_wish
from skillopt_sleep.mining.words import clean, is_lasting, rules_out, sentences, was_left_out
from skillopt_sleep.records import Check, Checks, Command, DeedKind, Op, Reference, Session, Task, wants_a_tool

MOST_LATER = 6
LATER_CHARS = 2_000
MOST_CHECKS = 6
LONGEST_MENTION = 6  # words of a command in a sentence

_ALIAS = "zork"  # stands for what is named, so that its own words don't say what is wanted of it
_IN_QUOTES = re.compile(r"`[^`\n]{1,80}`|\"[^\"\n]{1,80}\"|«[^»\n]{1,80}»|“[^”\n]{1,80}”")
_QUOTES = frozenset('`"«»“”')
_WORD = re.compile(r"[^\s`\"'«»“”(),;!?，。、]+")
_IS_FOLDER = re.compile(r" (?:folder|directory|dir|Ordner|Verzeichnis|dossier|carpeta|pasta)\b")
_ORDINARY = frozenset({"make", "just", "go"})  # programs whose names are words of their own
_RUN = (
    r"run|running|execut\w+|use|using|call|do|with|must|führe?|muss|müssen|doit|debe|deve|aus(?:zu)?führen|laufen|be?nutze|verwende|lance[rz]?"
    r"|exécute[rz]?|utilise|passe|ejecut[ae]\w*|corr(?:e|er|as)|rod(?:[ae]r?|ando)|запус\w+|прогон\w+"
)
_CHANGE = (
    r"(?:updat|add|edit|chang|writ|bump|extend|adjust|regenerat|append|note|list|record|mention|put|aktualisier|ergänz"
    r"|änder|actuali[zc]|añad|agreg|mets|ajout|modifi|atuali[zc]|adicion|обнов|добав|измен)\w*"
)
_RUNS = re.compile(rf"\b(?:{_RUN})\b|运行|跑|执行|必须|実行|使っ|走らせ", re.IGNORECASE)
_CHANGES = re.compile(rf"\b{_CHANGE}|更新|修改|写进|加", re.IGNORECASE)
_TOUCHES = re.compile(
    r"touch|edit|chang|modif|alter|writ|overwrit|delet|remov|mov|renam|leave|alone|hands off|off[- ]limits|generated"
    r"|read[- ]only|keep|stay|revert|restor|commit|format|fass|änder|schreib|finger|ruhe|tranquil|paz|toqu|toc[ao]"
    r"|cambi|edita|mexa|altere|трога|меня|改|碰|触|動|动",
    re.IGNORECASE,
)
_BEFORE = r"(?:before|until|bevor|bis|avant|antes|перед|пока)\b"
_WITHOUT = r"(?:without|ohne|sans|sin|sem|без)\b"
# Where another wish may begin.
_CLAUSE = re.compile(
    rf"[,;:!?\n—–，；：！？。、]|\.(?=\s|$)|(?=\b(?:{_BEFORE}|{_WITHOUT}))|之前"
    r"|(?=\b(?:but|sondern|mais|sino|pero|mas|но|а|unless|instead of|rather than|(?:an)?statt|au lieu de|plutôt que"
    r"|en (?:vez|lugar) de|em vez de|вместо)\b)|(?=而不是)"
    rf"|(?=\b(?:and|und|et|y|e|и) (?:{_RUN}|{_CHANGE}|never|don'?t|do not|always|please|nie|pas|no|não|не)\b)",
    re.IGNORECASE,
)
_BEGINS = re.compile(rf"\W*(?:(?P<without>{_WITHOUT})|{_BEFORE})", re.IGNORECASE)
_ASKS = re.compile(r"\b(?:ask|check with|frag|demande|pregunt|pergunt|спроси)|问", re.IGNORECASE)
# What went wrong or was done is told, not wished for.
_TOLD = re.compile(
    r"^\W*(?:this|that|it|you|i(?! (?:want|need|told|said|expect))|there|when|if|does|das|du|ich|wenn|ça|c'est|tu"
    r"|quand|eso|esto|cuando|isso|você|это|ты|когда|这|你|それ)\b"
    r"|\b(?:breaks?|broke|throws?|fail(?:s|ed)?|hangs?|wrong|worse|missing|kaputt|falsch)\b|错|変",
    re.IGNORECASE,
)
_AT_ONCE = re.compile(r"\W*(?:(?:please|then|and|first|just|bitte) )*(?:re-?)?(?:run|führe|lance)\b", re.IGNORECASE)
_IT = re.compile(r"\b(?:it|that|this|das|es|ça|la|lo|isso|это)\b|它", re.IGNORECASE)


class Proof(NamedTuple):
    """A reference to try, and the `whole` of a narrowed command: its other tests must stay as they are."""

    reference: Reference
    whole: Command | None = None


class Acting(NamedTuple):
    """What can judge a task in its repository, in the order to try it in, and the messages that follow its own."""

    proofs: tuple[Proof, ...] = ()
    later: tuple[str, ...] = ()


class Mention(NamedTuple):
    """Something that the person named, as they wrote it, with where in the text, and the check's operand for it."""

    text: str
    start: int
    arg: str


def acting(session: Session, task: Task, checkout: Checkout) -> Acting:
    """Return what can judge the task when it is done once more in this state of its repository."""
    turns, first = _turns_of(session, task)
    later: list[str] = []  # no corrections
    for index, take in takes(session):
        words = clean(own_turn(session, index))[:LATER_CHARS].strip()
        if turns.start < index < first and take is not Take.CORRECTION and words:
            later.append(words)
    return Acting(tuple(_proofs(session, task, turns, first, checkout)), tuple(later[:MOST_LATER]))


def could_act(task: Task) -> bool:
    """Tell whether a task may be judged by what an agent does, so that it is worth having its repository."""
    if needs_repository(task):
        return True
    return isinstance(task.reference, Checks) and all(
        check.op is Op.CONTAINS and known_runner(check.arg.split()) is not None for check in task.reference.items
    )


def needs_repository(task: Task) -> bool:
    """Tell whether no answer in words can show what the task wants."""
    return task.needs_repository or wants_a_tool(task.reference)


def _turns_of(session: Session, task: Task) -> tuple[range, int]:
    """Return the turns from a task's request to the next one's, and the first of those that corrected it."""
    turns = [piece.turn for piece in task.evidence] + [deed.turn + 1 for deed in task.deeds]
    first = min(turns, default=len(session.turns))
    last = max(turns, default=first)
    requests = [index for index, take in takes(session) if take is Take.REQUEST]
    earlier = [index for index in requests if index < first] or [0]
    asked = [index for index in earlier if task.prompt and task.prompt in clean(own_turn(session, index))]
    end = next((index for index in requests if index > last), len(session.turns))
    return range((asked or earlier)[-1], end), first


def _proofs(session: Session, task: Task, turns: range, first: int, checkout: Checkout) -> Iterator[Proof]:
    """Yield what can judge the task: what its own words say comes before a command that happened to be run."""
    if isinstance(task.reference, Checks) and wants_a_tool(task.reference):
        yield Proof(task.reference)
        return
    said = said_acts(session, task, checkout)
    wanted = [check.arg for check in said if check.op is Op.COMMAND_RUN]
    only_named = isinstance(task.reference, Checks) and all(
        check.op is Op.CONTAINS and any(arg in check.arg for arg in wanted) for check in task.reference.items
    )
    if not needs_repository(task) and not only_named:  # to name a command isn't to run it
        return
    for command, whole in turned_commands(session, turns, first, checkout):
        if not said or any(arg in " ".join(command.argv) for arg in wanted):
            yield Proof(command, whole)
    if said:
        yield Proof(Checks(items=said))


def said_acts(session: Session, task: Task, checkout: Checkout) -> tuple[Check, ...]:
    """Return what the person's words and deeds behind a task want done and left; a later word holds."""
    typed = {deed.what for deed in task.deeds if deed.kind in TYPED}
    found: dict[str, Check] = {}
    for deed in task.deeds:
        if deed.kind in {DeedKind.CHECKED, DeedKind.RAN}:
            for one in runnables(deed.what, checkout, shown=True):
                found[one.wanted] = Check(op=Op.COMMAND_RUN, arg=one.wanted)
    for quote in quotes_of(task.evidence):
        if quote not in typed:
            for sentence in sentences(clean(quote)):
                found |= {check.arg: check for check in _of_sentence(sentence, session, checkout)}
    return tuple(found.values())[:MOST_CHECKS]


def _of_sentence(sentence: str, session: Session, checkout: Checkout) -> Iterator[Check]:
    commands = list(_commands(sentence, checkout))
    for mention in commands:
        sign = _sign(mention, sentence, _RUNS)
        if sign:
            yield Check(op=Op.COMMAND_RUN if sign > 0 else Op.COMMAND_NOT_RUN, arg=mention.arg)
    of_agent = _command_of_agent(sentence, session)
    if of_agent and _sign(of_agent, sentence, _RUNS) < 0:
        yield Check(op=Op.COMMAND_NOT_RUN, arg=of_agent.arg)
    named = [*commands, of_agent] if of_agent else commands
    for mention in _paths(sentence, checkout):
        if any(other.start <= mention.start < other.start + len(other.text) for other in named):
            continue
        sign = _sign(mention, sentence, _CHANGES)
        if sign < 0 and _TOUCHES.search(sentence):
            yield Check(op=Op.FILE_UNTOUCHED, arg=mention.arg)
        elif sign > 0 and mention.arg in checkout.files and _CHANGES.search(sentence):
            yield Check(op=Op.FILE_CHANGED, arg=mention.arg)


def _sign(mention: Mention, sentence: str, acts: re.Pattern[str]) -> int:
    """Return 1 if the person wants what they named so, -1 if they don't, 0 if they don't say."""
    end = mention.start + len(mention.text)
    aliased = f"{sentence[: mention.start]}{_ALIAS}{sentence[end:]}"
    aliased = _IN_QUOTES.sub(lambda quoted: quoted[0] if _ALIAS in quoted[0] else "…", aliased)
    wish = read_wish(aliased)
    if _ALIAS in wish.want or _ALIAS in wish.avoid:
        return 1 if _ALIAS in wish.want else -1
    clauses = [clause for clause in _CLAUSE.split(aliased) if clause.strip()]
    at = next(number for number, clause in enumerate(clauses) if _ALIAS in clause)
    clause = clauses[at]
    begins = _BEGINS.match(clause)
    earlier = " ".join(clauses[:at])
    if was_left_out(clause) or was_left_out(earlier):
        return 1
    if begins and begins["without"] and rules_out(earlier):
        return 1  # "never commit without running it"
    if rules_out(clause):
        return -1
    following = clauses[at + 1] if at + 1 < len(clauses) else ""
    if acts is _CHANGES and rules_out(following) and _IT.search(following) and _TOUCHES.search(following):
        return -1  # "you changed it, revert that"
    if (begins and _ASKS.search(earlier)) or (_TOLD.search(clause) and not _AT_ONCE.match(clause)):
        return 0
    if sentence.rstrip().endswith(("?", "？")):
        return 0
    is_all = not clause.replace(_ALIAS, "").strip(" `\"'«»“”")
    return int(is_all or begins is not None or bool(acts.search(clause)) or is_lasting(clause))


def _commands(sentence: str, checkout: Checkout) -> Iterator[Mention]:
    """Yield the commands of known runners that a sentence names; in quotes one stands first or after `&&`."""
    quoted = [match.span() for match in _IN_QUOTES.finditer(sentence)]
    words = list(_WORD.finditer(sentence))
    about_running = _RUNS.search(sentence) is not None or was_left_out(sentence) or rules_out(sentence)
    end = 0
    for number, word in enumerate(words):
        start = word.start()
        within = any(first < start < last for first, last in quoted)
        if start < end or (within and not sentence[:start].endswith((*_QUOTES, "&& "))):
            continue
        if word[0] in _ORDINARY and not within and not about_running:
            continue
        for last in range(min(number + LONGEST_MENTION, len(words)), number, -1):
            part = sentence[start : words[last - 1].end()].rstrip(".:")
            one = read_words(part.split(), checkout)
            if one is not None:
                yield Mention(part, start, one.wanted)
                end = start + len(part)
                break


def _command_of_agent(sentence: str, session: Session) -> Mention | None:
    """Return the longest command that the sentence names and that the agent had run: `git push`, `npm install`."""
    named: set[str] = set()
    for event in session.tools:
        for line in simple_lines(event.brief, shown=True):
            if len(line.words) > 1:
                named |= {" ".join(line.words[:3]), " ".join(line.words[:2])}
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
        if not is_quoted and not set("./") & set(text) and not _IS_FOLDER.match(sentence, end):
            continue
        found = [checkout._replace(folder=folder).inside(text) for folder in ("", checkout.folder)]
        existing = next((path for path in found if path and checkout.has(path)), "")
        if existing:
            yield Mention(text, start, existing)
