"""What the scripted model says to each of our prompts.

It has one lesson to learn, `pnpm` instead of `npm`: as the target it says `npm` until the instructions in its prompt
say `pnpm`; as the miner it finds the turns in which the person said so; as the optimizer it turns those words into one
edit.
"""

import hashlib
import json
import re
from dataclasses import dataclass
from importlib.resources import files

from skillopt_sleep.example.miner import read_sessions
from skillopt_sleep.prompts.grading import UNSEEN
from skillopt_sleep.records import Purpose
from tests.graded import judged

_SAID = re.compile(r"^- (?:[\d-]+: )?«(.*?)»$", re.DOTALL | re.MULTILINE)
_PROPOSED = re.compile(r"^\(\w+, \d+ attempts\) (\w+) (''|'.*?'): (.*)$", re.MULTILINE)


def _beginnings() -> dict[str, str]:
    """How each of our prompts begins, up to its first slot: what tells one purpose from another."""
    prompts = files("skillopt_sleep.prompts")
    names = {purpose.value: purpose.value for purpose in Purpose if purpose is not Purpose.PROVE}
    names[Purpose.JUDGE.value] = "grade"
    texts = {purpose: (prompts / f"{name}.md").read_text(encoding="utf-8") for purpose, name in names.items()}
    return {name: text.split("{{", 1)[0][:60] for name, text in texts.items()}


_BEGINNINGS = _beginnings()


def worded_for(prompt: str) -> str:
    """A word that differs wherever the prompt does: no healthy model words two answers alike."""
    return hashlib.blake2b(prompt.encode(), digest_size=4).hexdigest()


def recognised(texts: list[str]) -> tuple[str, str]:
    """The purpose and the text of the last of these that holds one of our prompts; "" and the last where none does."""
    for text in reversed(texts):
        held = {text.index(start): name for name, start in _BEGINNINGS.items() if start in text}
        if held:
            purpose = held[min(held)]
            # Proving and judging ask alike, but that one of them may say that it can't be seen.
            is_proof = purpose == Purpose.JUDGE and UNSEEN in text
            return Purpose.PROVE.value if is_proof else purpose, text
    return "", texts[-1] if texts else ""


@dataclass
class ScriptedModel:
    """Says what a healthy model would."""

    want: str
    avoid: str

    def answer(self, purpose: str, prompt: str) -> str:
        """The reply to this prompt."""
        match purpose:
            case Purpose.PREFLIGHT:
                return "ready"
            case Purpose.ROLLOUT:
                return self._attempt(prompt)
            case Purpose.JUDGE:
                return json.dumps(judged(prompt, lambda _demand, answer: float(self._names_want(answer))))
            case Purpose.MINE:
                return json.dumps({"lessons": self._mined(prompt)})
            case Purpose.LESSONS:
                return json.dumps({"same": []})
            case Purpose.REFLECT:
                return json.dumps({"edits": self._edits(prompt)})
            case Purpose.AGGREGATE:
                proposed = dict.fromkeys(_PROPOSED.findall(prompt))
                edits = [{"op": op, "target": target.strip("'"), "content": text} for op, target, text in proposed]
                return json.dumps({"edits": edits})
            case Purpose.SELECT:
                return json.dumps({"selected_indices": [0]})
            case Purpose.SLOW_UPDATE:
                return json.dumps({"guidance": ""})
            case Purpose.META_SKILL:
                return json.dumps({"notes": "Short rules help."})
            case _:
                return "I don't know what this is about."

    def _names_want(self, text: str) -> bool:
        return re.search(rf"(?<!\w){re.escape(self.want)}(?!\w)", text) is not None

    def _attempt(self, prompt: str) -> str:
        instructions = _between(prompt, "\n# Project instructions\n", "\n# Request\n")
        tool = self.want if self._names_want(instructions) else self.avoid
        return f"I would run `{tool} install` and then `{tool} test`. ({worded_for(prompt)})"

    def _mined(self, prompt: str) -> list[dict[str, object]]:
        """The lesson, with every later typed turn that names what is wanted."""
        quotes: list[str] = []
        for session in read_sessions(prompt):
            typed = [turn.text for turn in session if turn.by == "person"]
            quotes += [text for text in typed[1:] if self._names_want(text)]
        return [{"lesson": f"Use {self.want}, never {self.avoid}", "quotes": quotes}] if quotes else []

    def _edits(self, prompt: str) -> list[dict[str, str]]:
        said = list(dict.fromkeys(_SAID.findall(prompt)))
        if not said:
            return []
        useful = any(self._names_want(words) for words in said)
        content = f"- Use {self.want} for packages, never {self.avoid}." if useful else f"- Remember: {said[0]}"
        return [{"op": "append", "content": content, "target": ""}]


def _between(text: str, start: str, end: str) -> str:
    return text.partition(start)[2].rpartition(end)[0]
