"""Records with sensible defaults, so that a test says only what matters to it; any field can be named."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, TypeVar

from msgspec.structs import replace

from skillopt_sleep.records import (
    Check,
    Checks,
    Completion,
    Decision,
    Document,
    DocumentKind,
    Edit,
    EditOp,
    EditStatus,
    Evidence,
    Feedback,
    FreshRound,
    Lesson,
    NightReport,
    Op,
    Origin,
    Outcome,
    Pair,
    Past,
    Patch,
    Prompt,
    Proposal,
    ProposedEdit,
    ProposedFile,
    Purpose,
    Record,
    Role,
    Rollout,
    Score,
    Session,
    StepOutcome,
    Task,
    Trajectory,
    Trial,
    Turn,
    Verdict,
)
from tests.fakes import NOON

PROJECT = "/home/ada/shop"
ASK = "Install the dependencies of this project."
SAID = "No, use pnpm, not npm."
R = TypeVar("R", bound=Record)
_ROLES = {Origin.USER: Role.USER, Origin.ASSISTANT: Role.ASSISTANT}


def a_turn(text: str = ASK, *, origin: Origin = Origin.USER, **fields: Any) -> Turn:
    """A turn; its role follows from its origin."""
    return replace(Turn(role=_ROLES.get(origin, Role.USER), origin=origin, text=text), **fields)


def a_session(*turns: str | Turn, **fields: Any) -> Session:
    """A session; texts take turns, the person first. Without turns: a request, a wrong answer, a correction."""
    said = turns or (ASK, "I ran `npm install`.", SAID)
    origins = (Origin.USER, Origin.ASSISTANT)
    session = Session(
        id="claude_code:s1",
        source="claude_code",
        project=PROJECT,
        cwd=PROJECT,
        started=NOON,
        ended=NOON,
        turns=tuple(a_turn(t, origin=origins[i % 2]) if isinstance(t, str) else t for i, t in enumerate(said)),
    )
    return changed(session, **fields)


def some_checks(want: str = "pnpm", avoid: str = "npm") -> Checks:
    """One thing to say and one not to say."""
    return Checks(items=(Check(op=Op.CONTAINS, arg=want), Check(op=Op.NOT_CONTAINS, arg=avoid)))


def a_task(**fields: Any) -> Task:
    """A task as it is mined: without cluster, split and document."""
    session = fields.get("session", "claude_code:s1")
    task = Task(
        id="t1",
        prompt=ASK,
        reference=some_checks(),
        session=session,
        project=PROJECT,
        source="claude_code",
        at=NOON,
        feedback=Feedback(evidence=(Evidence(session=session, turn=2, quote=SAID),)),
    )
    return changed(task, **fields)


def a_document(body: str = "", **fields: Any) -> Document:
    """The managed block of a project's memory file; empty by default."""
    document = Document(
        id="shop:CLAUDE.md",
        kind=DocumentKind.MEMORY,
        path=f"{PROJECT}/CLAUDE.md",
        project=PROJECT,
        body=body,
        lead="# Shop\n\n",
    )
    return replace(document, **fields)


def a_trajectory(response: str = "I ran `npm install`.", **fields: Any) -> Trajectory:
    """A text-only attempt."""
    return replace(Trajectory(response=response, text_only=True), **fields)


def a_score(value: float = 0.0, **fields: Any) -> Score:
    """A grade, the same for hard and soft."""
    why = "" if value >= 1 else "something that was asked for is missing"
    return replace(Score(hard=float(value >= 1), soft=value, why=why), **fields)


def a_rollout(value: float | None = 0.0, **fields: Any) -> Rollout:
    """A scored attempt of task t1; a value of None is an unscored one."""
    rollout = Rollout(
        task="t1",
        document_sha=a_document().sha,
        sample=0,
        trajectory=a_trajectory(),
        score=None if value is None else a_score(value),
    )
    return replace(rollout, **fields)


def an_edit(content: str = "- Use pnpm, never npm.", **fields: Any) -> Edit:
    """An edit that appends."""
    return replace(Edit(op=EditOp.APPEND, content=content, tasks=("t1",)), **fields)


def a_patch(*edits: Edit, **fields: Any) -> Patch:
    """A patch of these edits, or of one."""
    return replace(Patch(edits=edits or (an_edit(),)), **fields)


def a_prompt(text: str = "What is the answer?", **fields: Any) -> Prompt:
    """A question for a text."""
    return replace(Prompt(purpose=Purpose.ROLLOUT, text=text), **fields)


def a_completion(text: str = "42", **fields: Any) -> Completion:
    """An answer whose usage is unknown."""
    return replace(Completion(text=text, model="fake"), **fields)


