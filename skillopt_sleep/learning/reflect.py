"""Turn failed attempts on train into patches: what went wrong in words, never what the judge looks for."""

from collections.abc import Callable, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from skillopt_sleep.kit.likeness import nearest
from skillopt_sleep.kit.markdown import fence, one_line
from skillopt_sleep.learning.asking import Optimizer, Patches, Question, WrittenEdit, check_train
from skillopt_sleep.prompts.attempts import LearningCase, cases, feedback_lines, made_in, show, what_went_wrong
from skillopt_sleep.protocols.crew import StepRules
from skillopt_sleep.records import Edit, EditSource, Note, Patch, Purpose, Rollout, Score, Task

CAUSE_CHARS = 400
REQUEST_CHARS = 600
KINDS = {
    EditSource.FAILURE: "that failed",
    EditSource.SUCCESS: "that succeeded: find what they did right that the instructions don't ask for yet",
}
Batch = tuple[EditSource, Sequence[LearningCase]]


class LearnedEdit(WrittenEdit, frozen=True):
    """An edit as the optimizer writes it, with the numbers of the attempts it was learned from."""

    attempts: tuple[int, ...] = ()


class ReflectReply(msgspec.Struct, frozen=True):
    """What the optimizer answers."""

    edits: tuple[LearnedEdit, ...]


class CauseReply(msgspec.Struct, frozen=True):
    """Why an attempt failed."""

    attempt: int
    cause: str


class DiagnoseReply(msgspec.Struct, frozen=True):
    """What the optimizer answers when it is asked for causes only."""

    causes: tuple[CauseReply, ...]


def reflect(
    rollouts: Sequence[Rollout],
    tasks: Mapping[str, Task],
    *,
    optimizer: Optimizer,
    rules: StepRules,
    measure: Callable[[Score], float],
) -> Patches:
    """Return patches from tasks with a failed attempt (hard below 1); a failed call loses its batch, which is noted.

    One call shows `rules.minibatch` tasks, or a single failure in mode shallow. Mode deep asks for the cause of each
    failure first, then for one patch against the causes they share; a single failure is reflected on by itself. With
    `rules.successes` there are patches from what went well too. If attempts at a task differ under `measure`, the
    better one is shown beside the worse one. Raises ValueError for a task that isn't on train.
    """
    check_train(tasks[rollout.task] for rollout in rollouts)
    failed, done = cases(rollouts, tasks, measure=measure, each=rules.reflection == "shallow")
    reflector = _Reflector(optimizer, budget=rules.edit_budget, setting=made_in(rollouts))
    answers: list[Patch | Note] = []
    batches: list[Batch] = []
    if rules.reflection == "deep" and len(failed) > 1:
        answers += _deep(_batches(failed, rules.minibatch), reflector)
    else:
        size = rules.minibatch
        if rules.reflection == "shallow":
            size = 1
        batches += [(EditSource.FAILURE, batch) for batch in _batches(failed, size)]
    if rules.successes:
        batches += [(EditSource.SUCCESS, batch) for batch in _batches(done, rules.minibatch)]
    answers += optimizer.map(reflector.patch, batches, label="reflect")
    return Patches.of(answers)


def _batches(all_cases: Sequence[LearningCase], size: int) -> list[Sequence[LearningCase]]:
    return [all_cases[i : i + size] for i in range(0, len(all_cases), size)]


def _deep(batches: Sequence[Sequence[LearningCase]], reflector: "_Reflector") -> list[Patch | Note]:
    """Ask for the cause of each failure, a minibatch a call, then for one patch against what they share."""
    optimizer = reflector.optimizer
    diagnosed = optimizer.map(reflector.causes, batches, label="diagnose")
    known: list[tuple[LearningCase, str]] = []
    notes: list[Patch | Note] = []
    for batch, reply in zip(batches, diagnosed, strict=True):
        causes: dict[int, str] = {}
        if isinstance(reply, Note):
            notes.append(reply)
        else:
            causes = {cause.attempt: cause.cause for cause in reply.causes}
        for number, case in enumerate(batch, start=1):
            cause = causes.get(number, "")
            known.append((case, cause))
    return [*notes, *optimizer.map(reflector.deep_patch, (known,), label="reflect")]


