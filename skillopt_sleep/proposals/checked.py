"""Check a change against the live file and the static guard, and make the bytes to adopt."""

from collections.abc import Collection, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from skillopt_sleep.errors import StaleProposal, UnsafeEdit
from skillopt_sleep.kit.protected import BEGIN, END
from skillopt_sleep.proposals import guard, live
from skillopt_sleep.proposals.changes import Change
from skillopt_sleep.records import Edit, EditOp, EditSource


class Text(NamedTuple):
    """The bytes of a live file, None if there is no file, and those to adopt."""

    base: bytes | None
    result: bytes


def checked(change: Change, *, allowed: Collection[str]) -> Text:
    """Return the live bytes and those to adopt; raise a ProposalError if the change can't be staged."""
    document = change.document
    path = Path(document.path)
    fresh, base = live.load(path, root=Path(document.project), name=document.id)
    if fresh.body != document.body:
        raise StaleProposal(
            f"the rules in {path} were edited during the night, so the change to them isn't proposed",
            remedy="nothing to do: the next night starts from the edited file",
        )
    quotes = [evidence.quote for evidence in change.evidence]
    found = problem(
        change.edits, old=document.body, new=change.body, held=document.text, quotes=quotes, allowed=allowed
    )
    if found:
        raise UnsafeEdit(
            f"the change to {path} isn't proposed: {found}", remedy="nothing to do: the lesson is dropped"
        )
    result = live.change(path, base, document.body, change.body).data
    if result == base:
        raise StaleProposal(f"the edits would leave {path} as it is, so nothing is proposed", remedy="nothing to do")
    return Text(base, result)


def problem(
    edits: Sequence[Edit], *, old: str, new: str, held: str, quotes: Sequence[str], allowed: Collection[str]
) -> str:
    """Return what the static guard says against the edits, alone and together with the lines around them; else "".

    They make the rules `new` out of `old`, in a document that says what it `held` before; `quotes` are the person's.
    """
    added = [edit.content for edit in edits if edit.op is not EditOp.DELETE]
    for text in (*added, *_recombined(new, old, edits)):
        problems = guard.problems(text, evidence=quotes, held=held, allowed=allowed)
        if problems:
            return problems[0]
    for text in _around(new, old):
        problems = guard.joined(text, evidence=quotes, held=held, allowed=allowed)
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