def an_outcome(**fields: Any) -> StepOutcome:
    """A step on one document that changed nothing; fields of its parts may be named too."""
    outcome = StepOutcome(
        document=a_document(),
        outcome=Outcome.NO_CHANGE,
        because="no edit was proposed",
        verdict=Verdict(decision=Decision.ABSTAIN, reason="no trial"),
    )
    return with_parts(outcome, **fields)


# Fields of a part whose name says too little beside those of the other parts.
_TOLD_APART = {
    "sessions": {"ids": "sessions"},
    "tasks": {"untestable": "waiting"},
    "tried": {"undecided": "waits"},
}


def with_parts(outcome: StepOutcome, /, **fields: Any) -> StepOutcome:
    """The outcome with these fields, of its own or of its parts."""
    for part in ("tasks", "sessions", "tried", "later"):
        before: Any = getattr(outcome, part)
        told = _TOLD_APART.get(part, {})
        names = {name: told.get(name, name) for name in before.__struct_fields__}
        own = {name: fields.pop(key) for name, key in names.items() if key in fields}
        outcome = replace(outcome, **{part: replace(before, **own)})
    return replace(outcome, **fields)


def a_trial(*pairs: tuple[float, float], **fields: Any) -> Trial:
    """A trial with these grades, before and after, each of a request and session of its own."""
    made = tuple(
        Pair(task=f"v{n}", session=f"s{n}", sample=0, before=before, after=after)
        for n, (before, after) in enumerate(pairs)
    )
    return replace(Trial(pairs=made, rounds=1), **fields)


def a_report(**fields: Any) -> NightReport:
    """A night in which nothing was new."""
    report = NightReport(
        night="2026-03-02",
        started=NOON,
        ended=NOON,
        verdict=Outcome.NOTHING_NEW,
        because="no session since the last night",
    )
    return changed(report, **fields)


def a_lesson(wording: str, **fields: Any) -> Lesson:
    """A lesson of the default project that came up the day before."""
    at = NOON - timedelta(days=1)
    values: dict[str, Any] = {"id": f"l-{wording}", "project": "/home/ada/shop", "first": at, "last": at}
    return Lesson(wording=wording, **(values | fields))


def a_proposal(**fields: Any) -> Proposal:
    """A staged change of the default document, waiting."""
    document = a_document()
    file = ProposedFile(
        document=document.id,
        path=document.path,
        base=document.sha,
        result=a_document("- Use pnpm, never npm.").sha,
    )
    proposal = Proposal(
        id="P-0001",
        night="2026-03-02",
        kind=document.kind,
        root=PROJECT,
        files=(file,),
        summary="Adds 1 rule in shop:CLAUDE.md.",
        edits=(an_edit(),),
    )
    return changed(proposal, **fields)


def changed(record: R, /, **fields: Any) -> R:
    """The record with these fields, its own or those of a record in it; of a proposal's files those of the first."""
    values: dict[str, Any] = {}
    if isinstance(record, Proposal):
        first, *others = record.files
        others = fields.pop("copies", others)
        of_file = {name: fields.pop(name) for name in ProposedFile.__struct_fields__ if name in fields}
        values["files"] = (replace(first, **of_file), *others)
    for name in record.__struct_fields__:
        part = getattr(record, name)
        if isinstance(part, Record):
            inner = set(part.__struct_fields__) - set(record.__struct_fields__)
            own = {key: fields.pop(key) for key in inner.intersection(fields)}
            values[name] = replace(part, **own)
    return replace(record, **(values | fields))


def a_past(
    *,
    adopted: Sequence[Edit] = (),
    refused: Sequence[Edit] = (),
    reworded: Sequence[Edit] = (),
    proposed: Sequence[ProposedEdit] = (),
    **fields: Any,
) -> Past:
    """What earlier nights know, with edits of each status in the order in which they were decided on."""
    edits = [
        *((edit, EditStatus.LIVE) for edit in adopted),
        *((edit, EditStatus.REFUSED) for edit in refused),
        *((edit, EditStatus.REWORDED) for edit in reworded),
    ]
    decided = tuple(
        ProposedEdit(edit=edit, status=status, since="2026-03-01", proposal="P-0001")
        for edit, status in reversed(edits)
    )
    return Past(proposed=(*proposed, *decided), **fields)


def a_fresh_round(before: float, after: float, n: int, interval: tuple[float, float]) -> FreshRound:
    """Return a fresh round with so many pairs of these means, at no lesson."""
    pair = Pair(task="fresh", sample=9, before=before, after=after)
    return FreshRound(pairs=(pair,) * n, interval=interval)
