"""Read a live file as a document, split into the user's part and ours, and write it again with a new body.

Two kinds of file are entirely ours, the managed skill and our rules file: a fixed head with the body below it. In
every other file only our managed block is ours.
"""

import re
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path, PurePath
from typing import NamedTuple

from skillopt_sleep.agents.claude_code.documents import RULES
from skillopt_sleep.agents.codex.documents import SKILL
from skillopt_sleep.errors import UnsafeEdit, UnsafePath
from skillopt_sleep.proposals import block, paths
from skillopt_sleep.records import Document, DocumentKind

RULES_HEAD = "# Learned by skillopt-sleep\n\n"
SKILL_HEAD = """\
---
name: skillopt-sleep
description: Rules this user taught coding agents in earlier sessions, on how to answer, code, test, commit and \
report. Use at the start of every task, before the first answer or edit.
metadata:
  skillopt-sleep.origin: adopted
---

"""

_BLANK_LINES = r"(?:[ \t]*\r?\n)*"
_HEADS = {
    SKILL: re.compile(
        rf"\ufeff?---[ \t]*\r?\n(?P<says>.*?)^---[ \t]*(?:\r?\n|\Z){_BLANK_LINES}", re.DOTALL | re.MULTILINE
    ),
    RULES: re.compile(rf"\ufeff?#(?P<says>[^\n]*)(?:\n|\Z){_BLANK_LINES}"),
}
_OURS = {SKILL: "skillopt-sleep.origin:", RULES: "skillopt-sleep"}
_NEW_HEADS = {SKILL: SKILL_HEAD, RULES: RULES_HEAD}
_CONFLICT = re.compile(rb"^(?:<<<<<<<|>>>>>>>) ", re.MULTILINE)


class Changed(NamedTuple):
    """A file's bytes with a change of our rules; `body` are the rules as they were.

    `overlaps` says that the change takes away a line which a person changed.
    """

    data: bytes
    body: str
    overlaps: bool


def own(path: PurePath) -> PurePath | None:
    """Return SKILL or RULES if the path names one of our own files, else None."""
    for file in (SKILL, RULES):
        if path.parts[-len(file.parts) :] == file.parts:
            return file
    return None


def load(path: Path, *, root: Path, name: str) -> tuple[Document, bytes | None]:
    """Return the file as a document with id `name`, and its bytes; raise UnsafePath or UnsafeEdit if not editable."""
    data = paths.read_live(paths.writable(path, root=root))
    with _located(path):
        block.check_encoding(data or b"")
        cut = _parts(path, data)
    document = Document(
        id=name,
        kind=DocumentKind.SKILL if path.name == SKILL.name else DocumentKind.MEMORY,
        path=str(path),
        project=str(root),
        body=cut.body,
        lead=cut.lead.decode(),
        trail=cut.trail.decode(),
        open=cut.open.decode(),
        close=(cut.eol + cut.close).decode(),
    )
    return document, data


def change(path: Path, data: bytes | None, old: str, new: str) -> Changed:
    """Change the rules in these bytes of the file by what makes `new` out of `old`, wherever the rules stand now."""
    with _located(path):
        text, encoding = block.narrow(data or b"")
        cut = _parts(path, None if data is None else text)
        added = set(new.split("\n")) - set(old.split("\n"))
        if not "".join(added).isascii():
            block.check_encoding(text)
        result = block.change(cut, old, new)
        return Changed(block.widened(result.data, encoding), cut.body, result.overlaps)


def body(path: Path, data: bytes | None) -> str:
    """Return the rules in these bytes of the file; "" if there is no file."""
    if data is None:
        return ""
    with _located(path):
        return _parts(path, block.narrow(data)[0]).body


def given_up(path: Path, data: bytes) -> bytes:
    """Return the file without what says that a part of it is ours; a file of our own stays as it is."""
    if own(path) is not None:
        return data
    with _located(path):
        text, encoding = block.narrow(data)
        return block.widened(block.unmarked(text), encoding)


def is_bare(path: Path, data: bytes) -> bool:
    """Return whether a file of our own has nothing in it but the head that we give it."""
    kind = own(path)
    if kind is None:
        return False
    text = block.decoded(block.narrow(data)[0]).removeprefix("\ufeff")
    return block.canonical(text) == block.canonical(_NEW_HEADS[kind])


@contextmanager
def _located(path: Path) -> Generator[None, None, None]:
    """Name the file in an error about its text."""
    try:
        yield
    except UnsafeEdit as error:
        raise UnsafeEdit(f"{path}: {error.message}", remedy=error.remedy) from error


def _parts(path: Path, data: bytes | None) -> block.Parts:
    kind = own(path)
    if kind is not None:
        return _own_parts(path, data, kind)
    if data is None:
        raise UnsafePath(
            f"{path} doesn't exist (any more)", remedy="nothing to do: the next night finds another place"
        )
    _refuse_conflict(data)
    return block.parts(data)


def _refuse_conflict(data: bytes) -> None:
    conflict = _CONFLICT.search(data)
    if conflict:
        line = data.count(b"\n", 0, conflict.start()) + 1
        raise UnsafeEdit(f"line {line} is part of an unfinished merge", remedy="finish the merge")


def _own_parts(path: Path, data: bytes | None, kind: PurePath) -> block.Parts:
    if data is None:
        head = _NEW_HEADS[kind].encode()
        return block.Parts(lead=head, open=b"", body="", lines=b"", close=b"", trail=b"", eol=b"\n")
    text = block.decoded(data)
    match = _HEADS[kind].match(text)
    if match is None or _OURS[kind] not in match["says"]:
        raise UnsafePath(
            f"{path} wasn't written by skillopt-sleep and is left alone",
            remedy="rename it: lessons go to a file of this name",
        )
    eol = b"\r\n" if "\r\n" in match[0] else b"\n"
    lead = match[0].encode(errors="surrogateescape")
    return block.Parts(
        lead=lead,
        open=b"" if match[0].endswith("\n") else eol,
        body=block.canonical(text[match.end() :]),
        lines=data[len(lead) :],
        close=b"",
        trail=b"",
        eol=eol,
    )
