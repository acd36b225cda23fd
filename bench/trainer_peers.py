"""Our trainer beside PyPI's skillrl and gepa on the same noisy model, with the same budget of calls.

`make bench NAME=trainer_peers`; ARGS="--seeds 20" makes fewer runs of each, ARGS="--first 1000" begins at another seed,
ARGS="--world fresh" takes the second world, ARGS="--ours" makes our own runs only, and fetches nothing. The environment
variables SKILLRL_PYTHON
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

from bench.peers_lab import WORLDS
from bench.reduced import REDUCED, size

HERE = Path(__file__).parent
ROOT = HERE.parent
PEERS = {"skillrl": "skillrl==1.0.0", "gepa": "gepa==0.1.4"}
EDITS = 4
SEEDS = size(40, 2)
PROCESSES = 2
Z90 = 1.645
OURS: dict[str, Any] = {"train": {"workers": 1}, "evaluation": {"test": False}}
CONFIGS: dict[str, Mapping[str, Any]] = {
    "ours": OURS,
    "skillrl": {"minibatch_size": 8},
    "gepa": {},
    "ours, evidence": OURS | {"preset": "evidence"},
    "one agent": {},
}
DEFINITIONS = """
Both worlds are simulated. What a language model would do in place of the scripted one is not measured here.
dates    eight private date formats, of which a skill needs one rule each; see peers_world.py. clean: a rule is always
         obeyed. noisy: with probability .85, and 5 % of the right answers are wrong anyway. Train 32, val 24
fresh    filing by twelve private customs, a data set of its own for each seed; see peers_world_fresh.py. clean: rules are
         obeyed, and the same question has the same answer. noisy: obeyed with .85, and the judge errs on 5 % of the right
         and 3 % of the wrong answers. Train 32, 48 or 60, val 24, 36 or 50, steps 12, 18 or 30, by the seed
items    drawn by the seed, the same for all trainers
budget   what SkillOpt's loop takes: steps x (batch + val + 6) + val calls of both roles, or what ours took with the
         same seed if that is more (world fresh only). skillrl is stopped where it would pass it, with its best
         skill so far; gepa stops itself after the iteration that reaches it; ours makes all its steps, whatever that
         takes (column calls). In world fresh skillrl gets one epoch more, so that it uses its budget
ours     the presets default and evidence, without test, which the peers don't have
one agent  the same money in one coding agent, by the protocol in peer_agent.py; scripted, so that it says what the
         protocol does and not what a clever model would do with it
true     exact expected accuracy of the shipped skill
gap      accuracy on val that is reported for it, minus true
rules    right, harmful and useless rules in the shipped skill, a run. In world fresh a rule is harmful if the skill would
         be better by more than .01 without it, right if it would be so much worse
true_minus_best_peer   lower end of the 90 % interval of the paired difference of `true`, ours minus the peer that does
         best in that world; the lower of the two worlds
evidence_of_best_peer  true of the evidence gate over that of the best peer; the lower of the two worlds
gap      the larger one of the two worlds, by size; harmful_rules: the same
true_minus_gepa, true_minus_agent, harmful_minus_gepa, harmful_minus_agent   mean differences over both worlds, ours
         minus theirs; evidence_ships: the share of runs of the preset evidence that ship a rule
calls_of_budget        mean calls of ours over the budget; the higher of the two worlds
"""


class Ended(NamedTuple):
    """What one run ships, says of it, and took."""

    true: float
    gap: float
    calls: int
    of_budget: float
    rules: Mapping[str, int]


def main() -> None:
    """Make all runs, and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--world", choices=sorted(WORLDS), default="dates")
    parser.add_argument("--ours", action="store_true")
    arguments = parser.parse_args()
    seeds = range(arguments.first, arguments.first + arguments.seeds)
    is_alone = arguments.ours or REDUCED  # what needs no peer
    configs = {who: config for who, config in CONFIGS.items() if not (is_alone and who in PEERS)}
    found: dict[tuple[str, str], list[Ended]] = {}
    with tempfile.TemporaryDirectory(prefix="bench-peers-") as name:
        home = Path(name)
        commands = {who: command(who, home) for who in configs}
        for place in WORLDS[arguments.world].PLACES:
            for who in configs:
                budgets = allowed(arguments.world, who, seeds, found.get((place, "ours"), ()))
                runs = [a_run(arguments.world, place, who, seed, budgets[seed]) for seed in seeds]
                found[place, who] = ended(commands[who], runs, home)
    show(found, len(seeds))
    print(DEFINITIONS)
    print(json.dumps(means(found) if is_alone else figures(found)))


def allowed(world: str, who: str, seeds: Sequence[int], ours: Sequence[Ended]) -> dict[int, int]:
    """Return how many calls each run may make: a peer in the second world at least what ours took for the same seed."""
    budgets = {seed: WORLDS[world].sizes(seed)["budget"] for seed in seeds}
    if (who in PEERS or who == "one agent") and world != "dates":
        budgets = {seed: max(budgets[seed], run.calls) for seed, run in zip(seeds, ours, strict=True)}
    return budgets


def command(who: str, home: Path) -> list[str]:
    """Return the program that makes this trainer's runs; a peer is installed first if no Python is named for it."""
    if who == "one agent":
        return [sys.executable, "-m", "bench.peer_agent"]
    if who not in PEERS:
        return [sys.executable, "-m", "bench.peers_lab"]
    script = str(HERE / f"peer_{who}.py")
    named = os.environ.get(f"{who.upper()}_PYTHON")
    if named:
        return [named, script]
    python = home / who / "bin" / "python"
    venv.create(home / who, with_pip=True)
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", PEERS[who]]
    subprocess.run(install, check=True, capture_output=True)
    return [str(python), script]


