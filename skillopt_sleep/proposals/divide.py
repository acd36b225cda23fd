"""Divide a proposal into its single rules, each a proposal of its own with its own proof."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import timedelta
from pathlib import Path

from msgspec.structs import replace

from skillopt_sleep.errors import ProposalError, UnsafeEdit
from skillopt_sleep.kit.edited import all_edited
from skillopt_sleep.proposals import live
from skillopt_sleep.proposals.checked import Text
from skillopt_sleep.proposals.entry import Entry
from skillopt_sleep.proposals.journal import Journal
from skillopt_sleep.proposals.paths import digest
from skillopt_sleep.proposals.plan import staged_text
from skillopt_sleep.proposals.stage import BASE, summary_of, write_files
from skillopt_sleep.proposals.warnings import of_edit
from skillopt_sleep.proposals.written import Written
from skillopt_sleep.records import (
    Edit,
    EditEffect,
    Effect,
    FreshRound,
    Lesson,
    Proof,
    Proposal,
    quotes_and_deeds,
    unknown_rate,
)

Both = tuple[bytes | None, bytes | None]  # a file before an adoption and after it, None for no file


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


def divide_adoption(whole: Entry, parts: Sequence[Proposal], journal: Journal) -> list[tuple[Entry, list[Both]]]:
    """Return an adoption as adoptions of its rules, one after the other, each with the bytes of its files.

    Raises UnsafeEdit if the rules build on one another.
    """
    divided: list[tuple[Entry, list[Both]]] = []
    texts = [_growing(whole, index, parts, journal) for index in range(len(whole.files))]
    for place, part in enumerate(parts):
        both = [(text[place], text[place + 1]) for text in texts]
        files: list[Written] = []
        for file, (before, after) in zip(whole.files, both, strict=True):
            files.append(replace(file, existed=before is not None, before=digest(before), after=digest(after)))
        first, *also = files
        at = whole.adopted + timedelta(microseconds=place)
        entry = replace(whole, proposal=part.id, adopted=at, made=part.result, also=tuple(also))
        divided.append((replace(entry, existed=first.existed, before=first.before, after=first.after), both))
    return divided


def _growing(whole: Entry, index: int, parts: Sequence[Proposal], journal: Journal) -> list[bytes | None]:
    """Return the bytes of one file of an adoption before it and after each of its rules."""
    before, after = journal.texts(whole, index)
    path = Path(whole.files[index].path)
    texts = [before]
    for part in parts:
        old = live.body(path, texts[-1])
        new = all_edited(old, part.edits)
        if new is None:
            break
        texts.append(live.change(path, texts[-1], old, new).data)
    if len(texts) <= len(parts) or live.body(path, texts[-1]) != live.body(path, after):
        raise UnsafeEdit(
            f"the rules of {whole.proposal} build on one another", remedy=f"name it whole: {whole.proposal}"
        )
    return [*texts[:-1], after]


def restaged(proposal: Proposal, folder: Path) -> tuple[Proposal, list[Text]]:
    """Return the proposal with the texts that its edits make of those staged in this folder, and these texts.

    Raises UnsafeEdit if an edit doesn't fit.
    """
    texts = list(_texts(proposal, folder))
    first, *others = [digest(text.result) for text in texts]
    copies = [replace(copy, result=result) for copy, result in zip(proposal.copies, others, strict=True)]
    return replace(proposal, result=first, copies=tuple(copies)), texts


def _texts(proposal: Proposal, folder: Path) -> Iterator[Text]:
    for index, file in enumerate(proposal.files):
        path = Path(file.path)
        base = staged_text(folder, BASE, index, file.base, proposal)
        old = live.body(path, base)
        new = all_edited(old, proposal.edits)
        if new is None or new == old:
            raise UnsafeEdit(f"it doesn't fit {path} as it is", remedy="")
        yield Text(base, live.change(path, base, old, new).data)


def _part(whole: Proposal, number: int, edit: Edit, lessons: Iterable[Lesson]) -> Proposal:
    """Return the proposal of one edit: its numbers are those of comparisons with and without it."""
    effect = next((effect for effect in whole.effects if effect.edit == edit), None)
    proof = Proof.UNTESTED
    if whole.proof is Proof.WORDS or (effect is not None and effect.effect is Effect.HELPED):
        proof = whole.proof
    said, done = whole.evidence, whole.deeds
    own = [lesson for lesson in lessons if lesson.id in edit.lessons]
    if own:
        said, done = quotes_and_deeds(own)
    numbers = effect or EditEffect(edit=edit, effect=Effect.UNDECIDED)
    return replace(
        whole,
        id=f"{whole.id}.{number}",
        version=1,
        proof=proof,
        summary=summary_of((edit,), *(file.document for file in whole.files)),
        before=numbers.before,
        after=numbers.after,
        n=numbers.n,
        solved=numbers.solved,
        judges=whole.judges if numbers.n else (),
        interval=numbers.interval,
        gain=None,
        fresh=FreshRound(),
        effects=(effect,) if effect else (),
        error_rate=whole.error_rate if unknown_rate(whole.error_rate) else "",
        warnings=of_edit(whole.warnings, edit),
        lessons=edit.lessons,
        edits=(edit,),
        evidence=said,
        deeds=done,
    )
