"""Stage accepted candidates: write the exact bytes to adopt, and those they were made from, beside the live files."""

import difflib
import io
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import msgspec

from skillopt_sleep.errors import ProposalError, StaleProposal, UnsafeEdit
from skillopt_sleep.kit.codec import from_json, to_json
from skillopt_sleep.kit.files import private_dir, write_atomic
from skillopt_sleep.kit.markdown import one_line, spelled, visible
from skillopt_sleep.kit.protected import BEGIN, END
from skillopt_sleep.proposals import guard, live, paths
from skillopt_sleep.proposals.changes import Change, changes
from skillopt_sleep.proposals.rules import rules
from skillopt_sleep.proposals.warnings import warnings
from skillopt_sleep.protocols import Page
from skillopt_sleep.records import (
    Edit,
    EditOp,
    EditSource,
    Note,
    Proof,
    Proposal,
    StepOutcome,
)

FOLDER = "proposals"
RECORD = "proposal.json"
RESULT = "result"
BASE = "base"
DIFF = "change.diff"

_VERBS = {EditOp.APPEND: "adds", EditOp.INSERT_AFTER: "adds", EditOp.REPLACE: "changes", EditOp.DELETE: "removes"}
_QUOTE = 80


@dataclass(frozen=True, kw_only=True)
class FolderStager:
    """Writes one folder for each proposal below the night's folder.

    The static guard accepts what it would refuse for one of the `allowed` reasons. `one_model` is the model of
    optimizer, target and judge if all three are the same. `tried_with` names the agent whose program attempted the
    tasks, "" if none did.
    """

    allowed: frozenset[str] = frozenset()
    one_model: str = ""
    tried_with: str = ""

    def stage(self, outcomes: Sequence[StepOutcome], page: Page) -> tuple[tuple[Proposal, ...], tuple[Note, ...]]:
        """Write the night's proposals; return them with notes on what was left out and why.

        A proposal that was staged before keeps its id. What replaces one that waits for the same lessons is its next
        version.
        """
        notes: list[Note] = []
        ids = staged_ids(page.folder / FOLDER)
        proposals: list[Proposal] = []
        for outcome in outcomes:
            for change in map(self._weighed, changes(outcome)):
                try:
                    proposals.append(self._stage_one(change, ids, page))
                except ProposalError as error:
                    notes.append(Note(stage="stage", summary=error.message, remedy=error.remedy))
        return tuple(proposals), tuple(notes)

    def _stage_one(self, change: Change, ids: Mapping[tuple[str, ...], str], page: Page) -> Proposal:
        """Return the proposal of a change: the one that waits already, or a new one.

        `ids` are those of proposals staged before the night was resumed. Raises ProposalError if it can't be staged.
        """
        base, result = _bytes(change, allowed=self.allowed)
        waiting = page.bank.waiting(change.document.path)
        same = _with_result(waiting, result, change)
        if same is not None:
            return same
        number, version = ids.get(key(change.document.path, change.lessons), ""), 1
        old = _with_lesson(waiting, change)
        if old is not None:
            number, version = old.id, old.version + 1
            change = _with_signs(change, old)
        return write_proposal(
            change, page, number=number, version=version, base=base, result=result, one_model=self.one_model
        )

    def _weighed(self, change: Change) -> Change:
        """Return the change with what its trial proves if the agent that made it never reads the document."""
        readers = change.document.read_by
        if not self.tried_with or not readers or self.tried_with in readers:
            return change
        return change._replace(proof=Proof.ELSEWHERE)


def read_proposal(folder: Path) -> Proposal:
    """Return the record of a staged proposal; raise StaleProposal if it is missing or damaged."""
    try:
        return from_json((folder / RECORD).read_bytes(), Proposal)
    except (msgspec.DecodeError, OSError) as error:
        raise StaleProposal(
            f"the proposal in {folder} can't be read: {error}", remedy="run a night again: skillopt-sleep run --now"
        ) from error


def _with_result(waiting: Iterable[Proposal], result: bytes, change: Change) -> Proposal | None:
    """Return the first of the waiting proposals that would leave these bytes in the file on the same proof."""
    digest = paths.digest(result)
    for proposal in waiting:
        if proposal.result == digest and proposal.proof is change.proof:
            return proposal
    return None


def _with_lesson(waiting: Iterable[Proposal], change: Change) -> Proposal | None:
    """Return the first of the waiting proposals that teaches one of the lessons of the change, or None."""
    for proposal in waiting:
        if proposal.proof is not Proof.WORDS and set(proposal.lessons) & set(change.lessons):
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


def _bytes(change: Change, *, allowed: Collection[str]) -> tuple[bytes | None, bytes]:
    """Return the live bytes and those to adopt; raise a ProposalError if the change can't be staged."""
    document = change.document
    path = Path(document.path)
    fresh, base = live.load(path, root=Path(document.project), name=document.id)
    if fresh.text != document.text:
        raise StaleProposal(
            f"{path} was edited during the night, so the change to it isn't proposed",
            remedy="nothing to do: the next night starts from the edited file",
        )
    problem = _problem(change, allowed=allowed)
    if problem:
        raise UnsafeEdit(
            f"the change to {path} isn't proposed: {problem}", remedy="nothing to do: the lesson is dropped"
        )
    result = live.with_body(path, base, change.body)
    if result == base:
        raise StaleProposal(f"the edits would leave {path} as it is, so nothing is proposed", remedy="nothing to do")
    return base, result


