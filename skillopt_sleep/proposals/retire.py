"""Propose to remove the live rules of lessons that a person took back: their words are the proof, no trial is run."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from skillopt_sleep.errors import ProposalError
from skillopt_sleep.proposals import live, paths
from skillopt_sleep.proposals.changes import Change
from skillopt_sleep.proposals.rules import items, standing
from skillopt_sleep.proposals.stage import FOLDER, key, staged_ids, write_proposal
from skillopt_sleep.protocols import Page
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
    """A lesson that was taken back, the person's last words on it, and what was adopted for it in one document."""

    lesson: str
    words: Evidence | None
    adopted: Proposal
    rules: tuple[str, ...]


def retire(lessons: Sequence[Lesson], page: Page) -> tuple[tuple[Proposal, ...], tuple[Note, ...]]:
    """Write a proposal for each live rule of a lesson that was taken back; return them with notes on what failed.

    One that waits already isn't proposed again, unless its file changed: then it is the next version. A removal that
    the person rejected stays rejected.
    """
    proposals: list[Proposal] = []
    notes: list[Note] = []
    projects = {lesson.project for lesson in lessons}
    known = {task.id: task.lesson for task in page.bank.tasks(projects)}
    for ended in _live_rules(taken_back(lessons), known, page):
        try:
            proposal = _removal(ended, page)
        except ProposalError as error:
            notes.append(Note(stage="retire", summary=error.message, remedy=error.remedy))
            continue
        if proposal is not None:
            proposals.append(proposal)
    return tuple(proposals), tuple(notes)


def _live_rules(ended: Mapping[str, Evidence | None], known: Mapping[str, str], page: Page) -> Iterator[_Ended]:
    """Yield what was adopted for each lesson that was taken back, by document; `known` are the lessons of tasks."""
    found: dict[tuple[str, str], _Ended] = {}
    for adopted in page.bank.live():
        for edit in adopted.edits:
            if edit.source is EditSource.SLOW or edit.op is EditOp.DELETE:
                continue
            # An edit that an older version adopted names its tasks only.
            lessons = edit.lessons or [known[task] for task in edit.tasks if task in known]
            for lesson in lessons:
                if lesson not in ended:
                    continue
                place = (lesson, adopted.path)
                rules = items(edit.content)
                if place in found:
                    rules = (*found[place].rules, *rules)
                found[place] = _Ended(lesson, ended[lesson], adopted, rules)
    yield from found.values()


def _removal(ended: _Ended, page: Page) -> Proposal | None:
    """Write the proposal that removes the rules; None if none of them stands, or nothing new is to be said."""
    adopted = ended.adopted
    path = Path(adopted.path)
    document, base = live.load(path, root=Path(adopted.root), name=adopted.document)
    body, edits = _without(document, ended, page)
    if not edits:
        return None
    result = live.with_body(path, base, body)
    staged = staged_ids(page.folder / FOLDER)
    number, version = staged.get(key(adopted.path, (ended.lesson,)), ""), 1
    for waiting in page.bank.waiting(adopted.path):
        if waiting.proof is not Proof.WORDS or ended.lesson not in waiting.lessons:
            continue
        if (waiting.base, waiting.result) == (paths.digest(base), paths.digest(result)):
            return None
        number, version = waiting.id, waiting.version + 1
    change = Change(
        document=document,
        body=body,
        edits=edits,
        trial=Trial(),
        verdict=Verdict(decision=Decision.ACCEPT, reason=why_ended(ended.words)),
        evidence=(ended.words,) if ended.words else (),
        deeds=(),
        proof=Proof.WORDS,
    )
    return write_proposal(change, page, number=number, version=version, base=base, result=result)


def _without(document: Document, ended: _Ended, page: Page) -> tuple[str, tuple[Edit, ...]]:
    """Return the body without the rules that still stand in it, and the edits that take them away."""
    body = document.body
    refused = {edit.key for edit in page.bank.rejected(document.path)}
    edits: list[Edit] = []
    for rule in dict.fromkeys(ended.rules):
        target = standing(body, rule)
        edit = Edit(op=EditOp.DELETE, target=target, reason=why_ended(ended.words), lessons=(ended.lesson,))
        if target and edit.key not in refused:
            body = body.replace(target, "", 1)
            edits.append(edit)
    return body, tuple(edits)
