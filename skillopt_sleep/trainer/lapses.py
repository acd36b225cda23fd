"""Skill-aware reflection: a rule that the target overlooked is noted in an appendix, not edited.

Failures are told apart as EmbodiSkill does: a defect of the skill is an edit, a lapse in its execution is a note.
"""

import threading
from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from skillopt_sleep.kit.markdown import fence, one_line
from skillopt_sleep.learning.asking import Extra, Optimizer, Question
from skillopt_sleep.learning.reflect import ReflectReply
from skillopt_sleep.records import Document, Note, Purpose
from skillopt_sleep.trainer.links import is_refused_note
from skillopt_sleep.trainer.tasks import APPENDIX_BEGIN, APPENDIX_END

NOTE_CHARS = 300
_ASKED = """

# Defects and lapses
Tell two kinds of failure apart. The instructions don't say what was needed, or say it wrongly: a defect, propose an
edit. They say it, and it was overlooked: a lapse, propose no edit but a short note of what to watch out for. Add to
your JSON object: "appendix_notes": ["one sentence each"]; an empty list is a fine answer."""


class SkillAwareReply(ReflectReply, frozen=True):
    """What the optimizer answers: edits against defects, notes on lapses."""

    appendix_notes: tuple[str, ...] = ()


class AppendixReply(msgspec.Struct, frozen=True):
    """What the optimizer answers when it is asked to shorten the notes."""

    appendix_notes: tuple[str, ...]


class Lapses:
    """Collects the notes on lapses that reflections were asked for."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._noted: list[str] = []
        self.question = Extra(text=_ASKED, schema=SkillAwareReply, take=self._take)

    def taken(self) -> tuple[str, ...]:
        """Return the notes since the last call, in an order that doesn't depend on timing."""
        with self._lock:
            noted, self._noted = self._noted, []
        return tuple(sorted(noted))

    def _take(self, reply: msgspec.Struct) -> None:
        if isinstance(reply, SkillAwareReply):
            with self._lock:
                self._noted += reply.appendix_notes


def notes_of(document: Document) -> tuple[str, ...]:
    """Return the notes in the document's appendix."""
    _, begin, rest = document.trail.partition(APPENDIX_BEGIN)
    if not begin:
        return ()
    lines = rest.partition(APPENDIX_END)[0].splitlines()
    return tuple(line.removeprefix("- ") for line in lines if line.startswith("- "))


def with_notes(document: Document, notes: Sequence[str]) -> Document:
    """Return the document with these notes in its appendix, in place of the old ones."""
    before, begin, rest = document.trail.partition(APPENDIX_BEGIN)
    if begin:
        _, _, after = rest.partition(APPENDIX_END)
    else:
        before, after = before.rstrip("\n") + "\n\n", "\n"
    return replace(document, trail=f"{before}{APPENDIX_BEGIN}\n{_list(notes)}\n{APPENDIX_END}{after}")


def _list(notes: Sequence[str]) -> str:
    return "\n".join([f"- {note}" for note in notes])


def new_notes(document: Document, noted: Sequence[str], *, allow_urls: bool = False) -> tuple[str, ...]:
    """Return the safe notes that the appendix doesn't hold yet, up to case, white space and the full stop."""
    known = {_words(note) for note in notes_of(document)}
    fresh: list[str] = []
    for note in noted:
        line = one_line(note, limit=NOTE_CHARS)
        if not line or _words(line) in known or APPENDIX_END in line or is_refused_note(line, allow_urls=allow_urls):
            continue
        known.add(_words(line))
        fresh.append(line)
    return tuple(fresh)


def within(changed: Document, before: Document, *, most: int) -> tuple[Document, tuple[Note, ...]]:
    """Drop the last notes that make the document longer than `most` characters, and say so in a note."""
    notes = notes_of(changed)
    kept = len(notes)
    while kept and len(with_notes(changed, notes[:kept]).text) > most:
        kept -= 1
    if kept == len(notes):
        return changed, ()
    left_out = len(notes) - kept
    summary = f"{left_out} of {len(notes)} notes left out: with them the skill is longer than {most} characters"
    shorter = before
    if kept:
        shorter = with_notes(changed, notes[:kept])
    return shorter, (Note(stage="appendix", summary=summary),)


def consolidated(document: Document, *, optimizer: Optimizer, allow_urls: bool = False) -> Document | Note:
    """Ask for fewer notes; the document stays as it is if there aren't fewer. A failed call becomes a note."""
    notes = notes_of(document)
    values = {"document": fence(document.body or "(empty)"), "appendix": fence(_list(notes))}
    reply = optimizer.about(document).ask_alone(Question(Purpose.APPENDIX, AppendixReply, values))
    if isinstance(reply, Note):
        return reply
    fewer = new_notes(with_notes(document, ()), reply.appendix_notes, allow_urls=allow_urls)
    if not fewer or len(fewer) >= len(notes):
        return document
    return with_notes(document, fewer)


def _words(note: str) -> str:
    return " ".join(note.lower().split()).rstrip(".!;, ")
