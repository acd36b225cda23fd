"""Lessons that only work in a repository can show: how people taught them, and a model that keeps one if it was told."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from skillopt_sleep.example.miner import read_sessions
from skillopt_sleep.prompts import setting
from skillopt_sleep.records import Purpose
from tests.agents.acting_model import printed, run, steps_of, told
from tests.cli.test_run_sealed import Sleeper
from tests.graded import judged, shown_items
from tests.runners import FRUITS, Runner
from tests.server import Asked
from tests.server_answers import ScriptedModel
from tests.server_protocols import Said
from tests.sessions import Exchange, ToolCall, claude_session, codex_session, session_uuid

# What the genuine runners print of a test that fails.
RED = {"python": "assert 0 == 5", "javascript": "strictly equal", "rust": "test result: FAILED", "go": "--- FAIL"}


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """What the person said again and again, and what the agent does with and without the rule.

    `without` and `within` are lines for a shell: what the agent runs if it wasn't told the rule, and if it was. With
    `reads`, it runs the last line only if this stood in what the one before it printed. `shows` is the added line by
    which a diff shows that the rule was kept, "" if no diff does.
    """

    words: str
    correction: str
    asks: tuple[str, ...]
    without: tuple[str, ...]
    within: tuple[str, ...]
    reads: str = ""
    shows: str = ""

    @property
    def rule(self) -> str:
        """The line of the instructions that makes the agent do it right."""
        return f"- {self.words}."


class Keeper:
    """The agent's model: it keeps the rule only if the rule was in what it was asked."""

    def __init__(self, lesson: Lesson) -> None:
        self._lesson = lesson
        self._said = count(1)

    def __call__(self, asked: Asked) -> Said | None:
        """What it says and runs next; nothing to one of our own prompts."""
        if asked.purpose:
            return None
        lines = self._lesson.within if self._lesson.words in told(asked.body) else self._lesson.without
        steps = steps_of(asked.body)
        if steps < len(lines) and self._goes_on(asked, steps):
            return Said(calls=(run(asked, lines[steps]),))
        return Said(f"Done, for the {next(self._said)}th time.")

    def _goes_on(self, asked: Asked, steps: int) -> bool:
        """It mends only what it saw to be wrong."""
        lesson = self._lesson
        return not lesson.reads or steps != len(lesson.within) - 1 or lesson.reads in printed(asked.body)


class Teacher(ScriptedModel):
    """The optimizer: it finds the corrections, says that only work shows them, and writes the rule.

    It is the judge too: it grades diffs by the line that shows the lesson.
    """

    def __init__(self, lesson: Lesson) -> None:
        super().__init__(want="", avoid="")
        self._lesson = lesson

    def answer(self, purpose: str, prompt: str) -> str:
        """The reply to this prompt."""
        match purpose:
            case Purpose.MINE:
                return json.dumps({"lessons": self._mined(prompt)})
            case Purpose.CONTROLS:
                items = range(1, len(shown_items(prompt)) + 1)
                return json.dumps({"controls": [self._controls(item, prompt) for item in items]})
            case Purpose.PROVE | Purpose.JUDGE:
                return json.dumps(judged(prompt, lambda _demand, answer: self._grade(answer)))
            case Purpose.REFLECT:
                return json.dumps({"reasoning": "what the person said", "edits": self._learned(prompt)})
            case _:
                return super().answer(purpose, prompt)

    def _controls(self, item: int, prompt: str) -> dict[str, object]:
        if not self._lesson.shows or setting(of_changes=True) not in prompt:
            return {"item": item, "needs_repository": True}
        head = "diff --git a/api.py b/api.py\n--- a/api.py\n+++ b/api.py\n"
        misses = f"{head}@@ -0,0 +1 @@\n+PRICES = {{}}\n"
        meets = f"{head}@@ -0,0 +1,2 @@\n{self._lesson.shows}\n+PRICES = {{}}\n"
        return {"item": item, "misses": misses, "meets": meets}

    def _grade(self, answer: str) -> float:
        return float(bool(self._lesson.shows) and self._lesson.shows in answer.splitlines())

    def _mined(self, prompt: str) -> list[dict[str, Any]]:
        corrected = any(
            turn.by == "person" and turn.text == self._lesson.correction
            for session in read_sessions(prompt)
            for turn in session[1:]
        )
        return [{"lesson": self._lesson.words, "quotes": [self._lesson.correction]}] if corrected else []

    def _learned(self, prompt: str) -> list[dict[str, str]]:
        if self._lesson.correction not in prompt:
            return []
        return [{"op": "append", "content": self._lesson.rule, "target": "", "reason": "so the person said"}]


