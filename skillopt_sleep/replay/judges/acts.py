"""Tell what an agent did in an attempt: which commands it ran and which files it changed.

In doubt the answer is the one that doesn't help the attempt: a command that was wanted counts only if it surely ran,
and one that was ruled out counts as soon as it may have been tried.
"""

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from skillopt_sleep.kit.shell import ShellCommand, launched, line_for_a_shell, read_line
from skillopt_sleep.records import Trajectory

# What follows one of these in a line need not have been reached.
_TURNS = frozenset({"exit", "exec", "return", "if", "for", "while", "until", "case", "{", "function"})
_PIPES = frozenset({"|", "|&"})
_CHAINS = frozenset({"&&", *_PIPES})
_MOST_DEPTH = 3


def ran(trajectory: Trajectory, wanted: str) -> bool:
    """Return whether a command that begins with these words was run, and nothing says or hides that it failed.

    It counts at the beginning of its line, after `;` or a new line, or as a part of a pipe that begins so; after `&&`
    only if the line ended with 0 and no `;` follows. Not counted: what follows `||`, an `exit` or an `if`; what may
    have failed by the line's status, or has none; what stands before `||` or `&`, as its failure isn't seen. The end
    of what is piped into another program, or followed by `;`, isn't told by the status: that it ran is enough.
    """
    words = wanted.split()
    return any(
        _begins(step, words) for command in trajectory.commands for step in _surely_run(command.text, command.status)
    )


def may_have_run(trajectory: Trajectory, unwanted: str) -> bool:
    """Return whether a command that begins with these words stands in a line that ran, whatever came of it."""
    words = unwanted.split()
    return any(_begins(step, words) for command in trajectory.commands for step in _named(command.text))


def changed(trajectory: Trajectory, pattern: str) -> bool:
    """Return whether a file was changed that the pattern names: a file, a folder with all below it, or a glob."""
    return any(names(pattern, path) for path in trajectory.changed_files)


def names(pattern: str, path: str) -> bool:
    """Return whether the pattern names this path, both relative to the repository's root."""
    plain = pattern.removeprefix("./").rstrip("/")
    return path == plain or path.startswith(f"{plain}/") or fnmatchcase(path, plain)


def _begins(step: ShellCommand, words: Sequence[str]) -> bool:
    """Tell whether the command begins with these words, as it stands there or without what only starts it."""
    return step.bare[: len(words)] == words or _meant(step.bare)[: len(words)] == words


def _meant(words: Sequence[str]) -> list[str]:
    """Return the words without what only starts the program that is meant, and the program without its folder."""
    rest = launched(words)
    if rest[:2] in (["python", "-m"], ["python3", "-m"]):
        rest = launched(rest[2:])
    if rest:
        rest[0] = rest[0].rpartition("/")[2]
    return rest


def _named(line: str, depth: int = 0) -> Iterator[ShellCommand]:
    """Yield every simple command of a line, and of the lines that it hands to a shell."""
    for step in read_line(line).steps:
        yield step
        inner = line_for_a_shell(step.bare)
        if inner is not None and depth < _MOST_DEPTH:
            yield from _named(inner, depth + 1)


def _surely_run(line: str, status: int | None, depth: int = 0) -> Iterator[ShellCommand]:
    """Yield the simple commands of a line that count as run, if the line ended with this status."""
    if status is None:
        return
    steps = read_line(line).steps
    for number, step in enumerate(steps):
        if step.bare and step.bare[0] in _TURNS:
            return
        if not (_started(steps, number, status) and _not_failed(steps, number, status)):
            continue
        inner = line_for_a_shell(step.bare)
        if inner is None:
            yield step
        elif depth < _MOST_DEPTH:
            yield from _surely_run(
                inner, 0 if (_ends_the_line(steps, number) and step.after not in _PIPES) else None, depth + 1
            )


def _started(steps: Sequence[ShellCommand], number: int, status: int) -> bool:
    """Tell whether a command was surely reached."""
    while steps[number].before in _PIPES:
        number -= 1
    step = steps[number]
    if not {"&&", "||"}.isdisjoint(step.within):
        return False
    if step.before == "&&":
        return status == 0 and _ends_the_line(steps, number)
    return step.before != "||"


def _not_failed(steps: Sequence[ShellCommand], number: int, status: int) -> bool:
    """Tell whether nothing says or hides that a command failed."""
    rest = [step.after for step in steps[number:]]
    chain: list[str] = []
    for after in rest:
        chain.append(after)
        if after not in _CHAINS:
            break
    if chain[-1] in {"||", "&"}:
        return False
    return chain[0] in _PIPES or not _ends_the_line(steps, number) or status == 0


def _ends_the_line(steps: Sequence[ShellCommand], number: int) -> bool:
    """Tell whether the line ends with 0 only if this command and all that follow did, but for what is piped."""
    return all(step.after in _CHAINS for step in steps[number:-1])
