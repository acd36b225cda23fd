"""Events: what a decision did, told as soon as the files are written.

The store may be full or read-only, and the files have changed all the same.
"""

from collections.abc import Callable
from typing import NamedTuple

from skillopt_sleep.records import Proposal


class Adopted(NamedTuple):
    """A proposal is live in these files; `already` says that an earlier decision had written them."""

    proposal: Proposal
    paths: tuple[str, ...]
    already: bool

    @property
    def name(self) -> str:
        """The id of the proposal."""
        return self.proposal.id


class TakenBack(NamedTuple):
    """A proposal is out of its files, each with the state it was left in; `folder_left` is empty, but still there."""

    name: str
    files: dict[str, str]
    folder_left: str = ""


class CanComeBack(NamedTuple):
    """A proposal that was taken back is known, so that it can be adopted again."""

    name: str


Event = Adopted | TakenBack | CanComeBack
Told = Callable[[Event], None]
