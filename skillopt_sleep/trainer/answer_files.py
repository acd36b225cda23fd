"""Write down what can be read later: every answer on val and test, and every raw reply of the optimizer."""

import hashlib
import threading
from collections.abc import Sequence

from skillopt_sleep.records import Completion, Prompt
from skillopt_sleep.trainer.attempts import FinishedAttempt, Job
from skillopt_sleep.trainer.run import RunFolder

_KEPT = frozenset({"val", "test"})


def file_of(split: str, sha: str) -> str:
    """Return the file, in a run's folder, of the answers to this split under the skill with this SHA-256."""
    return f"answers/{split}-{sha[:12]}.json"


class AnswerFiles:
    """The answers on val and test, a file for each skill: `answers/val-<start of its SHA-256>.json`."""

    def __init__(self, folder: RunFolder) -> None:
        self._folder = folder
        self._rows: dict[str, list[dict[str, object]]] = {}

    def tell(self, made: Sequence[tuple[Job, FinishedAttempt]]) -> None:
        """Write the answers that are new."""
        changed: set[str] = set()
        for job, attempted in made:
            if job.stage in _KEPT:
                name = file_of(job.stage, job.sha)
                self._rows.setdefault(name, []).append(row(job, attempted))
                changed.add(name)
        for name in sorted(changed):
            self._folder.write(name, self._rows[name])


class Replies:
    """The optimizer's raw replies, one file per step or epoch: `steps/step_0001/replies.md`.

    The file is written when the next step or epoch begins to ask, or by `write`: a file per reply would cost more
    time than a quick model's answer.
    """

    def __init__(self, folder: RunFolder) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._place = ""
        self._replies: dict[str, str] = {}

    def tell(self, prompt: Prompt, completion: Completion) -> None:
        """Keep a reply, named after its purpose and its question."""
        kind, _, number = prompt.asker.partition(" ")
        if not number.isdigit():
            return
        place = f"steps/step_{int(number):04d}" if kind == "step" else f"epochs/epoch_{int(number):02d}"
        question = hashlib.sha256(prompt.text.encode(errors="replace")).hexdigest()[:8]
        with self._lock:
            if place != self._place:
                self._write()
                self._place = place
            self._replies[f"{prompt.purpose} {question}"] = completion.text

    def write(self) -> None:
        """Write what isn't written yet."""
        with self._lock:
            self._write()

    def _write(self) -> None:
        if self._replies:
            texts = [f"# {name}\n\n{text}\n" for name, text in sorted(self._replies.items())]
            self._folder.write(f"{self._place}/replies.md", "\n".join(texts))
            self._replies.clear()


def row(job: Job, attempted: FinishedAttempt) -> dict[str, object]:
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
