"""Apply edits to a body of rules, and keep its protected block: guidance that is closed to ordinary edits."""

import re
from collections.abc import Sequence

from skillopt_sleep.records import Edit, EditFate, EditOp, EditSource

BEGIN = "<!-- slow-update:begin -->"
END = "<!-- slow-update:end -->"
BLOCK = re.compile(f"{BEGIN}(.*?){END}", re.DOTALL)


def is_whole(text: str) -> bool:
    """Tell whether the markers enclose one block or none; anything else is damage that a person must repair."""
    blocks = len(BLOCK.findall(text))
    return blocks <= 1 and text.count(BEGIN) == text.count(END) == blocks


def guidance(text: str) -> str:
    """Return the content of the block, or "" if there is no block."""
    block = BLOCK.search(text)
    return block[1].strip("\n") if block else ""


def with_guidance(text: str, content: str) -> str:
    """Return the text with this content in its block: a new block comes last, and empty content removes it.

    Nothing outside of the block changes but the line end before it.
    """
    new_block = f"{BEGIN}\n{content}\n{END}" if content else ""
    old_block = BLOCK.search(text)
    if old_block:
        before, after = text[: old_block.start()], text[old_block.end() :]
        if new_block:
            return before + new_block + after
        return before.removesuffix("\n") + after
    if not new_block:
        return text
    body = text.rstrip("\n")
    if body:
        return f"{body}\n{new_block}"
    return new_block


_BLANK_START = re.compile(r"\A(?:[ \t]*\n)+")
_BLANK_TAIL = re.compile(r"(?:\n[ \t]*)+\Z")
_BLANK_END = re.compile(r"\n[ \t]*\n\Z")


def edited(body: str, edit: Edit) -> tuple[str, EditFate, str]:
    """Return the body with the edit, its fate, and why it wasn't applied, if it wasn't.

    A target is its first occurrence in the body. An edit that reaches into a protected block is refused, except for
    the guidance of a slow update, the only content of such a block.
    """
    if edit.source is EditSource.SLOW:
        return _guided(body, edit)
    if edit.op in {EditOp.APPEND, EditOp.INSERT_AFTER} and _says_already(body, edit.content):
        return body, EditFate.DUPLICATE, "the document says it already"
    if edit.op is EditOp.APPEND:
        return _appended(body, edit.content), EditFate.APPLIED, ""
    start = body.find(edit.target)
    if start == -1 or not edit.target:
        return body, EditFate.UNMATCHED, "its target isn't in the editable part"
    end = start + len(edit.target)
    if any(start < block.end() and block.start() < end for block in BLOCK.finditer(body)):
        return body, EditFate.REFUSED, "its target is in a protected block"
    changed = _changed(body, edit, start=start, end=end)
    if changed == body:
        return body, EditFate.DUPLICATE, "it changes nothing"
    return changed, EditFate.APPLIED, ""


def named_target(op: EditOp, target: str) -> str:
    """Return a model's target, without the line breaks around it if it is to be deleted."""
    if op is EditOp.DELETE:
        return target.strip("\n") or target
    return target


def all_edited(body: str, edits: Sequence[Edit]) -> str | None:
    """Return the body with all of these edits, or None if one doesn't fit; what it says already is left as it is."""
    for edit in edits:
        body, fate, _ = edited(body, edit)
        if fate in {EditFate.UNMATCHED, EditFate.REFUSED}:
            return None
    return body


def _guided(body: str, edit: Edit) -> tuple[str, EditFate, str]:
    """Put this guidance into the body's protected block, in place of the guidance that the edit names."""
    content = ""
    if edit.op is not EditOp.DELETE:
        content = edit.content.strip("\n")
    now = guidance(body)
    if not is_whole(body):
        return body, EditFate.REFUSED, "the markers of the protected block are damaged"
    if BEGIN in content or END in content:
        return body, EditFate.REFUSED, "it holds a marker of the protected block"
    if edit.target != now:
        return body, EditFate.UNMATCHED, "its target isn't what the protected block says"
    if content == now:
        return body, EditFate.DUPLICATE, "the protected block says it already"
    return with_guidance(body, content), EditFate.APPLIED, ""


def _says_already(body: str, content: str) -> bool:
    """Return whether the body already has every line of the content."""
    there = set(map(_words, body.splitlines()))
    return all(_words(line) in there for line in content.splitlines() if line.strip())


def _words(line: str) -> str:
    return " ".join(line.lower().split())


def _appended(body: str, content: str) -> str:
    """Append the content to the body, before a protected block if there is one."""
    head, tail = body, ""
    protected = BLOCK.search(body)
    if protected:
        head, tail = body[: protected.start()], body[protected.start() :]
    joined = content
    if head.strip():
        joined = f"{head.rstrip()}\n{content}".lstrip("\n")
    if not tail:
        return joined
    return f"{joined}\n{tail}"


def _changed(body: str, edit: Edit, *, start: int, end: int) -> str:
    if edit.op is EditOp.REPLACE:
        return body[:start] + edit.content + body[end:]
    if edit.op is EditOp.DELETE:
        return _without(body, start, end)
    at = body.find("\n", end)
    if at == -1:
        at = len(body)
    for block in BLOCK.finditer(body):
        if block.start() < at < block.end():
            at = block.end()
            break
    return f"{body[:at]}\n{edit.content}{body[at:]}"


def _without(body: str, start: int, end: int) -> str:
    """Take this part out of the body; whole lines leave neither an empty line nor a second one behind."""
    begins_line = start == 0 or body[start - 1] == "\n"
    if not begins_line or "\n" in {body[start], body[end - 1]} or body[end : end + 1] not in {"", "\n"}:
        return body[:start] + body[end:]
    before, after = body[:start], body[end + 1 :]
    if not after.strip():
        return _BLANK_TAIL.sub("", before)
    if not before.strip() or _BLANK_END.search(before):
        after = _BLANK_START.sub("", after)
    return before + after
