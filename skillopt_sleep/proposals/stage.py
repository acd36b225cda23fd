"""Lays accepted candidates beside the live files: the exact bytes to adopt, and what they were made from."""

import difflib
import io
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
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
from skillopt_sleep.proposals.rules import rules
from skillopt_sleep.proposals.warnings import warnings
from skillopt_sleep.protocols import Page
from skillopt_sleep.records import Decision, Edit, EditOp, EditSource, Fate, Note, Proposal, StepOutcome

FOLDER = "proposals"
RECORD = "proposal.json"
RESULT = "result"
BASE = "base"
DIFF = "change.diff"

_VERBS = {EditOp.APPEND: "adds", EditOp.INSERT_AFTER: "adds", EditOp.REPLACE: "changes", EditOp.DELETE: "removes"}
_QUOTE = 80


@dataclass(frozen=True, kw_only=True)
class FolderStager:
    """Writes one folder per proposal below the night's folder.

    `allowed` are the classes of what the static guard would refuse; `one_model` is the model of the optimizer, the
    target and the judge, where all three are one.
    """

    allowed: frozenset[str] = frozenset()
    one_model: str = ""

    def stage(self, outcomes: Sequence[StepOutcome], page: Page) -> tuple[tuple[Proposal, ...], tuple[Note, ...]]:
        """The night's proposals, written, and what was left out and why; one staged already keeps its id."""
        notes: list[Note] = []
        staged = _staged(page.folder / FOLDER)
        proposals: list[Proposal] = []
        for outcome in outcomes:
            if outcome.verdict.decision is not Decision.ACCEPT or outcome.candidate is None:
                continue
            try:
                base, result = _bytes(outcome, outcome.candidate.body, allowed=self.allowed)
            except ProposalError as error:
                notes.append(Note(stage="stage", summary=error.message, remedy=error.remedy))
                continue
            same = [p for p in page.bank.waiting(outcome.document.path) if p.result == paths.digest(result)]
            if same:
                proposals.append(same[0])
                continue
            number = staged.get(outcome.document.path) or page.next_proposal()
            proposal = _proposal(
                outcome, number=number, night=page.night, base=base, result=result, one_model=self.one_model
            )
            _write(page.folder / FOLDER / number, proposal, base=base, result=result)
            proposals.append(proposal)
        return tuple(proposals), tuple(notes)


def read_proposal(folder: Path) -> Proposal:
    """The record of a staged proposal; StaleProposal where it is missing or damaged."""
    try:
        return from_json((folder / RECORD).read_bytes(), Proposal)
    except (msgspec.DecodeError, OSError) as error:
        raise StaleProposal(
            f"the proposal in {folder} can't be read: {error}", remedy="run a night again: skillopt-sleep run --now"
        ) from error


def _staged(folder: Path) -> dict[str, str]:
    """The ids of what an earlier life of this night staged, by path."""
    found: dict[str, str] = {}
    for file in sorted(folder.glob(f"*/{RECORD}")):
        with suppress(StaleProposal):
            record = read_proposal(file.parent)
            found[record.path] = record.id
    return found


def _bytes(outcome: StepOutcome, body: str, *, allowed: Collection[str]) -> tuple[bytes | None, bytes]:
    """The live bytes and those to adopt; a ProposalError where the change can't be staged."""
    document = outcome.document
    path = Path(document.path)
    fresh, base = live.load(path, root=Path(document.project), name=document.id)
    if fresh.text != document.text:
        raise StaleProposal(
            f"{path} was edited during the night, so its change isn't proposed",
            remedy="nothing to do: the next night starts from the edited file",
        )
    if problem := _problem(outcome, body, allowed=allowed):
        raise UnsafeEdit(
            f"the change of {path} isn't proposed: {problem}", remedy="nothing to do: the lesson is dropped"
        )
    result = live.with_body(path, base, body)
    if result == base:
        raise StaleProposal(
            f"the change of {path} would change nothing, so it isn't proposed", remedy="nothing to do"
        )
    return base, result


