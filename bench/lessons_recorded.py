"""A language model's answers to the prompts of the `lessons` benchmark, recorded beforehand.

The model saw the prompts one by one and never the truth. An answer is found by the whole prompt: a prompt that changed
has none, and the benchmark fails until it is recorded again: `python -m bench.lessons --record FOLDER`.
"""

import hashlib
import json
from pathlib import Path

from skillopt_sleep.backends.replies import decoded
from skillopt_sleep.errors import CallFailed, FailureKind
from skillopt_sleep.records import Completion, Prompt, Usage

ANSWERS = Path(__file__).parent / "recorded" / "lessons.jsonl"


class Recorded:
    """The recorded answers; a prompt without one is laid out in a folder, or fails the benchmark."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._known: dict[str, str] = {}
        if ANSWERS.exists():
            for line in ANSWERS.read_text(encoding="utf-8").splitlines():
                row = json.loads(line)
                self._known[row["prompt"]] = json.dumps(row["answer"], ensure_ascii=False)
        self.used: dict[str, str] = {}
        self.open = 0

    def complete(self, prompt: Prompt) -> Completion:
        """Return what was answered."""
        name = digest(prompt.text)
        answer = self._given(name) or self._known.get(name)
        if answer is None and self._folder is None:
            raise SystemExit(f"a {prompt.purpose} prompt changed since it was recorded: record the answers again")
        if answer is None:
            self._lay_out(name, prompt.text)
            raise CallFailed(FailureKind.EMPTY, "not answered yet")
        self.used[name] = answer
        return decoded(prompt, Completion(text=answer, usage=Usage(), model="recorded"))

    def _given(self, name: str) -> str | None:
        """Return a new answer from the folder."""
        if self._folder is None or not (self._folder / f"{name}.json").exists():
            return None
        return (self._folder / f"{name}.json").read_text(encoding="utf-8")

    def _lay_out(self, name: str, shown: str) -> None:
        assert self._folder is not None
        (self._folder / f"{name}.txt").write_text(shown, encoding="utf-8")
        self.open += 1

    def save(self) -> None:
        """Keep the answers that were used, and drop those that nothing asks for any more."""
        rows = [{"prompt": name, "answer": json.loads(answer)} for name, answer in self.used.items()]
        text = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
        ANSWERS.write_text(text, encoding="utf-8")


def digest(text: str) -> str:
    """Return what stands for a prompt."""
    return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()
