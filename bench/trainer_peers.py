"""Our trainer beside PyPI's skillrl and gepa on the same noisy model, with the same budget of calls.

`make bench NAME=trainer_peers`; ARGS="--seeds 10" makes fewer runs of each, ARGS="--first 1000" begins at another seed,
ARGS="--world fresh" takes one world only, ARGS="--ours" makes our own runs only, and fetches nothing. The environment
variables SKILLRL_PYTHON and GEPA_PYTHON name Pythons that have the peers; without them pip installs each into an
environment of its own.
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
SEEDS = size(24, 2)
PROCESSES = 2
Z90 = 1.645
EVIDENCE = "evidence"
EVIDENCE_VAL = 40
GAINS, USELESS = 0.3, 0.01
OURS: dict[str, Any] = {"train": {"workers": 1}, "evaluation": {"test": False}}
CONFIGS: dict[str, Mapping[str, Any]] = {
    "ours": OURS,
    "skillrl": {"minibatch_size": 8},
    "gepa": {},
    EVIDENCE: OURS | {"preset": "evidence"},
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
ours     the preset default, without test, which the peers don't have
evidence the preset evidence, without test, with 40 val items in both worlds
one agent  the same money in one coding agent, by the protocol in peer_agent.py; scripted, so that it says what the
         protocol does and not what a clever model would do with it
true     exact expected accuracy of the shipped skill
gap      accuracy on val that is reported for it, minus true
tokens   a quarter of the characters of all prompts and answers, each trainer's own prompts included; of the agent only
         what it shows the model, as its own talk is scripted
rules    right, harmful and useless rules in the shipped skill, a run. In world fresh a rule is harmful if the skill would
         be better by more than .01 without it, right if it would be so much worse
true_minus_gepa, true_minus_upstream, true_minus_agent   the mean difference of `true`, ours minus gepa, minus skillrl
         (PyPI's release of SkillOpt's loop) and minus the agent; with _low the lower end of its paired 90 % interval
harmful_minus_gepa, harmful_minus_agent   the same for harmful rules; gap: the mean of ours
tokens_x_gepa      mean tokens of ours over those of gepa
evidence_ships     of the evidence runs whose final skill truly gains .3 or more, the share that ships; null without any
evidence_useless   the share of all evidence runs that ship a skill which truly gains less than .01
All are over both worlds; with _dates or _fresh behind the name, over one.
"""
Figures = dict[str, float | None]
Found = dict[tuple[str, str, str], list["Ended"]]  # by world, place and trainer


class Ended(NamedTuple):
    """What one run ships, says of it, and took; its final skill truly gains so much, whether it is shipped or not."""

    true: float
    gap: float
    calls: int
    tokens: int
    rules: Mapping[str, int]
    gain: float
    final_gain: float

    @property
    def ships(self) -> bool:
        """Whether it ships more than the skill that it began with."""
        return any(self.rules.values())


