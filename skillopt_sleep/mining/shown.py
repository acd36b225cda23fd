"""Show sessions to the model miner, in plain lines that no text in them can imitate.

A line of ours begins a session or a turn (`[turn 3] person: …`), or is set in by two blanks and says what was done.
Every further line of a text is set in by four blanks and a bar, so it is told from ours whatever it says.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from skillopt_sleep.agents import SHELLS
from skillopt_sleep.kit.markdown import one_line, visible
from skillopt_sleep.mining.deeds import deeds
from skillopt_sleep.mining.requests import pasted_words
from skillopt_sleep.mining.spans import own_words
from skillopt_sleep.records import Deed, DeedKind, Origin, Session, ToolEvent, Turn

TURN_CHARS = 2_000
PROGRAM_CHARS = 200
COMMAND_CHARS = 120
MOST_COMMANDS = 5

_FURTHER = "\n    | "
_WHO = {Origin.USER: "person", Origin.ASSISTANT: "agent", Origin.HARNESS: "program"}
_DID = {
    DeedKind.REJECTED: "rejected",
    DeedKind.STOPPED: "stopped the agent",
    DeedKind.RAN: "ran",
    DeedKind.UNDONE: "undid",
    DeedKind.EDITED: "changed the file",
    DeedKind.ASKED_AGAIN: "asked this before",
    DeedKind.CHECKED: "checked with",
}


def shown_sessions(labels: Mapping[str, Session]) -> str:
    """Return the sessions as text: every turn with its number, and after it what the agent and the person did.

    Of a typed turn only the person's own words are shown. Deeds are numbered within their session, from D1 on, in the
    order in which `deeds` returns them.
    """
    return "\n\n".join("\n".join(_shown_session(label, session)) for label, session in labels.items())


def _shown_session(label: str, session: Session) -> Iterator[str]:
    yield f"session {label} of {session.started:%Y-%m-%d}"
    told: dict[int, list[str]] = defaultdict(list)
    calls: dict[int, list[ToolEvent]] = defaultdict(list)
    for event in session.tools:
        if not event.rejected:
            calls[event.turn].append(event)
    for turn, events in calls.items():
        told[turn] += _shown_calls(events)
    for number, deed in enumerate(deeds(session), start=1):
        told[deed.turn].append(f"  D{number} person {_shown_deed(deed)}")
    notes = {command.turn for command in session.commands}
    for index, turn in enumerate(session.turns):
        if turn.origin is not Origin.HARNESS or index not in notes:
            yield _shown_turn(index, turn)
        yield from told[index]


def _shown_turn(index: int, turn: Turn) -> str:
    start = f"[turn {index}] {_WHO[turn.origin]}"
    if turn.origin is Origin.HARNESS:
        return f"{start}: {one_line(turn.text, limit=PROGRAM_CHARS)}"
    if turn.origin is Origin.ASSISTANT:
        return f"{start}: {_set_in(visible(turn.text[:TURN_CHARS]))}"
    own = own_words(turn.text, turn.pasted)[:TURN_CHARS]
    pasted = len(pasted_words(turn.text, turn.pasted))
    if not own:
        return f"{start} pasted {pasted} characters, not shown"
    shown = f"{start}: {_set_in(own)}"
    if pasted:
        shown += f"\n  and pasted {pasted} characters, not shown"
    return shown


def _set_in(text: str) -> str:
    return _FURTHER.join(text.splitlines())


def _shown_calls(events: Sequence[ToolEvent]) -> Iterator[str]:
    """Yield the last calls of the agent after a turn, a line each, and how many came before."""
    earlier = len(events) - MOST_COMMANDS
    if earlier > 0:
        yield f"  agent made {earlier} calls before these"
    for event in events[-MOST_COMMANDS:]:
        did = "ran" if event.name in SHELLS else f"used {one_line(event.name, limit=40)}"
        failed = " (failed)" if event.error else ""
        yield f"  agent {did}: {one_line(event.brief, limit=COMMAND_CHARS)}{failed}"


def _shown_deed(deed: Deed) -> str:
    did = _DID[deed.kind]
    if not deed.what or deed.kind is DeedKind.ASKED_AGAIN:
        return did
    return f"{did}: {one_line(deed.what, limit=COMMAND_CHARS)}"
