"""Show sessions to the model miner, in plain lines that no text in them can imitate.

A line of ours begins a session or a turn (`person: …`), or is set in by two blanks and says what was done. Every
further line of a text is set in by four blanks and a bar, so it is told from ours whatever it says. What programs
wrote is left out, and of an agent's long words the middle.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from skillopt_sleep.agents import SHELLS
from skillopt_sleep.kit.markdown import one_line, visible
from skillopt_sleep.mining.deeds import deeds
from skillopt_sleep.mining.requests import command_before, pasted_words
from skillopt_sleep.mining.spans import own_words
from skillopt_sleep.records import Deed, DeedKind, Origin, Session, ToolEvent

PERSON_CHARS = 2_000
AGENT_HEAD, AGENT_TAIL = 400, 200
COMMAND_CHARS = 120
MOST_COMMANDS = 5
CALL_CHARS = 60_000  # of the sessions in one prompt

_FURTHER = "\n    | "
_DID = {
    DeedKind.REJECTED: "rejected",
    DeedKind.STOPPED: "stopped the agent",
    DeedKind.RAN: "ran",
    DeedKind.UNDONE: "undid",
    DeedKind.EDITED: "changed the file",
    DeedKind.ASKED_AGAIN: "asked this before",
    DeedKind.CHECKED: "checked with",
}


def sessions_by_call(sessions: Sequence[Session], per_call: int) -> list[list[list[Session]]]:
    """Return the sessions of each project, oldest first, in the batches that one call each is asked about.

    A batch holds at most `per_call` sessions and, if it is more than one, about 60,000 characters as they are shown.
    """
    projects: dict[str, list[list[Session]]] = {}
    chars: dict[str, int] = {}
    for session in sorted(sessions, key=lambda session: (session.started, session.id)):
        batches = projects.setdefault(session.project, [])
        more = len(shown_sessions([session]))
        if not batches or len(batches[-1]) == per_call or chars[session.project] + more > CALL_CHARS:
            batches.append([])
            chars[session.project] = 0
        batches[-1].append(session)
        chars[session.project] += more
    return list(projects.values())


def shown_sessions(sessions: Sequence[Session]) -> str:
    """Return the sessions as text: every turn, and after it what the agent and the person did.

    Of a typed turn only the person's own words are shown. Deeds are numbered from D1 on through all sessions, in the
    order of `deeds_in`.
    """
    shown: list[str] = []
    number = 1
    for label, session in enumerate(sessions, start=1):
        done = deeds(session)
        shown.append("\n".join(_shown_session(label, session, done, number)))
        number += len(done)
    return "\n\n".join(shown)


def deeds_in(sessions: Sequence[Session]) -> list[Deed]:
    """Return the deeds of all sessions in the order in which they are numbered."""
    return [deed for session in sessions for deed in deeds(session)]


def _shown_session(label: int, session: Session, done: Sequence[Deed], first: int) -> Iterator[str]:
    yield f"session S{label} of {session.started:%Y-%m-%d}"
    told: dict[int, list[str]] = defaultdict(list)
    calls: dict[int, list[ToolEvent]] = defaultdict(list)
    for event in session.tools:
        if not event.rejected:
            calls[event.turn].append(event)
    for turn, events in calls.items():
        told[turn] += _shown_calls(events)
    for number, deed in enumerate(done, start=first):
        told[deed.turn].append(f"  D{number} person {_shown_deed(deed)}")
    for index, turn in enumerate(session.turns):
        if turn.origin is Origin.ASSISTANT:
            text = visible(turn.text)
            if len(text) > AGENT_HEAD + AGENT_TAIL:
                text = f"{text[:AGENT_HEAD]} … {text[-AGENT_TAIL:]}"
            yield f"agent: {_set_in(text)}"
        elif turn.origin is Origin.USER:
            yield _shown_typed(session, index)
        yield from told[index]


def _shown_typed(session: Session, index: int) -> str:
    turn = session.turns[index]
    command = command_before(session, index)
    start = f"person behind {command}" if command else "person"
    own = own_words(turn.text, turn.pasted)[:PERSON_CHARS]
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
