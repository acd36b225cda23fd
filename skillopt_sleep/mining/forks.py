"""Take out of a session what it only copied from another one."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from msgspec.structs import replace

from skillopt_sleep.records import ChangedOnDisk, Origin, Session, ToolEvent, Turn, TypedCommand

_LEAST = 2  # an equal prompt alone may be chance; one more, or the end, is equal only if the answers are too
Event = TypeVar("Event", ToolEvent, TypedCommand, ChangedOnDisk)


class EarlierTurns:
    """What was said in some sessions, to tell what another one copied from them."""

    def __init__(self) -> None:
        self._ids: set[str] = set()
        self._beginnings: set[int] = set()

    def add(self, session: Session) -> None:
        """Remember what was said in this one too."""
        self._ids.update(turn.id for turn in session.turns if turn.id)
        self._beginnings.update(_beginnings(session).values())

    def copied(self, session: Session) -> set[int]:
        """Return the numbers of the turns that are copies.

        A session that repeats a prompt's id is a fork, so answers that it repeats are copies too. One that begins
        with two prompts of another one and the answer between them, or that is all alike, is a copy up to there.
        """
        copied: set[int] = set()
        if any(turn.id in self._ids for turn in session.turns if turn.origin is Origin.USER):
            copied.update(number for number, turn in enumerate(session.turns) if turn.id in self._ids)
        begun = _beginnings(session)
        known = [number for number, beginning in begun.items() if beginning in self._beginnings]
        if len(known) >= _LEAST:
            copied.update(range(next((number for number in begun if number > known[-1]), len(session.turns))))
        return copied


def without_copies(sessions: Sequence[Session], earlier: Sequence[Session]) -> list[Session]:
    """Take out of the sessions what they copied from another session, of this night or of `earlier` ones."""
    said = EarlierTurns()
    own_parts: dict[str, Session] = {}
    in_order = sorted(sessions, key=lambda session: (session.started, session.ended, session.id))
    for session in (*earlier, *in_order):
        copied = said.copied(session)
        own_parts[session.id] = _leave_out(session, copied) if copied else session
        said.add(session)
    return [own_parts[session.id] for session in sessions]


def _beginnings(session: Session) -> dict[int, int]:
    """Return the number of each typed turn, and of the end, with a hash of all that was said before it and in it."""
    beginnings: dict[int, int] = {}
    beginning = hash(session.project)
    answer = ""
    for number, turn in enumerate(session.turns):
        if turn.origin is Origin.USER:
            beginning = beginnings[number] = hash((beginning, answer, turn.text.strip()))
            answer = ""
        elif turn.origin is Origin.ASSISTANT:
            answer = turn.text.strip()
    if answer:
        beginnings[len(session.turns)] = hash((beginning, answer))
    return beginnings


def _leave_out(session: Session, copied: Collection[int]) -> Session:
    """Drop the turns with these numbers, and what was done after one of them."""
    turns: list[Turn] = []
    new_numbers: dict[int, int] = {}
    for number, turn in enumerate(session.turns):
        if number not in copied:
            new_numbers[number] = len(turns)
            turns.append(turn)
    files: list[ChangedOnDisk] = []
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