class _Reflector:
    """Asks for patches and causes; `budget` is how many edits it asks for, `setting` what an attempt can show."""

    def __init__(self, optimizer: Optimizer, *, budget: int, setting: str) -> None:
        self.optimizer = optimizer
        self._budget = budget
        self._setting = setting

    def patch(self, batch: Batch) -> Patch | Note:
        """Ask for edits from attempts that went the same way."""
        source, some = batch
        values = {
            "attempts": str(len(some)),
            "kind": KINDS[source],
            "setting": self._setting,
            "trajectories": _shown(some),
            "budget": str(self._budget),
        }
        return self._patch(Purpose.REFLECT, values, some, source)

    def causes(self, some: Sequence[LearningCase]) -> DiagnoseReply | Note:
        """Ask why each of these failed."""
        values = {
            "attempts": str(len(some)),
            "setting": self._setting,
            "trajectories": _shown(some),
        }
        return self.optimizer.ask(Question(Purpose.DIAGNOSE, DiagnoseReply, values, stage="reflect"))

    def deep_patch(self, known: Sequence[tuple[LearningCase, str]]) -> Patch | Note:
        """Ask for edits against the causes that failures share."""
        failures: list[LearningCase] = []
        causes: list[str] = []
        for number, (case, cause) in enumerate(known, start=1):
            failures.append(case)
            causes.append(_with_cause(number, case, cause))
        values = {
            "failures": str(len(known)),
            "setting": self._setting,
            "causes": "\n\n".join(causes),
            "budget": str(self._budget),
        }
        return self._patch(Purpose.REFLECT_DEEP, values, failures, EditSource.FAILURE)

    def _patch(
        self, purpose: Purpose, values: Mapping[str, str], some: Sequence[LearningCase], source: EditSource
    ) -> Patch | Note:
        reply = self.optimizer.ask(Question(purpose, ReflectReply, values, stage="reflect"))
        if isinstance(reply, Note):
            return reply
        edits: list[Edit] = []
        for edit in reply.edits:
            named = [some[number - 1] for number in edit.attempts if 0 < number <= len(some)]
            names = tuple(dict.fromkeys(case.task.id for case in named or _nearest(edit, some)))
            edits.append(replace(edit.edit(), source=source, support=len(names), tasks=names))
        return Patch(edits=tuple(edits), source=source)


def _shown(some: Sequence[LearningCase]) -> str:
    shown = [show(number, case) for number, case in enumerate(some, start=1)]
    return "\n\n".join(shown)


def _with_cause(number: int, case: LearningCase, cause: str) -> str:
    why = [what_went_wrong(case)]
    if cause.strip():
        why.append(f"Cause: {one_line(cause, limit=CAUSE_CHARS)}")
    request = fence(case.task.prompt[:REQUEST_CHARS])
    return "\n".join(
        [f"## Failure {number}", request, fence("\n".join(why)), *feedback_lines(case.task, sessions=case.sessions)]
    )


def _nearest(edit: LearnedEdit, some: Sequence[LearningCase]) -> Sequence[LearningCase]:
    """Return the cases of the lesson whose words are nearest to the edit's; all if they show one, or nobody spoke."""
    tasks = [case.task for case in some]
    told = [
        " ".join((task.wanted.wording, *task.quotes, *(deed.what for deed in task.feedback.deeds))).strip()
        for task in tasks
    ]
    if len({task.lesson for task in tasks}) == 1 or not any(told):
        return some
    lessons = {tasks[place].lesson for place in nearest(edit.content or edit.target, told)}
    return [case for case in some if case.task.lesson in lessons]
