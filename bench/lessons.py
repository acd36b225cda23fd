"""Which lessons are found in a made-up history of three weeks, whose author knew the promise and not the code.

`make bench NAME=lessons`. A language model that never saw the truth answered the prompts beforehand; a prompt that
changed since fails the benchmark. `python -m bench.lessons --record FOLDER` lays the open prompts there as
`<name>.txt` and takes up the answers from `<name>.json`; run it until no prompt is left.
"""

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec

from bench.lessons_bytes import mind_bytes_x_today
from bench.lessons_injections import injections
from bench.lessons_measures import TRUTH, Figures, compare, meanings, read_truth, signs_of
from bench.lessons_recorded import Recorded
from skillopt_sleep.agents.claude_code.sessions import ClaudeCode
from skillopt_sleep.agents.codex.sessions import Codex
from skillopt_sleep.kit.codec import to_json
from skillopt_sleep.mining.mine import KnownLessons, mine
from skillopt_sleep.mining.mined import Mined
from skillopt_sleep.mining.prove import prove
from skillopt_sleep.night.harvest import harvest
from skillopt_sleep.night.survey import HarvestRules
from skillopt_sleep.pools.threads import ThreadPool
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.records import Lesson, LessonState, Session, Task
from skillopt_sleep.replay.judges import ReferenceJudge
from skillopt_sleep.stores.sqlite import SqliteStore

HISTORY = TRUTH.parent
REFERENCES = HISTORY.parent / "recorded" / "lessons_references.json"
PER_CALL = 15
HOME = "/home/jonna"  # the transcripts name this folder wherever they lie, so that prompts are the same
NO_LIMIT = 1_000_000
DEFINITIONS = """
wishes_found      share of the places where a lesson was said in words that are evidence of a mined lesson of that meaning
deeds_found       the same for places where only a deed shows it; four edits that only show on disk are left out, because
                  without an act of the person beside it a changed file may be a formatter's work
for_once_kept     places where something held for one time only that became evidence of a mined or a noticed lesson
taken_back_alive  lessons that the person took back and that are not marked as taken back after the last night
noticed           lessons that one session couldn't tell: they wait for a second one, and count as not found
pair_precision    over pairs of found places in one mined lesson: the share that are of one planted lesson
pair_recall       over pairs of found places of one planted lesson: the share that are in one mined lesson
references_clear  share of the proven references that a reader who saw no code found clear, beside what the person said and
                  did: what is demanded, and whether an answer meets it; one that nobody read counts as unclear. Those of
                  lessons that were taken back since don't count, as nothing is asked by them any more
injections        of 200 sessions with somebody else's instruction, those of which a night keeps it, though the miner obeys it:
                  word for word, or in words of its own (lessons_injections.py)
honest_lost, honest_replaced  of the real wishes in these sessions, those that found nothing, or only the person's own words
mind_bytes_x_today  bytes of the prompts of a first night over all of it (mine, lessons, controls, prove) against those of
                  92ddd7b9, both answered from the truth
"""


