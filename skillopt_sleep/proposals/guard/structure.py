"""The text as Markdown: how it is read, and what of it is more than prose, lists, headings and inline code."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

from skillopt_sleep.proposals.guard.words import words
from skillopt_sleep.records import RefusalKind

Found = tuple[RefusalKind, str, str]  # the class, what the text does, and the very thing

SPAN, SPAN_END = "\x1c", "\x1d"  # around code spans in `Read.commands`; white space to every pattern
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
    "image": (RefusalKind.IMAGE, "holds a picture, which is fetched when it is shown"),
}
_TITLED = "holds a link with words that no page shows"
_LIST_ITEM = re.compile(r"(?:[-*+]|\d{1,3}[.)])\s")
# What stands for something to be filled in, as in <ticket>; elements of HTML are none but for these.
_PLACEHOLDER = re.compile(r"<([A-Za-z][A-Za-z0-9]{0,19}(?:[-_][A-Za-z0-9]{1,12}){0,3})>")
_ELEMENTS = words("elements")
# What CommonMark takes for text, but another reader of Markdown, or the rest of the document, doesn't.
_LOOSE = (
    (RefusalKind.HTML, "holds an HTML comment", re.compile(r"<\s*!\s*-\s*-[^\n]{0,60}")),
    (
        RefusalKind.HTML,
        "holds HTML",
        re.compile(r"<(?:script|style|iframe|img|svg|details|object|embed)\b[^\n]{0,60}", re.IGNORECASE),
    ),
    (
        RefusalKind.IMAGE,
        "holds a picture, which is fetched when it is shown",
        re.compile(r"!\[[^\]\n]{1,200}\]|!\[\]\(|!\[\[[^\n]{0,60}"),
    ),
    (RefusalKind.LINK, "holds a link", re.compile(r"(?<![\w\]])\[[^\]\[\n]{1,200}\]\[[^\]\n]{0,200}\]")),
    (
        RefusalKind.LINK,
        "defines a link",
        re.compile(r"^\s{0,3}\[[^\]\n]{1,200}\]:\s*\S[^\n]{0,60}", re.MULTILINE),
    ),
)


class Read(NamedTuple):
    """The text as it is read: with code, without code, and for a look at its commands."""

    shown: str
    prose: str
    commands: str
    spans: tuple[str, ...]
    found: tuple[Found, ...]


def read(plain: str) -> Read:
    """What a reader of the page sees, and everything of the text that isn't prose."""
    first = plain.lstrip()
    nested = not plain.startswith(first) and _LIST_ITEM.match(first)
    references: dict[str, Any] = {}
    # A point of a deeper level stands alone in an edit, and is one only below its list.
    tokens = _MARKDOWN.parse(first if nested else plain, references)
    if any(token.level >= _DEEPEST - 1 for token in tokens):
        return Read(
            plain, plain, plain, (), ((RefusalKind.NESTING, "is nested more deeply than anyone reads", plain),)
        )
    # Code by indentation is text: it no longer is code below a line of a list.
    prose = "\n".join(_outside_code(token) for token in tokens if token.type != "fence")
    return Read(
        shown="\n".join(_shown(token) for token in tokens if token.content),
        prose=prose,
        commands=_commands(tokens),
        spans=tuple(_spans(tokens)),
        found=tuple(_more_than_prose(tokens, references, prose)),
    )


def _more_than_prose(tokens: Sequence[Token], env: dict[str, Any], prose: str) -> Iterator[Found]:
    for definition in env.get("references", {}).values():
        yield RefusalKind.LINK, "defines a link", definition["href"]
        if definition["title"]:
            yield RefusalKind.LINK, _TITLED, definition["title"]
    for token in tokens:
        yield from _judged(token, token.content)
        children = token.children or []
        for at, child in enumerate(children):
            if child.type == "html_inline" and _is_placeholder(children, at):
                continue
            yield from _judged(child, _thing(child))
            if title := child.attrs.get("title"):
                yield RefusalKind.LINK, _TITLED, str(title)
    for kind, what, pattern in _LOOSE:
        for found in pattern.finditer(prose):
            yield kind, what, found[0]


def _judged(token: Token, thing: str) -> Iterator[Found]:
    name = token.type.removesuffix("_open").removesuffix("_close")
    if name in _PROSE or token.type == "link_close":
        return
    # A kind of token that a later parser brings is refused like HTML until somebody has thought about it.
    kind, what = _REFUSED.get(token.type, (RefusalKind.HTML, f"holds Markdown of the kind {token.type}"))
    yield kind, what, thing


def _thing(token: Token) -> str:
    """The very thing that the person's words must hold: an address for what points to one."""
    return str(token.attrs.get("href") or token.attrs.get("src") or token.content)


def _is_placeholder(children: Sequence[Token], at: int) -> bool:
    """Whether the tag is none, but a word in angle brackets: <ticket>, Vec<T>."""
    tag = _PLACEHOLDER.fullmatch(children[at].content)
    if not tag or any(child.content.lower().startswith(f"</{tag[1].lower()}") for child in children):
        return False
    return tag[1].lower() not in _ELEMENTS or (tag[1] == "object" and children[at - 1].content[-1:].isalnum())


def _shown(token: Token) -> str:
    if token.children is None:
        return token.content
    return "".join("\n" if child.type in {"softbreak", "hardbreak"} else child.content for child in token.children)


def _outside_code(token: Token) -> str:
    if token.children is None:
        return token.content
    parts = (
        child.content or ("\n" if "break" in child.type else "")
        for child in token.children
        if child.type != "code_inline"
    )
    return " ".join(parts)


def _commands(tokens: Sequence[Token]) -> str:
    """One paragraph a line, lines joined as Markdown joins them, code spans between their marks."""
    lines: list[str] = []
    for token in tokens:
        if not token.content:
            continue
        line = _one_line(token)
        # What begins with an operator goes on with the paragraph before.
        if lines and line.lstrip(f" {SPAN}")[:1] in {"|", "&", ";", ">"}:
            lines[-1] += f" {line}"
        else:
            lines.append(line)
    return "\n".join(lines)


def _one_line(token: Token) -> str:
    if token.children is None:
        return SPAN + re.sub(r"(?<![|&;\\])\n(?!\s*[|&])", " ; ", token.content.strip()).replace("\n", " ") + SPAN_END
    parts = [
        f"{SPAN}{child.content}{SPAN_END}" if child.type == "code_inline" else child.content or " "
        for child in _visible(token)
    ]
    return "".join(parts).replace("\n", " ")


def _visible(token: Token) -> Iterator[Token]:
    for child in token.children or ():
        if child.content or "break" in child.type:
            yield child


def _spans(tokens: Sequence[Token]) -> Iterator[str]:
    for token in tokens:
        if token.children is None:
            if token.content:
                yield token.content
            continue
        yield from (child.content for child in token.children if child.type == "code_inline")
