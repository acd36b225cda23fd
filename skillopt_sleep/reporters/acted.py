"""Tell what an agent with tools did in an attempt: what it ran, changed and said, and what the check says."""

from collections.abc import Iterator

from skillopt_sleep.kit.markdown import one_line, visible
from skillopt_sleep.kit.redact import clip, redact
from skillopt_sleep.kit.tests_counted import count_tests
from skillopt_sleep.kit.words import counted
from skillopt_sleep.records import CommandRun, Record, Trajectory

MOST_COMMANDS = 20
MOST_FILES = 20
COMMAND_CHARS = 200
OUTPUT_CHARS = 600
DIFF_CHARS = 4_000
SAID_CHARS = 1_500
FEW = 3  # commands and files in a summary


class Ran(Record, frozen=True, kw_only=True):
    """A command with its exit status, None if none was reported, and the end of what it printed."""

    text: str
    status: int | None = None
    output: str = ""

    @property
    def how(self) -> str:
        """Return the exit status in words."""
        return "exit unknown" if self.status is None else f"exit {self.status}"


class Acted(Record, frozen=True, kw_only=True):
    """What was done in one attempt, bounded and redacted.

    `commands` are the last ones, before which `more_commands` ran; `more_files` were changed beside the `files`.
    `check` says in words what the project's own check found in what was left, "" if none judges it.
    """

    commands: tuple[Ran, ...] = ()
    more_commands: int = 0
    files: tuple[str, ...] = ()
    more_files: int = 0
    diff: str = ""
    check: str = ""
    check_output: str = ""
    turns: int = 0
    said: str = ""

    @property
    def changed(self) -> str:
        """Name the first files that were changed."""
        if not self.files:
            return "changed no file"
        more = len(self.files[FEW:]) + self.more_files
        others = f" and {more} more" if more else ""
        return f"edited {', '.join(self.files[:FEW])}{others}"

    def in_lines(self) -> tuple[str, ...]:
        """Return what was done in a few short lines, without what was said."""
        lines = [f"$ {one.text}  ({one.how})" for one in self.commands[-FEW:]]
        if before := self.more_commands + len(self.commands[:-FEW]):
            lines.insert(0, f"({counted(before, 'command')} before)")
        return (*lines, self.changed, *([self.check] if self.check else []))

    def in_full(self) -> Iterator[str]:
        """Yield lines that tell all that is kept of it; each may have more than one line."""
        if self.more_commands:
            yield f"({counted(self.more_commands, 'command')} before)"
        for one in self.commands:
            yield f"$ {one.text}  ({one.how})"
            if one.output:
                yield _indented(one.output)
        if not self.commands and not self.more_commands:
            yield "(ran no command)"
        if self.check:
            yield f"({self.check})"
            if self.check_output:
                yield _indented(self.check_output)
        yield f"It said: {self.said}" if self.said else "(said nothing)"
        yield self.diff.rstrip() or "(changed no file)"
        if self.more_files:
            yield f"(and {counted(self.more_files, 'more file')})"


def acted(trajectory: Trajectory) -> Acted | None:
    """Return what was done in an attempt, None if it was an answer in words alone or none came of it."""
    if not trajectory.seal or trajectory.failure:
        return None
    checked = trajectory.checked
    return Acted(
        commands=tuple(map(_ran, trajectory.commands[-MOST_COMMANDS:])),
        more_commands=len(trajectory.commands[:-MOST_COMMANDS]),
        files=tuple(one_line(redact(path), limit=COMMAND_CHARS) for path in trajectory.changed_files[:MOST_FILES]),
        more_files=len(trajectory.changed_files[MOST_FILES:]),
        diff=_cut(trajectory.diff, DIFF_CHARS),
        check=_check(checked),
        check_output=_end(checked.output) if checked and checked.status else "",
        turns=trajectory.turns,
        said=_cut(trajectory.response.strip(), SAID_CHARS),
    )


def _ran(command: CommandRun) -> Ran:
    text = one_line(redact(command.text), limit=COMMAND_CHARS)
    return Ran(text=text, status=command.status, output=_end(command.output))


def _check(checked: CommandRun | None) -> str:
    """Say what the project's own check found, with its tests if it counts any; never what the check is."""
    if checked is None:
        return ""
    if checked.status is None:
        return "the project's own check could not be run"
    passed = "passes" if checked.status == 0 else "fails"
    counts = count_tests(checked.output)
    if counts is None or not counts.passed + counts.failed:
        return f"the project's own check {passed}"
    return f"the project's own check {passed}: {counts.passed} of {counts.passed + counts.failed} tests"


def _cut(text: str, limit: int) -> str:
    """Return the beginning of a text with its lines, redacted, every character of it visible."""
    return visible(clip(text, limit))


def _end(output: str) -> str:
    clean = visible(redact(output)).rstrip()
    return clean if len(clean) <= OUTPUT_CHARS else f"…{clean[1 - OUTPUT_CHARS :]}"


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())
