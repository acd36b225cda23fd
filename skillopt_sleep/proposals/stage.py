"""Stage accepted candidates: write the exact bytes to adopt, and those they were made from, beside the live files."""

import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from skillopt_sleep.errors import ProposalError, StaleProposal
from skillopt_sleep.kit.codec import from_json, to_json
from skillopt_sleep.kit.files import private_dir, write_atomic
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.proposals import paths
from skillopt_sleep.proposals.changes import ProposedChange, Text, changes, checked
from skillopt_sleep.proposals.copies import RESULT, CopiedFile, copied_file, copies
from skillopt_sleep.proposals.rules import units
from skillopt_sleep.proposals.warnings import warnings
from skillopt_sleep.proposals.written import diff
from skillopt_sleep.protocols.stores import OpenNight
from skillopt_sleep.records import (
    Edit,
    EditOp,
    Lesson,
    Note,
    Proof,
    Proposal,
    StepOutcome,
    TrialResult,
    quotes_and_deeds,
    solved,
)

FOLDER = "proposals"
RECORD = "proposal.json"
BASE = "base"
DIFF = "change.diff"

_VERBS = {EditOp.APPEND: "adds", EditOp.INSERT_AFTER: "adds", EditOp.REPLACE: "changes", EditOp.DELETE: "removes"}
_QUOTE = 80


@dataclass(frozen=True, kw_only=True)
class FolderStager:
    """Writes one folder for each proposal below the night's folder.

    The static guard accepts what it would refuse for one of the `allowed` reasons. `one_model` is the model of
    optimizer, target and judge if all three are the same. `tried_with` names the agent whose program attempted the
    tasks, "" if none did. `most` is how many characters of rules a file may have.
    """

    allowed: frozenset[str] = frozenset()
    most: int = sys.maxsize
    one_model: str = ""
    tried_with: str = ""

    def stage(
        self, outcomes: Sequence[StepOutcome], page: OpenNight, lessons: Iterable[Lesson] = ()
    ) -> tuple[tuple[Proposal, ...], tuple[Note, ...]]:
        """Write the night's proposals; return them with notes on what was left out and why.

        A proposal that was staged before keeps its id. What replaces one that waits for the same lessons is its next
        version. Each shows what the person said and did for its lessons in any session; `lessons` are tonight's.
        """
        earlier = page.lessons.of({outcome.document.project for outcome in outcomes})
        known = {lesson.id: lesson for lesson in (*earlier, *lessons)}
        notes: list[Note] = []
        ids = staged_ids(page.folder / FOLDER)
        proposals: list[Proposal] = []
        for outcome in outcomes:
            for change in changes(outcome):
                try:
                    proposals.append(self._stage_one(_with_signs(change, known), ids, page, notes))
                except ProposalError as error:
                    notes.append(Note(stage="stage", summary=error.message, remedy=error.remedy))
        return tuple(proposals), tuple(notes)

    def _stage_one(
        self, found: ProposedChange, ids: Mapping[tuple[str, ...], str], page: OpenNight, notes: list[Note]
    ) -> Proposal:
        """Return the proposal of a change: the one that waits already, or a new one.

        `ids` are those of proposals staged before the night was resumed. A further file that can't have the change is
        noted. Raises ProposalError if it can't be staged.
        """
        text = checked(found, allowed=self.allowed)
        change, twins = copies(found, allowed=self.allowed, most=self.most, notes=notes)
        readers = change.document.read_by
        if self.tried_with and readers and self.tried_with not in readers:
            # The agent that made its trial never reads the document.
            change = change._replace(proof=Proof.ELSEWHERE)
        files = (copied_file(change.document, text), *twins)
        waiting = page.bank.waiting(change.document.path)
        results = {one.file.path: one.file.result for one in files}
        for one in waiting:
            if one.proof is change.proof and {file.path: file.result for file in one.files} == results:
                return one
        number = ids.get(key(change.document.path, change.lessons), "")
        old = _with_lesson(waiting, change)
        return write_proposal(change, page, files=files, number=number, old=old, one_model=self.one_model)


def read_proposal(folder: Path) -> Proposal:
    """Return the record of a staged proposal; raise StaleProposal if it is missing or damaged."""
    try:
        return from_json((folder / RECORD).read_bytes(), Proposal)
    except FileNotFoundError as error:
        raise StaleProposal(
            f"the files of {folder.name} are gone, so it can't be adopted",
            remedy="nothing; its lesson is proposed anew when you say it again",
        ) from error
    except (msgspec.DecodeError, OSError) as error:
        raise StaleProposal(
            f"the proposal in {folder} can't be read: {error}", remedy="run a night again: skillopt-sleep run"
        ) from error


