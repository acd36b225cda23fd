"""Trainings by PyPI's gepa in the simulated world, in its own environment; the argument is a file with the runs.

What came of each run is one line on stdout. Its own stopper ends a run when the budget of calls is spent.
"""

import importlib
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import gepa  # pyright: ignore[reportMissingImports]
from gepa.core.adapter import EvaluationBatch  # pyright: ignore[reportMissingImports]

from bench.peers_edits import rewritten

WORLDS = {"dates": "bench.peers_world", "fresh": "bench.peers_world_fresh"}
PART = "skill"


class Asking:
    """The model of one run, and the calls that were made."""

    def __init__(self, run: dict[str, Any]) -> None:
        self.calls = self.chars = 0
        self._run = run
        self._world = importlib.import_module(WORLDS[run["world"]])
        self._model = self._world.Model(*run["model"])
        self._asked: Counter[tuple[str, str]] = Counter()

    def attempt(self, skill: str, text: str) -> str:
        """Attempt one item."""
        answer = self._model.attempt(skill, text, self._next(skill, text))
        self.chars += len(answer)
        return answer

    def reflect(self, prompt: Any) -> str:
        """Write a new skill from what the prompt shows."""
        text = str(prompt)
        skill, _, rest = text.partition("The following are examples")
        blocks = rest.split("# Example ")
        failed = [item for block in blocks if "Wrong." in block for item in self._world.shown(block)]
        done = [item for block in blocks if "Right." in block for item in self._world.shown(block)]
        found = self._model.propose(skill, failed, done, self._next("", text), most=self._run["edits"])
        old = skill.split("```")[1].strip()
        answer = "```\n" + rewritten(old, found) + "\n```"
        self.chars += len(answer)
        return answer

    def _next(self, *asked: str) -> int:
        self.calls += 1
        self.chars += sum(map(len, asked))
        self._asked[asked[0], asked[1]] += 1
        return self._asked[asked[0], asked[1]]


class Adapter:
    """The world as gepa's users write one: how to attempt a batch, and how to show it to reflection."""

    propose_new_texts = None

    def __init__(self, asking: Asking) -> None:
        self._asking = asking

    def evaluate(self, batch: list[Any], candidate: dict[str, str], capture_traces: bool = False) -> EvaluationBatch:
        """Attempt a batch."""
        answers = [self._asking.attempt(candidate[PART], item["text"]) for item in batch]
        scores = [float(answer == item["answer"]) for answer, item in zip(answers, batch, strict=True)]
        traces = [
            {"item": item, "answer": answer, "score": score}
            for item, answer, score in zip(batch, answers, scores, strict=True)
        ]
        return EvaluationBatch(outputs=answers, scores=scores, trajectories=traces if capture_traces else None)

    def make_reflective_dataset(
        self, candidate: dict[str, str], eval_batch: EvaluationBatch, components_to_update: list[str]
    ) -> dict[str, list[dict[str, str]]]:
        """Show the attempts with a word on how each went."""
        del candidate
        shown = [
            {
                "Inputs": trace["item"]["text"],
                "Generated Outputs": trace["answer"],
                "Feedback": "Right." if trace["score"] else "Wrong.",
            }
            for trace in eval_batch.trajectories
        ]
        return dict.fromkeys(components_to_update, shown)


class Silent:
    """A logger that says nothing."""

    def log(self, message: str) -> None:
        """Drop the message."""


def main() -> None:
    """Make the runs, one after the other."""
    for run in json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")):
        asking = Asking(run)
        world = importlib.import_module(WORLDS[run["world"]])
        seed = run["model"][-1]
        splits = {
            split: [item._asdict() for item in world.items(split, count, seed=seed)]
            for split, count in run["sizes"].items()
        }
        result = gepa.optimize(
            seed_candidate={PART: world.INITIAL},
            trainset=splits["train"],
            valset=splits["val"],
            adapter=Adapter(asking),
            reflection_lm=asking.reflect,
            stop_callbacks=lambda state, asking=asking, most=run["budget"]: asking.calls >= most,
            logger=Silent(),
            seed=seed,
            **run["config"],
        )
        reported = max(result.val_aggregate_scores)
        done = {"skill": result.best_candidate[PART], "reported": reported}
        done |= {"calls": asking.calls, "chars": asking.chars}
        print(json.dumps(done), flush=True)


if __name__ == "__main__":
    main()
