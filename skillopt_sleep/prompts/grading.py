"""Show a judge's model requests, demands and answers, and read its grades: one prompt proves demands and judges."""

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Annotated, NamedTuple

import msgspec
from msgspec.structs import replace

from skillopt_sleep.kit.markdown import fence
from skillopt_sleep.prompts import fill, setting
from skillopt_sleep.records import Evidence, Prompt, Purpose, Rubric, Task, is_of_changes

PASSES_FROM = 0.8  # the least grade that passes, which the judge is told
UNSEEN = """\
Of an agent with tools you may see only what it said and ran, and which files it touched, not what it wrote into them.
Where an answer doesn't show whether the demand is met, its score is null: neither met nor missed."""
ANSWERS_PER_CALL = 24
# Several long answers together must not make a prompt too long.
CHARS_PER_CALL = 40_000


class AnswerToGrade(NamedTuple):
    """An answer to a task that only a model can grade: words, or what was changed in the files as a diff."""

    task: Task
    response: str

    @property
    def demand(self) -> str:
        """What the answer is graded by."""
        return self.task.reference.text if isinstance(self.task.reference, Rubric) else ""

    @property
    def item(self) -> tuple[str, ...]:
        """Whose answers share an item: those to the same request and demand."""
        return (self.task.project, self.task.context, self.task.prompt, self.demand, *said_of(self.task))

    @property
    def place(self) -> bytes:
        """A sort key that tells nothing about the answer: who made it, and in which order they were made."""
        return hashlib.blake2b(f"{self.task.id}\0{self.response}".encode()).digest()


# Models read a reply's docstrings: they are in its schema.
class AnswerGrade(msgspec.Struct, frozen=True, kw_only=True):
    """What an answer lacks, "" if nothing, and its grade from 0 to 1."""

    answer: int
    missing: str = ""
    score: float | None

    def __post_init__(self) -> None:
        if self.score is not None and not (math.isfinite(self.score) and 0 <= self.score <= 1):
            raise ValueError("score is not in [0, 1]")


class GradesReply(msgspec.Struct, frozen=True):
    """The grade of each answer."""

    grades: tuple[AnswerGrade, ...]


@cache
def _reply_of(count: int, *, unseen: bool) -> type[GradesReply]:
    """Return the type of a reply with one grade for each of so many answers; any other reply is malformed.

    With `unseen` a score may be null.
    """

    class GradesOfAll(GradesReply, frozen=True):
        # A small model answers for as many as an example does, unless its server enforces the number.
        grades: Annotated[tuple[AnswerGrade, ...], msgspec.Meta(min_length=count, max_length=count)]

        def __post_init__(self) -> None:
            if sorted(grade.answer for grade in self.grades) != list(range(1, count + 1)):
                raise ValueError(f"grades must have one entry for each of the {count} answers")
            if not unseen and any(grade.score is None for grade in self.grades):
                raise ValueError("a score is null, not a number")

    return GradesOfAll


class Grading(NamedTuple):
    """A prompt, and for each answer that it shows, in their order, all answers that are equal to it."""

    prompt: Prompt
    answers: Sequence[Sequence[AnswerToGrade]]

    def grades(self, reply: msgspec.Struct | None) -> Mapping[AnswerToGrade, AnswerGrade]:
        """Return the grade of each answer."""
        assert isinstance(reply, GradesReply)  # noqa: S101 - a backend decodes into the prompt's schema
        grades: dict[AnswerToGrade, AnswerGrade] = {}
        for grade in reply.grades:
            grades |= dict.fromkeys(self.answers[grade.answer - 1], grade)
        return grades


def grading(batch: Iterable[AnswerToGrade], *, proving: bool = False) -> Grading:
    """Return the prompt that asks for grades of these answers, in an order that tells nothing about them.

    Equal answers to one item are shown once, and share the grade.
    All are of one project, and are graded by their words, or all by their changes. Only who proves a demand may be
    told that an answer doesn't show it.
    """
    by_demand: dict[tuple[str, ...], list[list[list[AnswerToGrade]]]] = {}
    for same in _by_item(sorted(batch, key=lambda answer: answer.place)):
        first = same[0][0]
        by_demand.setdefault((first.demand, *said_of(first.task)), []).append(same)
    shown: list[str] = []
    ordered: list[list[AnswerToGrade]] = []
    for items in by_demand.values():
        like = 0
        for answers in items:
            number = len(shown) + 1
            texts = [equal[0].response for equal in answers]
            shown.append(item(number, answers[0][0].task, texts, first=len(ordered) + 1, like=like))
            like = like or number
            ordered += answers
    task = ordered[0][0].task
    text = fill(
        "grade",
        setting=setting(of_changes=is_of_changes(task.reference)),
        unseen=UNSEEN if proving else "",
        passes=str(PASSES_FROM),
        items="\n\n".join(shown),
    )
    prompt = Prompt(
        purpose=Purpose.PROVE if proving else Purpose.JUDGE,
        text=text,
        schema=_reply_of(len(ordered), unseen=proving),
        project=task.project,
    )
    return Grading(prompt, ordered)


