"""How fast a harvest is, against PyPI's skillopt 0.2.0 on the same files, and against a bare loop of os.stat.

`make bench NAME=harvest`. The environment variable SKILLOPT_PEER_PYTHON names a Python that has skillopt==0.2.0;
without it pip installs it into a folder of its own.
"""

import argparse
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bench.history import (
    SECRETS,
    Made,
    last_prompt,
    write_claude,
    write_codex,
    write_days,
    write_huge,
    write_small,
)
from bench.reduced import REDUCED, size
from skillopt_sleep.agents.claude_code.sessions import ClaudeCode
from skillopt_sleep.agents.codex.sessions import Codex
from skillopt_sleep.kit.redact import redact
from skillopt_sleep.night.harvest import Harvest, harvest
from skillopt_sleep.night.reading import read_by_rules
from skillopt_sleep.night.survey import HarvestRules
from skillopt_sleep.protocols.stores import Index
from skillopt_sleep.protocols.work import SessionSource
from skillopt_sleep.stores.index import SqliteIndex
from skillopt_sleep.stores.sqlite import SqliteStore
from tests.builders import a_session

PEER = "skillopt==0.2.0"
ROUNDS = size(7, 1)
CLAUDE_MB, CODEX_MB = size((512, 256), (1, 1))
SMALL_FILES = size(4000, 40)
MANY_FILES = size(10_000, 40)
CHANGED_FILES = size(30, 3)
HISTORY_SESSIONS = size(1_000, 10)
HUGE_LINE_MB = size(300, 1)
HUGE_FILE_MB = size(1024, 2)
HUGE_HISTORY_FILES = size(20_000, 40)
SPARE_MB = 2048  # so much of the disk is left free
CHECKOUT = Path(__file__).parents[1]
PROGRAM = Path(sys.executable).parent / "skillopt-sleep"
WORKER = (sys.executable, "-m", "bench.harvest", "--worker")
RULES = HarvestRules(
    now=datetime(2027, 6, 1, tzinfo=UTC),
    horizon=None,
    include_headless=False,
    excluded=lambda project, cwd: False,
    own_roots=(),
)
DEFINITIONS = f"""
ours    processor seconds of harvest(), in a process of its own: from an empty index, every session parsed, redacted,
        written to a new SQLite file, read by the rules, and read back from it
peer    processor seconds of harvest() or harvest_codex() of {PEER}, in a process of its own, on the same files (Codex's
        under archived_sessions, the only place it looks); of Claude Code's text it redacts none, of Codex's all
ratio   peer / ours, the median of the ratios of the rounds; in a round both run once, in random order, from a warm
        page cache; libraries are imported and patterns compiled before the clock starts, on both sides
alone   the same without what our rules read: whether a session may hold a lesson, and how much of it a model is shown;
        requests are told from corrections when a session is mined or shown; the peer looks for 34 phrases
sizes   a session of Claude Code 2.1.329 holds 140 KB of system prompt and tool schemas; one of Codex 0.169.0 holds 22 KB of
        base instructions, 12 KB of the developer's, and the project's AGENTS.md, about 4 KB; a fifth are of old versions
stat    a second harvest of {SMALL_FILES} unchanged sessions, all of them read, over a loop of os.stat over their files, in
        one process: the median of the ratios of 15 rounds
changed {CHANGED_FILES} of {MANY_FILES:,} indexed sessions are appended to: the harvest that finds them, parses them, stores them and
        picks them, over source.read of these {CHANGED_FILES} alone, in one process; the median of the ratios of 15 rounds; all
        sessions were read by an earlier night, and are as large as a working day's
command the command `harvest`, from its start to its end, over {HISTORY_SESSIONS:,} sessions of both agents in their genuine sizes:
        unchanged, over the command `status` of the same store; and cold, with no store yet, over source.read of the
        same files in a new process of its own, timed from when this benchmark's modules are loaded: what the first
        reading itself loads is in its time, as it is in the command's; the medians of the ratios of
        {ROUNDS} rounds, in each of which all four run once, one after the other
rss     the greatest resident memory of the process, of a first harvest of one history: a file
        with a line of {HUGE_LINE_MB} MB, a file of {HUGE_FILE_MB} MB of repeated prompts and answers (less where the disk is small, and then it
        says so), and {HUGE_HISTORY_FILES:,} short sessions; Linux only; 0 where it can't be measured
"""