def _problem(change: Change, *, allowed: Collection[str]) -> str:
    """Return what the static guard says against the edits, alone and together with the lines around them; else ""."""
    edits, body, old = change.edits, change.body, change.document.body
    quotes = [evidence.quote for evidence in change.evidence]
    whole = change.document.text
    added = [edit.content for edit in edits if edit.op is not EditOp.DELETE]
    for text in (*added, *_recombined(body, old, edits)):
        problems = guard.problems(text, evidence=quotes, held=whole, allowed=allowed)
        if problems:
            return problems[0]
    for text in _around(body, old):
        problems = guard.joined(text, evidence=quotes, held=whole, allowed=allowed)
        if problems:
            return problems[0]
    return ""


def _recombined(body: str, old: str, edits: Sequence[Edit]) -> list[str]:
    """Return the lines that are neither in the old body nor in an edit.

    An edit that cuts a line can make one of its pieces that no edit contains by itself.
    """
    known = set(old.splitlines())
    for edit in edits:
        known.update(edit.content.splitlines())
        if edit.source is EditSource.SLOW:
            known.update((BEGIN, END))
    return [line for line in body.splitlines() if line.strip() and line not in known]


def _around(body: str, old: str) -> Iterator[str]:
    """Yield each run of new lines, with the line before it and the line after it."""
    lines = body.splitlines()
    known = set(old.splitlines())
    start = 0
    for is_new, run in groupby(lines, key=lambda line: line not in known):
        end = start + len(list(run))
        if is_new:
            yield "\n".join(lines[max(0, start - 1) : end + 1])
        start = end


def _with_signs(change: Change, old: Proposal) -> Change:
    """Return the change with what the person said and did by an earlier version, first."""
    evidence = tuple(dict.fromkeys((*old.evidence, *change.evidence)))
    deeds = tuple(dict.fromkeys((*old.deeds, *change.deeds)))
    return change._replace(evidence=evidence, deeds=deeds)


def write_proposal(
    change: Change,
    page: Page,
    *,
    number: str,
    version: int,
    base: bytes | None,
    result: bytes,
    one_model: str = "",
) -> Proposal:
    """Write the proposal of a change, which takes the file from `base` to `result`, and return it.

    Without a `number` it gets the next one.
    """
    document, trial, edits = change.document, change.trial, change.edits
    proposal = Proposal(
        id=number or page.next_proposal(),
        version=version,
        proof=change.proof,
        night=page.night,
        document=document.id,
        path=document.path,
        kind=document.kind,
        root=document.project,
        base=paths.digest(base),
        result=paths.digest(result),
        summary=_summary_of(edits, document.id),
        before=trial.before,
        after=trial.after,
        n=trial.n,
        interval=trial.interval,
        bystanders=trial.bystanders,
        unharmed=trial.unharmed,
        error_rate=change.verdict.error_rate,
        one_model=one_model,
        read_by=document.read_by,
        warnings=warnings(edits),
        sha=document.sha,
        lessons=change.lessons,
        edits=edits,
        evidence=change.evidence,
        deeds=change.deeds,
    )
    _write(page.folder / FOLDER / proposal.id, proposal, base=base, result=result)
    return proposal


def _summary_of(edits: Sequence[Edit], document: str) -> str:
    """Say in one line how many rules the edits add, change and remove, and quote the first."""
    counts: Counter[str] = Counter()
    changed: list[str] = []
    for edit in edits:
        texts = rules(edit.content if edit.content.strip() else edit.target)
        counts[_VERBS[edit.op]] += len(texts)
        changed += texts
    if not changed:
        return f"Changes the text in {document}."
    verbs: list[str] = []
    for verb, count in counts.items():
        if count:
            noun = "rule" if count == 1 else "rules"
            verbs.append(f"{verb} {count} {noun}")
    summary = f"{' and '.join(verbs).capitalize()} in {document}: “{one_line(changed[0], limit=_QUOTE)}”"
    if len(changed) > 1:
        return f"{summary} and {len(changed) - 1} more"
    return summary


def _write(folder: Path, proposal: Proposal, *, base: bytes | None, result: bytes) -> None:
    """Write a proposal, the bytes it starts from and those to adopt, and the difference for people."""
    private_dir(folder)
    if base is None:
        (folder / BASE).unlink(missing_ok=True)
    else:
        write_atomic(folder / BASE, base)
    write_atomic(folder / RESULT, result)
    write_atomic(folder / DIFF, _diff(proposal.document, base, result).encode())
    # The record comes last: a folder without one was never staged.
    write_atomic(folder / RECORD, to_json(proposal, pretty=True))


def _diff(name: str, base: bytes | None, result: bytes) -> str:
    """Return the diff as people should see it: with invisible characters written out and without line ends."""
    old = "/dev/null" if base is None else f"a/{spelled(name)}"
    lines = difflib.unified_diff(_lines(base or b""), _lines(result), old, f"b/{spelled(name)}")
    return "".join(_ended(line) for line in lines)


def _ended(line: str) -> str:
    if line.endswith("\n"):
        return line
    return f"{line}\n\\ No newline at end of file\n"


def _lines(data: bytes) -> list[str]:
    # Not splitlines, which also breaks lines at characters that don't end a line of a file.
    return list(io.StringIO(visible(data.decode().replace("\r\n", "\n"))))