def item(number: int, task: Task, answers: Sequence[str], *, first: int = 1, like: int = 0) -> str:
    """Show the task's request, its demand with the person's words, and these answers, in fences they can't close.

    The answers are numbered from `first` on, through the whole prompt. Demand and words are those of the item `like`,
    unless it is 0.
    """
    demand = AnswerToGrade(task, "").demand
    request = fence(f"{task.context}\n{task.prompt}".strip())
    lines = [f"# Item {number}", "## Request", request, "## Demand", f"As in item {like}." if like else fence(demand)]
    if said := [words for words in said_of(task) if words not in demand and not like]:
        lines += ["## The person's own words", fence("\n".join(said))]
    for place, text in enumerate(answers, start=first):
        lines += [f"## Answer {place}", fence(text)]
    return "\n".join(lines)


def said_of(task: Task) -> tuple[str, ...]:
    """Return what the person said about it, each once; what they did isn't said."""
    return tuple(dict.fromkeys(piece.quote for piece in task.feedback.evidence if piece.deed is None))


def with_all_evidence(tasks: Iterable[Task]) -> dict[str, Task]:
    """Return the tasks by id, each with what the person said in all sessions of its lesson: for a judge only."""
    said: dict[tuple[str, ...], list[Evidence]] = {}
    known = list(tasks)
    for task in known:
        said.setdefault(lesson_of(task), []).extend(task.feedback.evidence)
    whole: dict[str, Task] = {}
    for task in known:
        evidence = sorted(dict.fromkeys(said[lesson_of(task)]), key=lambda piece: (piece.session, piece.turn))
        whole[task.id] = replace(task, feedback=replace(task.feedback, evidence=tuple(evidence)))
    return whole


def lesson_of(task: Task) -> tuple[str, ...]:
    """Return a key of the task's lesson; before it has one, tasks of a project with the same wording share it."""
    return (
        (task.lesson,)
        if task.lesson
        else (task.project, task.wanted.wording or AnswerToGrade(task, "").demand or task.id)
    )


def batches(answers: Iterable[AnswerToGrade]) -> list[list[AnswerToGrade]]:
    """Batch the answers, one batch for each call: of one project and setting, and those of an item together.

    Equal answers to an item count once.
    """
    made: list[list[list[AnswerToGrade]]] = []
    for same in sorted(_by_item(answers), key=lambda same: same[0][0].task.project):
        for start in range(0, len(same), ANSWERS_PER_CALL):
            chunk = same[start : start + ANSWERS_PER_CALL]
            room = next((batch for batch in made if _fit(batch, chunk)), None)
            if room is None:
                made.append(list(chunk))
            else:
                room += chunk
    return [[answer for equal in batch for answer in equal] for batch in made]


def _by_item(answers: Iterable[AnswerToGrade]) -> list[list[list[AnswerToGrade]]]:
    """Return the answers by item, and within an item those that are equal together."""
    items: dict[tuple[object, ...], dict[str, list[AnswerToGrade]]] = {}
    for answer in answers:
        own = items.setdefault((is_of_changes(answer.task.reference), *answer.item), {})
        own.setdefault(answer.response, []).append(answer)
    return [list(equal.values()) for equal in items.values()]


def _fit(batch: Sequence[Sequence[AnswerToGrade]], more: Sequence[Sequence[AnswerToGrade]]) -> bool:
    both = [equal[0] for equal in (*batch, *more)]
    mine, others = batch[0][0].task, more[0][0].task
    if mine.project != others.project or len(both) > ANSWERS_PER_CALL:
        return False
    if is_of_changes(mine.reference) is not is_of_changes(others.reference):
        return False
    chars = sum(len(answer.response) + sum(map(len, answer.item)) for answer in both)
    return chars <= CHARS_PER_CALL
