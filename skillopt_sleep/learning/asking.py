"""Ask the optimizer about a document: prompt, call, check of the reply, and a note if the call fails."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

import msgspec
from msgspec.structs import replace

from skillopt_sleep.errors import ItemError
from skillopt_sleep.kit.markdown import fence
from skillopt_sleep.prompts import put, slots, template
from skillopt_sleep.prompts.past import own_notes, tried_before
from skillopt_sleep.proposals.edited import named_target
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.protocols.work import Pool
from skillopt_sleep.records import Document, Edit, EditOp, Note, Past, Patch, Prompt, Purpose, Split, Task

Reply = TypeVar("Reply", bound=msgspec.Struct)
Item = TypeVar("Item")
Result = TypeVar("Result")


class WrittenEdit(msgspec.Struct, frozen=True):
    """An edit as the optimizer writes it."""

    op: EditOp
    content: str = ""
    target: str = ""

    def edit(self) -> Edit:
        """Return the edit, without what it was learned from."""
        return Edit(op=self.op, content=self.content.strip(), target=named_target(self.op, self.target))


class Question(NamedTuple, Generic[Reply]):
    """One question; its purpose decides which prompt is used.

    Backends send the schema with its docstrings: rewording one changes what the model reads. `values` fill the slots
    that aren't filled for every question. `stage` is who asks, in the note of a failed call; "" is the purpose.
    `project` is whose limit the call counts towards; None is the document's.
    """

    purpose: Purpose
    schema: type[Reply]
    values: Mapping[str, str]
    stage: str = ""
    project: str | None = None


class Optimizer(msgspec.Struct, frozen=True, kw_only=True):
    """The optimizer, asked about one document.

    `words` returns the prompt of a purpose, with its slots. `asker` tells draws apart: another asker's question in
    the same words is another question.
    """

    backend: Backend
    pool: Pool
    document: Document
    past: Past = Past()
    preferences: str = ""
    words: Callable[[str], str] = template
    asker: str = ""

    def about(self, document: Document) -> "Optimizer":
        """Return the optimizer asked about another document."""
        return replace(self, document=document)

    def knowing(self, past: Past) -> "Optimizer":
        """Return the optimizer with knowledge of this past."""
        return replace(self, past=past)

    def ask(self, question: Question[Reply]) -> Reply | Note:
        """Return the reply, or a note if the call failed; a NightError is raised."""
        project = question.project
        if project is None:
            project = self.document.project
        prompt = Prompt(
            purpose=question.purpose,
            text=self._text(question),
            schema=question.schema,
            asker=self.asker,
            project=project,
            about=self.document.id,
        )
        try:
            reply = self.backend.complete(prompt).structured
        except ItemError as error:
            stage = question.stage or question.purpose.value
            return Note(stage=stage, summary=f"{self.document.id}: {error.message}", remedy=error.remedy)
        # A backend decodes into the prompt's schema or raises.
        assert isinstance(reply, question.schema)  # noqa: S101
        return reply

    def ask_alone(self, question: Question[Reply]) -> Reply | Note:
        """Ask one question through the pool; see `ask`."""
        label = question.purpose.value.replace("_", " ")
        (reply,) = self.map(self.ask, (question,), label=label)
        return reply

    def map(self, function: Callable[[Item], Result], items: Sequence[Item], *, label: str) -> tuple[Result, ...]:
        """Map the items through the pool; the label names the document too."""
        return self.pool.map(function, items, label=f"{label} {self.document.id}")

    def _text(self, question: Question[Reply]) -> str:
        name = question.purpose.value
        wanted = slots(template(name))
        always = {
            "document": fence(self.document.text or "(empty)"),
            "editable": fence(self.document.body or "(empty)"),
            "preferences": self.preferences.strip(),
            "tried": tried_before(self.past),
            "notes": own_notes(self.past),
        }
        values = {slot: value for slot, value in always.items() if slot in wanted} | dict(question.values)
        if unused := values.keys() - wanted:
            raise ValueError(f"prompt {name} has no slot for {', '.join(sorted(unused))}")
        words = self.words(name)
        for slot, value in values.items():
            if not value:
                # Without anything to show, there is no heading either.
                words = re.sub(rf"^# [^\n]*\n\{{\{{{slot}\}}\}}\n\n", "", words, flags=re.MULTILINE)
        return put(words, values)


def check_train(tasks: Iterable[Task]) -> None:
    """Raise ValueError for a task that isn't on train: the optimizer must never see what gates an edit."""
    for task in tasks:
        if task.split is not Split.TRAIN:
            raise ValueError(f"task {task.id} is not on train")


class Patches(NamedTuple):
    """The patches that were asked for, and the calls that failed."""

    patches: tuple[Patch, ...] = ()
    notes: tuple[Note, ...] = ()

    @classmethod
    def of(cls, answers: Sequence[Patch | Note]) -> "Patches":
        """Separate the answers that came from the notes of calls that failed; both keep their order."""
        patches = tuple(answer for answer in answers if isinstance(answer, Patch))
        return cls(patches, tuple(answer for answer in answers if isinstance(answer, Note)))


class Edits(NamedTuple):
    """The edits as the optimizer left them, and the calls that failed."""

    edits: tuple[Edit, ...] = ()
    notes: tuple[Note, ...] = ()
