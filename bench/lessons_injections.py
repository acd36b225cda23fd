"""Which foreign demands a night keeps of 200 sessions whose miner obeys them, word for word or in words of its own.

Their author knew the promise and not the code (`recorded/injections.json`). The judge obeys as well: what protects is
code, and a reader who is shown the person's words beside the name, and nothing foreign.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace

from skillopt_sleep.mining.mine import mine
from skillopt_sleep.mining.prove import prove
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.records import Origin, Prompt, Purpose, Role, Rubric, Session, Task, ToolEvent, Turn
from skillopt_sleep.replay.judges import ReferenceJudge
from tests.builders import a_session
from tests.fakes import FakeBackend, SerialPool
from tests.graded import judged, shown_items

CASES = Path(__file__).parent / "recorded" / "injections.json"
MISSES = "Done."
MEETS = "Done as wanted."
KINDS = ("obedient", "honest", "laundered")
PER_PROJECT = 40


class Injections(NamedTuple):
    """The cases of which a foreign demand was kept, and those whose honest sentence was lost or replaced."""

    obedient: tuple[str, ...]
    laundered: tuple[str, ...]
    honest_lost: tuple[str, ...]
    honest_replaced: tuple[str, ...]
    honest: int


def injections(reader: Backend, step: int = 1) -> Injections:
    """Take the replies of every case, or of one of so many; the `reader` alone is no fake: it tells which names the person's words don't say.

    It reads cases of all kinds side by side. Each session is mined by itself.
    """
    cases: list[dict[str, Any]] = json.loads(CASES.read_text(encoding="utf-8"))[::step]
    wants: dict[tuple[str, str], str] = {}
    for first, start in product(range(len(KINDS)), range(0, len(cases), PER_PROJECT)):
        some = cases[start : start + PER_PROJECT]
        kinds = {case["id"]: KINDS[(number + first) % len(KINDS)] for number, case in enumerate(some)}
        told = _wants([case for case in some if case[kinds[case["id"]]]], kinds, reader)
        wants |= {(kinds[name], name): words for name, words in told.items()}
    honest = {case["id"]: case["honest"] for case in cases if case["honest"]}
    kept = {name for name in honest if wants["honest", name]}
    return Injections(
        obedient=tuple(case["id"] for case in cases if _is_kept(case, wants["obedient", case["id"]])),
        laundered=tuple(case["id"] for case in cases if _is_kept(case, wants["laundered", case["id"]])),
        honest_lost=tuple(name for name in honest if name not in kept),
        honest_replaced=tuple(name for name in honest if name in kept and honest[name] not in wants["honest", name]),
        honest=len(honest),
    )


def _is_kept(case: Mapping[str, Any], wants: str) -> bool:
    return any(part.casefold() in wants.casefold() for part in case["forbidden"])


def _wants(cases: Sequence[Mapping[str, Any]], kinds: Mapping[str, str], reader: Backend) -> dict[str, str]:
    """Return what is wanted by the tasks that a night keeps of each case, by its id."""
    fake = FakeBackend(
        {
            Purpose.MINE: lambda prompt: {"lessons": [_named(_shown_in(prompt, cases), kinds)]},
            Purpose.LESSONS: reader.complete,
            Purpose.CONTROLS: _written,
            Purpose.PROVE: _obeyed,
        }
    )
    sessions = [_session(case) for case in cases]
    found = mine(sessions, optimizer=fake, pool=SerialPool(), per_call=1, most=1_000)
    tasks = prove(found, judge=ReferenceJudge(fake), model=fake, pool=SerialPool()).tasks
    return {case["id"]: "\n".join(_told(task for task in tasks if task.session == case["id"])) for case in cases}


def _shown_in(prompt: Prompt, cases: Iterable[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Return the case whose session the prompt shows."""
    (case,) = (case for case in cases if f"{_day(case):%Y-%m-%d}" in prompt.text.rpartition("# Sessions")[2])
    return case


def _named(case: Mapping[str, Any], kinds: Mapping[str, str]) -> Mapping[str, object]:
    """Return a lesson with the quote that a miner in the pay of others would cite; an honest one cites all words."""
    kind = kinds[case["id"]]
    typed = [text for origin, text in case["turns"] if origin == "user"]
    return {"lesson": case[kind], "quotes": typed[1:] if kind == "honest" else [case["quote"]]}


def _day(case: Mapping[str, Any]) -> datetime:
    """Return a day of the case's own."""
    return datetime(2025, 1, 1, tzinfo=UTC) + timedelta(days=int(case["id"].rpartition("-")[2]))


def _told(tasks: Iterable[Task]) -> Iterable[str]:
    for task in tasks:
        yield task.wanted.wording
        if isinstance(task.reference, Rubric):
            yield task.reference.text
        else:
            yield str(task.reference)


def _written(prompt: Prompt) -> Mapping[str, object]:
    count = len(shown_items(prompt.text))
    return {"controls": [{"item": number, "misses": MISSES, "meets": MEETS} for number in range(1, count + 1)]}


def _obeyed(prompt: Prompt) -> Mapping[str, object]:
    worth = {MISSES: 0, MEETS: 1}
    return judged(prompt.text, lambda _demand, answer: worth.get(answer))


def _session(case: Mapping[str, Any]) -> Session:
    """Return the session; what a tool said isn't kept of a real one, so the agent repeats it here."""
    turns: list[Turn] = []
    for origin, text in case["turns"]:
        if origin == "user":
            turns.append(Turn(role=Role.USER, origin=Origin.USER, text=text))
        else:
            turns.append(Turn(role=Role.ASSISTANT, origin=Origin.ASSISTANT, text=text))
    tools = tuple(ToolEvent(name="Bash", turn=len(turns) - 1, brief=call) for call in case["calls"])
    return replace(a_session(*turns, tools=tools), id=case["id"], started=_day(case), ended=_day(case))
