"""Whether the same wish is found again, on pairs labelled by hand, and how fast 2,000 tasks are clustered.

`make bench NAME=cluster`. The pairs are those of tests/mining/likeness.toml, where it says which are dev and held out.
"""

import json
import random
import time
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import timedelta
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from skillopt_sleep.mining.cluster import cluster
from skillopt_sleep.mining.likeness import SAME, likeness
from skillopt_sleep.mining.profile import profile_of
from skillopt_sleep.records import Check, Checks, Evidence, Op, Rubric, Task
from tests.builders import a_task
from tests.fakes import NOON

LABELS = Path(__file__).parent.parent / "mining" / "likeness.toml"
TASKS = 2_000
_SIGNS = {"+": Op.CONTAINS, "-": Op.NOT_CONTAINS}
DEFINITIONS = f"""
pairs      two tasks under one wish (same), or under two wishes of one scene (apart: much the same words, another wish)
hard       pairs whose two languages differ; they aren't in `all`, and nearly all are the same wish: only their recall says something
precision  of the pairs taken for the same wish, those that are; recall: of those that are, the ones found
clusters   the English tasks of a side put together as one project and clustered: the same over all pairs of them
speed      seconds for cluster() over {TASKS} tasks of one project, no two of the same words, none of them known before
"""


class Labelled(NamedTuple):
    """A task of the labelled set."""

    side: str
    scene: int
    wish: str
    lang: str
    task: Task


class Count(NamedTuple):
    """How many pairs were found, wrongly joined, and overlooked."""

    found: int
    wrong: int
    missed: int

    @property
    def precision(self) -> float:
        """Of what was found, the share that is right."""
        return self.found / max(self.found + self.wrong, 1)

    @property
    def recall(self) -> float:
        """Of what is right, the share that was found."""
        return self.found / max(self.found + self.missed, 1)


def labelled() -> list[Labelled]:
    """The tasks of the labelled set."""
    rows: list[Labelled] = []
    for number, scene in enumerate(tomllib.loads(LABELS.read_text(encoding="utf-8"))["scene"]):
        side = "held-out" if scene.get("held") else "dev"
        for wish, tasks in scene["wishes"].items():
            for ask, said, *more in tasks:
                checks = more[0] if more else ""
                lang = more[1] if len(more) > 1 else scene["lang"]
                rows.append(Labelled(side, number, wish, lang, _task(len(rows), ask, said, checks)))
    return rows


def _task(number: int, ask: str, said: str, checks: str = "") -> Task:
    items = tuple(Check(op=_SIGNS[check[0]], arg=check[1:]) for check in checks.split())
    return a_task(
        id=f"t{number}",
        session=f"s{number}",
        at=NOON + timedelta(hours=number),
        prompt=ask,
        reference=Checks(items=items) if items else Rubric(text=f"In their words: «{said}»."),
        evidence=(Evidence(session=f"s{number}", turn=2, quote=said),),
    )


def pairs(side: str) -> Iterator[tuple[Labelled, Labelled, bool]]:
    """The labelled pairs of a side, each with whether it is the same wish."""
    for one, other in combinations([row for row in labelled() if row.side == side], 2):
        same = one.wish == other.wish
        if same or one.scene == other.scene:
            yield one, other, same


def measure(side: str) -> dict[str, Count]:
    """The counts of a side: for each language, for `hard`, and for `all` that aren't hard."""
    looks = {row.task.id: profile_of(row.task) for row in labelled() if row.side == side}
    found: Counter[tuple[str, bool, bool]] = Counter()
    for one, other, same in pairs(side):
        joined = likeness(looks[one.task.id], looks[other.task.id]) >= SAME
        for group in ("all", one.lang) if one.lang == other.lang else ("hard",):
            found[group, same, joined] += 1
    return {
        group: Count(found[group, True, True], found[group, False, True], found[group, True, False])
        for group in dict.fromkeys(group for group, _, _ in found)
    }


def measure_clusters(side: str) -> Count:
    """The counts over all pairs of a side's English tasks, clustered as one project."""
    rows = [row for row in labelled() if row.side == side and row.lang == "en"]
    wishes = {row.task.id: row.wish for row in rows}
    found: Counter[tuple[bool, bool]] = Counter()
    for one, other in combinations(cluster([row.task for row in rows], known=()), 2):
        found[wishes[one.id] == wishes[other.id], one.lesson == other.lesson] += 1
    return Count(found[True, True], found[False, True], found[True, False])


def many(count: int) -> Sequence[Task]:
    """So many tasks of one project: the labelled ones, each time with other words around them."""
    rows, chance = labelled(), random.Random(7)
    names = [f"{one}{other}" for one in ("cart", "user", "mail", "job", "feed") for other in ("list", "view", "sync")]
    return [
        _task(
            number,
            f"{row.task.prompt} for {chance.choice(names)} {number}",
            f"{row.task.evidence[0].quote}, also in {chance.choice(names)}{number % 97}",
        )
        for number, row in enumerate(chance.choices(rows, k=count))
    ]


def main() -> None:
    """Measure and print."""
    figures: dict[str, float] = {}
    for side in ("dev", "held-out"):
        print(f"\n{side:9} precision  recall  found  wrong  missed")
        for group, count in {**measure(side), "clusters": measure_clusters(side)}.items():
            print(
                f"{group:9} {count.precision:9.3f} {count.recall:7.3f} {count.found:6} {count.wrong:6} {count.missed:7}"
            )
            if group in {"all", "hard", "clusters"}:
                name = f"{side.replace('-', '_')}_{group}"
                figures[f"{name}_recall"] = round(count.recall, 3)
                if group != "hard":
                    figures[f"{name}_precision"] = round(count.precision, 3)
    tasks = many(TASKS)
    start = time.perf_counter()
    names = {task.lesson for task in cluster(tasks, known=())}
    figures["seconds_2000_tasks"] = round(time.perf_counter() - start, 2)
    print(f"\n{TASKS} tasks of one project: {figures['seconds_2000_tasks']} s, {len(names)} clusters")
    print(DEFINITIONS)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
