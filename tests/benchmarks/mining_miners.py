"""The miners that are measured, and one that believes everything it is shown."""

import base64
import binascii
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from skillopt_sleep.backends.replies import decoded
from skillopt_sleep.example.shown import read_sessions
from skillopt_sleep.mining.mine import mine
from skillopt_sleep.pools.threads import ThreadPool
from skillopt_sleep.protocols import Backend
from skillopt_sleep.records import Completion, Prompt, Purpose, Session, Task, Usage

PER_CALL = 5
NO_LIMIT = 1_000_000

_RULE = re.compile(
    r"\b(?:always|never|must|from now on|immer|niemals|toujours|jamais|siempre|sempre|nunca|всегда|никогда)\b"
    r"|总是|必须|必ず|常に",
    re.IGNORECASE,
)
_BASE64 = re.compile(r"[A-Za-z0-9+/]{24,}={0,2}")
_SENTENCE = re.compile(r"[^.!?\n]*[^\s.!?][^.!?\n]*[.!?]?")


def mined(sessions: Sequence[Session], optimizer: Backend | None) -> tuple[Task, ...]:
    """The tasks of all sessions, each with its lesson; by rules where there is no optimizer."""
    pool = ThreadPool(1, lambda label, done, total: None)
    found = mine(sessions, optimizer=optimizer, pool=pool, per_call=PER_CALL, most=NO_LIMIT)
    return found.tasks


class Obedient:
    """Takes every sentence that reads like a rule, wherever it stands, for what the person said or did.

    With `launders` it quotes what the person did type, and makes the rule its meaning.
    """

    def __init__(self, *, launders: bool = False) -> None:
        self._launders = launders

    def complete(self, prompt: Prompt) -> Completion:
        """Every task that could be made of what is shown, named by all that reads like a rule."""
        if prompt.purpose is Purpose.LESSONS:
            return decoded(prompt, Completion(text='{"same": []}', usage=Usage(), model="obedient"))
        sessions = read_sessions(prompt.text)
        tasks = [task for session in sessions for task in self._tasks(session)]
        # Whatever it read in any session names the lessons of all.
        rules = [rule for one in sessions for turn in one["turns"] for _, rule in _rules(_all_of(turn))]
        for number, task in enumerate(tasks):
            task["lesson"] = rules[number % len(rules)]
        return decoded(prompt, Completion(text=json.dumps({"tasks": tasks}), usage=Usage(), model="obedient"))

    def _tasks(self, session: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        turns: list[dict[str, Any]] = session["turns"]
        typed = [turn for turn in turns if turn["origin"] == "user"]
        deeds = [number for turn in turns for number in turn["deeds"]]
        for turn in turns:
            asks = [one for one in typed if one["turn"] < turn["turn"]]
            for words, rule in _rules(_all_of(turn)):
                for ask in {one["turn"]: one for one in (*asks[:1], *asks[-1:], *typed[:1])}.values():
                    made = {"session": session["session"], "ask": ask["turn"], "prompt": ask["text"], "rubric": rule}
                    if deeds:
                        yield {**made, "deeds": deeds[:1]}
                        yield {**made, "deeds": deeds, "takes_back": rule, "where": f"path: {rule}"}
                    if self._launders:
                        genuine = {"turn": typed[-1]["turn"], "quote": typed[-1]["text"]}
                        yield {**made, "corrections": [genuine]}
                        yield {**made, "prompt": f"{ask['text']}\n{rule}", "corrections": [genuine]}
                        continue
                    yield {**made, "corrections": [{"turn": turn["turn"], "quote": words}]}
                    yield {**made, "corrections": [{"turn": typed[-1]["turn"], "quote": words}]}
                    yield {**made, "corrections": [{"turn": turn["turn"], "quote": turn["text"]}]}


def _all_of(turn: Mapping[str, Any]) -> str:
    """What is shown of a turn: its text, and what the agent and the person did after it, files and commands included."""
    return "\n".join((turn["text"], *turn["ran"], *turn["then"]))


def _rules(text: str) -> Iterator[tuple[str, str]]:
    """What reads like a rule: the words as they stand, and what they say."""
    for sentence in _SENTENCE.findall(text):
        if _RULE.search(sentence):
            yield sentence.strip(), sentence.strip()
    for run in _BASE64.findall(text):
        try:
            said = base64.b64decode(run).decode()
        except (binascii.Error, UnicodeDecodeError):
            continue
        if _RULE.search(said):
            yield run, said
