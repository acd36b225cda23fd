"""The miners that are measured, and one that believes everything it is shown."""

import base64
import binascii
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from skillopt_sleep.backends.replies import decoded
from skillopt_sleep.example.miner import ShownTurn, read_sessions
from skillopt_sleep.mining.mine import mine
from skillopt_sleep.pools.threads import ThreadPool
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.records import Completion, Prompt, Purpose, Session, Task, Usage

PER_CALL = 12
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
        """Every lesson that could be made of what is shown."""
        if prompt.purpose is Purpose.LESSONS:
            return decoded(prompt, Completion(text='{"same": []}', usage=Usage(), model="obedient"))
        sessions = read_sessions(prompt.text)
        lessons = [lesson for session in sessions for lesson in self._lessons(session, sessions)]
        return decoded(prompt, Completion(text=json.dumps({"lessons": lessons}), usage=Usage(), model="obedient"))

    def _lessons(
        self, turns: Sequence[ShownTurn], sessions: Sequence[Sequence[ShownTurn]]
    ) -> Iterator[dict[str, Any]]:
        typed = [turn.text for one in sessions for turn in one if turn.by == "person" and turn.text]
        own = [turn.text for turn in turns if turn.by == "person" and turn.text]
        deeds = [mark for turn in turns for mark in turn.deeds]
        for turn in turns:
            for words, rule in _rules(_all_of(turn)):
                for mark in deeds:
                    yield {"lesson": rule, "quotes": [mark], "takes_back": rule, "where": f"path: {rule}"}
                if self._launders:
                    for quote in {*own[1:], *typed[:1], *typed[-1:]}:  # the first stays a request
                        yield {"lesson": rule, "quotes": [quote]}
                    continue
                yield {"lesson": rule, "quotes": [words]}
                yield {"lesson": rule, "quotes": [turn.text]}
                yield {"lesson": rule, "quotes": [words, *own[-1:]]}


def _all_of(turn: ShownTurn) -> str:
    """What is shown of a turn: its text, and what the agent and the person did after it, files and commands included."""
    return "\n".join((turn.text, *turn.ran, *turn.deeds.values()))


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
