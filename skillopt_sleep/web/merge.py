"""Show how a change is merged with what a person edited by hand, and take it only as it was shown."""

from collections.abc import Callable

from skillopt_sleep.deciding.shown import digest_of
from skillopt_sleep.kit.redact import redact
from skillopt_sleep.kit.words import home_path
from skillopt_sleep.proposals.plan import MergeNeeded, Plan
from skillopt_sleep.records import Record
from skillopt_sleep.web.card import ChangedFile, places_of


class Merge(Record, frozen=True, kw_only=True):
    """The files that a person edited by hand and how they would change, to be agreed to; `shown` is of the form."""

    proposal: str
    edited: tuple[str, ...]
    files: tuple[ChangedFile, ...]
    digest: str
    shown: str
    back: str = ""


def merge_of(error: MergeNeeded, *, shown: str, back: str = "") -> Merge:
    """Return what has to be agreed to."""
    return Merge(
        proposal=error.proposal,
        edited=tuple(map(home_path, error.plan.edited)),
        files=tuple(
            ChangedFile(document=home_path(move.path), places=places_of(_text(move.old), _text(move.new)))
            for move in error.plan.changing
        ),
        digest=merge_digest(error.plan),
        shown=shown,
        back=back,
    )


def agreed_to(digest: str, act: Callable[[Plan | None], None]) -> None:
    """Act, and if that needs a merge, with the merge that the person saw; raises MergeNeeded if it is another."""
    try:
        act(None)
    except MergeNeeded as error:
        if merge_digest(error.plan) != digest:
            raise
        act(error.plan)


def merge_digest(plan: Plan) -> str:
    """Return what tells a merge from every other one."""
    return digest_of((move.path, move.old, move.new) for move in plan.moves)


def _text(data: bytes | None) -> str:
    return redact((data or b"").decode(errors="replace").removeprefix("\ufeff"))
