"""Make a change in a document's twins too, so that it reaches all agents."""

from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.errors import ProposalError, UnsafeEdit
from skillopt_sleep.proposals import live, paths
from skillopt_sleep.proposals.changes import ProposedChange, Text, checked
from skillopt_sleep.proposals.edited import all_edited
from skillopt_sleep.proposals.rules import repeats
from skillopt_sleep.records import Document, Note, ProposedFile

RESULT = "result"


class CopiedFile(NamedTuple):
    """One file of a proposal, with its bytes as they are and those to adopt."""

    file: ProposedFile
    text: Text


class _Unfit(UnsafeEdit):
    """The rules of a twin differ, so that the edits can't be made there: it is left out, and nothing is unsafe."""


def copies(
    change: ProposedChange, *, allowed: Collection[str], most: int, notes: list[Note]
) -> tuple[ProposedChange, list[CopiedFile]]:
    """Make the change in each twin where its edits fit; a note says why a twin isn't part of it.

    Returns the change, whose document names all who read one of the files, and the files of the twins. No twin's
    rules get longer than `most` characters.
    """
    document = change.document
    readers = document.read_by
    files: list[CopiedFile] = []
    for twin in document.twins:
        try:
            its, _ = live.load(Path(twin.path), root=Path(document.project), name=twin.id)
            body = _body(change, its, most=most)
            repeated = [repeats(edit, its.text) for edit in change.edits]
            if body != its.body and not (repeated and all(repeated)):
                text = checked(change._replace(document=its, body=body), allowed=allowed)
                live.refuse_cut_off(its, len(text.result))
                files.append(copied_file(its, text))
            readers = (*readers, *twin.read_by)
        except ProposalError as error:
            summary = f"{error.message}; so the change doesn't reach {' and '.join(twin.read_by)}"
            unfit = isinstance(error, _Unfit)
            notes.append(Note(stage="stage", summary=summary, remedy=error.remedy, expected=unfit))
    return change._replace(document=replace(document, read_by=readers)), files


def copied_file(document: Document, text: Text) -> CopiedFile:
    """Return the document as a file of a proposal."""
    file = ProposedFile(
        document=document.id,
        path=document.path,
        base=paths.digest(text.base),
        result=paths.digest(text.result),
        body=document.body_sha,
    )
    return CopiedFile(file, text)


def _body(change: ProposedChange, document: Document, *, most: int) -> str:
    """Return the rules of a twin with the change; raise UnsafeEdit if its edits don't fit there."""
    if document.body == change.document.body:
        return change.body
    body = all_edited(document.body, change.edits)
    if body is None or all_edited(change.document.body, change.edits) != change.body:
        raise _Unfit(
            f"the change of {change.document.id} doesn't fit {document.path}, whose rules differ",
            remedy="nothing to do; to have both agents follow it, write the rule there yourself",
        )
    if len(body) > max(most, len(document.body)):
        raise UnsafeEdit(
            f"the rules in {document.path} would pass {most:,} characters (max_chars)", remedy="shorten them"
        )
    return body
