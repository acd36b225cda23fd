"""Make text from elsewhere safe to show in Markdown."""

import re
from collections.abc import Callable

from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.kit.redact import redact
from skillopt_sleep.records import Edit, EditOp

Quoted = Callable[[str, int], str]

_RULE_CHARS = 300
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|])")


def show(text: str, limit: int = 100) -> str:
    """Return text from elsewhere on one line, redacted, cut to `limit` characters and escaped for Markdown."""
    return _escaped(one_line(redact(text), limit=limit))


def code(text: str, limit: int = 200) -> str:
    """Return a name as a Markdown code span."""
    return f"`{one_line(redact(text), limit=limit).replace('`', '').replace('|', '¦')}`"


def spanned(text: str, limit: int = 400) -> str:
    """Return a line in which what stands between backticks is a code span, and all else is escaped."""
    parts = one_line(redact(text), limit=limit).split("`")
    if len(parts) % 2 == 0:  # the last span was cut off
        parts[-2:] = ["".join(parts[-2:])]
    return "".join(f"`{part}`" if number % 2 else _escaped(part) for number, part in enumerate(parts))


def command(text: str) -> str:
    """Return what is to be run or done; as a code span if Markdown would change a character of it."""
    return text if show(text, 400) == text else code(text, 400)


def change(edit: Edit, quoted: Quoted | None = None) -> str:
    """Say in words what an edit changes, each rule `quoted` for Markdown, or in another way."""
    quoted = quoted or rule
    content = quoted(edit.content, _RULE_CHARS)
    match edit.op:
        case EditOp.APPEND:
            return f"add {content}"
        case EditOp.INSERT_AFTER:
            return f"add {content} after {quoted(edit.target, 100)}"
        case EditOp.REPLACE:
            return f"replace {quoted(edit.target, 100)} with {content}"
        case EditOp.DELETE:
            return f"remove {quoted(edit.target, 100)}"


def _escaped(line: str) -> str:
    return _SPECIAL.sub(r"\\\1", line)


def rule(text: str, limit: int = _RULE_CHARS) -> str:
    """Return a rule in quotes, without the dash of its list."""
    return f"«{show(text.strip().removeprefix('- '), limit)}»"


def plain_rule(text: str, limit: int = _RULE_CHARS) -> str:
    """Return a rule in quotes on one line, redacted and as it is: for what isn't Markdown."""
    return f"«{one_line(redact(text.strip().removeprefix('- ')), limit=limit)}»"
