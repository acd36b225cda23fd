"""Apply edits to a document: every edit ends with a fate, and nothing outside the body is touched."""

import sys
from collections.abc import Callable, Sequence

import msgspec

from skillopt_sleep.proposals.edited import edited
from skillopt_sleep.records import AppliedEdit, Document, Edit, EditFate


def update(
    document: Document, edits: Sequence[Edit], *, refuse: Callable[[Edit], str], most: int = sys.maxsize
) -> tuple[Document, tuple[AppliedEdit, ...]]:
    """Apply the edits in order; `refuse` says why an edit may not be applied, or nothing.

    An edit that makes the body longer than `most` characters is refused too. The candidate equals the document if no
    edit was applied.
    """
    body = document.body
    fates: list[AppliedEdit] = []
    for edit in edits:
        changed, fate, because = body, EditFate.REFUSED, refuse(edit)
        if not because:
            changed, fate, because = edited(body, edit)
        if len(changed) > max(most, len(body)):
            changed, fate = body, EditFate.REFUSED
            because = f"the rules would pass {most:,} characters (max_chars)"
        body = changed
        fates.append(AppliedEdit(edit=edit, fate=fate, because=because))
    return msgspec.structs.replace(document, body=body), tuple(fates)


def candidate(document: Document, edits: Sequence[Edit], *, most: int = sys.maxsize) -> Document | None:
    """Return the document with these edits, or None if one of them can't be applied.

    An edit that makes the body longer than `most` characters can't be applied.
    """
    changed, fates = update(document, edits, refuse=lambda _: "", most=most)
    if any(fate.fate is not EditFate.APPLIED for fate in fates):
        return None
    return changed
