"""The static edit gate: what no edit may bring into a file that an agent reads, whatever the trial said of it.

An adopted line speaks to an agent with a shell, every day. So an edit may not run anything when it is loaded, may not
change what an agent is allowed to do, may not pull in files, addresses or pictures that the user's own words don't
name, and may not hold what the eye can't see. Ordinary Markdown, words in any script and emoji pass.
"""

import ipaddress
import re
import unicodedata
from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

from skillopt_sleep.kit.redact import redact, secrets

LIMIT = 2_000
_SHOWN = 60


def problems(content: str, *, evidence: Sequence[str]) -> tuple[str, ...]:
    """Why this text can't be added, one short sentence each; empty where it can.

    `evidence` is the words of the user that found the edit: an address that stands in them may stand in the edit, and
    so may an `@` with a bare word.
    """
    if not content.strip():
        return ("it is empty",)
    if len(content) > LIMIT:
        return (f"it has {len(content):,} characters, more than {LIMIT:,}",)
    # What stands behind look-alikes and hidden characters is judged too, not only what the bytes say.
    plain = _plain(content)
    outside = _outside_code(plain)
    said = [_plain(text).casefold() for text in evidence]
    found = [
        *_unseen(content),
        *_markup(plain, outside),
        *_commands(content),
        *_frontmatter(plain),
        *_imports(outside, said),
        *_imports(_text(plain), said),
        *_addresses(plain, said),
        *(f"it holds a secret ({kind})" for kind in (*secrets(content), *secrets(plain))),
    ]
    return tuple(dict.fromkeys(found))


def _show(text: str) -> str:
    """A piece of the text for a sentence: short, on one line, without secrets, what can't be seen spelled out."""
    piece = redact(" ".join(text.split()))
    piece = piece if len(piece) <= _SHOWN else piece[: _SHOWN - 1] + "…"
    return "".join(_spelled(char) if _is_unseen(char) or not char.isprintable() else char for char in piece)


def _spelled(char: str) -> str:
    return f"\\u{{{ord(char):04X}}}"


# What can't be seen -------------------------------------------------------------------------------------

# Blank letters and marks, which have no category of their own: fillers, joiners, variation selectors, braille blank.
_BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2028\u2029\u2800\u3164\ufe00-\ufe0f\uffa0\ufdd0-\ufdef\ufff0-\uffff"
    "\U0001d159\U000e0000-\U000e0fff]"
)
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co"})
_EMOJI = frozenset({"So", "Sm", "Po", "Sk", "Cn"})
_EMOJI_FROM = 0xA9
_JOINER = "\u200d"
_EMOJI_STYLE = frozenset("\ufe0e\ufe0f")
_KEYCAP = "\u20e3"


def _is_unseen(char: str) -> bool:
    if char in "\n\t" or " " <= char <= "~":
        return False
    return unicodedata.category(char) in _UNSEEN or bool(_BLANK.match(char))


def _unseen(content: str) -> Iterator[str]:
    found = [
        char
        for at, char in enumerate(content)
        if _is_unseen(char) and not _in_emoji(content[max(0, at - 2) : at], char, content[at + 1 : at + 2])
    ]
    for char in dict.fromkeys(found):
        name = unicodedata.name(char, "control character").lower()
        yield f"it holds the invisible character {_spelled(char)} ({name})"


def _in_emoji(before: str, char: str, after: str) -> bool:
    """Whether the character shapes an emoji: ❤️, 👩‍💻, 1️⃣."""
    if char in _EMOJI_STYLE:
        return _is_emoji(before[-1:]) or (before[-1:] in {*"0123456789#*"} and after == _KEYCAP)
    return char == _JOINER and _is_emoji(before.rstrip("\ufe0f")[-1:]) and _is_emoji(after)


def _is_emoji(char: str) -> bool:
    return bool(char) and ord(char) >= _EMOJI_FROM and unicodedata.category(char) in _EMOJI and not _BLANK.match(char)


def _plain(text: str) -> str:
    """The text without hidden characters, with look-alikes of ASCII signs as those signs."""
    seen = "".join(char for char in text if not _is_unseen(char) or char == "\r")
    folded = unicodedata.normalize("NFKC", seen)
    dashed = "".join("-" if unicodedata.category(char) == "Pd" else char for char in folded)
    return dashed.replace("\r\n", "\n").replace("\r", "\n")


