"""Refuse edits as a night does, except for code and, if the configuration allows it, links, addresses and length."""

from collections.abc import Callable

from skillopt_sleep.proposals.guard import LIMIT, Refusal, refusals
from skillopt_sleep.records import Document, Edit, EditOp, RefusalKind

_URLS = frozenset({RefusalKind.LINK, RefusalKind.ADDRESS})


def refusal(document: Document, *, allow_urls: bool, edit_chars: int = LIMIT) -> Callable[[Edit], str]:
    """Return a function that says why the static guard refuses an edit of this document, or "".

    A trained skill may contain code: it is its author's own file, which they read as a whole.
    """
    allowed = {RefusalKind.CODE_BLOCK, RefusalKind.LENGTH, *(_URLS if allow_urls else ())}

    def refuse(edit: Edit) -> str:
        if edit.op is EditOp.DELETE:
            return ""
        if len(edit.content) > edit_chars:
            return f"it has {len(edit.content):,} characters, more than {edit_chars:,} (optimizer.edit_chars)"
        found = refusals(edit.content, evidence=(), held=document.text, allowed=allowed)
        return "; ".join(map(_sentence, found))

    return refuse


def is_refused_note(note: str, *, allow_urls: bool) -> bool:
    """Return whether the static guard refuses a note in the appendix."""
    return bool(refusals(note, evidence=(), allowed=_URLS if allow_urls else ()))


def _sentence(refused: Refusal) -> str:
    if refused.kind in _URLS:
        return f"{refused.why} (optimizer.allow_urls = true would let it through)"
    return refused.why
