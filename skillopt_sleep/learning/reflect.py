"""Failed attempts on train to patches: what went wrong in words, never what the judge looks for."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import msgspec

from skillopt_sleep.errors import ItemError
from skillopt_sleep.kit.markdown import fence, one_line
from skillopt_sleep.prompts import fill
from skillopt_sleep.prompts.attempts import Case, cases, said, show, what_went_wrong
from skillopt_sleep.prompts.past import own_notes, tried_before
from skillopt_sleep.protocols import Backend, Pool
from skillopt_sleep.records import (
    Document,
    Edit,
    EditOp,
    EditSource,
    Note,
    Past,
    Patch,
    Prompt,
    Purpose,
    ReflectMode,
    Rollout,
    Score,
    Split,
    Task,
)

Reply = TypeVar("Reply", bound=msgspec.Struct)

CAUSE_CHARS = 400
REQUEST_CHARS = 600
KINDS = {
    EditSource.FAILURE: "that failed. Find what they have in common",
    EditSource.SUCCESS: "that succeeded. Find what they did right that the instructions don't ask for yet",
}
Batch = tuple[EditSource, Sequence[Case]]


class EditReply(msgspec.Struct, frozen=True):
    """An edit as the optimizer writes it, with the numbers of the attempts it was learned from."""

    op: EditOp
    content: str = ""
    target: str = ""
    reason: str = ""
    attempts: tuple[int, ...] = ()


class PatchReply(msgspec.Struct, frozen=True):
    """A nested patch, as some prompts of the field ask for it."""

    edits: tuple[EditReply, ...]
    reasoning: str = ""


class ReflectReply(msgspec.Struct, frozen=True):
    """What the optimizer answers: edits at top level, or under `patch`."""

    edits: tuple[EditReply, ...] | None = None
    patch: PatchReply | None = None
    reasoning: str = ""

    def __post_init__(self) -> None:
        if self.edits is None and self.patch is None:
            raise ValueError("neither `edits` nor `patch`")


class CauseReply(msgspec.Struct, frozen=True):
    """Why an attempt failed."""

    attempt: int
    cause: str


class DiagnoseReply(msgspec.Struct, frozen=True):
    """What the optimizer answers when it is asked for causes only."""

    causes: tuple[CauseReply, ...]


class Reflection(msgspec.Struct, frozen=True, kw_only=True):
    """The patches, and the calls that failed."""

    patches: tuple[Patch, ...] = ()
    notes: tuple[Note, ...] = ()


def reflect(
    rollouts: Sequence[Rollout],
    tasks: Mapping[str, Task],
    document: Document,
    *,
    optimizer: Backend,
    pool: Pool,
    mode: ReflectMode,
    successes: bool,
    minibatch: int,
    budget: int,
    preferences: str,
    past: Past,
    measure: Callable[[Score], float],
) -> Reflection:
    """Patches from tasks with a failed attempt (hard below 1); a call that fails loses its batch, which is noted.

    `minibatch` tasks a call; `shallow`: each failure by itself; `deep`: the cause of each first, then one patch
    against the causes they share (a single failure shares none and is taken by itself). With `successes`, patches
    from what went well too. Where attempts at a task went apart under `measure`, the better one is shown beside the
    worse. Raises ValueError for a task that isn't on train: what gates an edit must never be seen here.
    """
    for rollout in rollouts:
        if tasks[rollout.task].split is not Split.TRAIN:
            raise ValueError(f"task {rollout.task} is not on train")
    failed, done = cases(rollouts, tasks, measure=measure, each=mode == "shallow")
    deep = mode == "deep" and len(failed) > 1
    asked = _Questions(document, optimizer, budget=budget, preferences=preferences, past=past)
    answers: list[Patch | Note] = []
    if deep:
        answers += _deep(_batches(failed, minibatch), asked, pool)
    batches: list[Batch] = []
    if not deep:
        batches += [(EditSource.FAILURE, b) for b in _batches(failed, 1 if mode == "shallow" else minibatch)]
    if successes:
        batches += [(EditSource.SUCCESS, batch) for batch in _batches(done, minibatch)]
    answers += pool.map(asked.patch, batches, label=f"reflect {document.id}")
    return Reflection(
        patches=tuple(answer for answer in answers if isinstance(answer, Patch)),
        notes=tuple(answer for answer in answers if isinstance(answer, Note)),
    )


def _batches(all_cases: Sequence[Case], size: int) -> list[Sequence[Case]]:
    return [all_cases[i : i + size] for i in range(0, len(all_cases), size)]


def _deep(batches: Sequence[Sequence[Case]], asked: "_Questions", pool: Pool) -> list[Patch | Note]:
    """A cause for each failure, a minibatch a call, and one patch against what they share."""
    diagnosed = pool.map(asked.causes, batches, label=f"diagnose {asked.document.id}")
    known: list[tuple[Case, str]] = []
    for batch, causes in zip(batches, diagnosed, strict=True):
        told = {} if isinstance(causes, Note) else {cause.attempt: cause.cause for cause in causes.causes}
        known += [(case, told.get(number, "")) for number, case in enumerate(batch, start=1)]
    answers = pool.map(asked.deep_patch, (known,), label=f"reflect {asked.document.id}")
    return [*(note for note in diagnosed if isinstance(note, Note)), *answers]


class _Questions:
    """What is asked about one document; an answer that didn't come is a note."""

    def __init__(self, document: Document, optimizer: Backend, *, budget: int, preferences: str, past: Past) -> None:
        self.document, self._optimizer = document, optimizer
        self._always = {
            "budget": str(budget),
            "preferences": preferences.strip() or "None.",
            "document": fence(document.text or "(empty)"),
            "editable": fence(document.body or "(empty)"),
            "tried": tried_before(past),
            "notes": own_notes(past),
        }

    def patch(self, batch: Batch) -> Patch | Note:
        """Edits from attempts that went the same way."""
        source, some = batch
        text = fill("reflect", attempts=str(len(some)), kind=KINDS[source], trajectories=_shown(some), **self._always)
        reply = self._ask(Purpose.REFLECT, text, ReflectReply)
        return reply if isinstance(reply, Note) else _patch(reply, some, source)

    def causes(self, some: Sequence[Case]) -> DiagnoseReply | Note:
        """Why each of these failed."""
        text = fill("diagnose", attempts=str(len(some)), document=self._always["document"], trajectories=_shown(some))
        return self._ask(Purpose.DIAGNOSE, text, DiagnoseReply)

    def deep_patch(self, known: Sequence[tuple[Case, str]]) -> Patch | Note:
        """Edits against the causes that failures share."""
        causes = "\n\n".join(_with_cause(n, case, cause) for n, (case, cause) in enumerate(known, start=1))
        text = fill("reflect_deep", failures=str(len(known)), causes=causes, **self._always)
        reply = self._ask(Purpose.REFLECT_DEEP, text, ReflectReply)
        return reply if isinstance(reply, Note) else _patch(reply, [case for case, _ in known], EditSource.FAILURE)

    def _ask(self, purpose: Purpose, text: str, schema: type[Reply]) -> Reply | Note:
        prompt = Prompt(purpose=purpose, text=text, schema=schema, project=self.document.project)
        try:
            reply = self._optimizer.complete(prompt).structured
        except ItemError as error:
            return Note(stage="reflect", summary=f"{self.document.id}: {error.message}", remedy=error.remedy)
        assert isinstance(reply, schema)  # noqa: S101 - a backend decodes into the prompt's schema or raises
        return reply