def _problem(outcome: StepOutcome, body: str, *, allowed: Collection[str]) -> str:
    """What the static guard says against the edits, and against what they make with the lines around them."""
    old, edits, held = outcome.document.body, _applied(outcome), outcome.document.text
    quotes = [evidence.quote for evidence in outcome.tried.evidence]
    known = {*old.splitlines(), *(line for edit in edits for line in edit.content.splitlines())}
    known |= {BEGIN, END} if any(edit.source is EditSource.SLOW for edit in edits) else set[str]()
    # The pieces of a line that an edit cuts can make what no edit holds by itself.
    pieced = [line for line in body.splitlines() if line.strip() and line not in known]
    brought = [edit.content for edit in edits if edit.op is not EditOp.DELETE]
    found = [
        *(guard.problems(text, evidence=quotes, held=held, allowed=allowed) for text in (*brought, *pieced)),
        *(guard.joined(text, evidence=quotes, held=held, allowed=allowed) for text in _around(body, old)),
    ]
    return next((problems[0] for problems in found if problems), "")


def _around(body: str, old: str) -> Iterator[str]:
    """Each run of lines that the edits brought, with the line before it and the one behind it."""
    lines, known = body.splitlines(), set(old.splitlines())
    at = 0
    for is_new, run in groupby(lines, key=lambda line: line not in known):
        end = at + len(list(run))
        if is_new:
            yield "\n".join(lines[max(0, at - 1) : end + 1])
        at = end


def _applied(outcome: StepOutcome) -> tuple[Edit, ...]:
    """The edits of the candidate that was accepted: often fewer than tonight's, or those of an earlier night."""
    for one in outcome.tried.tested:
        if one.verdict.decision is Decision.ACCEPT and one.trial == outcome.trial:
            return one.edits
    return tuple(applied.edit for applied in outcome.tried.edits if applied.fate is Fate.APPLIED)


def _proposal(
    outcome: StepOutcome, *, number: str, night: str, base: bytes | None, result: bytes, one_model: str
) -> Proposal:
    edits, trial = _applied(outcome), outcome.trial
    return Proposal(
        id=number,
        night=night,
        document=outcome.document.id,
        path=outcome.document.path,
        kind=outcome.document.kind,
        root=outcome.document.project,
        base=paths.digest(base),
        result=paths.digest(result),
        summary=_summary(edits, outcome.document.id),
        before=trial.before,
        after=trial.after,
        n=trial.n,
        interval=trial.interval,
        error_rate=outcome.verdict.error_rate,
        one_model=one_model,
        warnings=warnings(edits),
        edits=edits,
        evidence=outcome.tried.evidence,
    )


def _summary(edits: Sequence[Edit], document: str) -> str:
    counts: Counter[str] = Counter()
    told: list[str] = []
    for edit in edits:
        found = rules(edit.content if edit.content.strip() else edit.target)
        counts[_VERBS[edit.op]] += len(found)
        told += found
    done = " and ".join(
        f"{verb} {count} {'rule' if count == 1 else 'rules'}" for verb, count in counts.items() if count
    )
    head = f"{(done or 'changes the text').capitalize()} in {document}"
    if not told:
        return f"{head}."
    more = f" and {len(told) - 1} more" if len(told) > 1 else ""
    return f"{head}: “{one_line(told[0], limit=_QUOTE)}”{more}."


def _write(folder: Path, proposal: Proposal, *, base: bytes | None, result: bytes) -> None:
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
    """The difference as people should see it: invisible characters written out, line ends left out."""
    old = "/dev/null" if base is None else f"a/{spelled(name)}"
    lines = difflib.unified_diff(_lines(base or b""), _lines(result), old, f"b/{spelled(name)}")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _lines(data: bytes) -> list[str]:
    # Not splitlines: it also breaks at characters that end no line of a file.
    return list(io.StringIO(visible(data.decode().replace("\r\n", "\n"))))