# What an agent does when it loads a file ----------------------------------------------------------------

_MARKER = re.compile(r"(?:skillopt[-_ ]*sleep|slow[-_ ]*update)\s*:\s*(?:begin|end)", re.IGNORECASE)
_COMMENT = re.compile(r"<\s*!\s*-\s*-")
_PICTURE = re.compile(
    r"!\[[^\]\n]{0,200}\]\s?[(\[][^)\]\n]{0,200}"
    r"|<\s*(?:img|iframe|embed|object|video|audio|source|link|script|svg|image)\b[^>]{0,200}\b(?:src|href|srcset|data|on\w+)\s*=",
    re.IGNORECASE,
)
# A span that follows white space and '!' runs wherever it stands; `println!` only ends in a '!'.
_SPACED_COMMAND = re.compile(r"(?:^|(?<=\s))![ \t]*`[^`\n]*`?", re.MULTILINE)
_JOINED_COMMAND = re.compile(r"!`+[^`\n]*`?")
_FENCED_COMMAND = re.compile(r"^[ \t>*+-]*(?:`{3,}|~{3,})[^\n`]*![^\n]*", re.MULTILINE)
_LOADER = r"\b(?:curl|wget|fetch|iwr|irm|invoke-webrequest|invoke-restmethod|base64|xxd|openssl)\b"
_SHELL = r"(?:ba|z|da|k|c|tc|fi)?sh\b"
_RUNNER = rf"(?:\S*/)?(?:{_SHELL}|(?:pwsh|powershell|python[\d.]*|perl|ruby|node|deno|php|iex|invoke-expression)\b)"
_PIPED = re.compile(
    rf"{_LOADER}[^\n]{{0,500}}?\|\s*(?:(?:sudo|env|exec|xargs)\s+(?:-\S+\s+)*)*{_RUNNER}"
    rf"|(?:\b{_SHELL}|\beval|\bsource|(?:^|\s)\.)[^\n]{{0,40}}?(?:<\(|\$\(|`)\s*{_LOADER}",
    re.IGNORECASE | re.MULTILINE,
)
_KEYS = re.compile(
    r"^[\"']?(?:hooks|allowed[-_]?[tT]ools|disallowed[-_]?[tT]ools|shell|model|context|agent|permissions"
    r"|permission[-_]?[mM]ode|mcp[-_]?[sS]ervers|disable-model-invocation)[\"']?[ \t]*:",
    re.MULTILINE,
)


def _markup(plain: str, outside: str) -> Iterator[str]:
    for pattern, text, what in (
        (_MARKER, plain, "one of our own markers"),
        (_COMMENT, plain, "an HTML comment"),
        (_PICTURE, outside, "something that is fetched when it is shown"),
    ):
        found = pattern.search(text)
        if found:
            yield f"it holds {what}: {_show(text[found.start() : found.start() + _SHOWN])}"


def _commands(content: str) -> Iterator[str]:
    for pattern, text in (
        (_SPACED_COMMAND, content),
        (_JOINED_COMMAND, _outside_code(content)),
        (_FENCED_COMMAND, content),
    ):
        for found in pattern.finditer(text):
            yield f"it holds a command that runs when the file is loaded: {_show(found[0])}"
    piped = _PIPED.search(content.replace("\\\n", " "))
    if piped:
        yield f"it runs what it fetches: {_show(piped[0])}"


def _frontmatter(plain: str) -> Iterator[str]:
    if plain.lstrip().split("\n", 1)[0].rstrip() == "---":
        yield "it begins with a frontmatter line: ---"
    for found in _KEYS.finditer(plain):
        yield f"it has a line that sets how an agent runs: {_show(found[0])}"


# What points elsewhere ----------------------------------------------------------------------------------

