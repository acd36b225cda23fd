"""How long the dashboard takes for each page of a long history, and how large the pages are.

`make bench NAME=web ARGS="--nights 365"`. The example night is kept once more for every day of a year: with its report, its
tasks, lessons, sessions, calls and proposals, each under a name of its own, until there are 365 nights, 5,000 tasks and
50,000 rollouts. The real server then answers every page of the navigation, and one of each kind that they lead to. A
time is from the request until the whole answer has come, over loopback: the median of the rounds after the first, which
is given too. The last line is one JSON object.
"""

import argparse
import json
import os
import sqlite3
import statistics
import subprocess
import tempfile
import time
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from msgspec.structs import replace

from bench.reduced import size
from skillopt_sleep.records import Heard
from skillopt_sleep.stores.index import packed_heard, unpacked_heard
from skillopt_sleep.web.pages import GROUPS
from tests.command import PROGRAM, Home
from tests.web.dashboard import Dashboard

NIGHTS = size(365, 4)
TASKS = 5_000
ROLLOUTS = 50_000
ROUNDS = size(7, 2)
GOAL_MS = 100.0
GOAL_KB = 300.0
FILES = ("report.html", "report.json", "events.jsonl", "diagnostics.json")


class Figures(NamedTuple):
    """A page: its first and its median milliseconds, and its size."""

    first: float
    median: float
    kb: float


