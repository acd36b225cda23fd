"""The model of the `cost` benchmark: the simulated one, with attempts as long as real ones, and a count of tokens."""

import json
import threading
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

from msgspec.structs import replace

from bench.cost_history import CARE
from bench.history import Words
from bench.lessons_recorded import ANSWERS
from bench.night_history import Asked
from bench.night_model import NAME, SlowModel
from skillopt_sleep.backends.replies import decoded
from skillopt_sleep.kit.codec import strict_schema, to_json
from skillopt_sleep.mining.wishes import read_wish
from skillopt_sleep.records import Completion, Prompt, Purpose, Usage
from tests.graded import judged, shown_items

CHARS_PER_TOKEN = 4
ATTEMPT = 400  # tokens
GRADE = 40  # tokens: a score and a sentence
PREFLIGHT = 5  # tokens
OTHER = 400  # tokens: edits, guidance, a choice
# What the recorded answers hold a list of, by the purpose that is answered with it.
_RECORDED = {
    Purpose.MINE: "tasks",
    Purpose.LESSONS: "same",
    Purpose.CONTROLS: "controls",
    Purpose.PROVE: "grades",
}


class Counted(NamedTuple):
    """One call: what for, its tokens in and out, when it was made and answered."""

    purpose: Purpose
    read: int
    written: int
    begun: float
    ended: float


def recorded_lengths() -> dict[Purpose, float]:
    """The tokens of one entry in a large language model's recorded answers, by purpose."""
    answers: list[dict[str, Any]] = [json.loads(line)["answer"] for line in ANSWERS.read_bytes().splitlines()]
    lengths: dict[Purpose, float] = {}
    for purpose, name in _RECORDED.items():
        some = [answer for answer in answers if name in answer]
        characters = sum(len(json.dumps(answer, ensure_ascii=False)) for answer in some)
        lengths[purpose] = characters / CHARS_PER_TOKEN / max(1, sum(len(answer[name]) for answer in some))
    return lengths


class CountedModel(SlowModel):
    """Answers as `SlowModel`, bills what a real model would read and write, and remembers it."""

    def __init__(self, requests: Mapping[str, Asked], *, median: float) -> None:
        super().__init__(requests, median=median)
        self._lengths = recorded_lengths()
        self._filler = Words(0).prose.replace("\n", " ")[: ATTEMPT * CHARS_PER_TOKEN]
        self._counting = threading.Lock()
        self.counted: list[Counted] = []

    def complete(self, prompt: Prompt) -> Completion:
        """The answer, when its time has come, with the tokens that are counted for it."""
        begun = time.perf_counter()
        completion = super().complete(prompt)
        ended = time.perf_counter()
        if prompt.purpose is Purpose.ROLLOUT:
            room = max(0, ATTEMPT * CHARS_PER_TOKEN - len(completion.text))
            completion = replace(completion, text=f"{completion.text} {self._filler[:room]}")
        read, written = _read(prompt), self._written(prompt.purpose, completion.text)
        with self._counting:
            self.counted.append(Counted(prompt.purpose, read, written, begun, ended))
        return replace(completion, usage=Usage(input_tokens=read, output_tokens=written))

    def answer(self, prompt: Prompt, *, nonce: str) -> Completion:
        """What it says at once: it grades by whether the wanted thing stands in an answer that isn't the demand itself."""
        match prompt.purpose:
            case Purpose.JUDGE | Purpose.PROVE:
                return _reply(prompt, judged(prompt.text, _worth))
            case Purpose.CONTROLS:
                items = shown_items(prompt.text)
                return _reply(prompt, {"controls": [self._control(n, item[1]) for n, item in enumerate(items, 1)]})
            case _:
                return super().answer(prompt, nonce=nonce)

    def _control(self, number: int, demand: str) -> dict[str, object]:
        """An answer that misses the demand and one that meets it, as long as recorded ones."""
        filler = self._filler[: round(self._lengths[Purpose.CONTROLS] * CHARS_PER_TOKEN / 2)]
        wanted = ", ".join(read_wish(demand).want) or CARE
        return {"item": number, "misses": f"I did it. {filler}", "meets": f"I did it with {wanted}. {filler}"}

    def _written(self, purpose: Purpose, text: str) -> int:
        """The tokens of an answer with as many entries as this one."""
        match purpose:
            case Purpose.PREFLIGHT:
                return PREFLIGHT
            case Purpose.ROLLOUT:
                return ATTEMPT
            case Purpose.JUDGE:
                return GRADE * _entries(text)
            case _ if purpose in self._lengths:
                return round(self._lengths[purpose] * max(1, _entries(text)))
            case _:
                return OTHER


def _reply(prompt: Prompt, answer: dict[str, Any]) -> Completion:
    return decoded(prompt, Completion(text=json.dumps(answer), usage=Usage(), usd=0.0, model=NAME))


def _worth(demand: str, answer: str) -> float:
    """1 where the answer, without the demand said back, names what is wanted, else 0."""
    rest = answer.replace(demand, "")
    return float(all(term in rest for term in read_wish(demand).want or (CARE,)))


def _read(prompt: Prompt) -> int:
    """The tokens of what is sent: the prompt, and the form of the answer."""
    form = len(to_json(strict_schema(prompt.schema))) if prompt.schema else 0
    return (len(prompt.text) + form) // CHARS_PER_TOKEN


def _entries(text: str) -> int:
    """How many entries the lists of an answer have."""
    answer: dict[str, Any] = json.loads(text)
    return sum(len(value) for value in answer.values() if isinstance(value, list))