def main() -> None:
    """Make all runs, and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--world", choices=sorted(WORLDS))
    parser.add_argument("--ours", action="store_true")
    arguments = parser.parse_args()
    seeds = range(arguments.first, arguments.first + arguments.seeds)
    is_alone = arguments.ours or REDUCED  # what needs no peer
    configs = {who: config for who, config in CONFIGS.items() if not (is_alone and who in PEERS)}
    worlds = [arguments.world] if arguments.world else list(WORLDS)
    found: Found = {}
    with tempfile.TemporaryDirectory(prefix="bench-peers-") as name:
        home = Path(name)
        commands = {who: command(who, home) for who in configs}
        for world in worlds:
            for place in WORLDS[world].PLACES:
                for who in configs:
                    budgets = allowed(world, who, seeds, found.get((world, place, "ours"), ()))
                    runs = [a_run(world, place, who, seed, budgets[seed]) for seed in seeds]
                    found[world, place, who] = ended(commands[who], runs, home)
    show(found, len(seeds))
    print(DEFINITIONS)
    claimed = means(found)
    if not is_alone:
        claimed = figures(found)
        for world in worlds if len(worlds) > 1 else ():
            own = {key: runs for key, runs in found.items() if key[0] == world}
            claimed |= {f"{name}_{world}": figure for name, figure in figures(own).items()}
    print(json.dumps(claimed))


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
    elif who in {"ours", EVIDENCE}:
        train = {**config["train"], "epochs": sizes["epochs"], "batch_size": sizes["batch"]}
        config = {**config, "train": train}
    return {
        "world": world,
        "model": [*WORLDS[world].PLACES[place], seed],
        "sizes": {"train": sizes["train"], "val": EVIDENCE_VAL if who == EVIDENCE else sizes["val"]},
        "budget": budget,
        "edits": EDITS,
        "kinds": True,
        "config": config,
    }


def scored(run: Mapping[str, Any], done: Mapping[str, Any]) -> Ended:
    """Return what a run came to, beside the truth."""
    world = WORLDS[run["world"]]
    model = world.Model(*run["model"])
    before, true = model.quality(world.INITIAL), model.quality(done["skill"])
    return Ended(
        true=true,
        gap=done["reported"] - true,
        calls=done["calls"],
        tokens=done["chars"] // 4,
        rules=model.counted(done["skill"]),
        gain=true - before,
        final_gain=model.quality(done.get("final", done["skill"])) - before,
    )


def show(found: Found, seeds: int) -> None:
    """Print a line for each trainer and world."""
    print(f"\n{seeds} runs of each; ± is one standard error")
    heads = f"{'calls':>6} {'tokens':>8} {'right':>6} {'harmful':>8} {'useless':>8}"
    print(f"{'world':12} {'trainer':10} {'true':>14} {'gap':>15} {heads}")
    for (world, place, who), runs in found.items():
        true, gaps = [run.true for run in runs], [run.gap for run in runs]
        error, unsure = (stdev(values) / math.sqrt(len(runs)) for values in (true, gaps))
        rules = " ".join(
            f"{fmean(run.rules[kind] for run in runs):{width}.2f}"
            for kind, width in (("right", 6), ("harmful", 8), ("useless", 8))
        )
        taken = f"{fmean(run.calls for run in runs):6.0f} {fmean(run.tokens for run in runs):8.0f}"
        line = f"{world} {place:6} {who:10} {fmean(true):.3f} ± {error:.3f} {fmean(gaps):+7.3f} ± {unsure:.3f}"
        print(f"{line} {taken} {rules}")


def figures(found: Found) -> Figures:
    """Return the figures that are claimed."""

    def of(trainer: str) -> list[Ended]:
        """Return all runs of a trainer."""
        return [run for (_, _, who), runs in found.items() if who == trainer for run in runs]

    ours, evidence = of("ours"), of(EVIDENCE)
    claimed: Figures = {}
    for name, other in (("gepa", "gepa"), ("upstream", "skillrl"), ("agent", "one agent")):
        pairs = list(zip(ours, of(other), strict=True))
        gains = [our.true - their.true for our, their in pairs]
        half = Z90 * stdev(gains) / math.sqrt(len(gains))
        claimed[f"true_minus_{name}"] = round(fmean(gains), 4)
        claimed[f"true_minus_{name}_low"] = round(fmean(gains) - half, 4)
        if other != "skillrl":
            harmful = fmean(our.rules["harmful"] - their.rules["harmful"] for our, their in pairs)
            claimed[f"harmful_minus_{name}"] = round(harmful, 4)
    able = [run.ships for run in evidence if run.final_gain >= GAINS]
    return claimed | {
        "gap": round(fmean(run.gap for run in ours), 4),
        "tokens_x_gepa": round(fmean(run.tokens for run in ours) / fmean(run.tokens for run in of("gepa")), 3),
        "evidence_ships": round(fmean(able), 3) if able else None,
        "evidence_useless": round(fmean(run.ships and run.gain < USELESS for run in evidence), 3),
    }


def means(found: Found) -> Figures:
    """Return what each of our presets comes to in each world."""
    return {f"true_{'_'.join(key)}": round(fmean(run.true for run in runs), 4) for key, runs in found.items()}


if __name__ == "__main__":
    main()