class Shopkeeper(Sleeper):
    """A person with a shop in one of the languages, who had the same trouble with one fruit after the other."""

    def opened(self, runner: Runner) -> None:
        """Write the shop's first files."""
        for name in ("Makefile", "app.txt"):
            (self.project / name).unlink()
        self._write({**runner.files, runner.source: runner.prices(0)})

    def had_trouble(self, runner: Runner, asks: Sequence[str], exchanges: Sequence[Sequence[Exchange]]) -> None:
        """Have a session a day: its test was written before, what it came to was committed after it."""
        today = datetime.now(UTC).replace(microsecond=0)
        for number, _ in enumerate(asks, start=1):
            started = today - timedelta(days=9 - number)
            self._write({**runner.tested(number), runner.source: runner.prices(number, wrong=1)})
            commit = self.committed(started - timedelta(hours=2))
            self._session(number, started, exchanges[number - 1], commit)
            self._write({runner.source: runner.prices(number)})
            self.committed(started + timedelta(hours=2))

    def committed(self, at: datetime) -> str:
        """Commit everything at this time; the commit."""
        self.at = at.isoformat()
        self.git("add", ".")
        self.git("commit", "-qm", "work")
        return self.git("rev-parse", "HEAD").strip()

    def _write(self, files: dict[str, str]) -> None:
        for name, text in files.items():
            path = self.project / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def _session(self, number: int, started: datetime, exchanges: Sequence[Exchange], commit: str) -> None:
        name = str(session_uuid(self.project.name, number))
        cwd = str(self.project)
        if self.program.name == "claude":
            projects = self.folder / ".claude" / "projects"
            claude_session(projects, cwd=cwd, started=started, exchanges=exchanges, session_id=name)
        else:
            home = self.folder / ".codex"
            codex_session(home, cwd=cwd, started=started, exchanges=exchanges, session_id=name, commit=commit)


def written(path: str, text: str) -> str:
    """The line for a shell that writes this file."""
    return f"cat > {path} <<'END'\n{text}END"


def failing_test(runner: Runner) -> tuple[Lesson, list[list[Exchange]]]:
    """A test that stayed red until the person said how to look: the command turned from failing to passing then."""
    whole, wrong = runner.prices(len(FRUITS)), runner.prices(len(FRUITS), wrong=len(FRUITS))
    asks = tuple(f"sell {fruit}s too, their test is written" for fruit in FRUITS)
    lesson = Lesson(
        words=f"Run {runner.command} and fix what fails before you say that it is done",
        correction=f"no, that's wrong - always run `{runner.command}` and fix what fails",
        asks=asks,
        without=(written(runner.source, wrong),),
        within=(written(runner.source, wrong), runner.command, written(runner.source, whole)),
        reads=RED[runner.name],
    )
    red = ToolCall(command=runner.command, output="1 failed", exit_code=1)
    green = ToolCall(command=runner.command, output="passed")
    days = [[Exchange(ask, "Done."), Exchange(lesson.correction, "Fixed.", [red, green])] for ask in asks]
    return lesson, days


def generated_files(runner: Runner) -> tuple[Lesson, list[list[Exchange]]]:
    """A folder of generated files that the agent wrote to again and again."""
    asks = tuple(f"sell {fruit}s too" for fruit in FRUITS)
    prices = json.dumps({fruit: len(fruit) for fruit in FRUITS})
    source = "".join(f"{fruit},{len(fruit)}\n" for fruit in FRUITS)
    lesson = Lesson(
        words="Never edit gen/, its files are generated from data/",
        correction="no, never edit gen/, those files are generated",
        asks=asks,
        without=(written("gen/prices.json", f"{prices}\n"),),
        within=(written("data/prices.csv", source),),
    )
    edited = ToolCall(command="sed -i s/5/6/ gen/prices.json", output="")
    days = [[Exchange(ask, "Done.", [edited]), Exchange(lesson.correction, "Put back.")] for ask in asks]
    return lesson, days


def forgotten_linter(runner: Runner) -> tuple[Lesson, list[list[Exchange]]]:
    """A linter that the agent never ran by itself."""
    linter = "go vet ./..."
    asks = tuple(f"sell {fruit}s too" for fruit in FRUITS)
    whole = written(runner.source, runner.prices(len(FRUITS)))
    lesson = Lesson(
        words=f"Run {linter} before you say that it is done",
        correction=f"you forgot the linter - always run `{linter}` before you say that it is done",
        asks=asks,
        without=(whole,),
        within=(whole, linter),
    )
    ran = ToolCall(command=linter, output="")
    days = [[Exchange(ask, "Done."), Exchange(lesson.correction, "It is clean.", [ran])] for ask in asks]
    return lesson, days


def said_in_a_comment(runner: Runner) -> tuple[Lesson, list[list[Exchange]]]:
    """What a file says that no test looks at."""
    asks = tuple(f"sell {fruit}s too" for fruit in FRUITS)
    whole = runner.prices(len(FRUITS))
    lesson = Lesson(
        words="A comment at the top tells where the prices come from",
        correction="no, a comment at the top has to tell where the prices come from",
        asks=asks,
        without=(written(runner.source, whole),),
        within=(written(runner.source, f"# of last week's market\n{whole}"),),
        shows="+# of last week's market",
    )
    days = [[Exchange(ask, "Done."), Exchange(lesson.correction, "Now it does.")] for ask in asks]
    return lesson, days
