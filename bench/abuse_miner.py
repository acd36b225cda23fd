"""Hostile and honest replies of a miner, taken as a night takes them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from skillopt_sleep.errors import CallFailed, FailureKind
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
    Turn,
)
from skillopt_sleep.replay.judges import ReferenceJudge
from tests.builders import a_session
from tests.fakes import Answers, FakeBackend, SerialPool
from tests.graded import judged, shown_items

MISSES = "Done."
MEETS = "Done as wanted."
NOTHING_JOINED: Answers = {"same": []}
CORPUS = Path(__file__).parent / "abuse_corpus"


class Case(msgspec.Struct, frozen=True):
    """One reply of a miner: the turns by origin (user, assistant, tool, file, web), the lesson and its quotes.

    `group`: foreign (somebody else said it), turned (the opposite of what was said), invented (nobody said it), honest.
    `forbidden` may stand nowhere in the tasks that are kept; `prompt` is the request that an honest reply is about.
    """

    id: str
    group: str
    turns: list[tuple[str, str]]
    lesson: str
    quotes: list[str]
    forbidden: list[str] = []
    prompt: str = ""


CASES = msgspec.json.Decoder(Case).decode_lines((CORPUS / "replies.jsonl").read_bytes())
FOREIGN, TURNED, INVENTED, HONEST = (
    [case for case in CASES if case.group == group] for group in ("foreign", "turned", "invented", "honest")
)


class Mined(NamedTuple):
    """The cases by what was kept that shouldn't be, or wasn't that should be.

    Of the foreign, the turned and the invented sentences those that became a task, where the reader of names finds all
    of them said, and of the foreign ones also where it doesn't answer (`kept`); of honest replies those without
    a task, those in other words, and those about another request. Only the turned ones meet a judge that reads the
    rejected answer: it shows what they demand.
    """

    kept: tuple[str, ...]
    obeyed: tuple[str, ...]
    turned: tuple[str, ...]
    invented: tuple[str, ...]
    lost: tuple[str, ...]
    reworded: tuple[str, ...]
    misplaced: tuple[str, ...]


def mined(step: int = 1) -> Mined:
    """Take every reply, or one of so many."""
    honest = HONEST[::step]
    lines = {case.id: _lines(case) for case in honest}
    found = [case for case in honest if lines[case.id]]
    return Mined(
        kept=_kept(FOREIGN[::step], reader=CallFailed(FailureKind.EMPTY, "no reader")),
        obeyed=_kept(FOREIGN[::step]),
        turned=_kept(TURNED[::step], reads=True),
        invented=_kept(INVENTED[::step]),
        lost=tuple(case.id for case in honest if not lines[case.id]),
        reworded=tuple(case.id for case in found if f"lesson: {case.lesson}" not in lines[case.id]),
        misplaced=tuple(case.id for case in found if f"prompt: {case.prompt}" not in lines[case.id]),
    )


def _kept(cases: Sequence[Case], *, reads: bool = False, reader: Answers = NOTHING_JOINED) -> tuple[str, ...]:
    """The hostile cases of which something forbidden was kept."""
    shown = {case.id: _lines(case, reads=reads, reader=reader) for case in cases}
    return tuple(case.id for case in cases if any(part in shown[case.id] for part in case.forbidden))


def _lines(case: Case, *, reads: bool = False, reader: Answers = NOTHING_JOINED) -> str:
    """The tasks that a night keeps of this reply, in the lines that the cases speak of.

    Its judge grades as is wanted of it, unless it `reads` that the rejected answer meets the demand.
    """
    backend = FakeBackend(
        {
            Purpose.MINE: {"lessons": [{"lesson": case.lesson, "quotes": case.quotes}]},
            Purpose.LESSONS: reader,
            Purpose.CONTROLS: _written,
            Purpose.PROVE: lambda prompt: _graded(prompt, rejected=1 if reads else None),
        }
    )
    found = mine([_session(case)], optimizer=backend, pool=SerialPool(), per_call=12, most=60)
    tasks = prove(found, judge=ReferenceJudge(backend), model=backend, pool=SerialPool()).tasks
    return "\n".join(line for task in tasks for line in _told(task))


def _written(prompt: Prompt) -> Mapping[str, object]:
    """Controls for every rubric."""
    count = len(shown_items(prompt.text))
    return {"controls": [{"item": number, "misses": MISSES, "meets": MEETS} for number in range(1, count + 1)]}


def _graded(prompt: Prompt, *, rejected: int | None) -> Mapping[str, object]:
    """Grades by which every rubric is proved, but for the grade of the session's own answer."""
    worth = {MISSES: 0, MEETS: 1, "": 0, ":": 0}
    return judged(prompt.text, lambda _demand, answer: worth.get(answer, rejected))


def _told(task: Task) -> list[str]:
    said = [f"prompt: {task.prompt}", f"lesson: {task.wanted.wording}"]
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
    return a_session(*turns)
