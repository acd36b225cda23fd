"""Parse a text as Markdown, and find what is more than prose, lists, headings and inline code."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

from skillopt_sleep.proposals.guard.words import words
from skillopt_sleep.records import RefusalKind

Finding = tuple[RefusalKind, str, str]  # the reason to refuse, what the text does, and the exact piece of text

SPAN, SPAN_END = (
    "\x1c",
    "\x1d",
)  # put around code spans in `ParsedText.commands`; every pattern takes them for white space
_DEEPEST = 20
_MARKDOWN = MarkdownIt("commonmark", {"maxNesting": _DEEPEST}).enable("table")
_PROSE = frozenset(
    {
        *("paragraph", "heading", "bullet_list", "ordered_list", "list_item", "blockquote", "em", "strong"),
        *("table", "thead", "tbody", "tr", "th", "td"),
        *("inline", "text", "text_special", "softbreak", "hardbreak", "code_inline", "hr"),
    }
)
_REFUSED = {
    "fence": (RefusalKind.CODE_BLOCK, "holds a code block"),
    "code_block": (RefusalKind.CODE_BLOCK, "holds a code block"),
    "html_block": (RefusalKind.HTML, "holds HTML"),
    "html_inline": (RefusalKind.HTML, "holds HTML"),
    "link_open": (RefusalKind.LINK, "holds a link"),
    "image": (RefusalKind.IMAGE, "holds an image, which is downloaded when it is shown"),
}
_BREAKS = frozenset({"softbreak", "hardbreak"})
_TITLED = "holds a link with a title that the page hides"
_LIST_ITEM = re.compile(r"(?:[-*+]|\d{1,3}[.)])\s")
# A placeholder to be filled in, as in <ticket>; an HTML element is not one.
_PLACEHOLDER = re.compile(r"<([A-Za-z][A-Za-z0-9]{0,19}(?:[-_][A-Za-z0-9]{1,12}){0,3})>")
_ELEMENTS = words("elements")
# What is text to CommonMark, but not to other Markdown parsers or together with the rest of the document.
_LOOSE = (
    (RefusalKind.HTML, "holds an HTML comment", re.compile(r"<\s*!\s*-\s*-[^\n]{0,60}")),
    (
        RefusalKind.HTML,
        "holds HTML",
        re.compile(r"<(?:script|style|iframe|img|svg|details|object|embed)\b[^\n]{0,60}", re.IGNORECASE),
    ),
    (
        RefusalKind.IMAGE,
        "holds an image, which is downloaded when it is shown",
        re.compile(r"!\[[^\]\n]{1,200}\]|!\[\]\(|!\[\[[^\n]{0,60}"),
    ),
    (RefusalKind.LINK, "holds a link", re.compile(r"(?<![\w\]])\[[^\]\[\n]{1,200}\]\[[^\]\n]{0,200}\]")),
    (
        RefusalKind.LINK,
        "defines a link",
        re.compile(r"^\s{0,3}\[[^\]\n]{1,200}\]:\s*\S[^\n]{0,60}", re.MULTILINE),
    ),
)


class ParsedText(NamedTuple):
    """A parsed text: what a page shows, the prose without code, a form to search for commands, and the code."""

    shown: str
    prose: str
    commands: str
    spans: tuple[str, ...]
    findings: tuple[Finding, ...]


def parse_rule_text(plain: str) -> ParsedText:
    """Parse the text; `findings` is everything in it that isn't prose."""
    stripped = plain.lstrip()
    if stripped != plain and _LIST_ITEM.match(stripped):
        # An indented list item is one only below its list, and an edit may hold it alone.
        tokens, references = _parsed(stripped)
    else:
        tokens, references = _parsed(plain)
    if any(token.level >= _DEEPEST - 1 for token in tokens):
        nesting = (RefusalKind.NESTING, "is nested too deeply to read", plain)
        return ParsedText(shown=plain, prose=plain, commands=plain, spans=(), findings=(nesting,))
    # Indented code counts as prose: below a list item it is not code any more.
    prose = "\n".join(_outside_code(token) for token in tokens if token.type != "fence")
    return ParsedText(
        shown="\n".join(_shown(token) for token in tokens if token.content),
        prose=prose,
        commands=_commands(tokens),
        spans=tuple(_spans(tokens)),
        findings=tuple(_more_than_prose(tokens, references, prose)),
    )


