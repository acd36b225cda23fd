"""Our trainer beside PyPI's skillrl and gepa on the same noisy model, with the same budget of calls.

`make bench NAME=trainer_peers`; ARGS="--seeds 20" makes fewer runs of each, ARGS="--removal" compares our own trainings
with and without the removal of rules instead, and fetches nothing. The environment variables SKILLRL_PYTHON
and GEPA_PYTHON name Pythons that have the peers; without them pip installs each into an environment of its own.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import venv
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, NamedTuple

from tests.benchmarks import peers_world as world

HERE = Path(__file__).parent
PEERS = {"skillrl": "skillrl==1.0.0", "gepa": "gepa==0.1.4"}
BUDGET = 480
SIZES = {"train": 32, "val": 24}
EDITS = 4
SEEDS = 40
PROCESSES = 2
WORLDS = {
    "clean": (1.0, 0.0),
    "noisy": (0.85, 0.05),
}  # how often a rule is obeyed, how often an answer is wrong anyway
Z90 = 1.645
OURS: dict[str, dict[str, Any]] = {
    "train": {"epochs": 3, "batch_size": 8, "workers": 1},
    "optimizer": {"slow_update": False, "meta_skill": False},
    "evaluation": {"test": False},
}
EVIDENCE = OURS | {"evaluation": {"test": False, "gate": "sequential"}}
CONFIGS: dict[str, Mapping[str, Any]] = {
    "skillrl": {"num_epochs": 3, "batch_size": 8, "minibatch_size": 8},
    "gepa": {},
    "ours": OURS,
    "ours, evidence": EVIDENCE,
    "ours, pareto": OURS | {"optimizer": OURS["optimizer"] | {"search": "pareto"}},
}
_ALIKE: dict[str, dict[str, Any]] = {
    "ours": OURS,
    "evidence": EVIDENCE,
    "no screen": OURS | {"optimizer": OURS["optimizer"] | {"screen": 0}},
}
REMOVAL: dict[str, Mapping[str, Any]] = {}
for _name, _config in _ALIKE.items():
    REMOVAL[_name] = _config
    REMOVAL[f"{_name}, removal"] = _config | {"optimizer": _config["optimizer"] | {"removal": True}}
DEFINITIONS = f"""
The world is simulated: eight private date formats, of which a skill needs one rule each; see peers_world.py. What a
language model would do in place of the scripted one is not measured here.
worlds   clean: a rule is always obeyed. noisy: with probability .85, and 5 % of the right answers are wrong anyway
items    train {SIZES["train"]}, val {SIZES["val"]}; formats and dates drawn by the seed, the same for all trainers
budget   {BUDGET} calls of both roles. skillrl is stopped where it would pass it, with its best skill so far; gepa
         stops itself after the iteration that reaches it; ours makes 3 epochs, whatever that takes (column calls)
ours     defaults, but without slow update, meta skill and test, which the peers don't have; evidence: gate sequential;
         pareto: optimizer.search pareto
true     exact expected accuracy of the shipped skill
gap      accuracy on val that is reported for it, minus true
rules    right, harmful and useless rules in the shipped skill, a run
true_minus_best_peer   lower end of the 90 % interval of the paired difference of `true`, ours minus the peer that does
         best in that world; the lower of the two worlds
evidence_of_best_peer  true of the evidence gate over that of the best peer; the lower of the two worlds
gap      the larger one of the two worlds, by size; harmful_rules: the same
with --removal: true_… is what optimizer.removal adds to `true`, right_removed_… and so on are rules a run fewer with it,
calls_… its calls over those without it; "no screen" is optimizer.screen = 0
calls_of_budget        mean calls of ours over the budget; the higher of the two worlds
"""


class Ended(NamedTuple):
    """What one run ships, says of it, and took."""

    true: float
    gap: float
    calls: int
    rules: Mapping[str, int]


def main() -> None:
    """Make all runs, and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--removal", action="store_true")
    arguments = parser.parse_args()
    seeds = range(arguments.seeds)
    configs = REMOVAL if arguments.removal else CONFIGS
    found: dict[tuple[str, str], list[Ended]] = {}
    with tempfile.TemporaryDirectory(prefix="bench-peers-") as name:
        home = Path(name)
        commands = {who: command(who, home) for who in configs}
        for place in WORLDS:
            for who in configs:
                found[place, who] = ended(commands[who], place, who, seeds, home)
    show(found, len(seeds))
    print(DEFINITIONS)
    print(json.dumps(of_removal(found) if arguments.removal else figures(found)))


def command(who: str, home: Path) -> list[str]:
    """Return the program that makes this trainer's runs; a peer is installed first if no Python is named for it."""
    if who not in PEERS:
        return [sys.executable, "-m", "tests.benchmarks.peers_lab"]
    script = str(HERE / f"peer_{who}.py")
    named = os.environ.get(f"{who.upper()}_PYTHON")
    if named:
        return [named, script]
    python = home / who / "bin" / "python"
    venv.create(home / who, with_pip=True)
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", PEERS[who]]
    subprocess.run(install, check=True, capture_output=True)
    return [str(python), script]


