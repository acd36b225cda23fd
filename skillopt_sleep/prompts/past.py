"""Show the optimizer what earlier nights know of a document: words and verdicts, never a task."""

from skillopt_sleep.kit.markdown import fence, one_line
from skillopt_sleep.records import Edit, Effect, Fared, Past, PastEdit

EACH = 5
CHARS = 300
_SAID = {
    Effect.HELPED: "helped",
    Effect.NEUTRAL: "changed nothing",
    Effect.HARMFUL: "made it worse",
    Effect.UNDECIDED: "not proven yet",
}


def tried_before(past: Past) -> str:
    """List the edits that were tried, each with what became of it, so that a failed one isn't proposed again.

    The newest of each kind: refused and harmful edits first, then undecided ones, then the rest, then how attempts
    went.
    """
    kinds = (
        [f"- the user refused it: {_words(edit)}" for edit in reversed(past.refused)],
        [_line(one) for one in past.tried if one.effect is Effect.HARMFUL],
        [f"- it waits for more proof: {_words(edit)}" for wait in past.waiting for edit in wait.tested.edits],
        [_line(one) for one in past.tried if one.effect is not Effect.HARMFUL],
        [_fared(one) for one in past.fared],
    )
    lines = [line for kind in kinds for line in kind[:EACH]]
    return fence("\n".join(lines)) if lines else "None."


def _line(one: PastEdit) -> str:
    return f"- {_SAID[one.effect]}: {one.edit.op} {_words(one.edit)}"


def _fared(one: Fared) -> str:
    reasons = "; ".join(f"{count}: {one_line(reason, limit=CHARS)}" for reason, count in one.reasons[:EACH])
    return f"- {one.night}: {one.failed} of {one.made} attempts failed{f' ({reasons})' if reasons else ''}"


def _words(edit: Edit) -> str:
    return one_line(edit.content or edit.target, limit=CHARS)


def own_notes(past: Past) -> str:
    """Show the optimizer's own notes."""
    return fence(past.notes) if past.notes else "None."
