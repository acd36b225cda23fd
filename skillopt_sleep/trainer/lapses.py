"""Skill-aware reflection: what the skill says already and the target overlooked is noted in an appendix, not edited.

Failures are told apart as EmbodiSkill does: a defect of the skill is an edit, a lapse in its execution is a note.
"""

import threading
from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from skillopt_sleep.errors import ItemError
from skillopt_sleep.kit.markdown import fence, one_line
from skillopt_sleep.learning.reflect import KINDS, ReflectReply
from skillopt_sleep.prompts import Filled, fill
from skillopt_sleep.proposals.guard import problems
from skillopt_sleep.protocols import Backend, Pool
from skillopt_sleep.records import Completion, Document, EditSource, Note, Prompt, Purpose
from skillopt_sleep.trainer.tasks import APPENDIX_BEGIN, APPENDIX_END

NOTE_CHARS = 300
_ASKED = """

# Defects and lapses
Tell two kinds of failure apart. The instructions don't say what was needed, or say it wrongly: a defect, propose an
edit. They say it, and it was overlooked: a lapse, propose no edit but a short note of what to watch out for. Add to
your JSON object: "appendix_notes": ["one sentence each"]; an empty list is a fine answer."""
_ASKS = frozenset({Purpose.REFLECT, Purpose.REFLECT_DEEP})


class SkillAwareReply(ReflectReply, frozen=True):
    """What the optimizer answers: edits against defects, notes on lapses."""

    appendix_notes: tuple[str, ...] = ()


class AppendixReply(msgspec.Struct, frozen=True):
    """What the optimizer answers when it is asked to shorten the notes."""

    appendix_notes: tuple[str, ...]
    reasoning: str = ""


class SkillAware:
    """Asks for notes on lapses along with every reflection, and keeps them; `successes`: with those too."""

    def __init__(self, inner: Backend, *, successes: bool) -> None:
        self._inner, self._successes = inner, successes
        self._lock = threading.Lock()
        self._noted: list[str] = []

    def complete(self, prompt: Prompt) -> Completion:
        """The inner answer."""
        text = prompt.text
        if prompt.purpose not in _ASKS or not isinstance(text, Filled) or not self._wanted(text):
            return self._inner.complete(prompt)
        asked = replace(prompt, text=text.plus(_ASKED), schema=SkillAwareReply)
        completion = self._inner.complete(asked)
        if isinstance(completion.structured, SkillAwareReply):
            with self._lock:
                self._noted += completion.structured.appendix_notes
        return completion

    def taken(self) -> tuple[str, ...]:
        """The notes since the last time, in an order that no timing changes."""
        with self._lock:
            noted, self._noted = self._noted, []
        return tuple(sorted(noted))

    def _wanted(self, text: Filled) -> bool:
        return self._successes or text.values.get("kind") != KINDS[EditSource.SUCCESS]


def notes_of(document: Document) -> tuple[str, ...]:
    """The notes in its appendix."""
    _, begin, rest = document.trail.partition(APPENDIX_BEGIN)
    if not begin:
        return ()
    lines = rest.partition(APPENDIX_END)[0].splitlines()
    return tuple(line.removeprefix("- ") for line in lines if line.startswith("- "))


def with_notes(document: Document, notes: Sequence[str]) -> Document:
    """The document with these notes for its appendix, in place of those that stand there."""
    before, begin, rest = document.trail.partition(APPENDIX_BEGIN)
    after = rest.partition(APPENDIX_END)[2] if begin else "\n"
    shown = "\n".join(f"- {note}" for note in notes)
    head = before if begin else before.rstrip("\n") + "\n\n"
    return replace(document, trail=f"{head}{APPENDIX_BEGIN}\n{shown}\n{APPENDIX_END}{after}")


def new_notes(document: Document, noted: Sequence[str]) -> tuple[str, ...]:
    """Those that the appendix doesn't say yet, up to case, white space and the full stop, and that are safe."""
    known = {_words(note) for note in notes_of(document)}
    fresh: list[str] = []
    for note in noted:
        line = one_line(note, limit=NOTE_CHARS)
        if not line or _words(line) in known or APPENDIX_END in line or problems(line, evidence=()):
            continue
        known.add(_words(line))
        fresh.append(line)
    return tuple(fresh)


def within(changed: Document, before: Document, *, most: int) -> tuple[Document, tuple[Note, ...]]:
    """The document without as many of its last notes as make it longer than `most` characters, which is noted."""
    notes = notes_of(changed)
    kept = len(notes)
    while kept and len(with_notes(changed, notes[:kept]).text) > most:
        kept -= 1
    if kept == len(notes):
        return changed, ()
    said = f"{len(notes) - kept} of {len(notes)} notes left out: with them the skill is longer than {most} characters"
    return with_notes(changed, notes[:kept]) if kept else before, (Note(stage="appendix", summary=said),)


def consolidated(document: Document, *, optimizer: Backend, pool: Pool) -> Document | Note:
    """The document with fewer notes, as it is where they don't become fewer, or the note of a call that failed."""
    notes = notes_of(document)
    shown = fence("\n".join(f"- {note}" for note in notes))
    text = fill("appendix", document=fence(document.body or "(empty)"), appendix=shown)
    prompt = Prompt(purpose=Purpose.APPENDIX, text=text, schema=AppendixReply)

    def ask(prompt: Prompt) -> AppendixReply | Note:
        try:
            reply = optimizer.complete(prompt).structured
        except ItemError as error:
            return Note(stage="appendix", summary=error.message, remedy=error.remedy)
        assert isinstance(reply, AppendixReply)  # noqa: S101 - a backend decodes into the prompt's schema or raises
        return reply

    (reply,) = pool.map(ask, (prompt,), label="appendix")
    if isinstance(reply, Note):
        return reply
    fewer = new_notes(with_notes(document, ()), reply.appendix_notes)
    return with_notes(document, fewer) if 0 < len(fewer) < len(notes) else document


def _words(note: str) -> str:
    return " ".join(note.lower().split()).rstrip(".!;, ")