# A closed code block (its first line holds no other back-ticks) or a code span on one line. What is in doubt is text.
_CODE = re.compile(
    r"^ {0,3}(?:> ?)*(?:(?P<ticks>`{3,})[^`\n]*|(?P<tildes>~{3,})[^\n]*)\n(?:.*?\n)??"
    r" {0,3}(?:> ?)*(?:(?P=ticks)`*|(?P=tildes)~*)[ \t]*$"
    r"|(?<![`\\])(?P<span>`+)(?!`)[^\n]*?(?<!`)(?P=span)(?!`)",
    re.MULTILINE | re.DOTALL,
)
_DOMAINS = r"(?:com|net|org|io|dev|app|co|ai|me|xyz|info|biz|ru|cn|site|online|cloud|link|page|top|tk|su|pw|cc|ws|gg)"
_ADDRESS = re.compile(
    r"\b[a-z][a-z0-9+.-]{1,20}://[^\s<>\"'`\\|^{}]+"
    r"|\b(?:mailto|javascript|vbscript|tel|sms):[^\s<>\"'`]+"
    r"|\bdata:(?:[\w.+-]+/[\w.+-]+)?[;,][^\s<>\"'`]*"
    r"|(?<=\]\()//[^\s)]+"
    rf"|(?<![\w./@-])(?:www\.[\w-]+(?:\.[\w-]+)+|(?:[\w-]+\.)+{_DOMAINS}(?=/\w))[^\s<>\"'`]*"
    r"|\bxn--[\w.-]+",
    re.IGNORECASE,
)
_IPV4 = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?!\w|\.\d)")
_IPV6 = re.compile(r"(?<![\w:])\[?((?:[0-9a-f]{0,4}:){3,7}[0-9a-f]{0,4})\]?(?![\w:])", re.IGNORECASE)
_AFTER = re.compile(r"[\w@%-]|[.:]\w")
_TRAILING = ".,;:!?)]}>*_"


def _outside_code(plain: str) -> str:
    """The text with code blocks and code spans blanked: nothing in them is followed or fetched."""
    return _CODE.sub(lambda code: "``" if code["span"] else "\n", plain)


# An '@' that follows a letter or a digit is an e-mail address's.
_AT = re.compile(r"(?<![^\W_])@(\S+)")
_PATH = re.compile(r"^~|[./\\]")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
# `@param`, `@property`, `@alice`; `@README` and `@id_rsa` are files.
_NAME = re.compile(r"[a-z][A-Za-z0-9-]*")
_AFTER_PATH = _TRAILING + "\"'`~|"
_DEEPEST = 20
_MARKDOWN = MarkdownIt("commonmark", {"maxNesting": _DEEPEST}).enable("table")


def _text(plain: str) -> str:
    """What CommonMark takes for text; all of it where it is nested too deeply to be parsed.

    Code by indentation is text: it no longer is code below a line of a list.
    """
    tokens = _MARKDOWN.parse(plain)
    if any(token.level >= _DEEPEST - 1 for token in tokens):
        return plain
    return "\n".join(_outside_spans(token) for token in tokens if token.type != "fence")


def _outside_spans(token: Token) -> str:
    if token.children is None:
        return token.content
    return " ".join(child.content for child in token.children if child.type != "code_inline")


def _imports(text: str, evidence: Sequence[str]) -> Iterator[str]:
    for at in _AT.finditer(text):
        path = at[1].rstrip(_AFTER_PATH)
        bare = _BARE.match(path)
        if _PATH.search(path) or (bare and not (_NAME.fullmatch(bare[0]) or _is_said(f"@{bare[0]}", evidence))):
            yield f"it imports a file: {_show(f'@{path}')}"


def _is_said(word: str, evidence: Sequence[str]) -> bool:
    return any(_stands_in(word.casefold(), text) for text in evidence)


def _addresses(plain: str, evidence: Sequence[str]) -> Iterator[str]:
    found = [match[0].rstrip(_TRAILING) for match in _ADDRESS.finditer(plain)]
    rest = _ADDRESS.sub(" ", plain)
    found += [match[0] for match in _IPV4.finditer(rest) if _is_ip(match[0])]
    found += [match[0] for match in _IPV6.finditer(rest) if _is_ip(match[1])]
    for address in dict.fromkeys(found):
        if not _is_said(address.rstrip("/"), evidence):
            yield f"it holds an address that the evidence doesn't name: {_show(address)}"


def _is_ip(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def _stands_in(address: str, text: str) -> bool:
    """Whether the text holds this address, not only one that begins or ends like it."""
    at = text.find(address)
    while at >= 0:
        before, after = text[at - 1 : at] if at else "", text[at + len(address) :]
        if not (before.isalnum() or before in {".", "-", "@"}) and not _AFTER.match(after):
            return True
        at = text.find(address, at + 1)
    return False
