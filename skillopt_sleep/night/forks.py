"""Take out of a session what it only copied from another one."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from msgspec.structs import replace

from skillopt_sleep.records import ChangedFile, Origin, Session, ToolEvent, Turn, TypedCommand

Event = TypeVar("Event", ToolEvent, TypedCommand, ChangedFile)


def without_copies(sessions: Sequence[Session], earlier: Sequence[Session]) -> list[Session]:
    """Take out of the sessions what a fork copied from another session, of this night or of `earlier` ones.

    A session that repeats a prompt is a fork, so answers that it repeats are copies too.
    """
    seen: set[str] = set()
    for session in earlier:
        seen.update(_turn_ids(session))
    own_parts: dict[str, Session] = {}
    for session in sorted(sessions, key=lambda session: (session.started, session.ended, session.id)):
        if _is_fork(session, seen):
            own_parts[session.id] = _leave_out(session, seen)
        else:
            own_parts[session.id] = session
        seen.update(_turn_ids(session))
    return [own_parts[session.id] for session in sessions]


def _turn_ids(session: Session) -> Iterator[str]:
    for turn in session.turns:
        if turn.id:
            yield turn.id


def _is_fork(session: Session, seen: Collection[str]) -> bool:
    """Return whether a prompt of the session is among those `seen` in others."""
    return any(turn.id in seen for turn in session.turns if turn.origin is Origin.USER)


def _leave_out(session: Session, copied: Collection[str]) -> Session:
    """Drop the turns with these ids, and what was done after one of them."""
    turns: list[Turn] = []
    new_numbers: dict[int, int] = {}
    for number, turn in enumerate(session.turns):
        if turn.id not in copied:
            new_numbers[number] = len(turns)
            turns.append(turn)
    files: list[ChangedFile] = []
    for file in session.changed_files:
        if file.since in new_numbers:
            files.append(replace(file, since=new_numbers[file.since]))
    return replace(
        session,
        turns=tuple(turns),
        tools=tuple(_renumbered(session.tools, new_numbers)),
        stops=tuple(new_numbers[turn] for turn in session.stops if turn in new_numbers),
        commands=tuple(_renumbered(session.commands, new_numbers)),
        changed_files=tuple(_renumbered(files, new_numbers)),
    )


def _renumbered(events: Iterable[Event], new_numbers: Mapping[int, int]) -> Iterator[Event]:
    """Yield what was done after a turn that is still there, with the turn's new number."""
    for event in events:
        number = new_numbers.get(event.turn)
        if number is not None:
            yield replace(event, turn=number)
