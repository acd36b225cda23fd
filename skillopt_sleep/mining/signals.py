"""Read what the person did about an answer, apart from words: calls rejected, work undone, tests that changed."""

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
    """Something done: after which turn, of which kind, and the command if it was one."""

    turn: int
    kind: SignalKind
    what: str = ""


def signals(session: Session) -> tuple[Signal, ...]:
    """Return what was done in a session, by turn: rejections, stops, undoing, fixed errors, tests that turned."""
    result: list[Signal] = []
    commands: list[tuple[int, str]] = []
    for event in session.tools:
        if event.rejected:
            result.append(Signal(event.turn, SignalKind.REJECTED, event.brief))
        elif not event.error:
            commands.append((event.turn, event.brief))
    commands += typed_commands(session)
    result += [Signal(turn, SignalKind.STOPPED) for turn in session.stops]
    result += [Signal(turn, SignalKind.UNDONE, command) for turn, command in commands if _UNDO.search(command)]
    result += _recoveries(session.tools)
    return tuple(sorted(result, key=lambda signal: signal.turn))


def typed_commands(session: Session) -> list[tuple[int, str]]:
    """Return the shell commands that the person ran in the agent's prompt, with their turns."""
    commands: list[tuple[int, str]] = []
    for index, turn in enumerate(session.turns):
        if turn.origin is Origin.HARNESS:
            commands += [(index, match[1].strip()) for match in _BASH_INPUT.finditer(turn.text)]
    return commands


def _recoveries(tools: Sequence[ToolEvent]) -> list[Signal]:
    """Return the commands that failed and later succeeded: a fixed error, or tests that pass again."""
    failed: set[str] = set()
    recoveries: list[Signal] = []
    for event in tools:
        if event.rejected or not event.brief:
            continue
        name = _name_of(event.brief)
        if event.error or event.exit_code:
            failed.add(name)
        elif name in failed:
            failed.remove(name)
            kind = SignalKind.TESTS_PASSED if _TESTS.search(event.brief) else SignalKind.FIXED
            recoveries.append(Signal(event.turn, kind, event.brief))
    return recoveries


def _name_of(brief: str) -> str:
    """Return what stays the same when a command is tried again with other arguments: its first words."""
    if _TESTS.search(brief):
        return "tests"
    return " ".join(brief.split()[:_FEW_WORDS])