def grown(home: Home, *, nights: int, tasks: int, rollouts: int) -> dict[str, int]:
    """Let a home sleep one night over the example day, and multiply everything it kept; return how much there is."""
    folder = home.folder / "sleep" / "data" / "example"
    assert home.command("run", "--example").code == 0
    data = folder / "data"
    with closing(sqlite3.connect(data / "sleep.db")) as database:
        (night, started), *_ = database.execute("SELECT id, started FROM nights").fetchall()
        with database:
            for number in range(1, nights):
                _copy_night(database, data, night, datetime.fromisoformat(started) - timedelta(days=number), number)
            _copy_tasks(database, tasks)
        counts = {
            table: database.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608
            for table in ("nights", "tasks", "lessons", "sessions", "proposals", "ledger")
        }
    kept = (data / "nights" / night / "rollouts.jsonl").read_bytes().splitlines(keepends=True)
    each = -(-rollouts // nights)
    for path in (data / "nights").iterdir():
        (path / "rollouts.jsonl").write_bytes(b"".join(kept * (each // len(kept) + 1)))
        counts["rollouts"] = counts.get("rollouts", 0) + each
    return counts


def _copy_night(database: sqlite3.Connection, data: Path, night: str, started: datetime, number: int) -> None:
    """Keep the night once more, as if it had been so many days earlier."""
    name = f"{started:%Y-%m-%d}"
    moved = "replace(CAST({} AS TEXT), :night, :name)"
    values: dict[str, Any] = {
        "night": night,
        "name": name,
        "number": number,
        "mark": f"{number:04x}",
        "at": started.isoformat(),
    }
    columns = _columns(
        database, "nights", id=":name", started=":at", closed=":at", report=f"CAST({moved.format('report')} AS BLOB)"
    )
    database.execute(f"INSERT INTO nights {columns} FROM nights WHERE id = :night", values)
    ledger = _columns(database, "ledger", id="NULL", night=":name", at=":at")
    database.execute(f"INSERT INTO ledger {ledger} FROM ledger WHERE night = :night", values)
    renamed = "substr(id, 1, length(id) - 4) || :mark"
    ended = "strftime('%Y-%m-%dT%H:%M:%f', ended, '-' || :number || ' days') || '000+00:00'"
    sessions = _columns(
        database, "sessions", id=renamed, ended=ended, read_by=":name", path=f"path || '.' || {renamed}"
    )
    database.execute(f"INSERT OR IGNORE INTO sessions {sessions} FROM sessions WHERE read_by = :night", values)
    # Prompts of one session that are in another too would make it a fork.
    heard = database.execute("SELECT id, heard FROM sessions WHERE read_by = ?", (name,)).fetchall()
    own = [(packed_heard(_own(unpacked_heard(read), number)), session) for session, read in heard if read]
    database.executemany("UPDATE sessions SET heard = ? WHERE id = ?", own)
    proposals = _columns(
        database,
        "proposals",
        id="'P-' || printf('%04d', 10 * :number + CAST(substr(id, 3) AS INTEGER))",
        state="'rejected'",
        decided=":at",
    )
    of_night = "json_extract(CAST(body AS TEXT), '$.night') = :night"
    database.execute(f"INSERT OR IGNORE INTO proposals {proposals} FROM proposals WHERE {of_night}", values)
    folder = data / "nights" / name
    folder.mkdir()
    for file in FILES:
        if (data / "nights" / night / file).exists():
            os.link(data / "nights" / night / file, folder / file)


def _own(heard: Heard, number: int) -> Heard:
    return replace(heard, typed=tuple(f"{name}-{number}" for name in heard.typed))


def _copy_tasks(database: sqlite3.Connection, most: int) -> None:
    """Multiply the tasks, each with a lesson that several share."""
    known = database.execute("SELECT id, lesson FROM tasks").fetchall()
    lessons: set[str] = set()
    for number in range(len(known), most):
        task, lesson = known[number % len(known)]
        turn = number // len(known)
        values = {"task": task, "lesson": lesson, "new": f"{number:012x}", "its": f"l-{turn // 4:04x}{lesson[6:]}"}
        body = "CAST(replace(replace(CAST(body AS TEXT), :task, :new), :lesson, :its) AS BLOB)"
        database.execute(
            f"INSERT INTO tasks {_columns(database, 'tasks', id=':new', lesson=':its', body=body)} FROM tasks WHERE id = :task",
            values,
        )
        if values["its"] not in lessons:
            lessons.add(values["its"])
            body = "CAST(replace(CAST(body AS TEXT), :lesson, :its) AS BLOB)"
            database.execute(
                f"INSERT OR IGNORE INTO lessons {_columns(database, 'lessons', id=':its', body=body)} FROM lessons WHERE id = :lesson",
                values,
            )


def _columns(database: sqlite3.Connection, table: str, **changed: str) -> str:
    """Return `(columns) SELECT values`, where some values are changed."""
    names = [str(row[1]) for row in database.execute(f"PRAGMA table_info({table})")]
    return f"({', '.join(names)}) SELECT {', '.join(changed.get(name, name) for name in names)}"


def places(dashboard: Dashboard, data: Path) -> list[str]:
    """Return every page of the navigation, and one of each kind that they lead to."""
    found = [page.path for group in GROUPS for page in group]
    with closing(sqlite3.connect(data / "sleep.db")) as database:
        (night,) = database.execute("SELECT id FROM nights ORDER BY started DESC").fetchone()
        (session,) = database.execute("SELECT id FROM sessions ORDER BY ended DESC").fetchone()
        (lesson,) = database.execute("SELECT lesson FROM tasks GROUP BY lesson ORDER BY count(*) DESC").fetchone()
    found += [
        f"/nights/{night}",
        f"/nights/{night}/report.html",
        "/nights?skip=180",
        f"/sessions/one?id={quote(session)}",
        "/spend?span=all",
        f"/lessons/{quote(lesson)}",
    ]
    return [place for place in found if dashboard.get(place).status == 200]


def measured(dashboard: Dashboard, place: str, rounds: int) -> Figures:
    times: list[float] = []
    size = 0
    for _ in range(rounds):
        began = time.perf_counter()
        size = len(dashboard.get(place).body)
        times.append(1_000 * (time.perf_counter() - began))
    return Figures(times[0], statistics.median(times[1:]), size / 1_000)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nights", type=int, default=NIGHTS)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    chosen = parser.parse_args()
    share = chosen.nights / NIGHTS
    with tempfile.TemporaryDirectory(prefix="skillopt-sleep-bench-") as folder:
        home = Home(Path(folder) / "ada")
        counts = grown(home, nights=chosen.nights, tasks=int(TASKS * share), rollouts=int(ROLLOUTS * share))
        print(", ".join(f"{count:,} {name}" for name, count in counts.items()))
        example = home.folder / "sleep" / "data" / "example"
        environment = {**home.environment, "SKILLOPT_SLEEP_HOME": str(example)}
        process = subprocess.Popen(
            [str(PROGRAM), "web", "--no-open"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        assert process.stdout is not None
        try:
            dashboard = Dashboard(process.stdout.readline().strip())
            dashboard.enter()
            began = time.perf_counter()
            dashboard.get("/")
            opening = 1_000 * (time.perf_counter() - began)
            # Which pages there are is asked of another address each: the first time of a page is its own.
            pages = {
                place: measured(dashboard, place, chosen.rounds) for place in places(dashboard, example / "data")
            }
        finally:
            process.terminate()
            process.communicate(timeout=20)
    print(f"\n{'page':44} {'first ms':>9} {'median ms':>10} {'kB':>8}   (goal {GOAL_MS:.0f} ms, {GOAL_KB:.0f} kB)")
    for place, figures in pages.items():
        over = " over" if figures.median > GOAL_MS or figures.kb > GOAL_KB else ""
        print(f"{place[:44]:44} {figures.first:9.1f} {figures.median:10.1f} {figures.kb:8.1f}{over}")
    slowest = max(figures.median for figures in pages.values())
    largest = max(figures.kb for figures in pages.values())
    figures = {"opening_ms": round(opening, 1), "slowest_ms": round(slowest, 1), "largest_kb": round(largest, 1)}
    print(json.dumps({**figures, **counts}))


if __name__ == "__main__":
    main()
