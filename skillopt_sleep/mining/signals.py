"""What the person and the outcome said about an answer by what was done, before any word is read."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from skillopt_sleep.records import Origin, Session, SignalKind, ToolEvent

_UNDO = re.compile(
    r"\bgit\s+(?:-\S+\s+)*(?:revert\b|restore\b(?!\s+--staged\s*$)|reset\s+(?:\S+\s+)*?--(?:hard|merge)\b|checkout\s+(?:\S+\s+)?--?\s"
    r"|checkout\s+\.(?:\s|$)|stash(?:\s+drop|\s+push|\s*$)|clean\s+-\S*f)"
)
_TESTS = re.compile(
    r"\b(?:pytest|unittest|tox|nox|jest|vitest|mocha|rspec|phpunit|ctest|(?:npm|pnpm|yarn|bun)\s+(?:run\s+)?test"
    r"|(?:cargo|go|dotnet|mix|swift|flutter|deno)\s+test|(?:make|just|gradlew?|mvnw?|rake|bazel)\s+(?:\S+\s+)*?(?:test|check|verify))\b"
)
_BASH_INPUT = re.compile(r"<(?:bash-input|user_shell_command)>(.*?)</", re.DOTALL)
_FEW_WORDS = 3


class Signal(NamedTuple):
    """One thing done: after which turn, what it tells, and the command it was, if it was one."""

    turn: int
    kind: SignalKind
    what: str = ""


def signals(session: Session) -> tuple[Signal, ...]:
    """What was done in a session, in order: rejections, stops, undoing, errors mended, tests that turned."""
    found = [Signal(event.turn, SignalKind.REJECTED, event.brief) for event in session.tools if event.rejected]
    found += [Signal(turn, SignalKind.STOPPED) for turn in session.stops]
    found += [
        Signal(event.turn, SignalKind.UNDONE, event.brief)
        for event in session.tools
        if not event.rejected and not event.error and _UNDO.search(event.brief)
    ]
    found += [
        Signal(turn, SignalKind.UNDONE, command) for turn, command in typed_commands(session) if _UNDO.search(command)
    ]
    found += _turned(session.tools)
    return tuple(sorted(found, key=lambda signal: signal.turn))


def typed_commands(session: Session) -> list[tuple[int, str]]:
    """Shell commands the person ran in the agent's prompt, with their turns."""
    return [
        (index, match[1].strip())
        for index, turn in enumerate(session.turns)
        if turn.origin is Origin.HARNESS
        for match in _BASH_INPUT.finditer(turn.text)
    ]


def _turned(tools: Sequence[ToolEvent]) -> list[Signal]:
    """Commands that failed and later succeeded: an error the agent mended, and tests that turned."""
    failed: dict[str, ToolEvent] = {}
    found: list[Signal] = []
    for event in tools:
        if event.rejected or not event.brief:
            continue
        name = _same_command(event.brief)
        if event.error or event.exit_code:
            failed[name] = event
        elif name in failed:
            del failed[name]
            kind = SignalKind.TESTS_PASSED if _TESTS.search(event.brief) else SignalKind.FIXED
            found.append(Signal(event.turn, kind, event.brief))
    return found


def _same_command(brief: str) -> str:
    """What stays when a command is tried again with other arguments: its first words."""
    return "tests" if _TESTS.search(brief) else " ".join(brief.split()[:_FEW_WORDS])
