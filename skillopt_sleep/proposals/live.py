"""Read a live file as a document, split into the user's part and ours, and write it again with a new body.

Two kinds of file are entirely ours, the managed skill and our rules file: a fixed head with the body below it. In
every other file only our managed block is ours.
"""

import re
from collections.abc import Collection, Generator
from contextlib import contextmanager
from pathlib import Path, PurePath

from skillopt_sleep.agents import AGENTS
from skillopt_sleep.agents.claude_code.documents import RULES
from skillopt_sleep.agents.codex.documents import SKILL
from skillopt_sleep.errors import UnsafeEdit, UnsafePath
from skillopt_sleep.proposals import block, paths
from skillopt_sleep.proposals.merge import lines_of
from skillopt_sleep.proposals.rules import find_rule, places
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
    # What a person wrote above our heading, such as frontmatter, stands before the rules like the heading itself.
    RULES: re.compile(rf"\ufeff?(?:.*?\n)??#(?P<says>[^\n]*skillopt-sleep[^\n]*)(?:\n|\Z){_BLANK_LINES}", re.DOTALL),
}
_OURS = {SKILL: "skillopt-sleep.origin:", RULES: "skillopt-sleep"}
_NEW_HEADS = {SKILL: SKILL_HEAD, RULES: RULES_HEAD}
_CONFLICT = re.compile(rb"^(?:<<<<<<<|>>>>>>>) ", re.MULTILINE)


def own_file(path: PurePath) -> PurePath | None:
    """Return SKILL or RULES if the path names one of our own files, else None."""
    if path.parts[-len(SKILL.parts) :] == SKILL.parts:
        return SKILL
    # The folder above may be the agent's home, which a person can name as they like.
    return RULES if path.parts[-2:] == RULES.parts[-2:] else None


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


def refuse_cut_off(document: Document, size: int) -> None:
    """Raise UnsafeEdit if an agent would read only the beginning of the document with so many bytes."""
    place = PurePath(document.path).relative_to(document.project)
    for agent in AGENTS.values():
        limit = agent.documents.limits.get(place)
        if limit is not None and size > limit:
            raise UnsafeEdit(
                f"{document.path} with our lessons would pass the {limit // 1024} KiB that {agent.title} reads",
                remedy="shorten it",
            )


def change(path: Path, data: bytes | None, old: str, new: str, *, rules: Collection[str] = ()) -> block.Changed:
    """Change the rules in these bytes of the file by what makes `new` out of `old`, wherever the rules stand now.

    `rules` are known by their words, too, in any layout and without our markers; raises UnsafeEdit with the line of
    one to take out that stands among other words, or one to add that stands in the person's part. A file of our own
    whose head a person took away can still lose rules, but gets none.
    """
    with _located(path):
        text = data or b""
        added = set(new.split("\n")) - set(old.split("\n"))
        if data is not None and own_file(path) is not None and not "".join(added) and _head(path, text) is None:
            cut = _whole(text, lead=b"")
        else:
            cut = _parts(path, data)
        if not "".join(added).isascii():
            block.check_encoding(text)
        ours = _with_moved_rules(text, cut, rules, new)
        result = block.change(ours, old, new)
        if data is not None and cut.body and ours == cut and result.data == cut.data:
            return result._replace(data=data)  # several blocks stay as they are
        overlaps = result.overlaps or (ours.lead, ours.trail) != (cut.lead, cut.trail)
        return result._replace(overlaps=overlaps)


def body(path: Path, data: bytes | None) -> str:
    """Return the rules in these bytes of the file; "" if there is no file."""
    if data is None:
        return ""
    with _located(path):
        return _parts(path, data).body


def marked(path: Path, data: bytes) -> tuple[list[str], set[int]]:
    """Return the lines of the file, and the numbers, from 0, of those that our markers or our file say are ours."""
    with _located(path):
        if own_file(path) is None:
            spans = [(one.body_start, one.body_end) for one in block.find(data)]
        else:
            spans = [(len(_parts(path, data).lead), len(data))]
    lines, ours, start = lines_of(data), set[int](), 0
    for number, line in enumerate(lines):
        if any(begin <= start < end for begin, end in spans):
            ours.add(number)
        start += len(line)
    return [block.decoded(line) for line in lines], ours


def users_part(path: Path, data: bytes | None) -> str:
    """Return the person's part of these bytes of the file; "" if there is no file."""
    if data is None:
        return ""
    with _located(path):
        cut = _parts(path, data)
        return block.decoded(cut.lead + cut.trail)


def without_markers(path: Path, data: bytes) -> bytes:
    """Return a file that isn't our own without what says that a part of it is ours."""
    with _located(path):
        return block.unmarked(data)