def ended(program: Sequence[str], runs: Sequence[Mapping[str, Any]], home: Path) -> list[Ended]:
    """Make these runs, in a few processes side by side."""
    working: list[subprocess.Popen[str]] = []
    for number in range(PROCESSES):
        job = home / f"{number}.json"
        job.write_text(json.dumps(runs[number::PROCESSES]), encoding="utf-8")
        process = subprocess.Popen(
            [*program, str(job)],
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        working.append(process)
    lines: dict[int, str] = {}
    for number, process in enumerate(working):
        out, err = process.communicate()
        if process.returncode:
            raise SystemExit(f"{program} failed:\n{err}")
        lines |= zip(range(len(runs))[number::PROCESSES], out.splitlines(), strict=True)
    return [scored(run, json.loads(lines[place])) for place, run in enumerate(runs)]


def a_run(world: str, place: str, who: str, seed: int, budget: int) -> dict[str, Any]:
    """Return one run as the programs read it."""
    sizes = WORLDS[world].sizes(seed)
    config = CONFIGS[who]
    if who == "skillrl":
        config = {**config, "num_epochs": sizes["epochs"] + sizes["more"], "batch_size": sizes["batch"]}
    elif who.startswith("ours"):
        train = {**config["train"], "epochs": sizes["epochs"], "batch_size": sizes["batch"]}
        config = {**config, "train": train}
    return {
        "world": world,
        "model": [*WORLDS[world].PLACES[place], seed],
        "sizes": {"train": sizes["train"], "val": sizes["val"]},
        "budget": budget,
        "edits": EDITS,
        "kinds": True,
        "config": config,
    }


def scored(run: Mapping[str, Any], done: Mapping[str, Any]) -> Ended:
    """Return what a run came to, beside the truth."""
    model = WORLDS[run["world"]].Model(*run["model"])
    true = model.quality(done["skill"])
    calls = done["calls"]
    size = WORLDS[run["world"]].sizes(run["model"][-1])["budget"]
    return Ended(true, done["reported"] - true, calls, calls / size, model.counted(done["skill"]))


def show(found: Mapping[tuple[str, str], Sequence[Ended]], seeds: int) -> None:
    """Print a line for each trainer and world."""
    print(f"\n{seeds} runs of each; ± is one standard error")
    print(
        f"{'world':6} {'trainer':15} {'true':>14} {'gap':>15} {'calls':>6} {'right':>6} {'harmful':>8} {'useless':>8}"
    )
    for (place, who), runs in found.items():
        true, gaps = [run.true for run in runs], [run.gap for run in runs]
        error, unsure = (stdev(values) / math.sqrt(len(runs)) for values in (true, gaps))
        rules = " ".join(
            f"{fmean(run.rules[kind] for run in runs):{width}.2f}"
            for kind, width in (("right", 6), ("harmful", 8), ("useless", 8))
        )
        calls = fmean(run.calls for run in runs)
        line = f"{place:6} {who:15} {fmean(true):.3f} ± {error:.3f} {fmean(gaps):+7.3f} ± {unsure:.3f}"
        print(f"{line} {calls:6.0f} {rules}")


def figures(found: Mapping[tuple[str, str], Sequence[Ended]]) -> dict[str, float]:
    """Return the figures that are claimed."""
    figures: dict[str, float] = {}
    ratios: list[float] = []
    places = list(dict.fromkeys(place for place, _ in found))
    for place in places:
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
            f"calls_of_budget_{place}": round(fmean(run.of_budget for run in found[place, "ours"]), 3),
        }
        evidence = fmean(run.true for run in found[place, "ours, evidence"])
        ratios.append(evidence / fmean(run.true for run in found[place, best]))
    for name, other in (("gepa", "gepa"), ("agent", "one agent")):
        differences: list[float] = []
        harmful: list[int] = []
        for place in places:
            for ours, theirs in zip(found[place, "ours"], found[place, other], strict=True):
                differences.append(ours.true - theirs.true)
                harmful.append(ours.rules["harmful"] - theirs.rules["harmful"])
        figures |= {
            f"true_minus_{name}": round(fmean(differences), 4),
            f"harmful_minus_{name}": round(fmean(harmful), 4),
        }
    shipped = [any(run.rules.values()) for place in places for run in found[place, "ours, evidence"]]
    figures["evidence_ships"] = round(fmean(shipped), 3)
    figures["true_minus_best_peer"] = min(figures[f"true_minus_best_peer_{place}_low"] for place in places)
    figures["evidence_of_best_peer"] = round(min(ratios), 3)
    figures["gap"] = max((figures[f"gap_{place}"] for place in places), key=abs)
    figures["harmful_rules"] = max(figures[f"harmful_rules_{place}"] for place in places)
    figures["calls_of_budget"] = max(figures[f"calls_of_budget_{place}"] for place in places)
    return figures


def means(found: Mapping[tuple[str, str], Sequence[Ended]]) -> dict[str, float]:
    """Return what each of our presets comes to in each world."""
    return {f"true_{place}_{who}": round(fmean(run.true for run in runs), 4) for (place, who), runs in found.items()}


if __name__ == "__main__":
    main()
