"""What the harvest and the miners find in a generated history of 2,000 sessions in which the truth is known.

`make bench NAME=mining` measures with the held-out phrases. `python -m bench.mining --pool dev --misses 3`
measures with the others, which are there to improve the miners by, and shows what was missed.
"""

import argparse
import json
import resource
import tempfile
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bench.mining_measures import (
    Mining,
    Share,
    Shares,
    Typing,
    injected,
    leaked,
    mining_of,
    none_of,
    shares,
    typing_of,
)
from bench.mining_miners import Obedient, mined
from bench.mining_redaction import Benign, Hiding, benign, hiding
from bench.planted import DAYS, SESSIONS, START, plant
from bench.planted_truth import History, Injection
from bench.planted_words import POOLS
from skillopt_sleep.agents.claude_code.sessions import ClaudeCode
from skillopt_sleep.agents.codex.sessions import Codex
from skillopt_sleep.example.model import SimulatedBackend
from skillopt_sleep.night.harvest import Harvest, harvest
from skillopt_sleep.night.survey import HarvestRules
from skillopt_sleep.records import Session
from skillopt_sleep.stores.sqlite import SqliteStore

RULES = HarvestRules(
    now=START + timedelta(days=2 * DAYS),
    horizon=None,
    include_headless=False,
    excluded=lambda project, cwd: False,
    own_roots=(),
)
DEFINITIONS = f"""
history       {SESSIONS} sessions of 40 projects in {DAYS} days, of Claude Code 2.1.329 and 1.0.128 and of Codex 0.169.0 and 0.47.0;
              eight languages; held-out phrases, names and frames, unless --pool dev is given; Codex's editors, killed
              programs, forks, pictures, reminders, slash and shell commands, summaries and hooks among them
typed_exact   share of the interactive sessions whose typed texts are exactly those planted, in order (where a secret
              was typed: as redacted)
foreign_text  texts that were taken for typed and weren't, in all sessions
recurrence    over pairs of mined tasks that belong to planted groups (a group is one standing wish in one project, in
              other words each time): precision is the share of pairs in one lesson that are of one group, recall
              the share of pairs of one group that are in one lesson
corrections_recall  share of the planted corrections that stand in the evidence of a mined task
              (that of the worse of two miners, by rules and the simulated model; recurrence is that of the rules, as
              `make bench NAME=lessons` has a language model's)
secrets_*     share of made-up secrets of which no run of eight random characters is left after redaction: bare, and
              in carriers (assignments in 26 syntaxes, URLs, headers, command lines, escapes, prose)
benign_altered  share of lines without any secret, of Python's library and documentation and of prose, that
              redaction alters
injected      injections, of 200, whose marker is in a task's request, reference, evidence or lesson, with any miner, one of them an
              obedient one, who quotes every sentence that reads like a rule as a correction by the person
"""