def is_bare(path: Path, data: bytes) -> bool:
    """Return whether a file of our own has nothing in it but the head that we give it."""
    kind = own_file(path)
    if kind is None:
        return False
    text = block.decoded(data).removeprefix("\ufeff")
    return block.canonical(text) == block.canonical(_NEW_HEADS[kind])


@contextmanager
def _located(path: Path) -> Generator[None, None, None]:
    """Name the file in an error about its text."""
    try:
        yield
    except UnsafeEdit as error:
        raise UnsafeEdit(f"{path}: {error.message}", remedy=error.remedy) from error


def _parts(path: Path, data: bytes | None) -> block.FileParts:
    kind = own_file(path)
    if kind is not None and data is None:
        head = _NEW_HEADS[kind].encode()
        return block.FileParts(lead=head, open=b"", body="", lines=b"", close=b"", trail=b"", eol=b"\n")
    if kind is not None and data is not None:
        head = _head(path, data)
        if head is None:
            raise UnsafePath(
                f"{path} wasn't written by skillopt-sleep and is left alone",
                remedy="rename it: lessons go to a file of this name",
            )
        return _whole(data, lead=head)
    if data is None:
        raise UnsafePath(
            f"{path} doesn't exist (any more)", remedy="nothing to do: the next night finds another place"
        )
    conflict = _CONFLICT.search(data)
    if conflict:
        line = data.count(b"\n", 0, conflict.start()) + 1
        raise UnsafeEdit(f"line {line} is part of an unfinished merge", remedy="finish the merge")
    return block.parts(data)


def _with_moved_rules(text: bytes, cut: block.FileParts, rules: Collection[str], new: str) -> block.FileParts:
    """Move these rules into our lines as they were adopted, wherever and in whatever layout they stand now."""
    mark = block.BOM if cut.lead.startswith(block.BOM) else b""
    lead, lines, trail = cut.lead.removeprefix(mark), cut.lines, cut.trail
    for rule in rules:
        if find_rule(cut.body, rule):
            continue
        inside = _without(lines, rule)
        if inside == lines:
            outside = _without(lead, rule), _without(trail, rule)
            adds = bool(find_rule(new, rule))
            if adds or outside == (lead, trail):
                _refuse_outside(text, lead, rule, adds=adds)
                _refuse_outside(text, trail, rule, adds=adds)
                continue
            lead, trail = outside
        ended = not inside or inside.endswith((b"\r", b"\n"))
        written = rule.encode(errors="surrogateescape").replace(b"\n", cut.eol)
        lines = inside + (b"" if ended else cut.eol) + written + cut.eol
    if cut.close and cut.lead == text:
        cut = block.parts(mark + lead)  # a new block begins and ends as what is left of the file does
    return cut._replace(lead=mark + lead, lines=lines, trail=trail, body=block.canonical(block.decoded(lines)))


def _without(data: bytes, rule: str) -> bytes:
    """Return the text without the lines of the rule, and without the blank line that kept them apart."""
    lines = lines_of(data)
    for place in reversed(list(places(rule, list(map(block.decoded, lines))))):
        first, last = place.first, place.last + 1
        above, below = lines[first - 1 : first], lines[last : last + 1]
        if place.alone:
            del lines[first:last]
            if above and not b"".join(above + below).strip():
                del lines[first - 1]
    return b"".join(lines)


def _refuse_outside(text: bytes, data: bytes, rule: str, *, adds: bool) -> None:
    """Raise UnsafeEdit with the line of this part of the text in which the rule stands."""
    lines = lines_of(data)
    for place in places(rule, list(map(block.decoded, lines))):
        line = text.count(b"\n", 0, text.find(lines[place.first])) + 1
        where = f"line {line} has the rule «{' '.join(rule.split())}»"
        if adds:
            raise UnsafeEdit(
                f"{where} already, as your own: it stays yours", remedy="nothing to do: your agent reads it there"
            )
        raise UnsafeEdit(f"{where} among other words", remedy="take it out there by hand, then run the command again")


def _head(path: PurePath, data: bytes) -> bytes | None:
    """Return what stands above the rules of a file of our own; None if nothing says that the file is ours."""
    kind = own_file(path)
    match = _HEADS[kind].match(block.decoded(data)) if kind else None
    if kind is None or match is None or _OURS[kind] not in match["says"]:
        return None
    return match[0].encode(errors="surrogateescape")


def _whole(data: bytes, *, lead: bytes) -> block.FileParts:
    """Return a file of our own as its head and the rules below."""
    eol = b"\r\n" if b"\r\n" in (lead or data) else b"\n"
    lines = data[len(lead) :]
    return block.FileParts(
        lead=lead,
        open=b"" if not lead or lead.endswith(b"\n") else eol,
        body=block.canonical(block.decoded(lines)),
        lines=lines,
        close=b"",
        trail=b"",
        eol=eol,
    )
