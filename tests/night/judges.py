"""Nights whose answers a scripted judge grades, which is right or wrong in a way of its own."""

import hashlib
import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from skillopt_sleep.backends.replies import decoded
from skillopt_sleep.example.model import SimulatedBackend
from skillopt_sleep.records import Completion, Prompt, Purpose
from tests.graded import judged, shown_items

DEMAND = "It uses the package manager of this repository."  # names no term that code could look for
DID = "I use pnpm."
LONG = 600
BY_CODE = "data"  # the project whose lessons are checked in code

Grade = Callable[[str, str, random.Random], float]


def right(demand: str, answer: str, _noise: random.Random) -> float:
    """What an answer is worth: saying the demand back does nothing."""
    return float(DID in answer.replace(demand, ""))


def lenient(_demand: str, _answer: str, _noise: random.Random) -> float:
    return 1.0


def harsh(_demand: str, _answer: str, _noise: random.Random) -> float:
    return 0.0


def coin(_demand: str, _answer: str, noise: random.Random) -> float:
    return float(noise.random() < 0.5)


def any_number(_demand: str, _answer: str, noise: random.Random) -> float:
    return noise.random()


def pays_for_length(demand: str, answer: str, noise: random.Random) -> float:
    return min(1.0, right(demand, answer, noise) + 0.3 * (len(answer) > LONG))


def pays_for_echo(demand: str, answer: str, noise: random.Random) -> float:
    return max(right(demand, answer, noise), float(demand in answer))


def right_nine_times_of_ten(demand: str, answer: str, noise: random.Random) -> float:
    grade = right(demand, answer, noise)
    return 1 - grade if noise.random() < 0.1 else grade


@dataclass
class Scripted:
    """The simulated model with lessons that only a judge can grade; `grade` is the judge's way.

    With `proves` the judge grades in that way also when references are proved, else it is right there. A request that
    was corrected with the word `in_code` is checked in code.
    """

    grade: Grade
    seed: int = 0
    proves: bool = False
    in_code: str = ""
    inner: SimulatedBackend = field(default_factory=lambda: SimulatedBackend(forgets=0.0))

    def complete(self, prompt: Prompt) -> Completion:
        answer = self.inner.complete(prompt)
        reply = self._reply(prompt, answer.text)
        if reply is None:
            return answer
        return decoded(prompt, replace(answer, text=json.dumps(reply), structured=None))

    def _reply(self, prompt: Prompt, said: str) -> dict[str, Any] | None:
        noise = random.Random(hashlib.blake2b(f"{self.seed}\0{prompt.text}".encode()).digest())
        match prompt.purpose:
            case Purpose.MINE if not prompt.project.endswith(BY_CODE):
                lessons = json.loads(said)["lessons"]
                return {"lessons": [one if self._is_checked(one) else one | {"lesson": DEMAND} for one in lessons]}
            case Purpose.CONTROLS:
                count = len(shown_items(prompt.text))
                return {"controls": [self._control(number, noise) for number in range(1, count + 1)]}
            case Purpose.PROVE:
                grade = self.grade if self.proves else right
                return judged(prompt.text, lambda demand, text: grade(demand, text, noise))
            case Purpose.JUDGE:
                return judged(prompt.text, lambda demand, text: self.grade(demand, text, noise))
            case _:
                return None

    def _is_checked(self, lesson: dict[str, Any]) -> bool:
        return bool(self.in_code) and self.in_code in json.dumps(lesson)

    def _control(self, number: int, noise: random.Random) -> dict[str, Any]:
        mark = noise.randrange(10_000)
        return {"item": number, "misses": f"All is done, {mark}.", "meets": f"{DID} All is done, {mark}."}
