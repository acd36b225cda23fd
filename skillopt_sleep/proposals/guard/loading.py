"""Find what an agent acts on when it loads a file: commands to run, files to import, keys that configure it."""

import re
from collections.abc import Iterator

from skillopt_sleep.proposals.guard.structure import Finding
from skillopt_sleep.records import RefusalKind

_MARKER = re.compile(r"(?:skillopt[-_ ]*sleep|slow[-_ ]*update)\s*:\s*(?:begin|end)", re.IGNORECASE)
# A code span after white space and '!' runs wherever it is; `println!` only ends in a '!'.
_SPACED_COMMAND = re.compile(r"(?:^|(?<=\s))![ \t]*`[^`\n]*`?", re.MULTILINE)
_JOINED_COMMAND = re.compile(r"!`+[^`\n]*`?")
_FENCED_COMMAND = re.compile(r"^[ \t>*+-]*(?:`{3,}|~{3,})[^\n`]*![^\n]*", re.MULTILINE)
_KEYS = re.compile(
    r"^[\"']?(?:hooks|allowed[-_]?[tT]ools|disallowed[-_]?[tT]ools|shell|model|context|agent|permissions"
    r"|permission[-_]?[mM]ode|mcp[-_]?[sS]ervers|disable-model-invocation)[\"']?[ \t]*:",
    re.MULTILINE,
)
# A closed code block (without other back-ticks in its first line) or a code span on one line; all else is text.
_CODE = re.compile(
    r"^ {0,3}(?:> ?)*(?:(?P<ticks>`{3,})[^`\n]*|(?P<tildes>~{3,})[^\n]*)\n(?:.*?\n)??"
    r" {0,3}(?:> ?)*(?:(?P=ticks)`*|(?P=tildes)~*)[ \t]*$"
    r"|(?<![`\\])(?P<span>`+)(?!`)[^\n]*?(?<!`)(?P=span)(?!`)",
    re.MULTILINE | re.DOTALL,
)
# An '@' after a letter or a digit belongs to an e-mail address.
_AT = re.compile(r"(?<![^\W_])@(\S+)")
_PATH = re.compile(r"^~|[./\\]")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
# `@param`, `@property`, `@alice`; `@README` and `@id_rsa` are files.
_NAME = re.compile(r"[a-z][A-Za-z0-9-]*")
_AFTER_PATH = ".,;:!?)]}>*_\"'`~|"


def loaded(content: str, plain: str, prose: str) -> Iterator[Finding]:
    """Return everything in the text that an agent acts on when it loads the file."""
    marker = _MARKER.search(plain)
    if marker:
        yield RefusalKind.MARKER, "holds one of our own markers", marker[0]
    outside = _outside_code(plain)
    for pattern, text in (
        (_SPACED_COMMAND, content),
        (_JOINED_COMMAND, _outside_code(content)),
        (_FENCED_COMMAND, content),
    ):
        for match in pattern.finditer(text):
            yield RefusalKind.LOAD_COMMAND, "holds a command that runs when the file is loaded", match[0]
    first = plain.lstrip().split("\n", 1)[0].rstrip()
    if first in {"---", "+++"}:
        yield RefusalKind.FRONTMATTER, "begins with a frontmatter line", first
    for match in _KEYS.finditer(plain):
        yield RefusalKind.FRONTMATTER, "has a line that configures the agent", match[0]
    for text in dict.fromkeys((outside, prose)):
        yield from _imports(text)


def _imports(text: str) -> Iterator[Finding]:
    for match in _AT.finditer(text):
        path = match[1].rstrip(_AFTER_PATH)
        bare = _BARE.match(path)
        if _PATH.search(path) or (bare and not _NAME.fullmatch(bare[0])):
            yield RefusalKind.IMPORT, "imports a file", f"@{path}"


def _outside_code(plain: str) -> str:
    """Blank the code blocks and code spans of the text, in which an agent imports nothing."""
    return _CODE.sub(lambda code: "``" if code["span"] else "\n", plain)
