"""A project to change, and proposals for it made by the real stager."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import msgspec

from skillopt_sleep.proposals import live
from skillopt_sleep.proposals.stage import FolderStager
from skillopt_sleep.protocols.stores import OpenNight
from skillopt_sleep.records import (
    AppliedEdit,
    Decision,
    Document,
    Edit,
    EditFate,
    EditOp,
    Evidence,
    Lesson,
    Outcome,
    Proposal,
    SessionLine,
    StepOutcome,
    TriedEdits,
    Twin,
    Verdict,
)
from tests.builders import a_trial, with_parts

NOW = datetime(2026, 11, 20, 4, 17, tzinfo=UTC)
RULE = "- Run the linter before every commit."


@dataclass
class NightPage:
    """The parts of a page that staging uses."""

    folder: Path
    night: str = "2026-11-20"
    given: list[str] = field(default_factory=list)
    waits: list[Proposal] = field(default_factory=list)

    @property
    def bank(self) -> "NightPage":
        return self

    @property
    def lessons(self) -> "NightPage":
        return self

    @property
    def index(self) -> "NightPage":
        return self

    def lines(self, *, unread: bool) -> tuple[SessionLine, ...]:
        return ()

    def of(self, _projects: Collection[str]) -> tuple[Lesson, ...]:
        return ()

    def waiting(self, path: str) -> tuple[Proposal, ...]:
        return tuple(proposal for proposal in self.waits if path in proposal.paths)

    def next_proposal(self) -> str:
        self.given.append(f"p{len(self.given) + 1}")
        return self.given[-1]


def page(folder: Path) -> Any:
    folder.mkdir(parents=True, exist_ok=True)
    return cast("OpenNight", NightPage(folder=folder))


def document(path: Path, root: Path, name: str = "") -> Document:
    return live.load(path, root=root, name=name or f"{root.name}/{path.relative_to(root).as_posix()}")[0]


def accepted(read: Document, body: str = RULE, **changes: Any) -> StepOutcome:
    """An accepted outcome that gives this document this body."""
    outcome = StepOutcome(
        document=read,
        outcome=Outcome.IMPROVED,
        because="it got better",
        verdict=Verdict(decision=Decision.ACCEPT, reason="it got better", error_rate="unknown"),
        candidate=msgspec.structs.replace(read, body=body),
        trial=a_trial((0.0, 0.5), (0.5, 1.0), interval=(0.1, 0.9)),
        tried=TriedEdits(
            edits=(AppliedEdit(edit=Edit(op=EditOp.APPEND, content=body), fate=EditFate.APPLIED),),
            evidence=(Evidence(session="claude_code:1", turn=0, quote="always run the linter before you commit"),),
        ),
    )
    return with_parts(outcome, **changes)


def with_twin(read: Document, path: Path) -> Document:
    """The document, read by Claude Code, with this file as its twin for Codex."""
    its = document(path, Path(read.project))
    twin = Twin(id=its.id, path=its.path, body=its.body_sha, read_by=("Codex",))
    return msgspec.structs.replace(read, read_by=("Claude Code",), twins=(*read.twins, twin))


def propose(
    night: Path,
    path: Path,
    root: Path,
    body: str = RULE,
    *,
    number: str = "p1",
    twin: Path | None = None,
    more: Sequence[Path] = (),
) -> tuple[Path, Proposal]:
    """Stage one change of one file, or of a file and its twins; the folder of the proposal and its record."""
    opened = page(night / number)
    opened.next_proposal = lambda: number
    read = document(path, root)
    for other in (twin, *more):
        if other is not None:
            read = with_twin(read, other)
    (proposal,), _ = FolderStager().stage([accepted(read, body)], opened)
    return night / number / "proposals" / number, proposal
