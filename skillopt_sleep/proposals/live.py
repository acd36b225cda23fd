"""Read a live file as a document, split into the user's part and ours, and write it again with a new body.

Two kinds of file are entirely ours, the managed skill and our rules file: a fixed head with the body below it. In
every other file only our managed block is ours.
"""

import re
from pathlib import Path, PurePath

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


def own(path: PurePath) -> PurePath | None:
    """Return SKILL or RULES if the path names one of our own files, else None."""
    for file in (SKILL, RULES):
        if path.parts[-len(file.parts) :] == file.parts:
            return file
    return None


def load(path: Path, *, root: Path, name: str) -> tuple[Document, bytes | None]:
    """Return the file as a document with id `name`, and its bytes; raise UnsafePath or UnsafeEdit if not editable."""
    data = paths.read_live(paths.writable(path, root=root))
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
        close=cut.close.decode(),
    )
    return document, data


def with_body(path: Path, data: bytes | None, body: str) -> bytes:
    """Return the bytes of the file with this body."""
    cut = _parts(path, data)
    try:
        return block.join(cut, body)
    except UnsafeEdit as error:
        raise UnsafeEdit(f"{path}: {error.message}", remedy=error.remedy) from error


def body(path: Path, data: bytes) -> str:
    """Return the rules in these bytes of the file."""
    return _parts(path, data).body


def refuse_strange(path: Path, data: bytes | None, result: bytes) -> None:
    """Raise UnsafeEdit unless the result differs from the file only in our part."""
    if with_body(path, data, _parts(path, result).body) != result:
        raise UnsafeEdit(
            f"{path}: the change reaches outside the part that skillopt-sleep owns",
            remedy="reject it: skillopt-sleep reject",
        )


def _parts(path: Path, data: bytes | None) -> block.Parts:
    kind = own(path)
    try:
        if kind is not None:
            return _own_parts(path, data, kind)
        if data is None:
            raise UnsafePath(
                f"{path} doesn't exist (any more)", remedy="nothing to do: the next night finds another place"
            )
        _refuse_conflict(data)
        return block.parts(data)
    except UnsafeEdit as error:
        raise UnsafeEdit(f"{path}: {error.message}", remedy=error.remedy) from error


def _refuse_conflict(data: bytes) -> None:
    conflict = _CONFLICT.search(data)
    if conflict:
        line = data.count(b"\n", 0, conflict.start()) + 1
        raise UnsafeEdit(f"line {line} is part of an unfinished merge", remedy="finish the merge")


def _own_parts(path: Path, data: bytes | None, kind: PurePath) -> block.Parts:
    if data is None:
        head = _NEW_HEADS[kind].encode()
        return block.Parts(lead=head, open=b"", body="", close=b"\n", trail=b"", eol=b"\n")
    block.check_encoding(data)
    text = data.decode()
    match = _HEADS[kind].match(text)
    if match is None or _OURS[kind] not in match["says"]:
        raise UnsafePath(
            f"{path} wasn't written by skillopt-sleep and is left alone",
            remedy="rename it: lessons go to a file of this name",
        )
    eol = b"\r\n" if "\r\n" in match[0] else b"\n"
    return block.Parts(
        lead=match[0].encode(),
        open=b"" if match[0].endswith("\n") else eol,
        body=block.canonical(text[match.end() :]),
        close=eol,
        trail=b"",
        eol=eol,
    )