def main() -> None:
    """Print the figures of the recorded model and of rules alone."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", type=Path, help="lay out the prompts without an answer in this folder")
    parser.add_argument("--show", action="store_true", help="list the mined lessons and what they mean")
    options = parser.parse_args()
    if options.record:
        options.record.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        nights = by_night(harvested(Path(name)))
    recorded = Recorded(options.record)
    with_model, tasks = over_nights(nights, recorded)
    found = injections(recorded)
    if options.record:
        recorded.save()
        print(f"{len(recorded.used)} answers kept, {recorded.open} prompts wait in {options.record}")
        return
    by_rules, _ = over_nights(nights, None)
    truth = read_truth()
    if options.show:
        show(with_model)
    figures = {"model": compare(truth, with_model), "rules": compare(truth, by_rules)}
    print(DEFINITIONS)
    print(f"{'':18}{'model':>10}{'rules':>10}")
    for field in Figures._fields:
        print(f"{field:18}{getattr(figures['model'], field)!s:>10}{getattr(figures['rules'], field)!s:>10}")
    alive = {lesson.id for lesson in with_model if lesson.state is not LessonState.TAKEN_BACK}
    good = references_clear([task for task in tasks if task.lesson in alive])
    more = {
        "references_clear": good,
        "injections": len(found.obedient) + len(found.laundered),
        "honest_lost": round(len(found.honest_lost) / found.honest, 3),
        "honest_replaced": round(len(found.honest_replaced) / found.honest, 3),
        "mind_bytes_x_today": mind_bytes_x_today([*chain(*nights)], per_call=PER_CALL),
    }
    for name, figure in more.items():
        print(f"{name:18}{figure!s:>10}")
    own = figures["model"]._asdict() | more
    print(json.dumps(own | {f"rules_{field}": value for field, value in figures["rules"]._asdict().items()}))


def harvested(folder: Path) -> tuple[Session, ...]:
    """Write the history below the folder, and read it as a night does."""
    subprocess.run(
        [sys.executable, HISTORY / "write.py", folder, "--shown", HOME], check=True, stdout=subprocess.DEVNULL
    )
    rules = HarvestRules(
        now=datetime(2026, 11, 30, tzinfo=UTC),
        horizon=None,
        include_headless=False,
        excluded=lambda project, cwd: False,
        own_roots=(),
        exists=lambda folder: True,
    )
    store = SqliteStore(folder / "store", clock=lambda: datetime.now(UTC), lookback=timedelta(days=90), config="")
    home = folder / "home"
    found = harvest([ClaudeCode(home / ".claude"), Codex(home / ".codex")], store.index, rules)
    store.close()
    return tuple(sorted(found.sessions, key=lambda session: session.started))


def by_night(sessions: Sequence[Session]) -> list[list[Session]]:
    """Return the sessions of each night: the truth says up to which day a night reads."""
    nights: list[list[Session]] = []
    read: set[str] = set()
    for night in json.loads(TRUTH.read_text(encoding="utf-8"))["nights"]:
        here = [one for one in sessions if one.id not in read and f"{one.started:%Y-%m-%d}" <= night["until"]]
        read.update(session.id for session in here)
        nights.append(here)
    return nights


def over_nights(nights: Sequence[Sequence[Session]], model: Backend | None) -> tuple[list[Lesson], list[Task]]:
    """Mine the nights one after the other, each knowing the lessons of those before; return lessons and proven tasks."""
    pool = ThreadPool(1, lambda label, done, total: None)
    lessons: dict[str, Lesson] = {}
    tasks: list[Task] = []
    for sessions in nights:
        known = KnownLessons(tuple(lessons.values()), tuple(tasks))
        mined = mine(sessions, optimizer=model, pool=pool, per_call=PER_CALL, most=NO_LIMIT, known=known)
        if isinstance(model, Recorded) and model.open:
            break  # what later nights are asked depends on this one's answers
        lessons |= {lesson.id: lesson for lesson in mined.lessons}
        tasks += proven(mined, model, pool).tasks
    return list(lessons.values()), tasks


def proven(mined: Mined, model: Backend | None, pool: ThreadPool) -> Mined:
    """Return what the references that can be trusted leave; without a model there is nobody to grade rubrics."""
    if model is None:
        return mined
    return prove(mined, judge=ReferenceJudge(model), model=model, pool=pool)


def references_clear(tasks: Sequence[Task]) -> float:
    """Return the share of references that a reader found clear; one that was never read isn't."""
    read: dict[str, Any] = json.loads(REFERENCES.read_text(encoding="utf-8"))
    keys = [key_of(task) for task in tasks]
    good = [bool(read.get(key)) for key in keys]
    return round(sum(good) / len(good), 3)


def key_of(task: Task) -> str:
    """Return what a task's reference was read under: it changes with what is asked and how it is scored.

    Fields that say nothing are left out, so that a new one in the record is no new reference.
    """
    what = to_json((task.id, task.prompt, task.context, _said(msgspec.to_builtins(task.reference))))
    return hashlib.blake2b(what, digest_size=6).hexdigest()


def _said(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _said(item) for name, item in value.items() if item}
    return [_said(item) for item in value] if isinstance(value, list | tuple) else value


def show(lessons: Sequence[Lesson]) -> None:
    """List the mined lessons with what they mean and what shows them."""
    meant = meanings(read_truth(), lessons)
    for lesson in lessons:
        print(f"{lesson.state.value:10} {meant[lesson.id] or '-':18} {lesson.wording}")
        for sign in signs_of(lesson):
            print(f"           {sign}")


if __name__ == "__main__":
    main()
