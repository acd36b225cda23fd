"""Read what the person did in a session, apart from words: calls rejected, work stopped or undone, commands run.

Only what the readers of transcripts say that the person did counts; the words of a transcript never do. The agent's
own commands are no deeds.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import PurePosixPath

from rapidfuzz import fuzz

from skillopt_sleep.agents import WRITERS
from skillopt_sleep.mining.runners import is_check
from skillopt_sleep.mining.spans import own_words
from skillopt_sleep.mining.wishes import is_correction
from skillopt_sleep.mining.words import is_small_talk
from skillopt_sleep.records import ChangedOnDisk, Deed, DeedKind, Origin, Session, TypedCommand

SAME_REQUEST = 90.0  # of 100, the token sort ratio (rapidfuzz) from which on two requests are the same
# No real session has nearly as much; beyond it nothing is compared, so that none takes long.
MOST_FILES = 100
MOST_REQUESTS = 50
REQUEST_CHARS = 1_000

# The person says that they did something themselves, in the languages of mining/words.toml.
_DID = re.compile(
    r"\bI(?:['’]ve|\s+have)?\s+(?:just\s+|already\s+)?(?:changed|edited|fixed|reverted|renamed|rewrote|rewritten|adjusted|corrected"
    r"|undid|undone|moved|removed|deleted|added|reworked|updated|put)\b|\b(?:myself|by hand)\b"
    r"|\bich\s+hab|\bhab[e']?\s+ich\b|\bj['’]ai\b|\bhe\s+(?:\w+[ai]do|puesto|hecho|vuelto)\b"
    r"|\b(?:mudei|alterei|editei|corrigi|arrumei|desfiz|tirei|troquei|ajustei)\b|\bя\s+(?:\w+\s+)?\w+л[аи]?\b"
    r"|我(?:已经|刚|自己)*(?:把|改|修|删|换)|(?:直し|変え|戻し|消し|修正し|変更し|編集し)(?:てい?|まし)?た",
    re.IGNORECASE,
)
WHAT_CHARS = 300
_WORD = re.compile(r"[^\s'\"`;|&()<>]+")
_GIT = r"git\s+(?:-[Cc]\s+\S+\s+|-(?![Cc]\s)\S+\s+)*"
# No command has more words before the one that counts; the bound keeps a long text from taking long.
_SOME_WORDS = r"(?:[^\s;&|]+\s+){0,20}?"
_END = r"(?=[\s;&|]|$)"
_COMMIT = r"(?:(?:ORIG_)?HEAD|@|[0-9a-f]{7,40})(?:[~^@][^\s;&|]*)?"
_OF_GIT = (
    r"revert\b(?!\s+--(?:abort|quit))",
    # What is only taken off the index stays in the file.
    rf"restore\b(?!\s+{_SOME_WORDS}(?:--staged|-S)\b)",
    rf"restore\s+{_SOME_WORDS}(?:--worktree|-S?W)\b",
    rf"checkout\s+(?:\S+\s+)?(?:--\s+\S|\.|\S+/{_END}|-f{_END}|--force)",
    rf"checkout\s+(?:-q\s+)?{_COMMIT}\s+[^\s;&|#\d<>-]",
    rf"reset\s+{_SOME_WORDS}(?:--(?:hard|merge|keep)\b|HEAD[~^@]|(?:ORIG_HEAD|[0-9a-f]{{7,40}})\s*(?:$|[;&|]))",
    r"stash(?:\s+(?:drop|push|save|clear|-\S+)|\s*$)",
    rf"clean\s+{_SOME_WORDS}(?:-\w*f|--force)",
)
_OF_OTHERS = r"(?:hg|sl|svn|jj)\s+(?:op\s+)?(?:revert|undo|restore|rollback|backout|abandon)\b"
_UNDO = re.compile(rf"\b(?:{_GIT}(?:{'|'.join(_OF_GIT)})|{_OF_OTHERS})")
_UNDO_OF_FILES = re.compile(rf"\b(?:{_GIT}(?:checkout|rm)|rm|unlink)\s")
LONGEST_NAMED = 200
# Deeds that are a command which the person typed.
TYPED = frozenset({DeedKind.RAN, DeedKind.CHECKED, DeedKind.UNDONE})

_NAMES = {
    DeedKind.REJECTED: "Don't use `{what}` unasked",
    DeedKind.STOPPED: "Don't use `{what}` unasked",
    DeedKind.RAN: "Use `{what}`",
    DeedKind.CHECKED: "Use `{what}` before saying that it is done",
    DeedKind.UNDONE: "Don't change what was undone with `{what}`",
    DeedKind.EDITED: "Change `{what}` the way the person did",
}


def deeds(session: Session) -> tuple[Deed, ...]:
    """Return what the person did in a session, in the order of its turns."""
    found = [
        *_of_calls(session),
        *_stops(session),
        *_of_commands(session),
        *_changed_files(session),
        *_asked_again(session),
    ]
    return tuple(sorted(found, key=lambda deed: deed.turn))


def _deed(session: Session, kind: DeedKind, turn: int, what: str = "", at: datetime | None = None) -> Deed:
    return Deed(kind=kind, session=session.id, turn=turn, what=what[:WHAT_CHARS], at=at)


def _of_calls(session: Session) -> Iterator[Deed]:
    """Yield the calls that the person rejected, and the edits that they changed before they were made."""
    for event in session.tools:
        if event.rejected:
            yield _deed(session, DeedKind.REJECTED, event.turn, event.brief or event.name, event.at)
        if event.changed:
            yield _deed(session, DeedKind.EDITED, event.turn, event.brief, event.at)


def _stops(session: Session) -> Iterator[Deed]:
    """Yield the interruptions, but not those by which a call was rejected."""
    typed = [index for index, turn in enumerate(session.turns) if turn.origin is Origin.USER]
    rejected = [event.turn for event in session.tools if event.rejected]
    for stop in session.stops:
        end = next((index for index in typed if index > stop), len(session.turns))
        if any(stop <= turn < end for turn in rejected):
            continue
        notes = [turn for turn in session.turns[stop + 1 : stop + 2] if turn.origin is Origin.HARNESS]
        running = [event.brief for event in session.tools if event.turn == stop and event.error]
        what = running[-1] if running else ""
        yield _deed(session, DeedKind.STOPPED, stop, what, notes[0].at if notes else None)


def _of_commands(session: Session) -> Iterator[Deed]:
    """Yield the commands that the person ran: each undoes, checks the agent's work, or is just run."""
    written = _written(session)
    for command in session.commands:
        kind = DeedKind.RAN
        if _undoes(command, written):
            kind = DeedKind.UNDONE
        elif is_check(command.text):
            said = [turn.origin for turn in session.turns[: command.turn] if turn.origin is not Origin.HARNESS]
            kind = DeedKind.CHECKED if said[-1:] == [Origin.ASSISTANT] else DeedKind.RAN
        yield _deed(session, kind, command.turn, command.text, command.at)


