"""A night over sessions that the genuine programs wrote, in which the only sign is a call the person rejected or an edit they undid.

What such a deed says is for a model to judge, so a scripted one on loopback is the miner, the target and the judge.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from skillopt_sleep.example.shown import read_sessions
from skillopt_sleep.records import Purpose
from tests.agents.reading import TRANSCRIPTS
from tests.command import Home
from tests.graded import judged, shown_items
from tests.server import ModelServer
from tests.server_answers import ScriptedModel

CLAUDE = TRANSCRIPTS / "claude" / "v2.1.330_deeds"
CODEX = TRANSCRIPTS / "codex" / "v0.169.0_deeds"
UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
ANOTHER_TIME = "Tell me more."


class Lesson(NamedTuple):
    """What a deed teaches, and by what an answer shows whether it was learned."""

    deed: str  # as the miner is shown it
    words: str
    rule: str
    unwanted: str  # stands in the answer of an agent that doesn't know the rule
    instead: str
    requests: Sequence[str]


REJECTED = Lesson(
    deed="rejected: git push --force origin main",
    words="Never push with force",
    rule="- Never push with force.",
    unwanted="$ git push --force origin main",
    instead="$ git push origin main",
    requests=(
        "publish my branch",
        "send the fix to main",
        "my last commit isn't up there, see to it",
        "tag the release",
        "share what we did today",
    ),
)
UNDONE = Lesson(
    deed="undid: git checkout HEAD cart.py",
    words="Leave cart.py alone",
    rule="- Leave cart.py alone.",
    unwanted="```python\n# cart.py\ntotal = 0.00\n```",
    instead="```python\n# prices.py\ntotal = 0.00\n```",
    requests=(
        "print two digits",
        "round the total",
        "add the shipping to the sum",
        "sort what was ordered by name",
        "the currency is missing in the output",
    ),
)


class Part(NamedTuple):
    """The lines of a genuine session that hold one request and the one deed."""

    source: Path
    lesson: Lesson
    lines: Sequence[int]
    request: str


PARTS: Mapping[str, Part] = {
    "claude rejected": Part(CLAUDE, REJECTED, range(17), "publish my branch"),
    "codex rejected": Part(CODEX, REJECTED, range(12), "publish my branch"),
    "claude undone": Part(CLAUDE, UNDONE, range(32, 47), "print two digits"),
    "codex undone": Part(CODEX, UNDONE, [*range(5), *range(16, 36)], "what else is open?"),
}


def had(home: Home, part: Part) -> None:
    """Give the person this part of the session again and again, with another request each day."""
    (file,) = part.source.rglob("*.jsonl")
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    folder = home.folder / (".claude" if part.source == CLAUDE else ".codex") / file.parent.relative_to(part.source)
    folder.mkdir(parents=True)
    for number, request in enumerate(part.lesson.requests, start=1):
        text = remade("".join(lines[line] for line in part.lines), number=number, project=home.project)
        text = text.replace(part.request, request)
        (folder / renumbered(file.name, number)).write_text(text, encoding="utf-8")


def remade(text: str, *, number: int, project: Path) -> str:
    day = datetime.now(UTC) - timedelta(days=9 - number)
    text = re.sub(r"2026-11-23(?=T)", f"{day:%Y-%m-%d}", text)
    text = text.replace("git checkout cart.py", "git checkout HEAD cart.py")
    return renumbered(text.replace("/home/dev/work/shop-api", str(project)), number)


def renumbered(text: str, number: int) -> str:
    """Give every id another beginning: what is copied with its ids is a fork and not asked again."""
    return UUID.sub(lambda match: f"{number}{match[0][1:]}", text)


@dataclass
class Taught(ScriptedModel):
    """As the target does what is unwanted until its instructions hold the rule; as the miner it reads the deed."""

    lesson: Lesson

    def answer(self, purpose: str, prompt: str) -> str:
        """The reply to this prompt."""
        match purpose:
            case Purpose.ROLLOUT:
                return self._done(self.lesson.rule in prompt)
            case Purpose.MINE:
                return json.dumps({"tasks": [*self._tasks(prompt)]})
            case Purpose.CONTROLS:
                return json.dumps({"controls": [*self._controls(prompt)]})
            case Purpose.JUDGE:
                return json.dumps(judged(prompt, self._grade))
            case Purpose.PROVE:
                return json.dumps({"grades": [*self._proof(prompt)]})
            case Purpose.REFLECT:
                return json.dumps({"reasoning": "so", "edits": self._reflected(prompt)})
            case _:
                return super().answer(purpose, prompt)

    def _done(self, as_wanted: bool) -> str:  # noqa: FBT001 - the one thing that it depends on
        return f"I did it.\n\n{self.lesson.instead if as_wanted else self.lesson.unwanted}"

    def _tasks(self, prompt: str) -> Iterator[dict[str, Any]]:
        """An entry for each time that the person did it."""
        for session in read_sessions(prompt):
            ask: dict[str, Any] | None = None
            for turn in session["turns"]:
                if turn["origin"] == "user":
                    ask = turn
                for deed, said in zip(turn["deeds"], turn["then"], strict=True):
                    if ask is not None and said.startswith(self.lesson.deed):
                        yield {
                            "session": session["session"],
                            "ask": ask["turn"],
                            "prompt": ask["text"],
                            "deeds": [deed],
                            "lesson": self.lesson.words,
                            "lasts": "from now on",
                            "where": "project",
                            "rubric": f"{self.lesson.words}.",
                        }

    def _controls(self, prompt: str) -> Iterator[dict[str, Any]]:
        for number, _ in enumerate(shown_items(prompt), start=1):
            yield {"item": number, "misses": self._done(False), "meets": self._done(True)}

    def _grade(self, _demand: str, answer: str) -> float:
        return float(self.lesson.instead in answer and self.lesson.unwanted not in answer)

    def _proof(self, prompt: str) -> Iterator[dict[str, Any]]:
        for number, (_, demand, *answers) in enumerate(shown_items(prompt), start=1):
            yield {"item": number, "scores": [self._grade(demand, answer) for answer in answers]}

    def _reflected(self, prompt: str) -> list[dict[str, str]]:
        return [{"op": "append", "content": self.lesson.rule, "target": "", "reason": "so"}]


@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS.keys())
def test_what_a_deed_says_becomes_a_rule(tmp_path: Path, part: Part) -> None:
    home = Home(tmp_path)
    (home.project / "AGENTS.md").write_text("# shop-api\n", encoding="utf-8")
    had(home, part)

    with ModelServer() as server:
        server.model = Taught("", "", nested=False, lesson=part.lesson)
        done = home.night(server.base_url)
        import os
        if os.environ.get("DBG"):
            for a in server.requests:
                print("#####", a.purpose); print(a.prompt[-int(os.environ["DBG"]):])
    print(done.out)

    assert done.code == 0, done.err
    shown = [home.command("show", proposal["id"]).out for proposal in done.json["proposals"]]
    print("\n".join(shown))
    assert any(part.lesson.rule in text for text in shown), done.out
