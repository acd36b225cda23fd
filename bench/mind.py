"""How well a model answers each kind of question that a night or a training asks: readable, kept, right.

`make bench NAME=mind BASE_URL=http://127.0.0.1:8080/v1 MODEL=…`. Without MODEL it is the first that the server lists.
ARGS="--only mine,judge" asks some kinds only; --show prints every answer. A small model on two processors takes an hour or more.
"""

import argparse
import json
import os
import subprocess
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

from bench.mind_kinds import KINDS, WISHES, Result, asked_about
from bench.reduced import REDUCED, size
from skillopt_sleep.backends.wrappers import Repaired, Retried
from skillopt_sleep.errors import CallFailed
from skillopt_sleep.mining.mine import mine
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.records import Completion, Lesson, Prompt, Session
from skillopt_sleep.settings import find_paths, load
from skillopt_sleep.wiring.models import make_model
from tests.builders import NOON, a_session
from tests.command import PROGRAM, Home
from tests.fakes import SerialPool
from tests.server import MODEL, ModelServer

DEFINITIONS = """
asked       questions of this kind; the second try after an unreadable answer isn't one
readable    of these, answers that had the form that was asked for, at the first or the second try; `again`: the second tries
kept        of what was asked for, what passed our checks
right       of what was asked for, what the answer is known to be
seconds     that all questions of the kind took, and tokens in and out as the server counts them
fortnight   wishes said once each in short corrections, one session a call: the share that is evidence of a lesson, with this
            model and by rules alone; `invented` are lessons from sessions in which nothing was wished
alike       the lessons that three sessions with the same letters in their corrections became: 1 is right
night       a whole night over six sessions with two clear lessons, three sessions each: what it proposes, else why not
"""
# (the request, what the agent answered, what the person said; "" where they wished for nothing)
FORTNIGHT = (
    ("add a test for the parser", "Added test_parser with unittest.", "no, pytest, we never use unittest"),
    ("write the migration", "Wrote 004.sql.", "migrations go into db/migrations"),
    ("fix the typo in the header", "Fixed it and bumped the version.", "don't bump the version, ever"),
    ("what does this function do?", "It parses dates. 🙂", "please no emojis in your answers"),
    ("rename the module", "Renamed utils to helpers.", "thanks, that works"),
    ("commit that", "Committed as 'Update files'.", "commit messages start with the ticket number"),
    ("erkläre mir den Fehler", "The error is a missing import.", "antworte bitte immer auf Deutsch"),
    ("add a log line", "Added print('done').", "use the logger instead of print"),
    ("is the build green?", "Yes, it is.", "ok, then show me the coverage"),
    ("write the changelog", "Wrote it with today's changes.", "dates in the changelog as YYYY-MM-DD"),
    ("add a button", "Added a button in pink.", "all colors come from theme.css"),
    ("refactor the loop", "Done, and I pushed it.", "never push without asking me"),
    ("sortiere die Importe", "Sortiert von Hand.", "dafür nehmen wir immer ruff"),
    ("write the docs page", "Wrote three pages.", "keep pages under 60 lines"),
)
NOTHING = frozenset({4, 8})  # thanks, and a new request
ALIKE = WISHES[0]
NIGHT = (
    ("pnpm", "no, we use pnpm here, never npm", ("install the dependencies", "add left-pad", "start the dev server")),
    (
        "feat:",
        "commit messages start with feat: or fix:",
        (
            "write a commit message for the new login page",
            "what would you commit the search box as?",
            "commit the export",
        ),
    ),
)


class Asked(NamedTuple):
    """One question, whether its answer was readable, and what it took."""

    purpose: str
    readable: bool
    seconds: float
    tokens_in: int = 0
    tokens_out: int = 0


class Watched:
    """Asks as a night does, with a second try after an unreadable answer, and notes what each question took."""

    def __init__(self, model: Backend, *, show: bool) -> None:
        self.asked: list[Asked] = []
        self.again: Counter[str] = Counter()
        self._inner = Retried(Repaired(_Tries(model, self.again, show=show)))

    def complete(self, prompt: Prompt) -> Completion:
        """Return the answer or raise its failure, after noting it."""
        began = time.monotonic()
        try:
            completion = self._inner.complete(prompt)
        except CallFailed:
            self.asked.append(Asked(prompt.purpose, readable=False, seconds=time.monotonic() - began))
            raise
        usage = completion.usage
        tokens = (usage.input_tokens, usage.output_tokens) if usage else (0, 0)
        self.asked.append(Asked(prompt.purpose, True, time.monotonic() - began, *tokens))
        return completion


