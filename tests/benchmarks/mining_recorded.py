"""A miner that answers what a large language model answered to the same prompts, of six projects of the history.

The model was shown the prompts one by one: five sessions each, and the names it gave the lessons of a project. It had
no known lessons to go by, as on a first night. An answer is found by what the prompt shows, not by how it asks.
`python -m tests.benchmarks.record_miner FOLDER` records anew.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from skillopt_sleep.backends.replies import decoded
from skillopt_sleep.records import Completion, Prompt, Session, Usage
from tests.benchmarks.planted_truth import History

PROJECTS = {
    "dev": ("en-shop-15", "de-shop-0"),
    "held-out": ("en-feed-8", "en-docs-7", "es-shop-0", "zh-shop-0"),
}

FOLDER = Path(__file__).parent / "recorded"
_SHOWN = ("\n# Sessions\n", "\n# Names\n")


class Recorded:
    """The answers of one pool; KeyError for what was never asked: the history changed and must be recorded anew."""

    def __init__(self, pool: str) -> None:
        self._answers = answers(pool)

    def complete(self, prompt: Prompt) -> Completion:
        """What was answered."""
        answer = self._answers[digest(prompt.text)]
        return decoded(prompt, Completion(text=answer, usage=Usage(), model="recorded"))


def digest(text: str) -> str:
    """What a prompt shows, in short."""
    shown = next(part for mark in _SHOWN for part in text.split(mark, 1)[1:])
    return hashlib.blake2b(shown.strip().encode(), digest_size=12).hexdigest()


def recorded_part(pool: str, history: History, sessions: Sequence[Session]) -> tuple[History, tuple[Session, ...]]:
    """The truth and the sessions of the projects that were recorded."""
    part = tuple(session for session in sessions if Path(session.project).name in PROJECTS[pool])
    names = {session.id for session in part}
    return history._replace(sessions={n: one for n, one in history.sessions.items() if n in names}), part


@cache
def answers(pool: str) -> Mapping[str, str]:
    """The answers of a pool, by the digest of what was asked."""
    lines = (FOLDER / f"{pool}.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return {row["shown"]: json.dumps(row["answer"]) for row in rows}
