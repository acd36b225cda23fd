"""Ask for a rewritten body, and turn the new text into the ordinary edits that make it out of the old one.

There are two ways: from suggestions (the edits that reflection proposed are worked into the text), and in full (each
minibatch of failures is answered by a whole text). Either way only the difference from the old body is read:
protected text can't be lost, every edit passes the same guard, and each can be left out by itself.
"""

from collections.abc import Callable, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest

import msgspec

from skillopt_sleep.kit.linediff import COARSER, FINEST, Change, Grain, changes
from skillopt_sleep.kit.markdown import fence
from skillopt_sleep.kit.protected import BLOCK
from skillopt_sleep.learning.asking import Optimizer, Question, check_train, patches_and_notes
from skillopt_sleep.prompts.attempts import Case, cases, show
from skillopt_sleep.prompts.past import numbered
from skillopt_sleep.records import Document, Edit, EditOp, Note, Patch, Purpose, Rollout, Score, Task, tasks_of

MOST_EDITS = 8  # that a rewritten body becomes, unless one of them would be too long to pass the guard

Apply = Callable[[Document, Sequence[Edit]], Document | None]


class RewriteReply(msgspec.Struct, frozen=True):
    """What the optimizer answers: the whole editable part."""

    body: str


class Rewritten(msgspec.Struct, frozen=True, kw_only=True):
    """One patch for each text that was asked for, and the calls that failed."""

    patches: tuple[Patch, ...] = ()
    notes: tuple[Note, ...] = ()


def rewrite(suggestions: Sequence[Sequence[Edit]], *, optimizer: Optimizer, apply: Apply) -> Rewritten:
    """Work each set of suggestions into the body, one call each; if a call fails, its suggestions stand as they are.

    `apply` makes the document with some edits, or None if one can't be applied.
    """

    def ask(edits: Sequence[Edit]) -> Patch | Note:
        values = {"suggestions": numbered(edits)}
        return _text(Purpose.REWRITE, values, tasks_of(edits), optimizer, apply)

    asked = [tuple(edits) for edits in suggestions if edits]
    patches: list[Patch] = []
    notes: list[Note] = []
    for edits, answer in zip(asked, optimizer.map(ask, asked, label="rewrite"), strict=True):
        if isinstance(answer, Note):
            notes.append(answer)
            patches.append(Patch(edits=edits))
        else:
            patches.append(answer)
    return Rewritten(patches=tuple(patches), notes=tuple(notes))


def rewrite_full(
    rollouts: Sequence[Rollout],
    tasks: Mapping[str, Task],
    *,
    optimizer: Optimizer,
    measure: Callable[[Score], float],
    minibatch: int,
    apply: Apply,
) -> Rewritten:
    """Ask for a whole body for each minibatch of failures, as edits; a failed call loses its batch, which is noted.

    Raises ValueError for a task that isn't on train.
    """
    check_train(tasks[rollout.task] for rollout in rollouts)
    failed, _ = cases(rollouts, tasks, measure=measure, each=False)

    def ask(batch: Sequence[Case]) -> Patch | Note:
        shown = [show(number, case, most=optimizer.shown_chars) for number, case in enumerate(batch, start=1)]
        values = {"attempts": str(len(batch)), "trajectories": "\n\n".join(shown)}
        names = tuple(dict.fromkeys(case.task.id for case in batch))
        return _text(Purpose.REWRITE_FULL, values, names, optimizer, apply)

    batches = [failed[i : i + minibatch] for i in range(0, len(failed), minibatch)]
    answers = optimizer.map(ask, batches, label="rewrite")
    patches, notes = patches_and_notes(answers)
    return Rewritten(patches=patches, notes=notes)


def unite(texts: Sequence[Patch], *, optimizer: Optimizer, apply: Apply) -> Rewritten:
    """Merge several texts into one by another call; if it fails, take the first that changes anything.

    Their edits can't simply be joined: each is a difference from the same old body.
    """
    changing = [patch for patch in texts if patch.edits]
    if len(changing) <= 1:
        return Rewritten(patches=tuple(changing))
    edits: list[Edit] = []
    for patch in changing:
        edits += patch.edits
    written = rewrite([edits], optimizer=optimizer, apply=apply)
    if written.notes:
        return Rewritten(patches=(changing[0],), notes=written.notes)
    return written


def free_text(body: str) -> str:
    """Return the body without its protected blocks."""
    lines = [line for line in _lines(body) if not BLOCK.search(line)]
    return "\n".join(lines)


def with_protected(body: str, free: str) -> str:
    """Return the free text with the body's protected blocks, each behind the line that it stood behind."""
    (_, lines), *others = _segments(body, free)
    for block, (_, new) in zip(_blocks(body), others, strict=True):
        lines = [*lines, block, *new]
    return "\n".join(lines)


def as_edits(document: Document, free: str, *, apply: Apply) -> tuple[Edit, ...]:
    """Return the edits that turn the document's body into `with_protected`; any of them can be left out.

    They are as fine as can be without being more than MOST_EDITS.
    """
    wanted = with_protected(document.body, free)
    if wanted == document.body:
        return ()
    found: tuple[Edit, ...] = ()
    for grain in (FINEST, *COARSER):
        for how in (grain, grain.without_behind):
            edits = _edits(document.body, free, how)
            if edits and _makes(wanted, document, edits, apply):
                found = edits
                break
        if found and len(found) <= MOST_EDITS:
            break
    return found


