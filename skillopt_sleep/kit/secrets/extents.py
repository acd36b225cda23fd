"""Find where a value begins and ends: behind its name and a sign such as `=`, a cell of a table or a call."""

import re
from typing import NamedTuple

from skillopt_sleep.kit.secrets import shapes

CHAIN = re.compile(r"[A-Za-z0-9_.~%+/=:-]*+")  # the characters of tokens, also with escapes and in addresses

_OPENING_QUOTE = re.compile(r"""[rbfuRBFU]{0,2}(\"{3}|'{3}|\\{0,3}["'`]|[“‘«„])""")
_CLOSING_QUOTES = {'"': '"', "'": "'", "`": "`", "“": "”", "‘": "’", "«": "»", "„": "“”"}
# By its quote, the inside of a string on one line, with backslashes that escape what follows them.
_INSIDE = {quote: re.compile(rf"[^{end}\\\n]*+(?:\\.[^{end}\\\n]*+)*+") for quote, end in _CLOSING_QUOTES.items()}
# A value without quotes: up to a blank, a quote or a bracket; in a shell's NAME=value brackets belong to it. A
# backslash belongs to it unless it begins an escape that a string ends with.
_BARE = re.compile(r"""[^\s"'`,;<>()\[\]{}|&\\]*+(?:\\(?![nrt"'`\\])[^\s"'`,;<>()\[\]{}|&\\]*+)*+""")
_BARE_IN_SHELL = re.compile(r"""[^\s"'`\\]*+(?:\\(?![nrt"'`\\])[^\s"'`\\]*+)*+""")
_CUTTING = frozenset("()[]{}&;,")
# What separates a name from its value: `=` and the like, and forms of YAML, XML, tables and calls.
SEPARATOR = re.compile(
    r"""(?:\\{0,3}["'`]\]?)?[ \t\xa0]{0,8}(?:
      :[ \t]{0,4}(?:&(?:'\w{1,16}[ ])?)?[A-Za-z_][\w.\[\]|,\ ]{0,40}=[ \t]{0,4}(?=[rbfu]?["'`])  # name: type = "…"
    | (?::|[ \t]=)[ \t]{0,4}\r?\n\s{0,40}(?=[\w+/.=~%:-]{16,1024}[ \t]*(?:[\r\n]|\Z))  # alone in the next line
    | [ ]{0,2}=[ \t]{0,4}\(\s{0,40}(?=[rbfu]?["'])                        # name = ( "…" "…" )
    | [ ]\[[^\]\n]{0,40}\]:[ ]                                           # name [what it is now]: value
    | </\w{1,16}>\s{0,40}<\w{1,16}>                                      # <key>name</key> <string>value
    | [ \t]{0,40}\|[ \t]{1,40}(?=[^|\n]{4,1200}\|)                       # | name | value |
    | (?:string|str)?[ \t]{0,4}(?:=>|:{1,3}=|\?{1,2}=|[|]{2}=|[.+]=|={1,3}|[:：＝]) # = and its kin, YAML blocks
      (?:[ \t]*[|>][+-]?[ \t]*\n)?[ \t\xa0]{0,8}
    | is:?[ ]                                                            # name is value
    | >\s{0,40}                                                         # <name>value
    | (?<=["'`])(?:
        ,?\s{0,16}\\{0,3}["']?value\\{0,3}["']?[ \t]{0,4}[:=][ \t]{0,4}  # "name": "<name>", "value": "…"
      | ,[ \t]{0,4}(?=\\{0,3}["'`]|[rbf]["'])                           # set("name", "value")
      | [ \t]{1,4}\{[^{}]{0,200}?default[ \t]{0,16}=[ \t]{0,4}(?=")      # variable "name" { default = "value" }
      ))""",
    re.VERBOSE,
)


class Extent(NamedTuple):
    """A value of which only the beginning is known; `quote` is "" for one without quotes."""

    text: str
    start: int
    quote: str
    in_shell: bool

    def end(self, limit: int) -> int:
        """Return where the value ends, if it may not go on past `limit`."""
        if not self.quote:
            if self.in_shell:
                return end_of(_BARE_IN_SHELL, self.text, self.start, limit)
            return _end_of_bare(self.text, self.start, limit)
        inside = _INSIDE.get(self.quote)
        if inside:
            return end_of(inside, self.text, self.start, limit)
        closing = self.text.find(self.quote, self.start, limit)
        if closing >= 0:
            return closing
        return end_of(_BARE_IN_SHELL, self.text, self.start, limit)


def extent_at(text: str, at: int, *, in_shell: bool) -> Extent:
    """Return the value that begins at `at`, behind its quote if it has one."""
    opening = _OPENING_QUOTE.match(text, at)
    if opening:
        return Extent(text, opening.end(), opening[1], in_shell)
    return Extent(text, at, "", in_shell)


def end_of(pattern: re.Pattern[str], text: str, start: int, limit: int) -> int:
    """Return where the pattern's match at `start` ends, or `start` if it doesn't match."""
    match = pattern.match(text, start, limit)
    return match.end() if match else start


def _end_of_bare(text: str, start: int, limit: int) -> int:
    """Return the end of a value without quotes, before a mark that ends a sentence; `start` for a call or index."""
    end = end_of(_BARE, text, start, limit)
    next_character = text[end : end + 1]
    if next_character in _CUTTING:
        # A password full of signs goes on through brackets, up to the next blank.
        whole = end_of(_BARE_IN_SHELL, text, start, limit)
        ends_there = text[whole : whole + 1] in {"", "\n", "\r", " ", "<"}
        if whole > end and ends_there and shapes.is_full_of_signs(text[start:whole]):
            return whole
    if next_character in {"(", "[", "{"}:
        return start
    return start + len(text[start:end].rstrip(".:!?"))
