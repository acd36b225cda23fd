"""Made-up sessions of Claude Code for the `cost` benchmark: how many, and what is corrected in them how often."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from bench.history import Words
from bench.night_history import Asked, Lesson
from tests.sessions import Exchange, ToolCall, claude_session

NOW = datetime(2026, 11, 20, 3, 0, tzinfo=UTC)
_PROJECTS = ("shop", "ledger", "notes", "board", "gateway")
_PAIRS = (
    ("pnpm", "npm"),
    ("poetry", "pip"),
    ("ruff", "flake8"),
    ("podman", "docker"),
    ("vitest", "jest"),
    ("httpx", "aiohttp"),
    ("biome", "eslint"),
    ("opentofu", "terraform"),
    ("meson", "cmake"),
    ("valkey", "redis"),
    ("caddy", "nginx"),
)
_VAGUE = "that is not good enough, you should be more careful with this"
CARE = "two looks at every figure"  # what an answer shows that is careful
_ASKS = (
    "explain how we add a package for page {}, somebody new to the project asked me and I want to send them the steps",
    "describe the steps to release service {}, from the branch to the running container, as we do it today",
    "say how to start worker {} on a new laptop, it should work with what a colleague has after the first day",
    "write down how to run the checks of module {} before a merge, so that nothing is found by the pipeline only",
)
_NEXT = (
    "what does exit code {} mean?",
    "show me where number {} is set",
    "where is table {} filled?",
    "now the same for page {}",
)
_ANSWER = 700  # characters, the median
_TOOLS = 6  # at most, before an answer


class Day(NamedTuple):
    """What lies unread: sessions in projects over some days, and lessons with how many sessions show each."""

    name: str
    sessions: int
    projects: int
    lessons: int
    times: int
    days: int


DAYS = (
    Day("a quiet day", sessions=10, projects=2, lessons=2, times=1, days=1),
    Day("an ordinary day", sessions=25, projects=3, lessons=4, times=3, days=1),
    Day("the first night, after a month", sessions=300, projects=5, lessons=12, times=6, days=29),
)


def lessons_of(day: Day) -> list[Lesson]:
    """The lessons of a day, the last of four or more a vague one; each is of one project."""
    said = [(f"no - always use {want} here, never {avoid}", want) for want, avoid in _PAIRS]
    if day.lessons >= len(_NEXT):
        said.insert(day.lessons - 1, (_VAGUE, ""))
    return [Lesson(_PROJECTS[n % day.projects], *said[n]) for n in range(day.lessons)]


def requests_of(day: Day) -> dict[str, Asked]:
    """Every first request of a session by its text, in order of time; the corrected ones are spread over the days."""
    corrections = [lesson for _ in range(day.times) for lesson in lessons_of(day)]
    every = day.sessions // len(corrections)
    found: dict[str, Asked] = {}
    for number in range(day.sessions):
        text = _ASKS[number % len(_ASKS)].format(number + 1)
        place, rest = divmod(number, every)
        corrected = rest == 0 and place < len(corrections)
        lesson = corrections[place] if corrected else Lesson(_PROJECTS[number % day.projects], "")
        # As a large language model did in the recorded answers, 65 times of 81.
        found[text] = Asked(
            text, lesson, corrected, by_rubric=not lesson.want or (place + place // day.lessons) % 5 != 0
        )
    return found


def write_day(home: Path, day: Day) -> dict[str, Asked]:
    """The projects, each with a CLAUDE.md of about 4,000 characters, and the sessions, below this home."""
    words = Words(day.sessions)
    for name in _PROJECTS[: day.projects]:
        folder = home / "work" / name
        folder.mkdir(parents=True)
        lines = (f"- Module {n} of {name} is in src/{name}/part{n}; its tests stand beside it.\n" for n in range(60))
        (folder / "CLAUDE.md").write_text(f"# {name}\n\nA service.\n\n{''.join(lines)}", encoding="utf-8")
    asked = requests_of(day)
    apart = timedelta(days=day.days) / (day.sessions + 1)
    for number, one in enumerate(asked.values()):
        claude_session(
            home / ".claude" / "projects",
            cwd=str(home / "work" / one.lesson.project),
            started=NOW - timedelta(hours=2) - apart * (day.sessions - number),
            exchanges=_exchanges(words, one, number),
        )
    return asked


def _exchanges(words: Words, asked: Asked, number: int) -> Sequence[Exchange]:
    said = [(asked.text, "")]
    if asked.corrected:
        said.append((asked.said, f"I see, with {asked.lesson.want or CARE}. "))
    said += [(_NEXT[n % len(_NEXT)].format(number + 1), "") for n in range(words.size(1.5, 0.8, 12))]
    return [
        Exchange(
            text, done + words.sentence(_ANSWER), tools=[_tool(words) for _ in range(words.random.randint(0, _TOOLS))]
        )
        for text, done in said
    ]


def _tool(words: Words) -> ToolCall:
    number = words.random.randint(1, 400)
    output = words.cut(words.code, words.size(1500, 1.2, 30_000))
    if words.random.random() < 0.5:
        return ToolCall(command=f"grep -rn part{number} src tests", output=output)
    return ToolCall(path=f"src/part{number}/main.py", output=output)
