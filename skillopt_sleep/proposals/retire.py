"""Propose to remove the live rules of lessons that a person took back: their words are the proof, no trial is run."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from skillopt_sleep.errors import ProposalError
from skillopt_sleep.proposals import live
from skillopt_sleep.proposals.changes import ProposedChange, Text
from skillopt_sleep.proposals.copies import CopiedFile, copied_file
from skillopt_sleep.proposals.rules import find_rule, items
from skillopt_sleep.proposals.stage import FOLDER, key, staged_ids, write_proposal
from skillopt_sleep.protocols.stores import OpenNight
from skillopt_sleep.records import (
    Decision,
    Document,
    Edit,
    EditOp,
    EditSource,
    Evidence,
    Lesson,
    Note,
    Proof,
    Proposal,
    Trial,
    Verdict,
    taken_back,
    why_ended,
)


class _Ended(NamedTuple):
    """A lesson that was taken back, the person's last words on it, and what was adopted for it in which files."""

    lesson: str
    words: Evidence | None
    root: str
    files: dict[str, str]  # the document's id of each path
    rules: tuple[str, ...]


def retire(lessons: Sequence[Lesson], page: OpenNight) -> tuple[tuple[Proposal, ...], tuple[Note, ...]]:
    """Write a proposal for each live rule of a lesson that was taken back; return them with notes on what failed.

    One that waits already isn't proposed again, unless its file changed: then it is the next version. A removal that
    the person rejected stays rejected.
    """
    proposals: list[Proposal] = []
    notes: list[Note] = []
    for ended in _live_rules(taken_back(lessons), page):
        proposal = _removal(ended, page, notes)
        if proposal is not None:
            proposals.append(proposal)
    return tuple(proposals), tuple(notes)


def _live_rules(ended: Mapping[str, Evidence | None], page: OpenNight) -> Iterator[_Ended]:
    """Yield what was adopted in one place for each lesson that was taken back."""
    found: dict[tuple[str, str], _Ended] = {}
    for adopted in page.bank.live():
        files = {file.path: file.document for file in adopted.files}
        for edit in adopted.edits:
            if edit.source is EditSource.SLOW or edit.op is EditOp.DELETE:
                continue
            for lesson in edit.lessons:
                if lesson in ended:
                    new = _Ended(lesson, ended[lesson], adopted.root, {}, ())
                    one = found.setdefault((lesson, adopted.root), new)
                    rules = (*one.rules, *items(edit.content))
                    found[lesson, adopted.root] = one._replace(files=one.files | files, rules=rules)
    yield from found.values()


def _removal(ended: _Ended, page: OpenNight, notes: list[Note]) -> Proposal | None:
    """Write the proposal that removes the rules from every file that they were adopted in.

    None if none of them stands, or nothing new is to be said. A file that can't be edited is noted and left out.
    """
    edits: dict[tuple[str, str], Edit] = {}
    found: list[tuple[Document, CopiedFile]] = []
    for name, document_id in ended.files.items():
        try:
            document, base = live.load(Path(name), root=Path(ended.root), name=document_id)
            body, removals = _without(document, ended, page)
            if removals:
                edits = {edit.key: edit for edit in removals} | edits
                text = Text(base, live.change(Path(name), base, document.body, body).data)
                found.append((document, copied_file(document, text)))
        except ProposalError as error:
            notes.append(Note(stage="retire", summary=error.message, remedy=error.remedy))
    if not found:
        return None
    removed = tuple(edits.values())
    document, _ = found[0]
    files = [file for _, file in found]
    old: Proposal | None = None
    for waiting in page.bank.waiting(document.path):
        if waiting.proof is Proof.WORDS and ended.lesson in waiting.lessons:
            old = waiting
    if old is not None and old.files == tuple(one.file for one in files):
        return None
    number = staged_ids(page.folder / FOLDER).get(key(document.path, (ended.lesson,)), "")
    change = ProposedChange(
        document=document,
        body=document.body,
        edits=removed,
        trial=Trial(),
        verdict=Verdict(decision=Decision.ACCEPT, reason=why_ended(ended.words)),
        evidence=(ended.words,) if ended.words else (),
        deeds=(),
        proof=Proof.WORDS,
    )
    return write_proposal(change, page, files=files, number=number, old=old)


def _without(document: Document, ended: _Ended, page: OpenNight) -> tuple[str, tuple[Edit, ...]]:
    """Return the body without the rules that still stand in it, and the edits that take them away."""
    body = document.body
    refused = {edit.key for edit in page.bank.rejected(document.path)}
    edits: list[Edit] = []
    for rule in dict.fromkeys(ended.rules):
        target = find_rule(body, rule)
        edit = Edit(op=EditOp.DELETE, target=target, reason=why_ended(ended.words), lessons=(ended.lesson,))
        if target and edit.key not in refused:
            body = body.replace(target, "", 1)
            edits.append(edit)
    return body, tuple(edits)
