"""Say what the trial of a proposal measured, in which sessions it was asked for, and what needs a second look."""

from collections.abc import Iterator

from skillopt_sleep.kit.markdown import one_line, spelled, visible
from skillopt_sleep.records import Edit, Proposal, tries
from skillopt_sleep.reporters.gains import measured, own_part, sentence, with_interval
from skillopt_sleep.reporters.rate import of_proposal

TESTED_NEXT = "The next night tests it again, as you asked; until then it stays untested."


def statistics(proposal: Proposal, whole: Proposal) -> Iterator[str]:
    """Yield what the proposal gains, what its trial showed, what its error rate is of, and beside which rules.

    `whole` is the proposal it is a part of, or itself. What the page of a rule says isn't said again.
    """
    if proposal.before is not None and proposal.after is not None:
        interval = ""
        if proposal.interval:
            interval = f", gain {with_interval(proposal.after - proposal.before, proposal.interval)}"
        gain = measured(proposal.fresh, shrunk=proposal.gain, n=proposal.n)
        if gain:
            yield f"What it gains: {gain}"
        scores = f"{proposal.before:.2f} → {proposal.after:.2f} ({tries(proposal.n)}){interval}"
        yield f"The trial, on unseen requests: {scores}"
    if proposal.error_rate:
        yield sentence(proposal.error_rate)
    meaning = of_proposal(proposal.error_rate)
    if meaning:
        yield meaning
    yield from _each_rule(proposal)
    others = [edit for edit in whole.edits if edit not in proposal.edits]
    if others and whole.id != proposal.id:
        named = "; ".join(f"«{_in_short(edit)}»" for edit in others)
        yield f"{whole.id} also has: {named}"


def places(proposal: Proposal) -> Iterator[str]:
    """Yield in which turns of which sessions the person said and did what they did."""
    for piece in proposal.signs:
        words = f": «{visible(piece.quote)}»" if piece.quote else ""
        yield f"You {piece.verb} in {piece.session}, turn {piece.turn}{words}"


def documents(proposal: Proposal) -> str:
    """Return the documents that the proposal changes."""
    return " and ".join(spelled(file.document) for file in proposal.files)


def cautions(proposal: Proposal) -> Iterator[str]:
    """Yield the lines that need a second look, each with what it touches."""
    for warning in proposal.warnings:
        yield f"Look twice ({warning.kind.value}): «{visible(warning.line)}»"
        if warning.because:
            yield f"  {visible(warning.because)}"


def _each_rule(proposal: Proposal) -> Iterator[str]:
    """Yield each rule's own numbers, if there are several rules."""
    if len(proposal.edits) == 1:
        return
    for effect in proposal.effects:
        own = own_part(effect, proposal.fresh, alone=False)
        if own:
            because = f"; {visible(effect.because)}" if effect.because else ""
            yield f"  «{_in_short(effect.edit)}»: {own}{because}"


def _in_short(edit: Edit) -> str:
    return visible(one_line(edit.content or edit.target, limit=100))