def main() -> None:
    """Plant, harvest, mine, redact, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pool", choices=POOLS, default="held-out")
    parser.add_argument("--misses", type=int, default=0, metavar="N", help="show N examples of each miss (pool dev)")
    given = parser.parse_args()
    if given.misses and given.pool != "dev":
        parser.error("the held-out phrases stay unseen: misses are shown of --pool dev")
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="bench-mining-") as name:
        history = plant(Path(name), given.pool)
        print(f"{len(history.sessions)} sessions planted in {time.perf_counter() - begun:.1f} s, pool {given.pool}")
        found = harvested(Path(name))
    figures = measure(history, found, given.pool, examples=given.misses)
    print(DEFINITIONS)
    print(f"{time.perf_counter() - begun:.0f} s, at most {_memory():.0f} MB of memory")
    print(json.dumps(figures))


def harvested(home: Path) -> Harvest:
    """What a harvest finds below this home."""
    with tempfile.TemporaryDirectory(prefix="bench-mining-store-") as name:
        store = SqliteStore(Path(name), clock=lambda: datetime.now(UTC), lookback=timedelta(days=7), config="")
        begun = time.perf_counter()
        found = harvest([ClaudeCode(home / ".claude"), Codex(home / ".codex")], store.index, RULES)
        print(
            f"harvested in {time.perf_counter() - begun:.1f} s: {found.counts.used} used, left out {found.counts.skipped}"
        )
        store.close()
    return found


def measure(history: History, found: Harvest, pool: str, *, examples: int) -> dict[str, float]:
    """All figures, with their tables."""
    typing = typing_of(history, found.sessions)
    show_typing(typing, examples)
    miners = {
        "rules": mined(found.sessions, None),
        "simulated model": mined(found.sessions, SimulatedBackend()),
        "obedient": mined(found.sessions, Obedient()),
        "obedient, laundering": mined(found.sessions, Obedient(launders=True)),
    }
    mining = {name: mining_of(history, found.sessions, miners[name]) for name in ("rules", "simulated model")}
    show_mining(mining, examples)
    through = {name: injected(history.injections, tasks) for name, tasks in miners.items()}
    show_injected(history, through, examples)
    secrets = hiding(pool)
    show_secrets(secrets, examples)
    show_leaks(history, found.sessions)
    lines = benign(pool)
    show_benign(lines, examples)
    return {
        "typed_exact": round(typing.exact.value, 4),
        "foreign_text": len(typing.foreign),
        "recurrence_precision": round(mining["rules"].precise_pairs.value, 4),
        "recurrence_recall": round(mining["rules"].recalled_pairs.value, 4),
        "corrections_recall": round(min(one.recall.value for one in mining.values()), 4),
        "secrets_bare": round(secrets.alone.value, 4),
        "secrets_carried": round(secrets.carried.value, 4),
        "benign_altered": round(lines.altered.value, 5),
        "injected": max(len(through[name]) for name in miners if "laundering" not in name),
    }


# tables -------------------------------------------------------------------------------------------------


def show_typing(typing: Typing, examples: int) -> None:
    """What was typed."""
    print(f"\ntyped exactly {typing.exact}; foreign texts {none_of(len(typing.foreign), typing.texts)}")
    _table(typing.by_program)
    _examples({"not exact": [f"{who}: {what}" for who, what in typing.misses]}, examples)
    _examples({"foreign": [f"{who}: {text[:160]!r}" for who, text in typing.foreign]}, examples)


def show_mining(mining: Mapping[str, Mining], examples: int) -> None:
    """What was mined, miner by miner."""
    for name, one in mining.items():
        print(f"\nminer: {name}, {one.tasks} tasks")
        print(f"  corrections found {one.recall}; of those taken for one, right {one.precision}")
        print(f"  of the right request {one.right_request}; wrongly taken: {dict(one.wrong.most_common())}")
        _table(one.by_language)
        _table(one.by_sort)
        print(f"  pairs in one cluster that belong together {one.precise_pairs}")
        print(f"  pairs that belong together in one cluster {one.recalled_pairs}; of all planted {one.planted_pairs}")
        print(f"  tasks of no group that are in a group's cluster {one.mixed_in}")
        _examples(one.misses, examples)


def show_injected(history: History, through: Mapping[str, Sequence[Injection]], examples: int) -> None:
    """Which injections got through."""
    print("\ninjections that got through (laundering isn't part of the figure)")
    for name, some in through.items():
        print(f"  {name:22} {none_of(len(some), len(history.injections))}")
        got = {one.marker for one in some}
        if some:
            _table(shares((one.place, one.marker not in got) for one in history.injections), only_missed=True)
        by_place: dict[str, list[str]] = {}
        for one in some:
            by_place.setdefault(one.place, []).append(one.text)
        if name != "obedient, laundering":
            _examples(by_place, examples)


def show_secrets(secrets: Hiding, examples: int) -> None:
    """What redaction hides, by kind."""
    print(f"\nsecrets hidden: alone {secrets.alone}, carried {secrets.carried}")
    _table(secrets.by_sort)
    for kind, alone in secrets.alone_by_kind.items():
        print(f"  {kind:24} {alone.value:6.3f} {secrets.carried_by_kind[kind].value:6.3f}")
    _examples(secrets.misses, examples)


def show_leaks(history: History, sessions: Sequence[Session]) -> None:
    """The secrets in sessions, by where they were."""
    left = {(leak.session, leak.secret.text) for leak in leaked(history.leaks, sessions)}
    found = [(leak.position, (leak.session, leak.secret.text) not in left) for leak in history.leaks]
    print(f"\nsecrets hidden in what is kept of sessions {Share(sum(hit for _, hit in found), len(found))}")
    _table(shares(found))


def show_benign(lines: Benign, examples: int) -> None:
    """What redaction altered for nothing."""
    print(f"\nlines altered: of the library {lines.library}, of prose {lines.prose}")
    _examples({"altered": lines.misses}, examples)


def _table(rows: Shares, *, only_missed: bool = False) -> None:
    for name, share in rows.items():
        if not only_missed or share.hits < share.of:
            print(f"    {name:28} {share}")


def _examples(misses: Mapping[str, Sequence[str]], count: int) -> None:
    if not count:
        return
    for kind, some in sorted(misses.items(), key=lambda item: -len(item[1])):
        print(f"    {kind}: {len(some)}")
        step = max(len(some) // count, 1)
        for text in some[::step][:count]:
            print(f"      {text}")


def _memory() -> float:
    """The most that this process or one it started held, in MB."""
    return max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) / 1024


if __name__ == "__main__":
    main()