def _text(
    purpose: Purpose, values: Mapping[str, str], tasks: tuple[str, ...], optimizer: Optimizer, apply: Apply
) -> Patch | Note:
    """Ask for a body; return it as edits learned from these tasks, or a note if that can't be done."""
    document = optimizer.document
    shown = dict(values) | {"editable": fence(free_text(document.body) or "(empty)")}
    reply = optimizer.ask(Question(purpose, RewriteReply, shown, stage="rewrite"))
    if isinstance(reply, Note):
        return reply
    if not reply.body.strip():
        return Note(stage="rewrite", summary=f"{document.id}: the text that came back is empty")
    edits = as_edits(document, reply.body, apply=apply)
    if not edits and with_protected(document.body, reply.body) != document.body:
        why = "the new text repeats itself so around a protected block that no edit finds its place"
        return Note(stage="rewrite", summary=f"{document.id}: {why}")
    support = max(1, len(tasks))
    return Patch(edits=tuple(msgspec.structs.replace(edit, tasks=tasks, support=support) for edit in edits))


def _makes(wanted: str, document: Document, edits: Sequence[Edit], apply: Apply) -> bool:
    """Return whether the edits make this body, and can still be applied if any one of them is left out."""
    changed = apply(document, edits)
    if changed is None or changed.body != wanted:
        return False
    for place in range(len(edits)):
        others = [*edits[:place], *edits[place + 1 :]]
        if apply(document, others) is None:
            return False
    return True


def _edits(body: str, free: str, grain: Grain) -> tuple[Edit, ...]:
    found: list[Edit] = []
    at = 0
    for (old, new), block in zip_longest(_segments(body, free), _blocks(body), fillvalue=""):
        made = changes(old, new, within=body, at=at, grain=grain)
        if made is None:
            return ()
        found += map(_edit, made)
        at += len("\n".join((*old, block))) + 1
    # What goes makes room for what comes.
    return tuple(sorted(found, key=lambda edit: edit.op is not EditOp.DELETE))


def _edit(change: Change) -> Edit:
    if not change.target:
        return Edit(op=EditOp.APPEND, content=change.content)
    if not change.content:
        return Edit(op=EditOp.DELETE, target=change.target)
    op = EditOp.INSERT_AFTER if change.behind else EditOp.REPLACE
    return Edit(op=op, target=change.target, content=change.content)


def _blocks(body: str) -> list[str]:
    """Return the protected blocks, each with all of the lines that it touches."""
    return [line for line in _lines(body) if BLOCK.search(line)]


def _segments(body: str, free: str) -> list[tuple[list[str], list[str]]]:
    """Return the lines before, between and after the protected blocks, old and new."""
    blocks: list[int] = []
    old: list[str] = []
    for line in _lines(body):
        if BLOCK.search(line):
            blocks.append(len(old))
        else:
            old.append(line)
    new = _lines(_clean(free, like="\n".join(old)))
    codes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    segments: list[tuple[list[str], list[str]]] = []
    old_start = new_start = 0
    for place in blocks:
        new_end = _moved(place, codes, old)
        if _is_blank(old[place:]):
            new_end = _end_of_text(new)  # whatever is new comes before a block that is last
        segments.append(_segment(old[old_start:place], new[new_start:new_end]))
        old_start, new_start = place, new_end
    segments.append(_segment(old[old_start:], new[new_start:]))
    return segments


def _segment(old: list[str], new: list[str]) -> tuple[list[str], list[str]]:
    """Return both versions of the lines; nobody asked for a change of empty lines alone."""
    if _is_blank([*old, *new]):
        return old, old
    return old, new


def _is_blank(lines: Sequence[str]) -> bool:
    return not any(map(str.strip, lines))


def _end_of_text(lines: Sequence[str]) -> int:
    """Return the place behind the last line that isn't blank."""
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    return end


def _moved(place: int, codes: Sequence[tuple[str, int, int, int, int]], old: Sequence[str]) -> int:
    """Return the place in the new lines that matches a place in the old ones; new lines there come before it."""
    at = 0
    for tag, old_start, old_end, new_start, new_end in codes:
        if not old_start <= place <= old_end:
            continue
        if tag == "equal" or (place == old_start and not _is_blank(old[old_start:old_end])):
            at = new_start + place - old_start
        else:
            at = new_end
    return at


def _lines(text: str) -> list[str]:
    """Split the text into lines; all lines that a protected block touches count as one."""
    if not text:
        return []
    blocks = [match.span() for match in BLOCK.finditer(text)]
    lines: list[str] = []
    at = block_end = 0
    for line in text.split("\n"):
        if lines and at < block_end:
            lines[-1] += f"\n{line}"
        else:
            lines.append(line)
        at += len(line) + 1
        for start, end in blocks:
            if start < at:
                block_end = max(block_end, end)
    return lines


def _clean(free: str, *, like: str) -> str:
    """Strip a fence and made-up blocks from a model's text, and give it the empty lines of the old one's ends."""
    text = BLOCK.sub("", free.replace("\r\n", "\n").replace("\r", "\n")).strip("\n").rstrip()
    lines = text.split("\n")
    if len(lines) > 1 and lines[0].startswith("```") and lines[-1] == "```" and not like.startswith("```"):
        text = "\n".join(lines[1:-1]).strip("\n").rstrip()
    if not text.strip():
        return ""
    bare = like.strip("\n")
    if not bare:
        return text
    start = len(like) - len(like.lstrip("\n"))
    return "\n" * start + text + "\n" * (len(like) - start - len(bare))
