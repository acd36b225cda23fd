"""More train tasks: other requests to which a standing rule of the person applies just as much."""

from collections.abc import Sequence
from hashlib import blake2b

import msgspec
from rapidfuzz import fuzz

from skillopt_sleep.errors import ItemError
from skillopt_sleep.kit.markdown import fence
from skillopt_sleep.prompts import fill
from skillopt_sleep.protocols import Backend, Pool
from skillopt_sleep.records import Checks, Edit, Exact, Note, Op, Prompt, Purpose, Split, Task, TaskOrigin

SHOWN = 3  # requests of a cluster, the newest
MOST_CHARS = 2_000
SAME_REQUEST = 90.0
NAMING = frozenset({Op.CONTAINS, Op.NOT_CONTAINS, Op.SECTION_CONTAINS, Op.TOOL_CALLED})


class AugmentReply(msgspec.Struct, frozen=True):
    """What the optimizer answers: requests."""

    requests: tuple[str, ...]


class Augmented(msgspec.Struct, frozen=True, kw_only=True):
    """The new tasks, each with the id of the one whose rule it tests, and the calls that failed."""

    tasks: tuple[Task, ...] = ()
    real: dict[str, str] = msgspec.field(default_factory=dict)
    notes: tuple[Note, ...] = ()

    def of_real(self, edits: Sequence[Edit]) -> tuple[Edit, ...]:
        """The edits, learned from the real tasks behind those they were learned from."""
        return tuple(
            msgspec.structs.replace(edit, tasks=tuple(dict.fromkeys(self.real.get(one, one) for one in edit.tasks)))
            for edit in edits
        )


def augment(train: Sequence[Task], *, each: int, optimizer: Backend, pool: Pool, label: str) -> Augmented:
    """Up to `each` more tasks for each cluster, one call a cluster; a call that fails loses its own, which is noted.

    The optimizer is shown requests and what the person said, never the reference. A task is made only where the
    person said something and the answer isn't the one of a single request; it has the reference of the newest task
    of its cluster. A request that is much like a known one, or names what the reference checks for, is left out.
    Raises ValueError for a task that isn't on train: what gates an edit is only ever real.
    """
    clusters: dict[str, list[Task]] = {}
    for task in train:
        if task.split is not Split.TRAIN:
            raise ValueError(f"task {task.id} is not on train")
        if each and task.evidence and not isinstance(task.reference, Exact):
            clusters.setdefault(task.cluster, []).append(task)
    standing = list(clusters.values())

    def ask(tasks: Sequence[Task]) -> tuple[str, ...] | Note:
        text = fill(
            "augment",
            requests=str(each),
            asked="\n\n".join(fence(f"{task.context}\n{task.prompt}".strip()) for task in tasks[-SHOWN:]),
            said=fence("\n".join(f"- «{said.quote}»" for said in tasks[-1].evidence)),
        )
        prompt = Prompt(purpose=Purpose.AUGMENT, text=text, schema=AugmentReply, project=tasks[-1].project)
        try:
            reply = optimizer.complete(prompt).structured
        except ItemError as error:
            return Note(stage="augment", summary=f"{label}: {error.message}", remedy=error.remedy)
        assert isinstance(reply, AugmentReply)  # noqa: S101 - a backend decodes into the prompt's schema or raises
        return reply.requests

    answers = pool.map(ask, standing, label=f"augment {label}") if standing else ()
    known = [task.prompt for task in train]
    made: dict[str, Task] = {}
    real: dict[str, str] = {}
    for tasks, answer in zip(standing, answers, strict=True):
        if isinstance(answer, Note):
            continue
        fresh = _fresh(answer, tasks[-1], known)[:each]
        known += fresh
        for request in fresh:
            task = _like(tasks[-1], request)
            made[task.id], real[task.id] = task, tasks[-1].id
    notes = tuple(answer for answer in answers if isinstance(answer, Note))
    return Augmented(tasks=tuple(made.values()), real=real, notes=notes)


def _fresh(requests: Sequence[str], like: Task, known: Sequence[str]) -> list[str]:
    """The requests that can be asked: none that is known, and none that gives the answer away."""
    checks = like.reference.items if isinstance(like.reference, Checks) else ()
    given = [check.arg.lower() for check in checks if check.op in NAMING and check.arg]
    out: list[str] = []
    for request in (text.strip() for text in requests):
        if not request or len(request) > MOST_CHARS or any(arg in request.lower() for arg in given):
            continue
        if all(fuzz.token_sort_ratio(request.lower(), other.lower()) < SAME_REQUEST for other in (*known, *out)):
            out.append(request)
    return out


def _like(task: Task, request: str) -> Task:
    digest = blake2b(f"{task.id}\0{request}".encode(), digest_size=6).hexdigest()
    return msgspec.structs.replace(
        task,
        id=f"{task.id}~{digest}",
        prompt=request,
        context="",
        rejected="",
        accepted="",
        signals=(),
        origin=TaskOrigin.AUGMENTED,
    )