def main() -> None:
    """Generate, measure in rounds, check that both found the same, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worker", nargs=2, metavar=("WHAT", "FOLDER"))
    parser.add_argument("--claude-mb", type=int, default=CLAUDE_MB)
    parser.add_argument("--codex-mb", type=int, default=CODEX_MB)
    given = parser.parse_args()
    if given.worker:
        print(json.dumps(work(*given.worker)))
        return
    with tempfile.TemporaryDirectory(prefix="bench-harvest-") as name:
        home = Path(name)
        print(
            f"writing {given.claude_mb} MB of Claude Code's and {given.codex_mb} MB of Codex's sessions ...",
            flush=True,
        )
        made = {
            "claude": write_claude(home / "claude" / "projects", size=given.claude_mb << 20),
            "codex": write_codex(home / "codex", size=given.codex_mb << 20),
        }
        write_small(home / "small" / "projects", count=SMALL_FILES)
        peer = None if REDUCED else peer_python(home)
        ratios = {f"{agent}_x_peer": compare(agent, home, made[agent], peer) for agent in made}
        figures = ratios if peer else {}
        figures["unchanged_x_stat"] = unchanged(home)
        figures["changed_x_read"] = changed(home)
        figures |= commands(home)
        figures["rss_mb"] = memory(home)
    print(DEFINITIONS)
    print(json.dumps(figures))


def compare(agent: str, home: Path, made: Made, peer: Path | None) -> float:
    """The ratio for one agent, with its table; beside itself where there is no peer."""
    folder = home / agent
    theirs = folder / ("projects" if agent == "claude" else "archived_sessions")
    commands = {
        "ours": ([*WORKER, agent, str(folder)], CHECKOUT),
    }
    if peer:
        script = str(CHECKOUT / "bench" / "peer_harvest.py")
        commands["peer"] = [str(peer), script, agent, str(theirs)], home
    rounds: dict[str, list[float]] = {side: [] for side in commands}
    by_rules: list[float] = []
    order = random.Random(agent)
    for _ in range(ROUNDS):
        for side in order.sample(sorted(commands), len(commands)):
            found = run(*commands[side])
            check(side, agent, found, made)
            rounds[side].append(found["seconds"])
            if side == "ours":
                by_rules.append(found["by_rules"])
    last = list(rounds.values())[-1]
    ratios = [theirs / ours for ours, theirs in zip(rounds["ours"], last, strict=True)]
    held = f"{made.sessions} sessions, {made.delegated} sub-agents, {made.prompts} prompts, {made.size / 1e6:.0f} MB"
    print(f"\n{agent}: {held}, {ROUNDS} rounds")
    print("        min s   median s   max s    MB/s")
    for side, seconds in rounds.items():
        middle = statistics.median(seconds)
        speed = made.size / 1e6 / middle
        print(f"{side:5} {min(seconds):8.3f} {middle:10.3f} {max(seconds):7.3f} {speed:7.0f}")
    middle = statistics.median(ratios)
    print(f"ratio {min(ratios):8.2f} {middle:10.2f} {max(ratios):7.2f}")
    alone = [peer / (ours - rules) for ours, rules, peer in zip(rounds["ours"], by_rules, last, strict=True)]
    print(f"alone {min(alone):8.2f} {statistics.median(alone):10.2f} {max(alone):7.2f}", flush=True)
    return round(middle, 2)


def check(side: str, agent: str, found: dict[str, Any], made: Made) -> None:
    """Both must have found every session, and we every prompt.

    The peer takes sub-agents for sessions, and counts their prompts, and some prompts twice.
    """
    ours = side == "ours"
    sessions = made.sessions if ours else made.sessions + made.delegated
    agreed = found["prompts"] == made.prompts if ours else found["prompts"] >= made.prompts
    if found["sessions"] != sessions or not agreed:
        raise SystemExit(f"{agent}: {side} found {found}, but {made} were written")


def unchanged(home: Path) -> float:
    """The ratio of a second harvest to a loop of os.stat, with its table."""
    found = run([*WORKER, "unchanged", str(home / "small")], CHECKOUT)
    print(f"\nunchanged: {found['files']} files, all of their sessions read")
    print(
        f"second harvest {found['ours'] * 1e3:.1f} ms, os.stat {found['stat'] * 1e3:.1f} ms, ratio {found['ratio']:.2f}"
    )
    return round(found["ratio"], 2)


def changed(home: Path) -> float:
    """The ratio of a harvest that finds a few files changed to reading these alone, with its table."""
    write_days(home / "many" / "projects", count=MANY_FILES)
    found = run([*WORKER, "changed", str(home / "many")], CHECKOUT)
    shutil.rmtree(home / "many")
    print(
        f"\nchanged: {found['changed']} of {found['files']} files, {found['size'] / 1e6:.1f} MB in those that changed"
    )
    print(f"harvest {found['ours'] * 1e3:.1f} ms, read {found['read'] * 1e3:.1f} ms, ratio {found['ratio']:.2f}")
    return round(found["ratio"], 2)


def commands(home: Path) -> dict[str, float]:
    """The ratios of the whole command to `status` and to reading the same files, with their table."""
    folder = home / "history"
    made = [
        write_claude(folder / "claude" / "projects", most=HISTORY_SESSIONS // 2),
        write_codex(folder / "codex", most=HISTORY_SESSIONS // 2),
    ]
    rounds: dict[str, list[float]] = {"read": [], "cold": [], "unchanged": [], "status": []}
    for _ in range(ROUNDS):
        shutil.rmtree(folder / "sleep", ignore_errors=True)
        rounds["read"].append(run([*WORKER, "read", str(folder)], CHECKOUT)["seconds"])
        for name, words in (("cold", "harvest"), ("unchanged", "harvest"), ("status", "status")):
            rounds[name].append(command(folder, words))
    shutil.rmtree(folder)
    size = sum(one.size for one in made)
    print(f"\ncommand: {sum(one.sessions for one in made)} sessions, {size / 1e6:.0f} MB, {ROUNDS} rounds")
    for name, seconds in rounds.items():
        print(f"{name:9} {min(seconds):6.3f} s at least, {statistics.median(seconds):6.3f} s in the middle")
    return {
        "command_unchanged_x_status": _middle_ratio(rounds["unchanged"], rounds["status"]),
        "command_cold_x_read": _middle_ratio(rounds["cold"], rounds["read"]),
    }


def _middle_ratio(ours: Sequence[float], other: Sequence[float]) -> float:
    return round(statistics.median(one / two for one, two in zip(ours, other, strict=True)), 2)


def command(folder: Path, words: str) -> float:
    """The seconds that a command takes in a home of its own with this history."""
    environment = {
        "HOME": str(folder),
        "SKILLOPT_SLEEP_HOME": str(folder / "sleep"),
        "CLAUDE_CONFIG_DIR": str(folder / "claude"),
        "CODEX_HOME": str(folder / "codex"),
        "PATH": os.environ["PATH"],
    }
    begun = time.perf_counter()
    done = subprocess.run([PROGRAM, words], env=environment, cwd=folder, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - begun
    if done.returncode or not done.stdout:
        raise SystemExit(f"{words} failed:\n{done.stderr}")
    return seconds


def memory(home: Path) -> int:
    """The greatest memory of a harvest of the largest history, in megabytes."""
    folder = home / "huge"
    free = shutil.disk_usage(home).free // 1_000_000 - SPARE_MB - HUGE_LINE_MB - HUGE_HISTORY_FILES // 200
    size = max(min(HUGE_FILE_MB, free), 1)
    if size < HUGE_FILE_MB:
        print(f"\nthe disk has too little room: the huge file is of {size} MB, not {HUGE_FILE_MB}")
    write_small(folder / "projects", count=HUGE_HISTORY_FILES)
    write_huge(folder / "projects", line_mb=HUGE_LINE_MB, file_mb=size)
    found = run([*WORKER, "huge", str(folder)], CHECKOUT)
    shutil.rmtree(folder)
    print(
        f"\nhuge: a line of {HUGE_LINE_MB} MB, a file of {size} MB, {found['sessions']} sessions, {found['damaged']} damaged lines"
    )
    print(f"harvest {found['seconds']:.1f} s, {found['rss_mb']} MB")
    return found["rss_mb"]


# inside a worker ----------------------------------------------------------------------------------------


def work(what: str, folder: str) -> dict[str, Any]:
    """One measurement in this process."""
    if what == "read":
        return read_all(ClaudeCode(Path(folder) / "claude"), Codex(Path(folder) / "codex"))
    # Modules and patterns are loaded at the first text that needs them; the peer's are when it is imported.
    for secret in SECRETS:
        redact(f"token = {secret}")
    for said in (("mend it",), ("mend it", "Done.", "with our own words")):
        read_by_rules(a_session(*said))
    source: SessionSource = Codex(Path(folder)) if what == "codex" else ClaudeCode(Path(folder))
    with tempfile.TemporaryDirectory(dir=folder) as name:
        store = SqliteStore(Path(name), clock=lambda: RULES.now, lookback=timedelta(days=7), config="")
        index = store.index
        by_rules = spent_in(index)
        begun = time.process_time()
        found = harvest([source], index, RULES)
        seconds = time.process_time() - begun
        if what == "huge":
            return {"seconds": seconds, "rss_mb": _peak(), **_counts(found)}
        prompts = sum(len(session.typed) for session in found.sessions)
        if what == "unchanged":
            index.mark_read([session.id for session in found.sessions], "N-1")
            del found
            return second_harvest(source, index)
        if what == "changed":
            index.mark_read([session.id for session in found.sessions], "N-1")
            del found
            return changed_harvest(source, index)
        return {
            "seconds": seconds,
            "by_rules": sum(by_rules),
            "sessions": len(found.sessions),
            "prompts": prompts,
        }


def spent_in(index: Index) -> list[float]:
    """Return a list to which each reading by the rules adds its processor seconds."""
    spent: list[float] = []
    hear = index.hear

    def timed(*given: Any, **named: Any) -> None:
        begun = time.process_time()
        hear(*given, **named)
        spent.append(time.process_time() - begun)

    index.hear = timed
    return spent


def read_all(*sources: SessionSource) -> dict[str, Any]:
    """Reading all files of these sources, without keeping what was read."""
    begun = time.perf_counter()
    files = 0
    for source in sources:
        for _ in source.read([path for path, _ in source.stamps()]):
            files += 1
    return {"seconds": time.perf_counter() - begun, "files": files}


def second_harvest(source: SessionSource, index: Index) -> dict[str, Any]:
    """Rounds of a loop of os.stat and a harvest that finds nothing new."""
    paths = [path for path, _ in source.stamps()]
    stat: list[float] = []
    ours: list[float] = []
    for _ in range(15):
        begun = time.perf_counter()
        for path in paths:
            os.stat(path)  # noqa: PTH116 - the bare call is what we compare with
        between = time.perf_counter()
        found = harvest([source], index, RULES)
        ended = time.perf_counter()
        if found.counts.seen:
            raise SystemExit(f"nothing changed, but {found.counts.seen} sessions were found")
        stat.append(between - begun)
        ours.append(ended - between)
    ratio = statistics.median(mine / bare for mine, bare in zip(ours, stat, strict=True))
    return {"files": len(paths), "ours": statistics.median(ours), "stat": statistics.median(stat), "ratio": ratio}


def changed_harvest(source: SessionSource, index: SqliteIndex) -> dict[str, Any]:
    """Rounds of reading a few files that have changed, and of the harvest that finds them."""
    files = [path for path, _ in source.stamps()]
    paths = files[:: len(files) // CHANGED_FILES][:CHANGED_FILES]
    read: list[float] = []
    ours: list[float] = []
    for number in range(15):
        for path in paths:
            with Path(path).open("ab") as file:
                file.write(last_prompt(number, path[-41:-6]))
        begun = time.perf_counter()
        readings = list(source.read(paths))
        between = time.perf_counter()
        found = harvest([source], index, RULES)
        ended = time.perf_counter()
        if len(found.sessions) != len(readings):
            raise SystemExit(f"{len(paths)} files changed, but {len(found.sessions)} sessions were used")
        index.mark_read([session.id for session in found.sessions], "N-1")
        read.append(between - begun)
        ours.append(ended - between)
    ratio = statistics.median(mine / alone for mine, alone in zip(ours, read, strict=True))
    size = sum(Path(path).stat().st_size for path in paths)
    middle = {"ours": statistics.median(ours), "read": statistics.median(read), "ratio": ratio}
    return {"files": len(files), "changed": len(paths), "size": size, **middle}


def _peak() -> int:
    """The greatest resident memory so far of this process, in megabytes."""
    if sys.platform != "linux":
        return 0
    # What getrusage tells of this process is never less than what its parent held when it was started.
    peak = re.search(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text(encoding="ascii"))
    return int(peak[1]) // 1024 if peak else 0


def _counts(found: Harvest) -> dict[str, int]:
    return {"sessions": len(found.sessions), "damaged": sum(session.gaps.damaged for session in found.sessions)}


# processes ----------------------------------------------------------------------------------------------


def peer_python(home: Path) -> Path:
    """A Python that has the peer: the one that is named, or a new one."""
    named = os.environ.get("SKILLOPT_PEER_PYTHON")
    if named:
        return Path(named)
    print(f"installing {PEER} ...", flush=True)
    venv.create(home / "peer", with_pip=True)
    python = home / "peer" / "bin" / "python"
    run_quietly([str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", PEER], home)
    return python


def run(command: Sequence[str], folder: Path) -> dict[str, Any]:
    """What a measuring process prints."""
    return json.loads(run_quietly(command, folder))


def run_quietly(command: Sequence[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    main()