def _with_lesson(waiting: Iterable[Proposal], change: ProposedChange) -> Proposal | None:
    """Return the first of the waiting proposals that teaches one of the lessons of the change, or None."""
    for proposal in waiting:
        if proposal.proof not in {Proof.WORDS, Proof.EDITED} and set(proposal.lessons) & set(change.lessons):
            return proposal
    return None


def key(path: str, lessons: Sequence[str]) -> tuple[str, ...]:
    """Return what tells the proposals of one night apart: the document and the lessons."""
    return (path, *sorted(lessons))


def staged_ids(folder: Path) -> dict[tuple[str, ...], str]:
    """Return the ids of the proposals this night staged before it was resumed, by document and lessons."""
    ids: dict[tuple[str, ...], str] = {}
    for file in sorted(folder.glob(f"*/{RECORD}")):
        with suppress(StaleProposal):
            proposal = read_proposal(file.parent)
            ids[key(proposal.path, proposal.lessons)] = proposal.id
    return ids


def _with_signs(change: ProposedChange, known: Mapping[str, Lesson]) -> ProposedChange:
    """Return the change with all that the person said and did for its lessons; as it is if none is known."""
    lessons = [known[name] for name in change.lessons if name in known]
    if not lessons:
        return change
    quotes, deeds = quotes_and_deeds(lessons)
    return change._replace(evidence=quotes, deeds=deeds)


def write_proposal(
    change: ProposedChange,
    page: OpenNight,
    *,
    files: Sequence[CopiedFile],
    number: str,
    old: Proposal | None,
    one_model: str = "",
) -> Proposal:
    """Write the proposal of a change with the files that it is for, the document's first, and return it.

    It is the next version of the `old` one that waits, if any; else, without a `number`, it gets the next one.
    """
    document, trial, edits = change.document, change.trial, change.edits
    version = 1
    if old is not None:
        number, version = old.id, old.version + 1
    sessions = {piece.session for piece in (*change.evidence, *change.deeds)}
    elsewhere = [line for line in page.index.lines(unread=False) if line.project != document.project]
    proposal = Proposal(
        id=number or page.next_proposal(),
        version=version,
        proof=change.proof,
        night=page.night,
        kind=document.kind,
        root=document.project,
        files=tuple(one.file for one in files),
        summary=summary_of(edits, *(one.file.document for one in files)),
        edits=edits,
        lessons=change.lessons,
        evidence=change.evidence,
        deeds=change.deeds,
        said_in=tuple((line.id, Path(line.project).name) for line in reversed(elsewhere) if line.id in sessions),
        tested=TrialResult(
            before=trial.before,
            after=trial.after,
            n=trial.n,
            solved=solved(trial.own),
            judges=trial.judges,
            interval=trial.interval,
            gain=trial.gain,
            fresh=change.fresh,
            effects=change.effects,
            guarded=change.guarded,
            error_rate=change.verdict.error_rate,
            one_model=one_model,
        ),
        warnings=warnings(edits, document=document),
        read_by=document.read_by,
    )
    write_files(page.folder / FOLDER / proposal.id, proposal, [file.text for file in files])
    return proposal


def summary_of(edits: Sequence[Edit], *documents: str) -> str:
    """Say in one line how many rules the edits add, change and remove in the documents, and quote the first."""
    where = " and ".join(documents)
    counts: Counter[str] = Counter()
    changed: list[str] = []
    for edit in edits:
        text = edit.content if edit.content.strip() else edit.target
        for rule in units(text):
            if not rule.startswith("#"):
                counts[_VERBS[edit.op]] += 1
                changed.append(rule)
    if not changed:
        return f"Changes the text in {where}."
    verbs: list[str] = []
    for verb, count in counts.items():
        if count:
            noun = "rule" if count == 1 else "rules"
            verbs.append(f"{verb} {count} {noun}")
    first = one_line(changed[0].removeprefix("- "), limit=_QUOTE)
    summary = f"{' and '.join(verbs).capitalize()} in {where}: “{first}”"
    if len(changed) > 1:
        return f"{summary} and {len(changed) - 1} more"
    return summary


def write_files(folder: Path, proposal: Proposal, texts: Sequence[Text]) -> None:
    """Write a proposal, the bytes that its files start from and those to adopt, and the difference for people."""
    private_dir(folder)
    diffs: list[str] = []
    for index, (file, text) in enumerate(zip(proposal.files, texts, strict=True)):
        base = folder / paths.numbered(BASE, index)
        if text.base is None:
            base.unlink(missing_ok=True)
        else:
            write_atomic(base, text.base)
        write_atomic(folder / paths.numbered(RESULT, index), text.result)
        diffs.append(diff(file.document, *text))
    write_atomic(folder / DIFF, "".join(diffs).encode())
    # The record comes last: a folder without one was never staged.
    write_atomic(folder / RECORD, to_json(proposal, pretty=True))
