"""Find what can judge a request that is done once more in its repository: commands and what must (not) be done.

Everything is found by code: in the commands that the session ran, and in the person's own words and deeds. What a
model, a tool, a file or a page said founds nothing.
"""

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import NamedTuple

from skillopt_sleep.agents import AGENTS, SHELLS, WRITERS
from skillopt_sleep.mining.command_lines import Runnable, narrowed, runnables
from skillopt_sleep.mining.requests import Take, request_words, takes
from skillopt_sleep.mining.runners import Checkout, is_test, known_runner
from skillopt_sleep.mining.said_acts import said_acts
from skillopt_sleep.mining.words import clean
from skillopt_sleep.records import Checks, Command, Op, Reference, Session, Task, wants_a_tool

MOST_LATER = 6
LATER_CHARS = 2_000
MOST_COMMANDS = 4
MOST_TESTS = 100

_OF_CLAUDE = AGENTS["claude"].tools.shells  # they report a code only if a command failed
# Files by which pytest can be told to pass over tests, wherever they are.
_COLLECTS = ("conftest.py", "*/conftest.py", "pytest.ini", "*/pytest.ini")


class Proof(NamedTuple):
    """A reference to try, and the `whole` of a narrowed command: its other tests must stay as they are."""

    reference: Reference
    whole: Command | None = None


class Acting(NamedTuple):
    """What can judge a task in its repository, in the order to try it in, and the messages that follow its own."""

    proofs: tuple[Proof, ...] = ()
    later: tuple[str, ...] = ()


class Span(NamedTuple):
    """The part of a session that a task is about: its request, what corrected it first, and the next request."""

    ask: int
    first: int
    end: int


def acting(session: Session, task: Task, checkout: Checkout) -> Acting:
    """Return what can judge the task when it is done once more in this state of its repository."""
    span = _span_of(session, task)
    later: list[str] = []  # no corrections
    for index, take in takes(session):
        words = clean(request_words(session, index))[:LATER_CHARS].strip()
        if span.ask < index < span.first and take is not Take.CORRECTION and words:
            later.append(words)
    return Acting(tuple(_proofs(session, task, span, checkout)), tuple(later[:MOST_LATER]))


def could_act(task: Task) -> bool:
    """Tell whether a task may be judged by what an agent does, so that it is worth having its repository."""
    if needs_repository(task):
        return True
    return isinstance(task.reference, Checks) and all(
        check.op is Op.CONTAINS and known_runner(check.arg.split()) is not None for check in task.reference.items
    )


def needs_repository(task: Task) -> bool:
    """Tell whether no answer in words can show what the task wants."""
    return task.needs_repository or wants_a_tool(task.reference)


def _span_of(session: Session, task: Task) -> Span:
    """Return the part of its session that a task is about."""
    turns = [piece.turn for piece in task.evidence] + [deed.turn + 1 for deed in task.deeds]
    first = min(turns, default=len(session.turns))
    last = max(turns, default=first)
    requests = [index for index, take in takes(session) if take is Take.REQUEST]
    earlier = [index for index in requests if index < first] or [0]
    asked = [index for index in earlier if task.prompt and task.prompt in clean(request_words(session, index))]
    ask = (asked or earlier)[-1]
    end = next((index for index in requests if index > last), len(session.turns))
    return Span(ask, first, end)


def _proofs(session: Session, task: Task, span: Span, checkout: Checkout) -> Iterator[Proof]:
    """Yield what can judge the task: what its own words say comes before a command that happened to be run."""
    if isinstance(task.reference, Checks) and wants_a_tool(task.reference):
        yield Proof(task.reference)
        return
    said = said_acts(session, task, checkout)
    wanted = [check.arg for check in said if check.op is Op.COMMAND_RUN]
    only_named = isinstance(task.reference, Checks) and all(
        check.op is Op.CONTAINS and any(arg in check.arg for arg in wanted) for check in task.reference.items
    )
    if not needs_repository(task) and not only_named:  # to name a command isn't to run it
        return
    for command, whole in _commands(session, span, checkout):
        if not said or any(arg in " ".join(command.argv) for arg in wanted):
            yield Proof(command, whole)
    if said:
        yield Proof(Checks(items=said))


def _commands(session: Session, span: Span, checkout: Checkout) -> Iterator[tuple[Command, Command | None]]:
    """Yield the commands that turned from failing to passing, each with its whole if it is narrowed."""
    found = {(one.argv, one.folder): one for one in _turned(session, span, checkout)}
    written = _tests_written(session, span, checkout)
    seen: set[tuple[str, ...]] = set()
    for one in list(found.values())[-MOST_COMMANDS:]:
        whole = _command(one.whole, checkout)
        yield _command(one, checkout), whole if one.paths else None
        short = narrowed(one, written)
        if short is not None and short.argv not in seen:
            seen.add(short.argv)
            kept = tuple(path for path in _COLLECTS if path not in written) if "pytest" in short.argv else ()
            yield Command(argv=short.argv, folder=short.folder, tests=kept, given=written), whole


def _turned(session: Session, span: Span, checkout: Checkout) -> Iterator[Runnable]:
    """Yield the commands that passed after the correction, and that had failed since the request."""
    failed: set[str] = set()
    for event in session.tools:
        known = event.exit_code is not None or event.name in _OF_CLAUDE
        if event.name not in SHELLS or event.rejected or not known or not span.ask <= event.turn < span.end:
            continue
        for one in runnables(event.brief, checkout):
            if event.exit_code or (event.exit_code is None and event.error):
                failed.add(one.wanted)
            elif event.turn >= span.first - 1 and one.wanted in failed:
                yield one


def _tests_written(session: Session, span: Span, checkout: Checkout) -> tuple[str, ...]:
    """Return the test files that the agent wrote for this request, from the repository's root."""
    files: dict[str, None] = {}
    for event in session.tools:
        if event.name not in WRITERS or event.error or event.rejected or not span.ask <= event.turn < span.end:
            continue
        for path in event.brief.split(", "):
            inside = checkout.inside(path)
            if inside and is_test(inside):
                files[inside] = None
    return tuple(files)


def _command(one: Runnable, checkout: Checkout) -> Command:
    """Return the reference, with the files that an attempt may not change as they decide what is checked."""
    deciding = [str(PurePosixPath(one.folder, name)) for name in one.runner.defined_in]
    deciding = [path for path in deciding if path in checkout.files]
    if "pytest" in one.argv:
        deciding += _COLLECTS
    tests: list[str] = []
    for path in filter(is_test, sorted(checkout.files)):
        if any(PurePosixPath(path).is_relative_to(folder or ".") for folder in one.paths or (one.folder,)):
            tests.append(path)
    return Command(argv=one.argv, folder=one.folder, tests=(*deciding, *tests[:MOST_TESTS]))