class _Tries:
    """Counts second tries, and shows the answers."""

    def __init__(self, model: Backend, again: Counter[str], *, show: bool) -> None:
        self._model, self._again, self._show = model, again, show

    def complete(self, prompt: Prompt) -> Completion:
        self._again[prompt.purpose] += prompt.repair
        try:
            completion = self._model.complete(prompt)
        except CallFailed as error:
            self._print(prompt, f"{error.kind}: {error.message}", error.reply)
            raise
        self._print(prompt, "readable", completion.text)
        return completion

    def _print(self, prompt: Prompt, how: str, text: str) -> None:
        if self._show:
            print(f"--- {prompt.purpose}, {how}\n{text}\n---", flush=True)


def main() -> None:
    """Ask each kind of question, print a row for each, and the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base-url", default=os.environ.get("BASE_URL", ""))
    parser.add_argument("--model", default=os.environ.get("MODEL", ""))
    parser.add_argument("--only", default="", help="kinds, or fortnight, alike, night, separated by commas")
    parser.add_argument("--show", action="store_true", help="print every answer")
    options = parser.parse_args()
    if not options.base_url and not REDUCED:
        raise SystemExit("name the server: make bench NAME=mind BASE_URL=http://127.0.0.1:8080/v1")
    with ExitStack() as stack:
        base_url, model = options.base_url, options.model
        if not base_url:
            base_url, model = stack.enter_context(ModelServer()).base_url, MODEL
        model = model or first_model(base_url)
        flags = {"backend.name": "openai", "backend.base_url": base_url, "backend.model": model}
        backend = load(find_paths({"SKILLOPT_SLEEP_HOME": "/nonexistent"}), environ={}, flags=flags).backend
        mind = Watched(make_model(backend, find_paths(), os.environ), show=options.show)
        wanted = list(filter(None, options.only.split(","))) or [*KINDS, "fortnight", "alike", "night"]
        print(f"{model} at {base_url}\n{DEFINITIONS}")
        figures: dict[str, Any] = {"kinds": each_kind(mind, wanted)}
        if "fortnight" in wanted:
            figures |= fortnight(mind)
        if "alike" in wanted:
            figures["alike_lessons"] = alike(mind)
        if "night" in wanted:
            figures |= night(base_url, model)
    rows = table(mind)
    figures["readable_least"] = min((row["readable"] for row in rows.values()), default=None)
    print(json.dumps(figures | {"purposes": rows}))


def first_model(base_url: str) -> str:
    """Return the first model that the server lists."""
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(
        f"{base_url}/models", timeout=10
    ) as answer:
        return str(json.load(answer)["data"][0]["id"])


def each_kind(mind: Watched, wanted: Sequence[str]) -> dict[str, dict[str, int]]:
    """Ask each kind of question, and print what came of it."""
    results: dict[str, dict[str, int]] = {}
    print(f"{'':14}{'asked':>6}{'readable':>9}{'of':>5}{'kept':>6}{'right':>6}{'seconds':>9}")
    for name in (name for name in wanted if name in KINDS):
        began, before = time.monotonic(), len(mind.asked)
        try:
            result = KINDS[name](mind)
        except CallFailed:
            result = Result(1, 0, 0)
        results[name] = {key: int(value) for key, value in result._asdict().items()}
        asked = mind.asked[before:]
        counts = f"{len(asked):6}{sum(one.readable for one in asked):9}"
        took = time.monotonic() - began
        print(f"{name:14}{counts}{result.of:5}{int(result.kept):6}{int(result.right):6}{took:9.0f}", flush=True)
    return results


def table(mind: Watched) -> dict[str, dict[str, float]]:
    """Print for each purpose how many answers were readable, and what they took; return the shares."""
    rows: dict[str, dict[str, float]] = {}
    print(f"\n{'':14}{'asked':>6}{'readable':>9}{'again':>6}{'seconds':>9}{'in':>8}{'out':>7}")
    for purpose in dict.fromkeys(one.purpose for one in mind.asked):
        own = [one for one in mind.asked if one.purpose == purpose]
        readable = sum(one.readable for one in own)
        tokens_in, tokens_out = sum(one.tokens_in for one in own), sum(one.tokens_out for one in own)
        counts = f"{len(own):6}{readable:9}{mind.again[purpose]:6}"
        print(f"{purpose:14}{counts}{sum(one.seconds for one in own):9.0f}{tokens_in:8}{tokens_out:7}")
        rows[purpose] = {"asked": len(own), "readable": round(readable / len(own), 3), "again": mind.again[purpose]}
    return rows


def fortnight(mind: Watched) -> dict[str, Any]:
    """Mine two weeks of short corrections, one session a call."""
    chosen = FORTNIGHT[: size(len(FORTNIGHT), 3)]
    sessions = [_session(turns, number) for number, turns in enumerate(chosen)]
    wished = {session.id for number, session in enumerate(sessions) if number not in NOTHING}
    shares: dict[str, float] = {}
    invented: list[str] = []
    for name, model in (("wishes", mind), ("wishes_by_rules", None)):
        lessons = mine(sessions, optimizer=model, pool=SerialPool(), per_call=1, most=100).lessons
        found = _sessions_of(lessons)
        shares[name] = round(len(found & wished) / len(wished), 3)
        if model is not None:
            invented = [lesson.wording for lesson in lessons if not wished & set(lesson.sessions)]
            for lesson in lessons:
                print(f"  {lesson.state}: {lesson.wording}  ← {'; '.join(piece.quote for piece in lesson.quotes)}")
    print(f"fortnight: {shares}, invented {len(invented)}", flush=True)
    return {**shares, "invented": len(invented)}


def _session(turns: Sequence[str], number: int) -> Session:
    at = NOON + timedelta(days=number)
    folder = f"/home/ada/{'shop' if number % 2 else 'blog'}"
    return a_session(*turns, id=f"claude_code:f{number}", project=folder, cwd=folder, started=at, ended=at)


def _sessions_of(lessons: Sequence[Lesson]) -> set[str]:
    return {name for lesson in lessons for name in lesson.sessions}


def alike(mind: Watched) -> int:
    """Return how many lessons three sessions with the same correction became."""
    sessions = [asked_about(ALIKE, number, times=number) for number in range(3)]
    lessons = mine(sessions, optimizer=mind, pool=SerialPool(), per_call=1, most=100).lessons
    counts = [len(lesson.sessions) for lesson in lessons]
    print(f"alike: {len(lessons)} lessons, seen in {counts} sessions", flush=True)
    return len(lessons)


def night(base_url: str, model: str) -> dict[str, Any]:
    """Run a night by the installed command, and return which of the two lessons it proposes, and how it ended."""
    with tempfile.TemporaryDirectory(prefix="bench-mind-") as name:
        home = Home(Path(name))
        asks = [(ask, said) for _, said, requests in NIGHT for ask in requests]
        home.had_sessions(asks)
        words = ["run", "--json", "--backend", "openai", "--model", model, "--base-url", base_url]
        long = {"SKILLOPT_SLEEP_BUDGET_MINUTES": "600"}
        subprocess.run(
            [str(PROGRAM), *words], env=home.environment | long, cwd=home.folder, capture_output=True, check=False
        )
        (folder,) = (home.folder / "sleep").rglob("report.json")
        report = json.loads(folder.read_text(encoding="utf-8"))
    proposed = json.dumps([proposal["edits"] for proposal in report["proposals"]])
    found = [word for word, _, _ in NIGHT if word in proposed]
    print(f"night: {report['verdict']}: {report['because']}; {report['spend']['calls']} calls; proposes {found}")
    for document in report["documents"]:
        print(f"  {document['document']['id']}: {document['outcome']}: {document['because']}")
    for error in report["errors"]:
        print(f"  {error['stage']}: {error['summary']}")
    return {"proposed": len(found), "verdict": report["verdict"], "night_calls": report["spend"]["calls"]}


if __name__ == "__main__":
    main()
