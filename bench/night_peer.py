"""Nights of PyPI's skillopt on the sessions of the night benchmark, answered by the same model, with their calls counted."""

import hashlib
import json
import re
import subprocess
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from bench.night_history import LESSONS, NOW, Asked
from bench.night_model import SlowModel, grade
from skillopt_sleep.prompts import fill
from skillopt_sleep.records import Prompt, Purpose

SCRIPT = Path(__file__).parent / "peer_night.py"
OPENINGS = {
    "You are mining": "mine",
    "Complete the following task": "rollout",
    "Score how well": "judge",
    "You are SkillOpt's optimizer": "reflect",
}

_MINED = re.compile(r"\nuser prompts:\n  - (.*?)\n  - ")
_ATTEMPT = re.compile(r"\n\n# Skill\n(.*)\n\n# Task\n(.*?)\n\n.*\n\nReturn ONLY", re.DOTALL)
_JUDGED = re.compile(r"\n\n# Rubric\n(.*)\n\n# Response\n(.*)\Z", re.DOTALL)


class Nights(NamedTuple):
    """One night on each project: its calls by purpose, which projects improved, sessions and tasks of all."""

    calls: Counter[str]
    improved: frozenset[str]
    sessions: int
    tasks: int


def peer_nights(python: Path, home: Path, requests: Mapping[str, Asked], *, documents: str, seed: int) -> Nights:
    """A night on each project below this home, in the peer's environment."""
    calls: Counter[str] = Counter()
    answers = Answers(requests, calls)
    ends = {
        lesson.project: _night(python, home, lesson.project, (documents, str(seed)), answers) for lesson in LESSONS
    }
    improved = frozenset(project for project, end in ends.items() if end["accepted"])
    sessions, tasks = (sum(end[name] for end in ends.values()) for name in ("sessions", "tasks"))
    return Nights(calls, improved, sessions, tasks)


def _night(python: Path, home: Path, project: str, how: tuple[str, str], answers: "Answers") -> dict[str, Any]:
    command = [str(python), str(SCRIPT), str(home), str(home / "work" / project), str(NOW.timestamp()), *how]
    errors = home / f"{project}-{'-'.join(how)}.stderr"
    with (
        errors.open("w+", encoding="utf-8") as stderr,
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, text=True, cwd=home,
            env={"HOME": str(home), "PATH": "/usr/bin:/bin"},
        ) as process,
    ):  # fmt: skip
        assert process.stdin
        assert process.stdout
        for line in process.stdout:
            said = json.loads(line)
            if "done" in said:
                return said["done"]
            process.stdin.write(json.dumps({"reply": answers(said["prompt"])}) + "\n")
            process.stdin.flush()
    raise SystemExit(f"{' '.join(command)} failed:\n{errors.read_text(encoding='utf-8')}")


class Answers:
    """The model of our own nights, asked in the peer's words; counts what it is asked."""

    def __init__(self, requests: Mapping[str, Asked], calls: Counter[str]) -> None:
        self._requests, self._calls = requests, calls
        self._model = SlowModel(requests)

    def __call__(self, prompt: str) -> str:
        """The answer to one call."""
        kind = next(kind for opening, kind in OPENINGS.items() if prompt.startswith(opening))
        self._calls[kind] += 1
        match kind:
            case "mine":
                return self._mined(prompt)
            case "rollout":
                return self._attempt(prompt)
            case "judge":
                judged = _JUDGED.search(prompt)
                assert judged
                return json.dumps({"score": grade(judged[1], judged[2]), "reason": "by its words"})
            case _:
                return self._reflected(prompt)

    def _mined(self, prompt: str) -> str:
        found = _MINED.search(prompt)
        asked = self._requests[found[1]] if found else None
        if asked is None or not asked.corrected:
            return "[]"
        checks = [] if asked.by_rubric else [{"op": "contains", "arg": asked.lesson.want}]
        rubric = f"It does what the person asked for: {asked.lesson.said}"
        return json.dumps([{"intent": asked.text, "checks": checks, "rubric": rubric, "satisfied": False}])

    def _attempt(self, prompt: str) -> str:
        found = _ATTEMPT.search(prompt)
        assert found
        text = fill("rollout", document=found[1], context="", request=found[2])
        nonce = hashlib.blake2b(prompt.encode()).hexdigest()[:6]
        return self._model.answer(Prompt(purpose=Purpose.ROLLOUT, text=text), nonce=nonce).text

    def _reflected(self, prompt: str) -> str:
        failed = prompt.rpartition("\n# Recurring failures\n")[2]
        said = dict.fromkeys(asked.lesson.said for asked in self._requests.values() if asked.text in failed)
        shown = "\n".join(f"- «{words}»" for words in said)
        reply = json.loads(self._model.answer(Prompt(purpose=Purpose.REFLECT, text=shown), nonce="").text)
        return json.dumps([{"op": "add", "content": edit["content"], "rationale": ""} for edit in reply["edits"]])
