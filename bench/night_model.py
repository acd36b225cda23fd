"""The model of the night benchmark: the simulated one, as slow as a model is, and a record of how long each call took."""

import hashlib
import json
import random
import threading
import time
from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from bench.night_history import Asked
from bench.reduced import size
from skillopt_sleep.backends.replies import decoded
from skillopt_sleep.example.model import SimulatedBackend
from skillopt_sleep.mining.wishes import read_wish
from skillopt_sleep.records import Completion, Prompt, Purpose, Usage
from tests.graded import judged

MET = "I did it: "  # so begins the answer that the simulated model writes to meet a demand
MEDIAN = size(0.5, 0.001)
SIGMA = 0.3
NAME = "simulated"


class Call(NamedTuple):
    """One call as the model saw it: of which project, on which request where it is of one, when, for how long.

    `sample` numbers the attempts at one request.
    """

    purpose: Purpose
    project: str
    request: str
    begun: float
    seconds: float
    sample: int


class SlowModel:
    """Answers as the simulated model does after a lognormal time, the same for the same question."""

    name = NAME
    version = ""

    def __init__(self, requests: Mapping[str, Asked], *, median: float = MEDIAN) -> None:
        self._requests, self._median = requests, median
        self._simulated = SimulatedBackend(forgets=0.0)
        self._lock = threading.Lock()
        self.calls: list[Call] = []

    def ready(self, _until: datetime) -> bool:
        """It is asked for a word before the night, as any API."""
        return False

    def price(self, _model: str, _usage: Usage) -> float | None:
        """It costs nothing."""
        return 0.0

    def complete(self, prompt: Prompt) -> Completion:
        """The answer, when its time has come."""
        begun = time.perf_counter()
        digest = hashlib.blake2b(f"{prompt.purpose}\0{prompt.sample}\0{prompt.text}".encode()).hexdigest()
        chance = random.Random(digest)
        time.sleep(self._median * chance.lognormvariate(0, SIGMA))
        request = next((text for text in self._requests if text in prompt.text), "")
        ended = time.perf_counter()
        with self._lock:
            self.calls.append(Call(prompt.purpose, prompt.project, request, begun, ended - begun, prompt.sample))
        return self.answer(prompt, nonce=digest[:6])

    def answer(self, prompt: Prompt, *, nonce: str) -> Completion:
        """What it says, at once; no two attempts read the same."""
        completion = self._simulated.complete(prompt)
        match prompt.purpose:
            case Purpose.ROLLOUT:
                text = f"{completion.text} ({nonce})"
            case Purpose.JUDGE:
                text = json.dumps(judged(prompt.text, grade))
            case Purpose.PROVE:
                text = json.dumps(judged(prompt.text, _worth))
            case Purpose.MINE:
                text = self._mined(completion.text)
            case _:
                return completion
        return decoded(prompt, Completion(text=text, usage=completion.usage, usd=0.0, model=NAME))

    def _mined(self, text: str) -> str:
        """The entries, each lesson named alike in whatever words it was said."""
        named = {asked.said: asked.lesson for asked in self._requests.values() if asked.lesson.want}
        lessons: list[dict[str, Any]] = json.loads(text)["lessons"]
        for lesson in lessons:
            if lesson["lesson"] in named:
                wish = read_wish(named[lesson["lesson"]].said)
                lesson["lesson"] = f"Use {wish.want[0]}, never {wish.avoid[0]}"
        return json.dumps({"lessons": lessons})


def grade(demand: str, answer: str) -> float:
    """1 where the answer has what the demand names, .4 where it hasn't, or only says the demand back."""
    want, said = read_wish(demand).want, answer.replace(demand, "")
    return 1.0 if said.startswith(MET) or (want and all(term in said for term in want)) else 0.4


def _worth(demand: str, answer: str) -> float:
    """Nothing earns nothing."""
    return 0.0 if answer.strip() in {"", ":"} else grade(demand, answer)