def _parsed(text: str) -> tuple[list[Token], dict[str, Any]]:
    """Parse the text; return its tokens and the definitions of its links."""
    environment: dict[str, Any] = {}
    tokens = _MARKDOWN.parse(text, environment)
    return tokens, environment.get("references", {})


def _more_than_prose(tokens: Sequence[Token], references: dict[str, Any], prose: str) -> Iterator[Finding]:
    for definition in references.values():
        yield RefusalKind.LINK, "defines a link", definition["href"]
        if definition["title"]:
            yield RefusalKind.LINK, _TITLED, definition["title"]
    for token in tokens:
        yield from _judged(token, token.content)
        yield from _judged_children(token.children or [])
    for kind, what, pattern in _LOOSE:
        for match in pattern.finditer(prose):
            yield kind, what, match[0]


def _judged_children(children: Sequence[Token]) -> Iterator[Finding]:
    for at, child in enumerate(children):
        if child.type == "html_inline" and _is_placeholder(children, at):
            continue
        # The person's words must contain the address of a link or image, else the text.
        yield from _judged(child, str(child.attrs.get("href") or child.attrs.get("src") or child.content))
        title = child.attrs.get("title")
        if title:
            yield RefusalKind.LINK, _TITLED, str(title)


def _judged(token: Token, thing: str) -> Iterator[Finding]:
    name = token.type.removesuffix("_open").removesuffix("_close")
    if name in _PROSE or token.type == "link_close":
        return
    # An unknown kind of token, from a later parser, is refused like HTML until somebody has looked at it.
    kind, what = _REFUSED.get(token.type, (RefusalKind.HTML, f"holds Markdown of the kind {token.type}"))
    yield kind, what, thing


def _is_placeholder(children: Sequence[Token], at: int) -> bool:
    """Return whether the tag is only a word in angle brackets: <ticket>, Vec<T>."""
    match = _PLACEHOLDER.fullmatch(children[at].content)
    if not match:
        return False
    name = match[1].lower()
    if any(child.content.lower().startswith(f"</{name}") for child in children):
        return False
    if name not in _ELEMENTS:
        return True
    return match[1] == "object" and children[at - 1].content[-1:].isalnum()  # List<object>


def _shown(token: Token) -> str:
    if token.children is None:
        return token.content
    return "".join("\n" if child.type in _BREAKS else child.content for child in token.children)


def _outside_code(token: Token) -> str:
    if token.children is None:
        return token.content
    parts: list[str] = []
    for child in token.children:
        if not child.content and child.type in _BREAKS:
            parts.append("\n")
        elif child.type != "code_inline":
            parts.append(child.content)
    return " ".join(parts)


def _commands(tokens: Sequence[Token]) -> str:
    """Return each paragraph on one line, joined as Markdown joins lines, with marks around code spans."""
    lines: list[str] = []
    for token in tokens:
        if not token.content:
            continue
        line = _one_line(token)
        # A paragraph that begins with an operator continues the one before.
        if lines and line.lstrip(f" {SPAN}")[:1] in {"|", "&", ";", ">"}:
            lines[-1] += f" {line}"
        else:
            lines.append(line)
    return "\n".join(lines)


def _one_line(token: Token) -> str:
    if token.children is None:
        code = re.sub(r"(?<![|&;\\])\n(?!\s*[|&])", " ; ", token.content.strip()).replace("\n", " ")
        return f"{SPAN}{code}{SPAN_END}"
    parts: list[str] = []
    for child in token.children:
        if child.type == "code_inline":
            parts.append(f"{SPAN}{child.content}{SPAN_END}")
        elif child.type in _BREAKS:
            parts.append(" ")
        else:
            parts.append(child.content)
    return "".join(parts).replace("\n", " ")


def _spans(tokens: Sequence[Token]) -> Iterator[str]:
    """Yield the code of the text: code blocks and code spans."""
    for token in tokens:
        if token.children is None and token.content:
            yield token.content
        for child in token.children or ():
            if child.type == "code_inline":
                yield child.content
