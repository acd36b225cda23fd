"""Make up more train tasks: other requests to which a standing rule of the person applies just as much."""

from collections.abc import Sequence
from hashlib import blake2b

import msgspec
from rapidfuzz import fuzz

from skillopt_sleep.kit.markdown import fence
from skillopt_sleep.learning.asking import Optimizer, Question, check_train
from skillopt_sleep.records import Edit, Exact, Note, Purpose, Task, TaskOrigin

SHOWN = 3  # requests of a lesson, the newest
SAME_REQUEST = 90.0


class AugmentReply(msgspec.Struct, frozen=True):
    """What the optimizer answers: requests."""

    requests: tuple[str, ...]


class Augmented(msgspec.Struct, frozen=True, kw_only=True):
    """The new tasks, each with the id of the real one whose rule it tests, and the calls that failed."""

    tasks: tuple[Task, ...] = ()
    real: dict[str, str] = msgspec.field(default_factory=dict)
    notes: tuple[Note, ...] = ()

    def of_real(self, edits: Sequence[Edit]) -> tuple[Edit, ...]:
        """Return the edits as learned from real tasks, in place of the tasks made up from them."""
        changed: list[Edit] = []
        for edit in edits:
            tasks = tuple(dict.fromkeys(self.real.get(task, task) for task in edit.tasks))
            changed.append(msgspec.structs.replace(edit, tasks=tasks))
        return tuple(changed)


def augment(train: Sequence[Task], *, each: int, optimizer: Optimizer) -> Augmented:
    """Return up to `each` more tasks for each lesson, one call a lesson; a failed call is noted.

    The optimizer is shown requests and what the person said, never the reference. A task is made only if the person
    said something and the answer isn't the one of a single request; it gets the reference of its lesson's newest
    task. A request that is much like a known one is left out. Raises ValueError for a task that isn't on train.
    """
    check_train(train)
    by_lesson: dict[str, list[Task]] = {}
    for task in train:
        if task.feedback.evidence and not isinstance(task.reference, Exact):
            by_lesson.setdefault(task.lesson, []).append(task)
    lessons = list(by_lesson.values())
    if not each or not lessons:
        return Augmented()
    replies = optimizer.map(lambda tasks: optimizer.ask(_question(tasks, each)), lessons, label="augment")
    known = [task.prompt for task in train]
    made: list[Task] = []
    real: dict[str, str] = {}
    notes: list[Note] = []
    for tasks, reply in zip(lessons, replies, strict=True):
        if isinstance(reply, Note):
            notes.append(reply)
            continue
        for request in map(str.strip, reply.requests[:each]):
            likest = max(fuzz.token_sort_ratio(request.lower(), other.lower()) for other in known)
            if request and likest < SAME_REQUEST:
                task = _like(tasks[-1], request)
                known.append(request)
                made.append(task)
                real[task.id] = tasks[-1].id
    return Augmented(tasks=tuple(made), real=real, notes=tuple(notes))


def _question(tasks: Sequence[Task], each: int) -> Question[AugmentReply]:
    newest = tasks[-1]
    requests = [fence(f"{task.context}\n{task.prompt}".strip()) for task in tasks[-SHOWN:]]
    quotes = [f"- «{quote}»" for quote in newest.quotes]
    values = {"requests": str(each), "asked": "\n\n".join(requests), "said": fence("\n".join(quotes))}
    return Question(Purpose.AUGMENT, AugmentReply, values, project=newest.project)


def _like(task: Task, request: str) -> Task:
    digest = blake2b(f"{task.id}\0{request}".encode(), digest_size=6).hexdigest()
    return msgspec.structs.replace(
        task,
        id=f"{task.id}~{digest}",
        prompt=request,
        context="",
        feedback=msgspec.structs.replace(task.feedback, rejected="", accepted="", deeds=()),
        origin=TaskOrigin.AUGMENTED,
    )
