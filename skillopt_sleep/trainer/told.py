"""Write down what can be read later: every answer on val and test, and every raw reply of the optimizer."""

import hashlib
from collections.abc import Sequence

from skillopt_sleep.records import Completion, Prompt
from skillopt_sleep.trainer.attempts import Attempted, Job
from skillopt_sleep.trainer.run import RunFolder

_KEPT = frozenset({"val", "test"})


class Answers:
    """The answers on val and test, a file for each skill: `answers/val-<start of its SHA-256>.json`."""

    def __init__(self, folder: RunFolder) -> None:
        self._folder = folder
        self._rows: dict[str, list[dict[str, object]]] = {}

    def tell(self, made: Sequence[tuple[Job, Attempted]]) -> None:
        """Write the answers that are new."""
        changed: set[str] = set()
        for job, attempted in made:
            if job.stage in _KEPT:
                name = f"answers/{job.stage}-{job.sha[:12]}.json"
                self._rows.setdefault(name, []).append(row(job, attempted))
                changed.add(name)
        for name in sorted(changed):
            self._folder.write(name, self._rows[name])


class Replies:
    """The optimizer's raw replies as files in the folder of the step or epoch that asked."""

    def __init__(self, folder: RunFolder) -> None:
        self._folder = folder

    def tell(self, prompt: Prompt, completion: Completion) -> None:
        """Write a reply, named after its purpose and its question."""
        kind, _, number = prompt.asker.partition(" ")
        if not number.isdigit():
            return
        place = f"steps/step_{int(number):04d}" if kind == "step" else f"epochs/epoch_{int(number):02d}"
        question = hashlib.sha256(prompt.text.encode(errors="replace")).hexdigest()[:8]
        self._folder.write(f"{place}/replies/{prompt.purpose}-{question}.txt", completion.text)


def row(job: Job, attempted: Attempted) -> dict[str, object]:
    """Return an attempt as the run's files show it; grades are null if it couldn't be scored."""
    score, result = attempted.rollout.score, attempted.result
    return {
        "id": job.item.id,
        "kind": job.item.kind,
        "sample": job.sample,
        "hard": score.hard if score else None,
        "soft": score.soft if score else None,
        "why": result.why,
        "failure": result.failure,
        "response": result.response,
        "turns": result.turns,
    }
