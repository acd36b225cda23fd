"""Find commands that no rule may add: download and run, install, delete outside the project, lift a permission.

Commands are searched in the text as a shell would read it: without the quotes, escapes and variables that split a
word, and with the lines of a paragraph joined. A command that the rule forbids ("never use sudo") doesn't count. The
commands are listed in commands.toml.
"""

import re
import tomllib
from collections.abc import Collection, Iterator
from functools import cache, lru_cache
from pathlib import Path

from skillopt_sleep.proposals.guard.installs import installs
from skillopt_sleep.proposals.guard.seen import plain, unmasked
from skillopt_sleep.proposals.guard.structure import SPAN, SPAN_END, Finding, ParsedText
from skillopt_sleep.proposals.guard.words import is_forbidden
from skillopt_sleep.records import RefusalKind

_FILE = Path(__file__).with_name("commands.toml")
_WHAT = {
    RefusalKind.FETCH_AND_RUN: "runs what it downloads",
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
# `$'\x63url'`: bash's way to write a word in codes.
_ANSI_C = re.compile(r"\$'((?:[^'\\\n]|\\.){1,200})'")
_ANSI_C_SIGN = re.compile(r"\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|(.))")
# A command as a list of words, as one program passes it to another: `["rm", "-rf", x]`.
_LISTED = re.compile(r"([\[(])\s*((?:[\"'][^\"'\n]{0,80}[\"']\s*,\s*){1,12}[\"'][^\"'\n]{0,80}[\"'])\s*\]?")
_PROGRAM_AND_LIST = re.compile(r"\(\s*([\"'][\w./-]{1,40}[\"'])\s*,\s*\[")
_BETWEEN = re.compile(r"(?<=[\"'])\s*,\s*(?=[\"'])")
_ALONE = re.compile(r"\./(\S+)")


def commands(read: ParsedText) -> Iterator[Finding]:
    """Return every command in the text that a rule may not add, except those that the text forbids."""
    # A code span can end a word, in a script without spaces, or be inside one, as in c`ur`l: try both.
    split = _PARTS.sub(" ", read.commands)
    for text in dict.fromkeys((as_shell(read.commands), as_shell(split))):
        yield from _commands(text, read.spans)


def _commands(text: str, spans: tuple[str, ...]) -> Iterator[Finding]:
    for kind, piece, at in (*_listed(text), *_in_spans(spans, text), *_fetched_then_run(text)):
        if not is_forbidden(text, at, at + len(piece)):
            yield kind, _WHAT[kind], _whole(kind, piece, text, at)
    for name, at, end in installs(text):
        if not is_forbidden(text, at, end):
            yield RefusalKind.INSTALL, "installs a package that you didn't mention", name


def _whole(kind: RefusalKind, piece: str, text: str, at: int) -> str:
    """Return the piece to the end of its last word, and all other files that a deletion names."""
    pattern = _MORE_FILES if kind is RefusalKind.DELETE else _WORD_END
    rest = pattern.match(text, at + len(piece))
    whole = f"{piece}{rest[0]}" if rest else piece
    return whole.rstrip(_AFTER_WORD)


def tells(command: str, text: str) -> bool:
    """Return whether the text mentions this command without forbidding it."""
    shell = _as_shell_kept(text)
    wanted = _words(command)
    if not wanted:
        return False
    at = shell.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        if not _GOES_ON.match(shell, end) and not is_forbidden(shell, at, end):
            return True
        at = shell.find(wanted, at + 1)
    return False


def as_shell(text: str) -> str:
    """Return the text as a shell reads its words: unquoted, unescaped and with its variables filled in."""
    shell = _ANSI_C.sub(lambda quoted: _ANSI_C_SIGN.sub(_ansi_c_sign, quoted[1]), unmasked(plain(text)))
    shell = _PROGRAM_AND_LIST.sub(r"(\1, ", shell)
    shell = _LISTED.sub(lambda words: f"{words[1].replace('[', ' ')}{_BETWEEN.sub(' ', words[2])} ", shell)
    for pattern, by in (
        (r"\$\{?IFS\}?(?:%%?[^}\s]{0,3}\})?(?:\$\d)?", " "),
        (r"\$[@*]|\$\(\)|\$\{[@*]\}|``", ""),
        (r"\\(?=\s|$)", " "),
        (r"(?<![A-Z]:)\\(?=[A-Za-z-])", ""),
        (r"\$?[\"'”“’‘]", ""),
    ):
        shell = re.sub(pattern, by, shell)
    shell = re.sub(r"\{([^{}\s]*,[^{}\s]*)\}", lambda braces: braces[1].replace(",", " "), shell)
    variables = dict(_ASSIGNED.findall(shell))
    for name, value in list(variables.items())[:_MOST_VARIABLES]:
        shell = re.sub(rf"\$(?:{name}\b|\{{{name}\}})", lambda _, value=value: value, shell)
    return shell


def _ansi_c_sign(sign: re.Match[str]) -> str:
    short, long, longest, octal, letter = sign.groups()
    if letter:
        return " " if letter in {"n", "t", "r"} else letter
    code = int(octal, 8) if octal else int(short or long or longest, 16)
    if code >= _UNICODE_END:
        return ""
    return chr(code)


@lru_cache(maxsize=16)
def _as_shell_kept(text: str) -> str:
    return _words(as_shell(text.replace("`", " ")))


def _words(text: str) -> str:
    return " ".join(text.replace(SPAN, " ").replace(SPAN_END, " ").split()).casefold()


def _listed(text: str) -> Iterator[tuple[RefusalKind, str, int]]:
    for kind in _WHAT:
        for pattern in _patterns(kind):
            for match in pattern.finditer(text):
                yield kind, match[0], match.start()


def _in_spans(spans: tuple[str, ...], text: str) -> Iterator[tuple[RefusalKind, str, int]]:
    for span in spans:
        for match in _pattern("in-a-span").finditer(as_shell(span)):
            yield RefusalKind.FETCH_AND_RUN, match[0], max(0, text.find(match[0]))


def _fetched_then_run(text: str) -> Iterator[tuple[RefusalKind, str, int]]:
    """Find downloads to a file that is run later on."""
    last_runs: dict[str, int] = {}
    for run in _pattern("started").finditer(text):
        last_runs[run["name"].rstrip(".")] = run.end()
    started = {name.rstrip(".,") for name in _ALONE.findall(text)}
    for download in _pattern("fetched").finditer(text):
        files: set[str] = set()
        for name in _names(download["rest"], started):
            if not name.isalpha() or name in last_runs:
                files.add(name.rstrip("/.,").rsplit("/", 1)[-1])
        for file in files:
            end = last_runs.get(file, 0)
            if end > download.start():
                yield RefusalKind.FETCH_AND_RUN, text[download.start() : end], download.start()


def _names(rest: str, started: Collection[str]) -> set[str]:
    """Return the words after a download that can name a file: a plain word does only if it is started as one."""
    names = {match[1] for match in _pattern("output").finditer(rest)}
    for word in _ENDS.split(rest)[0].split():
        name = word.rstrip(".,")
        if not name.startswith("-") and (not name.isalpha() or name in started):
            names.add(name)
    return names


@cache
def _patterns(name: str) -> tuple[re.Pattern[str], ...]:
    lists = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    pieces: dict[str, str] = lists["pieces"]

    def whole(pattern: str) -> str:
        return _PIECE.sub(lambda piece: whole(pieces[piece[1]]), pattern)

    return tuple(re.compile(whole(pattern), re.IGNORECASE) for pattern in lists["rules"][name])


def _pattern(name: str) -> re.Pattern[str]:
    return _patterns(name)[0]
