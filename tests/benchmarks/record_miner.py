"""Records what a model answers to the miner's prompts of the projects in mining_recorded.py.

Every prompt without an answer is laid into FOLDER as `<name>.txt`, and the answers that are found there as
`<name>.json` are taken up; run it until no prompt is left. Answers that nothing asks for any more are dropped.
"""

import argparse
import json
import tempfile
from pathlib import Path

from skillopt_sleep.backends.replies import decoded
from skillopt_sleep.errors import CallFailed, FailureKind
from skillopt_sleep.records import Completion, Prompt, Usage
from tests.benchmarks.mining import harvested
from tests.benchmarks.mining_miners import mined
from tests.benchmarks.mining_recorded import FOLDER, PROJECTS, answers, digest, recorded_part
from tests.benchmarks.planted import plant


class Recorder:
    """Gives the answers there are, and lays out the prompts that have none."""

    def __init__(self, pool: str, folder: Path) -> None:
        self._known, self._folder = answers(pool), folder
        self.used: dict[str, str] = {}
        self.open = 0

    def complete(self, prompt: Prompt) -> Completion:
        """What was answered; CallFailed where nothing was."""
        name = digest(prompt.text)
        given = self._folder / f"{name}.json"
        answer = given.read_text(encoding="utf-8") if given.exists() else self._known.get(name)
        if answer is None:
            (self._folder / f"{name}.txt").write_text(prompt.text, encoding="utf-8")
            self.open += 1
            raise CallFailed(FailureKind.EMPTY, "not answered yet")
        self.used[name] = answer
        return decoded(prompt, Completion(text=answer, usage=Usage(), model="recorded"))


def main() -> None:
    """Lay out what is to be answered, take up what was."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    for pool in PROJECTS:
        recorder = Recorder(pool, folder)
        with tempfile.TemporaryDirectory() as name:
            history = plant(Path(name), pool)
            _, part = recorded_part(pool, history, harvested(Path(name)).sessions)
        mined(part, recorder)
        lines = [
            json.dumps({"shown": n, "answer": json.loads(a)}, ensure_ascii=False) for n, a in recorder.used.items()
        ]
        (FOLDER / f"{pool}.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        print(f"{pool}: {len(lines)} answers kept, {recorder.open} prompts wait in {folder}")


if __name__ == "__main__":
    main()
