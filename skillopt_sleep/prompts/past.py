"""Show the optimizer proposed edits, and what earlier nights know of a document: words and verdicts, never a task."""

from collections.abc import Iterator, Sequence

from skillopt_sleep.kit.markdown import fence, one_line
from skillopt_sleep.kit.words import counted
from skillopt_sleep.records import Edit, EditStatus, Effect, Past, in_words

EACH = 5
CHARS = 300
_STATUSES = {
    EditStatus.WAITS: "it waits for the user to decide, since {since}",
    EditStatus.LIVE: "live since {since}",
    EditStatus.REFUSED: "the user refused it",
    EditStatus.UNDONE: "the user adopted it and took it back",
}
_REFUSED = _STATUSES[EditStatus.REFUSED]
_UNPROVEN = "it waits for more proof"
# What must not be proposed again comes first.
_ORDER = (
    _REFUSED,
    _STATUSES[EditStatus.UNDONE],
    Effect.HARMFUL.value,
    _STATUSES[EditStatus.WAITS],
    _UNPROVEN,
    _STATUSES[EditStatus.LIVE],
    Effect.HELPED.value,
    Effect.NEUTRAL.value,
    Effect.UNDECIDED.value,
)


def tried_before(past: Past) -> str:
    """List the edits of earlier nights, each once with what became of it, so that none is proposed in vain again.

    The newest of each kind are listed, and how attempts went.
    """
    kinds: dict[str, list[str]] = {kind: [] for kind in _ORDER}
    told: set[tuple[str, str]] = set()
    for kind, edit, line in _edits(past):
        if edit.key not in told:
            told.add(edit.key)
            kinds[kind].append(f"- {line}")
    lines: list[str] = []
    for of_a_kind in kinds.values():
        lines += of_a_kind[:EACH]
    for fared in past.fared[:EACH]:
        reasons = "; ".join(f"{count}: {one_line(reason, limit=CHARS)}" for reason, count in fared.reasons[:EACH])
        why = f" ({reasons})" if reasons else ""
        lines.append(f"- {fared.night}: {fared.failed} of {fared.made} attempts failed{why}")
    return fence("\n".join(lines)) if lines else ""


def _edits(past: Past) -> Iterator[tuple[str, Edit, str]]:
    """Yield the kind, the edit and the line of all that is known, the latest word on an edit before older ones."""
    for one in past.proposed:
        if one.status is EditStatus.REWORDED:
            continue
        said = _STATUSES[one.status].format(since=one.since)
        if one.reason:
            said += f" (their reason: {one_line(one.reason, limit=CHARS)})"
        yield _STATUSES[one.status], one.edit, f"{said}: {_words(one.edit)}"
    for wait in past.waiting:
        for edit in wait.tested.edits:
            yield _UNPROVEN, edit, f"{_UNPROVEN}, since {wait.night}: {_words(edit)}"
    for tried in past.tried:
        effect = in_words(tried.effect, n=tried.n, gain=tried.gain)
        if tried.harmed:
            effect += f", but {counted(tried.harmed, 'other lesson')} got worse"
        yield tried.effect.value, tried.edit, f"{effect}: {tried.edit.op} {_words(tried.edit)}"


def _words(edit: Edit) -> str:
    return one_line(edit.content or edit.target, limit=CHARS)


def own_notes(past: Past) -> str:
    """Show the optimizer's own notes."""
    return fence(past.notes) if past.notes else ""


def numbered(edits: Sequence[Edit]) -> str:
    """List the edits, each with its number from 0, what it was learned from and how many attempts support it."""
    return fence(
        "\n".join(
            f"{i}. ({e.source}, support {e.support}) {e.op} {e.target!r}: {e.content}" for i, e in enumerate(edits)
        )
    )
