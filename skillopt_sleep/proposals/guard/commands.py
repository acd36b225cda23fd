"""Commands that no rule may bring: what fetches and runs, installs, deletes outside the project, lifts a permission.

A command is looked for in the text as a shell would read it: without quotes, escapes and variables that part a word,
with the lines of a paragraph joined. What a rule forbids ("never use sudo") it doesn't bring. The commands themselves
are in commands.toml.
"""

import re
import tomllib
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path

from skillopt_sleep.proposals.guard.installs import installs
from skillopt_sleep.proposals.guard.seen import plain, unmasked
from skillopt_sleep.proposals.guard.spoken import is_forbidden
from skillopt_sleep.proposals.guard.structure import SPAN, SPAN_END, Found, Read
from skillopt_sleep.records import RefusalKind

_FILE = Path(__file__).with_name("commands.toml")
_WHAT = {
    RefusalKind.FETCH_AND_RUN: "runs what it fetches",
    RefusalKind.DELETE: "deletes outside the project",
    RefusalKind.PERMISSION: "lifts a permission",
}
_PIECE = re.compile("«([A-Z]+)»")
_ASSIGNED = re.compile(r"(?<![\w$-])([A-Za-z_]\w{0,30})=([^\s;&|()$]{1,60})")
_MOST_VARIABLES = 8
_UNICODE_END = 0x110000
_ENDS = re.compile(r"[;&|\n\x1d]")
_PARTS = re.compile(rf"{SPAN}|{SPAN_END}(?![.,;:!?)])")
_WORD_END = re.compile(r"[^\s`]*")
_MORE_FILES = re.compile(r"[^\s`]*(?:[ \t]+(?:[-~/$.*]|\w[\w.-]{0,40}/)[^\s`]*)*")
_AFTER_WORD = ".,;:!?)\"'。、，；"
_GOES_ON = re.compile(r"[\w/*~-]|\.[\w./]")
# `$'\x63url'`, as bash writes what it doesn't want to spell out.
_ANSI_C = re.compile(r"\$'((?:[^'\\\n]|\\.){1,200})'")
_ANSI_C_SIGN = re.compile(r"\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|(.))")
# The words of a command, as the list that a program hands to another: `["rm", "-rf", x]`.
_LISTED = re.compile(r"([\[(])\s*((?:[\"'][^\"'\n]{0,80}[\"']\s*,\s*){1,12}[\"'][^\"'\n]{0,80}[\"'])\s*\]?")
_PROGRAM_AND_LIST = re.compile(r"\(\s*([\"'][\w./-]{1,40}[\"'])\s*,\s*\[")
_BETWEEN = re.compile(r"(?<=[\"'])\s*,\s*(?=[\"'])")
_ALONE = re.compile(r"\./(\S+)")


def commands(read: Read) -> Iterator[Found]:
    """Every command of the text that a rule may not bring, but for those that it forbids."""
    # A code span ends a word of a script that has no spaces, and stands within one in c`ur`l.
    parted = _PARTS.sub(" ", read.commands)
    for text in dict.fromkeys((as_shell(read.commands), as_shell(parted))):
        yield from _commands(text, read.spans)


def _commands(text: str, spans: tuple[str, ...]) -> Iterator[Found]:
    for kind, piece, at in (*_listed(text), *_in_spans(spans, text), *_fetched_then_run(text)):
        if not is_forbidden(text, at, at + len(piece)):
            yield kind, _WHAT[kind], _whole(kind, piece, text, at)
    for name, at, end in installs(text):
        if not is_forbidden(text, at, end):
            yield RefusalKind.INSTALL, "installs what your words don't name", name


def _whole(kind: RefusalKind, piece: str, text: str, at: int) -> str:
    """The piece to the end of its last word, of a deletion with whatever else it names."""
    rest = _MORE_FILES if kind is RefusalKind.DELETE else _WORD_END
    found = rest.match(text, at + len(piece))
    return (piece + (found[0] if found else "")).rstrip(_AFTER_WORD)


def tells(command: str, text: str) -> bool:
    """Whether the text tells the agent to run this command, other than by forbidding it."""
    shell, wanted = _as_shell_kept(text), _words(command)
    at = shell.find(wanted)
    while wanted and at >= 0:
        end = at + len(wanted)
        if not _GOES_ON.match(shell, end) and not is_forbidden(shell, at, end):
            return True
        at = shell.find(wanted, at + 1)
    return False


