"""How many bytes a first night's prompts take, of a mind that names each planted lesson and grades rightly."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from bench.lessons_measures import TRUTH
from skillopt_sleep.mining.mine import mine
from skillopt_sleep.mining.prove import prove
from skillopt_sleep.records import Completion, Prompt, Purpose, Session
from skillopt_sleep.replay.judges import ReferenceJudge
from tests.fakes import FakeBackend, SerialPool
from tests.graded import judged, shown_items

# At 92ddd7b9, by the same history and a mind that names the same: mine 137,447, lessons 10,292, controls 27,727, prove 58,865.
TODAY = 234_331
MISSES = "Done. I changed the file as you asked and left the rest."
MEETS = "Done as wanted, with what you asked for in place."


class _Mind:
    """Answers from the truth, and counts the bytes that it was asked with."""

    def __init__(self) -> None:
        self.bytes = 0
        self.accepted = {MEETS}
        self._lessons: list[dict[str, Any]] = json.loads(TRUTH.read_text(encoding="utf-8"))["lessons"]
        self._fake = FakeBackend(
            {
                Purpose.MINE: self._named,
                Purpose.LESSONS: {},
                Purpose.CONTROLS: self._written,
                Purpose.PROVE: lambda prompt: judged(prompt.text, lambda _, answer: float(answer in self.accepted)),
            }
        )

    def complete(self, prompt: Prompt) -> Completion:
        """Answer a prompt."""
        self.bytes += len(prompt.text.encode())
        return self._fake.complete(prompt)

    def _named(self, prompt: Prompt) -> Mapping[str, object]:
        shown = prompt.text.rpartition("# Sessions")[2]
        named: list[Mapping[str, object]] = []
        for lesson in self._lessons:
            said = [one["quote"] for one in lesson["occurrences"] if one.get("quote")]
            quotes = [quote for quote in said if quote.splitlines()[0] in shown]
            if quotes:
                named.append({"lesson": lesson["wording"], "quotes": quotes})
        return {"lessons": named}

    def _written(self, prompt: Prompt) -> Mapping[str, object]:
        count = len(shown_items(prompt.text))
        return {"controls": [{"item": number, "misses": MISSES, "meets": MEETS} for number in range(1, count + 1)]}


def mind_bytes_x_today(sessions: Sequence[Session], *, per_call: int) -> float:
    """Return the bytes of the prompts that mine, join and prove all sessions in one night, against those of 92ddd7b9."""
    mind = _Mind()
    mined = mine(sessions, optimizer=mind, pool=SerialPool(), per_call=per_call, most=1_000)
    mind.accepted |= {task.feedback.accepted.strip() for task in mined.tasks if task.feedback.accepted}
    prove(mined, judge=ReferenceJudge(mind), model=mind, pool=SerialPool())
    return round(mind.bytes / TODAY, 3)
