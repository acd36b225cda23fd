"""Say in Markdown what a proposal changes, what shows that it helps, and what the person said and did for it."""

from pathlib import Path

from skillopt_sleep.kit.clock import shown
from skillopt_sleep.kit.words import counted
from skillopt_sleep.records import Edit, Evidence, Proposal, tries
from skillopt_sleep.reporters.escaping import change, code, show
from skillopt_sleep.reporters.gains import measured, own_part, sentence, shown_gain, with_interval

MOST_SAID = 5


def headline(proposal: Proposal) -> str:
    """Return a proposal in a line: its id, its file, what it changes and what that solved."""
    first = change(proposal.edits[0]) if proposal.edits else show(proposal.summary, 300)
    if len(proposal.edits) > 1:
        first = f"{first}, and {len(proposal.edits) - 1} more."
    gain = shown_gain(proposal)[:1]
    label = [f"({proposal.label})"] if proposal.label else []
    files = " and ".join(code(file.document) for file in proposal.files)
    return " ".join([f"{proposal.id}, {files}: {first}", *gain, *label])


def proof(proposal: Proposal, *, verbose: bool = False) -> list[str]:
    """Return what the trial showed beyond what the headline says, in sentences; if `verbose`, with statistics."""
    sentences = shown_gain(proposal)[1:]
    if proposal.others:
        sentences.append(sentence(proposal.others))
    if not verbose or proposal.before is None or proposal.after is None:
        return sentences
    gain = measured(proposal.fresh, shrunk=proposal.gain, n=proposal.n)
    if gain:
        sentences.append(f"What it gains: {gain}.")
    figures = f"{proposal.before:.2f} → {proposal.after:.2f} ({tries(proposal.n)})"
    if proposal.interval is not None:
        figures += f", gain {with_interval(proposal.after - proposal.before, proposal.interval)}"
    sentences.append(f"The trial, on unseen requests of its own lesson: {figures}.")
    if proposal.error_rate:
        sentences.append(sentence(proposal.error_rate))
    return sentences


def each_edit(proposal: Proposal, *, verbose: bool = False) -> list[tuple[Edit, str]]:
    """Return the proposal's edits; if there are several and `verbose`, each with its own numbers."""
    effects = {effect.edit: effect for effect in proposal.effects}
    alone = len(proposal.edits) == 1
    each: list[tuple[Edit, str]] = []
    for edit in proposal.edits:
        own = ""
        if verbose and edit in effects and not alone:
            own = own_part(effects[edit], proposal.fresh, alone=alone)
        each.append((edit, own))
    return each


def said(proposal: Proposal, *, verbose: bool = False) -> list[str]:
    """Return what the person said and did, and when; if `verbose`, also in which turn of which session."""
    lines: list[str] = []
    if len(proposal.projects) > 1:
        names = show(", ".join(proposal.projects))
        lines.append(f"You said it in {len(proposal.projects)} projects ({names}), so it goes to your own file")
    for piece in proposal.signs[-MOST_SAID:]:
        place = f" ({code(piece.session)}, turn {piece.turn})" if verbose else ""
        words = f": «{show(piece.quote, 160)}»" if piece.quote else ""
        lines.append(f"{_who(proposal, piece)}{words}{place}")
    if len(proposal.signs) > MOST_SAID:
        lines.append(f"and {counted(len(proposal.signs) - MOST_SAID, 'time')} before")
    return lines


def _who(proposal: Proposal, piece: Evidence) -> str:
    """Return that the person said or did it, when, and in which project."""
    words = f"You {piece.verb}"
    if piece.at is not None:
        words += f" on {shown(piece.at)}"
    project = dict(proposal.said_in).get(piece.session, "")
    if proposal.root and not Path.home().is_relative_to(proposal.root):
        project = project or Path(proposal.root).name
    return f"{words} in {show(project)}" if project else words