def _written(session: Session) -> dict[str, int]:
    """Return the names of the files that the agent wrote, each with the turn of the first time."""
    written: dict[str, int] = {}
    for event in session.tools:
        if event.name in WRITERS and not event.error and not event.rejected:
            # A patch names several files.
            for path in event.brief.split(", "):
                written.setdefault(_file_name(path), event.turn)
    return written


def _undoes(command: TypedCommand, written: Mapping[str, int]) -> bool:
    if undoes_work(command.text):
        return True
    if not undoes_files_named(command.text):
        return False
    return any(written.get(name, command.turn + 1) <= command.turn for name in _names_in(command.text))


def _file_name(path: str) -> str:
    return PurePosixPath(path.strip(".,:!?").replace("\\", "/")).name.casefold()


def _names_in(text: str) -> set[str]:
    """Return the last part of each word of a text: that of a path is the file's name."""
    return {_file_name(word) for word in _WORD.findall(text)}


def _changed_files(session: Session) -> Iterator[Deed]:
    """Yield the files that changed on disk, where the person undid the edit or said that they changed the file.

    A formatter, a hook or a build changes files too, and so do the agent's own commands.
    """
    for file in session.changed_files[:MOST_FILES]:
        if file.restored and not _agent_restored(session, file):
            yield _deed(session, DeedKind.UNDONE, file.turn, file.path, file.at)
        elif not file.restored and _person_told(session, file):
            yield _deed(session, DeedKind.EDITED, file.turn, file.path, file.at)


def _agent_restored(session: Session, file: ChangedOnDisk) -> bool:
    """Tell whether the agent, or the person by a command that is a deed by itself, may have put a file back."""
    for event in session.tools:
        if not file.since <= event.turn <= file.turn or event.name in WRITERS or event.rejected:
            continue
        if undoes_work(event.brief) or undoes_files_named(event.brief):
            return True
    written = {_file_name(file.path): file.since}
    return any(file.since <= command.turn <= file.turn and _undoes(command, written) for command in session.commands)


def _person_told(session: Session, file: ChangedOnDisk) -> bool:
    """Tell whether the person said since then that they changed a file, or corrected the work on it."""
    for turn in session.turns[file.since + 1 : file.turn + 1]:
        if turn.origin is not Origin.USER:
            continue
        words = own_words(turn.text, turn.pasted)
        if _file_name(file.path) in _names_in(words) and (
            _DID.search(words) or is_correction(turn.text, pasted=turn.pasted)
        ):
            return True
    return False


def _asked_again(session: Session) -> Iterator[Deed]:
    """Yield the requests that the person had made before in the session and that the agent had answered since."""
    asked: list[tuple[int, str]] = []
    answered = -1
    for index, turn in enumerate(session.turns):
        if turn.origin is Origin.ASSISTANT:
            answered = index
        if turn.origin is not Origin.USER:
            continue
        words = own_words(turn.text, turn.pasted)[:REQUEST_CHARS]
        if not words or is_small_talk(words):
            continue
        earlier = asked[-MOST_REQUESTS:]
        before = [other.lower() for at, other in earlier if at < answered]
        if any(fuzz.token_sort_ratio(words.lower(), other, score_cutoff=SAME_REQUEST) for other in before):
            yield _deed(session, DeedKind.ASKED_AGAIN, index, words, turn.at)
        asked.append((index, words))


def undoes_work(command: str) -> bool:
    """Tell whether a command takes work back, whatever it names."""
    return _UNDO.search(command) is not None


def undoes_files_named(command: str) -> bool:
    """Tell whether a command takes back the work on the files that it names, if it names any."""
    return _UNDO_OF_FILES.search(command) is not None


def as_names(deeds: Iterable[Deed]) -> list[str]:
    """Return what each deed says as a short command that can name a lesson, what the person typed first.

    One without a command, a call or a file says nothing by itself.
    """
    names: list[str] = []
    for deed in sorted(deeds, key=lambda deed: deed.kind not in TYPED):
        what = deed.what.replace("`", "").strip()
        if deed.kind in _NAMES and 0 < len(what) <= LONGEST_NAMED and "\n" not in what:
            names.append(_NAMES[deed.kind].format(what=what))
    return names
