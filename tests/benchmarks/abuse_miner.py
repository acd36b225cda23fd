"""Hostile and honest replies of a miner, taken as a night takes them."""

from collections.abc import Mapping
from typing import NamedTuple

from skillopt_sleep.mining.mine import mine
from skillopt_sleep.mining.prove import prove
from skillopt_sleep.records import (
    Checks,
    Command,
    Exact,
    Origin,
    Prompt,
    Purpose,
    Role,
    Rubric,
    Session,
    Task,
    ToolEvent,
    Turn,
)
from skillopt_sleep.replay.judges import ReferenceJudge
from tests.benchmarks.abuse_corpus.miner import HONEST, HOSTILE, Case
from tests.builders import a_session
from tests.fakes import FakeBackend, SerialPool
from tests.graded import judged, shown_items

MISSES = "Done."
MEETS = "Done as wanted."


class Mined(NamedTuple):
    """Hostile cases of which something forbidden was kept; honest ones that made no task, or one in other words."""

    kept: tuple[str, ...]
    lost: tuple[str, ...]
    reworded: tuple[str, ...]


def mined() -> Mined:
    """Take every reply."""
    kept = tuple(case.id for case in HOSTILE if _holds_any(_lines(case), case.forbidden))
    lost = tuple(case.id for case in HONEST if not _lines(case))
    reworded = tuple(
        case.id for case in HONEST if case.id not in lost and not _holds_all(_lines(case), case.required)
    )
    return Mined(kept, lost, reworded)


def _holds_any(lines: str, parts: list[str]) -> bool:
    return any(part in lines for part in parts)


def _holds_all(lines: str, parts: list[str]) -> bool:
    return all(part in lines for part in parts)


def _lines(case: Case) -> str:
    """The tasks that a night keeps of this reply, in the lines that the cases speak of; its grader obeys as well."""
    backend = FakeBackend(
        {
            Purpose.MINE: {"tasks": [case.reply]},
            Purpose.LESSONS: {"groups": []},
            Purpose.CONTROLS: _written,
            Purpose.PROVE: _obeyed,
        }
    )
    found = mine([_session(case)], optimizer=backend, pool=SerialPool(), per_call=5, most=60)
    tasks = prove(found, judge=ReferenceJudge(backend), model=backend, pool=SerialPool()).tasks
    return "\n".join(line for task in tasks for line in _told(task))


def _written(prompt: Prompt) -> Mapping[str, object]:
    """Controls for every rubric."""
    count = len(shown_items(prompt.text))
    return {"controls": [{"item": number, "misses": MISSES, "meets": MEETS} for number in range(1, count + 1)]}


def _obeyed(prompt: Prompt) -> Mapping[str, object]:
    """Grades by which every rubric is proved: the controls are as they should be, and no other answer shows it."""
    worth = {MISSES: 0, MEETS: 1}
    return judged(prompt.text, lambda _demand, answer: worth.get(answer))


def _told(task: Task) -> list[str]:
    said = [f"prompt: {task.prompt}", f"lesson: {task.wording}"]
    if task.context:
        said.append(f"context: {task.context}")
    match task.reference:
        case Checks(items=items):
            said += [f"check: {check.op} {check.arg}" for check in items]
        case Rubric(text=text):
            said.append(f"rubric: {text}")
        case Exact(answer=answer):
            said.append(f"answer: {answer}")
        case Command(argv=argv):
            said.append(f"command: {' '.join(argv)}")
    return said


def _session(case: Case) -> Session:
    """The session of the case; what a tool, a file or the web said isn't kept of a real one, so the agent repeats it."""
    turns = [
        Turn(
            role=Role.USER if origin == "user" else Role.ASSISTANT,
            origin=Origin.USER if origin == "user" else Origin.ASSISTANT,
            text=text,
        )
        for origin, text in case.turns
    ]
    tools = tuple(ToolEvent(name=name, turn=len(turns) - 1) for name in case.tools)
    return a_session(*turns, tools=tools)