def as_shell(text: str) -> str:
    """The text as a shell reads its words: unquoted, unescaped, with its variables filled in."""
    said = _ANSI_C.sub(_from_ansi_c, unmasked(plain(text)))
    said = _LISTED.sub(_as_words, _PROGRAM_AND_LIST.sub(r"(\1, ", said))
    for pattern, by in (
        (r"\$\{?IFS\}?(?:%%?[^}\s]{0,3}\})?(?:\$\d)?", " "),
        (r"\$[@*]|\$\(\)|\$\{[@*]\}|``", ""),
        (r"\\(?=\s|$)", " "),
        (r"(?<![A-Z]:)\\(?=[A-Za-z-])", ""),
        (r"\$?[\"'”“’‘]", ""),
    ):
        said = re.sub(pattern, by, said)
    said = re.sub(r"\{([^{}\s]*,[^{}\s]*)\}", lambda braces: braces[1].replace(",", " "), said)
    for name, value in list(dict(_ASSIGNED.findall(said)).items())[:_MOST_VARIABLES]:
        said = re.sub(rf"\$(?:{name}\b|\{{{name}\}})", lambda _, value=value: value, said)
    return said


def _as_words(listed: re.Match[str]) -> str:
    return listed[1].replace("[", " ") + _BETWEEN.sub(" ", listed[2]) + " "


def _from_ansi_c(quoted: re.Match[str]) -> str:
    return _ANSI_C_SIGN.sub(_ansi_c_sign, quoted[1])


def _ansi_c_sign(sign: re.Match[str]) -> str:
    if sign[5]:
        return {"n": " ", "t": " ", "r": " "}.get(sign[5], sign[5])
    code = int(sign[4], 8) if sign[4] else int(sign[1] or sign[2] or sign[3], 16)
    return chr(code) if code < _UNICODE_END else ""


@lru_cache(maxsize=16)
def _as_shell_kept(text: str) -> str:
    return _words(as_shell(text.replace("`", " ")))


def _words(text: str) -> str:
    return " ".join(text.replace(SPAN, " ").replace(SPAN_END, " ").split()).casefold()


def _listed(text: str) -> Iterator[tuple[RefusalKind, str, int]]:
    for kind in _WHAT:
        for pattern in _patterns(kind):
            yield from ((kind, found[0], found.start()) for found in pattern.finditer(text))


def _in_spans(spans: tuple[str, ...], text: str) -> Iterator[tuple[RefusalKind, str, int]]:
    for span in spans:
        for found in _pattern("in-a-span").finditer(as_shell(span)):
            yield RefusalKind.FETCH_AND_RUN, found[0], max(0, text.find(found[0]))


def _fetched_then_run(text: str) -> Iterator[tuple[RefusalKind, str, int]]:
    """What is fetched to a file, where that file is run later on."""
    runs: dict[str, int] = {}
    for run in _pattern("started").finditer(text):
        runs[run["name"].rstrip(".")] = run.end()  # the last one
    alone = {name.rstrip(".,") for name in _ALONE.findall(text)}
    for fetched in _pattern("fetched").finditer(text):
        words = [word.rstrip(".,") for word in _ENDS.split(fetched["rest"])[0].split()]
        # A word of prose is no file, unless it is run as one.
        names = {word for word in words if not word.startswith("-") and (not word.isalpha() or word in alone)}
        names |= {match[1] for match in _pattern("output").finditer(fetched["rest"])}
        files = {name.rstrip("/.,").rsplit("/", 1)[-1] for name in names if not name.isalpha() or name in runs}
        for end in (runs[name] for name in files if runs.get(name, 0) > fetched.start()):
            yield RefusalKind.FETCH_AND_RUN, text[fetched.start() : end], fetched.start()


@cache
def _patterns(name: str) -> tuple[re.Pattern[str], ...]:
    lists = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    pieces: dict[str, str] = lists["pieces"]

    def whole(pattern: str) -> str:
        return _PIECE.sub(lambda piece: whole(pieces[piece[1]]), pattern)

    return tuple(re.compile(whole(pattern), re.IGNORECASE) for pattern in lists["rules"][name])


def _pattern(name: str) -> re.Pattern[str]:
    return _patterns(name)[0]