def ended(program: Sequence[str], place: str, who: str, seeds: Sequence[int], home: Path) -> list[Ended]:
    """Make one run for each seed, in a few processes side by side."""
    working: list[subprocess.Popen[str]] = []
    for number in range(PROCESSES):
        runs = [a_run(place, who, seed) for seed in seeds[number::PROCESSES]]
        job = home / f"{place}-{who}-{number}.json"
        job.write_text(json.dumps(runs), encoding="utf-8")
        process = subprocess.Popen(
            [*program, str(job)], cwd=HERE.parents[1], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        working.append(process)
    lines: dict[int, str] = {}
    for number, process in enumerate(working):
        out, err = process.communicate()
        if process.returncode:
            raise SystemExit(f"{who} failed:\n{err}")
        lines |= zip(seeds[number::PROCESSES], out.splitlines(), strict=True)
    return [scored(place, seed, json.loads(lines[seed])) for seed in seeds]


def a_run(place: str, who: str, seed: int) -> dict[str, Any]:
    """Return one run as the programs read it."""
    model = [*WORLDS[place], seed]
    return {
        "model": model,
        "sizes": SIZES,
        "budget": BUDGET,
        "edits": EDITS,
        "kinds": True,
        "config": (CONFIGS | REMOVAL)[who],
    }


def scored(place: str, seed: int, done: Mapping[str, Any]) -> Ended:
    """Return what a run came to, beside the truth."""
    true = world.Model(*WORLDS[place], seed).quality(done["skill"])
    return Ended(true, done["reported"] - true, done["calls"], world.counted(done["skill"]))


def show(found: Mapping[tuple[str, str], Sequence[Ended]], seeds: int) -> None:
    """Print a line for each trainer and world."""
    print(f"\n{seeds} runs of each; ± is one standard error")
    print(
        f"{'world':6} {'trainer':15} {'true':>14} {'gap':>7} {'calls':>6} {'right':>6} {'harmful':>8} {'useless':>8}"
    )
    for (place, who), runs in found.items():
        true = [run.true for run in runs]
        error = stdev(true) / math.sqrt(len(true))
        rules = " ".join(
            f"{fmean(run.rules[kind] for run in runs):{width}.2f}"
            for kind, width in (("right", 6), ("harmful", 8), ("useless", 8))
        )
        gap, calls = fmean(run.gap for run in runs), fmean(run.calls for run in runs)
        print(f"{place:6} {who:15} {fmean(true):.3f} ± {error:.3f} {gap:+7.3f} {calls:6.0f} {rules}")


def figures(found: Mapping[tuple[str, str], Sequence[Ended]]) -> dict[str, float]:
    """Return the figures that are claimed."""
    figures: dict[str, float] = {}
    ratios: list[float] = []
    for place in WORLDS:
        best = max(PEERS, key=lambda who: fmean(run.true for run in found[place, who]))
        differences = [
            ours.true - theirs.true for ours, theirs in zip(found[place, "ours"], found[place, best], strict=True)
        ]
        half = Z90 * stdev(differences) / math.sqrt(len(differences))
        figures |= {
            f"true_minus_best_peer_{place}": round(fmean(differences), 4),
            f"true_minus_best_peer_{place}_low": round(fmean(differences) - half, 4),
            f"gap_{place}": round(fmean(run.gap for run in found[place, "ours"]), 4),
            f"harmful_rules_{place}": round(fmean(run.rules["harmful"] for run in found[place, "ours"]), 4),
            f"calls_of_budget_{place}": round(fmean(run.calls for run in found[place, "ours"]) / BUDGET, 3),
        }
        evidence = fmean(run.true for run in found[place, "ours, evidence"])
        ratios.append(evidence / fmean(run.true for run in found[place, best]))
    figures["true_minus_best_peer"] = min(figures[f"true_minus_best_peer_{place}_low"] for place in WORLDS)
    figures["evidence_of_best_peer"] = round(min(ratios), 3)
    figures["gap"] = max((figures[f"gap_{place}"] for place in WORLDS), key=abs)
    figures["harmful_rules"] = max(figures[f"harmful_rules_{place}"] for place in WORLDS)
    figures["calls_of_budget"] = max(figures[f"calls_of_budget_{place}"] for place in WORLDS)
    return figures


def of_removal(found: Mapping[tuple[str, str], Sequence[Ended]]) -> dict[str, float]:
    """Return what the removal of rules changes in each world and way: true quality, rules, and the share of calls."""
    changed: dict[str, float] = {}
    for place in WORLDS:
        for name in _ALIKE:
            before, after = found[place, name], found[place, f"{name}, removal"]
            key = f"{place}_{name.replace(' ', '_')}"
            changed[f"true_{key}"] = round(fmean(run.true for run in after) - fmean(run.true for run in before), 4)
            for kind in ("right", "harmful", "useless"):
                gone = fmean(run.rules[kind] for run in before) - fmean(run.rules[kind] for run in after)
                changed[f"{kind}_removed_{key}"] = round(gone, 3)
            more = fmean(run.calls for run in after) / fmean(run.calls for run in before)
            changed[f"calls_{key}"] = round(more, 3)
    return changed


if __name__ == "__main__":
    main()
