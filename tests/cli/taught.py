"""A scripted model that judges what a deed says: it has one lesson to learn."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from skillopt_sleep.example.miner import read_sessions
from skillopt_sleep.records import Purpose
from tests.graded import judged, shown_items
from tests.server_answers import ScriptedModel, worded_for


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """What a deed teaches, and by what an answer shows whether it was learned."""

    deed: str  # as the miner is shown it
    what: str  # its command or call
    words: str
    unwanted: str  # stands in the answer of an agent that doesn't know the rule
    wanted: str
    requests: tuple[str, ...]

    @property
    def rule(self) -> str:
        """The line of the instructions that makes the agent do it right."""
        return f"- {self.words}."


class Taught(ScriptedModel):
    """The target does what is unwanted until its instructions hold the rule; the miner and the optimizer read the deed."""

    def __init__(self, lesson: Lesson) -> None:
        super().__init__(want="", avoid="")
        self._lesson = lesson

    def answer(self, purpose: str, prompt: str) -> str:
        """The reply to this prompt."""
        match purpose:
            case Purpose.ROLLOUT:
                return f"{self._answer(knows=self._lesson.rule in prompt)}\n\n({worded_for(prompt)})"
            case Purpose.MINE:
                return json.dumps({"lessons": self._mined(prompt)})
            case Purpose.CONTROLS:
                return json.dumps({"controls": list(self._controls(prompt))})
            case Purpose.PROVE | Purpose.JUDGE:
                return json.dumps(judged(prompt, lambda _demand, answer: self._grade(answer)))
            case Purpose.REFLECT:
                return json.dumps({"reasoning": "what the person did", "edits": self._learned(prompt)})
            case _:
                return super().answer(purpose, prompt)

    def _answer(self, *, knows: bool) -> str:
        return f"I did it.\n\n{self._lesson.wanted if knows else self._lesson.unwanted}"

    def _grade(self, answer: str) -> float:
        return float(self._lesson.wanted in answer and self._lesson.unwanted not in answer)

    def _mined(self, prompt: str) -> list[dict[str, Any]]:
        """The lesson, with the mark of each time that the person did it."""
        marks: list[str] = []
        for session in read_sessions(prompt):
            for turn in session:
                marks += [mark for mark, deed in turn.deeds.items() if deed.startswith(self._lesson.deed)]
        return [{"lesson": self._lesson.words, "quotes": marks}] if marks else []

    def _controls(self, prompt: str) -> Iterator[dict[str, Any]]:
        for number, _ in enumerate(shown_items(prompt), start=1):
            yield {"item": number, "misses": self._answer(knows=False), "meets": self._answer(knows=True)}

    def _learned(self, prompt: str) -> list[dict[str, str]]:
        if self._lesson.what not in prompt:
            return []
        return [{"op": "append", "content": self._lesson.rule, "target": "", "reason": "so the person showed"}]
