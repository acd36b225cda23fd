"""Divide a proposal into its single rules, or put a person's own words in place of its rule."""

from collections.abc import Collection, Iterable
from pathlib import Path

from msgspec.structs import replace

from skillopt_sleep.errors import ProposalError, UnsafeEdit
from skillopt_sleep.proposals import guard, live
from skillopt_sleep.proposals.changes import Text
from skillopt_sleep.proposals.edited import all_edited
from skillopt_sleep.proposals.paths import digest
from skillopt_sleep.proposals.plan import staged_text
from skillopt_sleep.proposals.stage import BASE, summary_of, write_files
from skillopt_sleep.proposals.warnings import of_edit, warnings
from skillopt_sleep.records import (
    Edit,
    EditEffect,
    EditOp,
    EditSource,
    Effect,
    FreshRound,
    Lesson,
    Proof,
    Proposal,
    ProposedFile,
    RefusalKind,
    TrialResult,
    quotes_and_deeds,
    unknown_rate,
)

# What the person's own words may be: anything that somebody can allow, but not longer than a rule.
_OWN_WORDS = frozenset(RefusalKind) - {RefusalKind.LENGTH}


def divide(proposal: Proposal, folder: Path, *, lessons: Collection[Lesson], into: Path) -> tuple[Proposal, ...]:
    """Write a proposal for each edit of the one in this folder, and return them, numbered as in P-0001.2.

    Each gets a folder of its own inside of `into`. `lessons` are those that it is for. Raises
    UnsafeEdit if the edits build on one another.
    """
    parts: list[tuple[Proposal, list[Text]]] = []
    for number, edit in enumerate(proposal.edits, start=1):
        try:
            parts.append(restaged(_part(proposal, number, edit, lessons), folder))
        except ProposalError as error:
            raise UnsafeEdit(
                f"rule {number} of {proposal.id} can't be taken by itself: {error.message}",
                remedy=f"name it whole: {proposal.id}",
            ) from error
    for part, texts in parts:
        write_files(into / part.id, part, texts)
    return tuple(part for part, _ in parts)


def restaged(proposal: Proposal, folder: Path) -> tuple[Proposal, list[Text]]:
    """Return the proposal with the texts that its edits make of those staged in this folder, and these texts.

    Raises UnsafeEdit if an edit doesn't fit.
    """
    files: list[ProposedFile] = []
    texts: list[Text] = []
    for index, file in enumerate(proposal.files):
        path = Path(file.path)
        base = staged_text(folder, BASE, index, file.base, proposal)
        old = live.body(path, base)
        new = all_edited(old, proposal.edits)
        if new is None or new == old:
            raise UnsafeEdit(f"it doesn't fit {path} as it is", remedy="")
        text = Text(base, live.change(path, base, old, new).data)
        texts.append(text)
        files.append(replace(file, result=digest(text.result)))
    return replace(proposal, files=tuple(files)), texts


def _part(whole: Proposal, number: int, edit: Edit, lessons: Iterable[Lesson]) -> Proposal:
    """Return the proposal of one edit: its numbers are those of comparisons with and without it."""
    effect = next((effect for effect in whole.tested.effects if effect.edit == edit), None)
    proof = Proof.UNTESTED
    if whole.proof is Proof.WORDS or (effect is not None and effect.effect is Effect.HELPED):
        proof = whole.proof
    said, done = whole.evidence, whole.deeds
    own = [lesson for lesson in lessons if lesson.id in edit.lessons]
    if own:
        said, done = quotes_and_deeds(own)
    error_rate = whole.tested.error_rate
    numbers = effect or EditEffect(edit=edit, effect=Effect.UNDECIDED)
    return replace(
        whole,
        id=f"{whole.id}.{number}",
        version=1,
        proof=proof,
        summary=summary_of((edit,), *(file.document for file in whole.files)),
        tested=replace(
            whole.tested,
            before=numbers.before,
            after=numbers.after,
            n=numbers.n,
            solved=numbers.solved,
            judges=whole.tested.judges if numbers.n else (),
            interval=numbers.interval,
            gain=None,
            fresh=FreshRound(),
            effects=(effect,) if effect else (),
            error_rate=error_rate if unknown_rate(error_rate) else "",
        ),
        warnings=of_edit(whole.warnings, edit),
        lessons=edit.lessons,
        edits=(edit,),
        evidence=said,
        deeds=done,
    )


def wording(proposal: Proposal) -> str:
    """Return the words of the rule that a proposal adds or changes; raise UnsafeEdit if it has none to edit."""
    edits = proposal.edits
    if len(edits) != 1:
        raise UnsafeEdit(
            f"the {len(edits)} rules of {proposal.id} build on one another", remedy="take it or leave it"
        )
    if edits[0].op is EditOp.DELETE or edits[0].source is EditSource.SLOW:
        raise UnsafeEdit(f"{proposal.id} has no words to edit", remedy="take it or leave it")
    return edits[0].content


def reword(proposal: Proposal, folder: Path, content: str, *, allowed: Collection[str]) -> Proposal:
    """Write a proposal with this content in place of the rule of the one in this folder, beside it, and return it.

    Nothing that was measured is true of it. It is the person's own words, so it may say what those may, but nothing
    that nobody can allow: raises UnsafeEdit then.
    """
    wording(proposal)
    edit = replace(proposal.edits[0], content=content)
    document, _ = live.load(Path(proposal.path), root=Path(proposal.root), name=proposal.document)
    own = replace(
        proposal,
        id=f"{proposal.id}.1",
        version=1,
        proof=Proof.EDITED,
        summary=summary_of((edit,), *(file.document for file in proposal.files)),
        tested=TrialResult(),
        warnings=warnings((edit,), document=document),
        edits=(edit,),
    )
    written, texts = restaged(own, folder)
    quotes = [evidence.quote for evidence in own.evidence]
    for file, text in zip(own.files, texts, strict=True):
        held = (text.base or b"").decode(errors="replace")
        refusals = guard.refusals(content, evidence=quotes, held=held, allowed=_OWN_WORDS.union(allowed))
        if refusals:
            raise UnsafeEdit(f"this can't go into {file.path}: {refusals[0].sentence}", remedy="word it otherwise")
    write_files(folder.with_name(written.id), written, texts)
    return written