def _shown(some: Sequence[Case]) -> str:
    return "\n\n".join(show(number, case) for number, case in enumerate(some, start=1))


def _with_cause(number: int, case: Case, cause: str) -> str:
    why = [what_went_wrong(case), *([f"Cause: {one_line(cause, limit=CAUSE_CHARS)}"] if cause.strip() else [])]
    return "\n".join(
        [f"## Failure {number}", fence(case.task.prompt[:REQUEST_CHARS]), fence("\n".join(why)), *said(case.task)]
    )


def _patch(reply: ReflectReply, some: Sequence[Case], source: EditSource) -> Patch:
    nested = reply.patch or PatchReply(edits=())
    edits = reply.edits if reply.edits is not None else nested.edits
    return Patch(
        edits=tuple(_edit(edit, some, source) for edit in edits),
        reasoning=reply.reasoning or nested.reasoning,
        source=source,
    )


def _edit(edit: EditReply, some: Sequence[Case], source: EditSource) -> Edit:
    """The edit, learned from the attempts it names, or from all that were shown where it names none."""
    named = [some[number - 1] for number in edit.attempts if 0 < number <= len(some)] or some
    names = tuple(dict.fromkeys(case.task.id for case in named))
    return Edit(
        op=edit.op,
        content=edit.content.strip(),
        target=edit.target,
        reason=edit.reason,
        source=source,
        support=len(names),
        tasks=names,
    )
