"""Show what the trial of a proposal proves."""

from collections.abc import Iterator

from skillopt_sleep.kit.markdown import one_line, spelled, visible
from skillopt_sleep.records import DONE, Proposal, said_of_changes, tries
from skillopt_sleep.reporters.gains import measured, of_all_rules, own_part, sentence, with_interval
from skillopt_sleep.reporters.rate import of_proposal

TESTED_NEXT = "The next night tests it again, as you asked; until then it stays untested."


def shown_trial(proposal: Proposal) -> Iterator[str]:
    """Yield what the proposal gains, what its trial showed and what its error rate is of."""
    if proposal.before is None or proposal.after is None:
        return
    interval = ""
    if proposal.interval:
        interval = f", gain {with_interval(proposal.after - proposal.before, proposal.interval)}"
    scores = f"{proposal.before:.2f} → {proposal.after:.2f} ({tries(proposal.n)}){interval}"
    if proposal.solved:
        yield sentence(of_all_rules(proposal))
    gain = measured(proposal.fresh, shrunk=proposal.gain, n=proposal.n)
    if gain:
        yield f"What it gains: {gain}"
    yield f"The trial, on unseen requests: {scores}"
    if proposal.error_rate:
        yield sentence(proposal.error_rate)
    meaning = of_proposal(proposal.error_rate)
    if meaning:
        yield meaning
    yield from _each_rule(proposal)
    if proposal.others:
        yield f"Other lessons: {proposal.others}"
    if proposal.text_changed:
        yield f"The trial: {said_of_changes(proposal.text_changed)}"
    if proposal.read_by:
        yield f"Read by: {', '.join(proposal.read_by)}"


def statistics(proposal: Proposal) -> Iterator[str]:
    """Yield the numbers of a trial, and in which turns of which sessions the person said and did what they did."""
    yield from shown_trial(proposal)
    for effect in proposal.effects:
        if effect.because:
            yield f"Its own effect: {visible(effect.because)}"
    for evidence in proposal.spoken:
        yield f"You said in {evidence.session}, turn {evidence.turn}: «{visible(evidence.quote)}»"
    for deed in proposal.deeds:
        what = f": «{visible(deed.what)}»" if deed.what else ""
        yield f"You {DONE[deed.kind]} in {deed.session}, turn {deed.turn}{what}"


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
            yield f"  «{visible(one_line(effect.edit.content or effect.edit.target, limit=100))}»: {own}"
