"""Ask for a rewritten body, and turn the new text into the ordinary edits that make it out of the old one.

There are two ways: from suggestions (the edits that reflection proposed are worked into the text), and in full (each
minibatch of failures is answered by a whole text). Either way only the difference from the old body is read:
protected text can't be lost, every edit passes the same guard, and each can be left out by itself.
"""

from collections.abc import Callable, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import takewhile, zip_longest

import msgspec

from skillopt_sleep.kit.linediff import COARSER, FINEST, Change, Grain, changes
from skillopt_sleep.kit.markdown import fence
from skillopt_sleep.kit.protected import BLOCK
from skillopt_sleep.learning.asking import Optimizer, Question, check_train
from skillopt_sleep.prompts.attempts import Case, cases, show
from skillopt_sleep.prompts.edits import numbered
from skillopt_sleep.records import Document, Edit, EditOp, Note, Patch, Purpose, Rollout, Score, Task

MOST_EDITS = 8  # that a rewritten body becomes, unless one of them would be too long to pass the guard

Apply = Callable[[Document, Sequence[Edit]], Document | None]


class RewriteReply(msgspec.Struct, frozen=True):
    """What the optimizer answers: the whole editable part."""

    body: str
    reasoning: str = ""


class Rewritten(msgspec.Struct, frozen=True, kw_only=True):
    """One patch for each text that was asked for, and the calls that failed."""

    patches: tuple[Patch, ...] = ()
    notes: tuple[Note, ...] = ()


def rewrite(suggestions: Sequence[Sequence[Edit]], *, optimizer: Optimizer, apply: Apply) -> Rewritten:
    """Work each set of suggestions into the body, one call each; if a call fails, its suggestions stand as they are.

    `apply` makes the document with some edits, or None if one can't be applied.
    """

    def ask(edits: Sequence[Edit]) -> Patch | Note:
        tasks = tuple(dict.fromkeys(task for edit in edits for task in edit.tasks))
        values = {"suggestions": numbered(edits)}
        return _text(Purpose.REWRITE, values, tasks, optimizer, apply)

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
        shown = [show(number, case) for number, case in enumerate(batch, start=1)]
        values = {"attempts": str(len(batch)), "trajectories": "\n\n".join(shown)}
        names = tuple(dict.fromkeys(case.task.id for case in batch))
        return _text(Purpose.REWRITE_FULL, values, names, optimizer, apply)

    batches = [failed[i : i + minibatch] for i in range(0, len(failed), minibatch)]
    answers = optimizer.map(ask, batches, label="rewrite")
    return Rewritten(
        patches=tuple(answer for answer in answers if isinstance(answer, Patch)),
        notes=tuple(answer for answer in answers if isinstance(answer, Note)),
    )


def unite(texts: Sequence[Patch], *, optimizer: Optimizer, apply: Apply) -> Rewritten:
    """Merge several texts into one by another call; if it fails, take the first that changes anything.

    Their edits can't simply be joined: each is a difference from the same old body.
    """
    changing = [patch for patch in texts if patch.edits]
    if len(changing) <= 1:
        return Rewritten(patches=tuple(changing))
    edits = tuple(edit for patch in changing for edit in patch.edits)
    made = rewrite([edits], optimizer=optimizer, apply=apply)
    return Rewritten(patches=(changing[0],), notes=made.notes) if made.notes else made


def free_text(body: str) -> str:
    """Return the body without its protected blocks."""
    return "\n".join(line for line in _lines(body) if not BLOCK.search(line))


def with_protected(body: str, free: str) -> str:
    """Return the free text with the body's protected blocks, each behind the line that it stood behind."""
    blocks = [line for line in _lines(body) if BLOCK.search(line)]
    first, *others = [new for _, new in _segments(body, free)]
    after = (line for block, segment in zip(blocks, others, strict=True) for line in (block, *segment))
    return "\n".join([*first, *after])


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
    learned = tuple(
        msgspec.structs.replace(edit, reason=reply.reasoning, tasks=tasks, support=max(1, len(tasks)))
        for edit in edits
    )
    return Patch(edits=learned, reasoning=reply.reasoning)


def _makes(wanted: str, document: Document, edits: Sequence[Edit], apply: Apply) -> bool:
    """Return whether the edits make this body, and can still be applied if any one of them is left out."""
    changed = apply(document, edits)
    if changed is None or changed.body != wanted:
        return False
    return all(apply(document, [*edits[:i], *edits[i + 1 :]]) is not None for i in range(len(edits)))


def _edits(body: str, free: str, grain: Grain) -> tuple[Edit, ...]:
    found: list[Edit] = []
    at = 0
    blocks = [line for line in _lines(body) if BLOCK.search(line)]
    for (old, new), block in zip_longest(_segments(body, free), blocks, fillvalue=""):
        made = changes(old, new, within=body, at=at, grain=grain)
        if made is None:
            return ()
        found += [_edit(change) for change in made]
        at += sum(len(line) + 1 for line in (*old, block))
    # What goes makes room for what comes.
    return tuple(sorted(found, key=lambda edit: edit.op is not EditOp.DELETE))


def _edit(change: Change) -> Edit:
    if not change.target:
        return Edit(op=EditOp.APPEND, content=change.content)
    if not change.content:
        return Edit(op=EditOp.DELETE, target=change.target)
    op = EditOp.INSERT_AFTER if change.behind else EditOp.REPLACE
    return Edit(op=op, target=change.target, content=change.content)


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
    end = len(new) - len(list(takewhile(lambda line: not line.strip(), reversed(new))))
    # Whatever is new comes before a block that is last.
    ends = [_moved(place, codes, old) if any(map(str.strip, old[place:])) else end for place in blocks]
    were = zip([0, *blocks], [*blocks, len(old)], strict=True)
    are = zip([0, *ends], [*ends, len(new)], strict=True)
    pairs = [(old[a:b], new[c:d]) for (a, b), (c, d) in zip(were, are, strict=True)]
    # Empty lines alone aren't a change.
    return [(was, now if any(map(str.strip, (*was, *now))) else was) for was, now in pairs]


def _moved(place: int, codes: Sequence[tuple[str, int, int, int, int]], old: Sequence[str]) -> int:
    """Return the place in the new lines that matches a place in the old ones; new lines there come before it."""
    at = 0
    for tag, i1, i2, j1, j2 in codes:
        if i1 <= place <= i2:
            follows = tag == "equal" or (place == i1 and any(line.strip() for line in old[i1:i2]))
            at = j1 + place - i1 if follows else j2
    return at


def _lines(text: str) -> list[str]:
    """Split the text into lines; all lines that a protected block touches count as one."""
    blocks = [match.span() for match in BLOCK.finditer(text)]
    lines: list[str] = []
    at = reach = 0
    for line in text.split("\n") if text else []:
        if lines and at < reach:
            lines[-1] += f"\n{line}"
        else:
            lines.append(line)
        at += len(line) + 1
        reach = max([reach, *(end for start, end in blocks if start < at)])
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
