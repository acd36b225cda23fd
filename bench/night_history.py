"""Made-up sessions of Claude Code in three projects, for benchmarks of a night: what was asked, and how it was corrected.

In one project the correction names a tool, in one a word for the answer, in one it names nothing: the simulated model
makes two useful edits of them and a useless one.
"""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from tests.sessions import Exchange, claude_session

SESSIONS = 40  # of each project
CORRECTED = 18  # of these
NOW = datetime(2026, 11, 20, 3, 0, tzinfo=UTC)

_THINGS = (
    *(
        "invoice",
        "basket",
        "refund",
        "voucher",
        "shipment",
        "customer",
        "supplier",
        "warehouse",
        "catalogue",
        "review",
    ),
    *(
        "receipt",
        "payment",
        "address",
        "courier",
        "discount",
        "pallet",
        "contract",
        "newsletter",
        "calendar",
        "budget",
    ),
)
_ASKS = (
    "explain how we add a package for the {} page",
    "describe the steps to release the {} service",
    "say how to start the {} worker on a new laptop",
    "tell me how to run the checks of the {} module",
)


class Lesson(NamedTuple):
    """A project, what its person says when a request is corrected, and what they name in it."""

    project: str
    said: str
    want: str = ""


class Asked(NamedTuple):
    """One request: what corrected it, if anything did, and whether it is scored in words."""

    text: str
    lesson: Lesson
    corrected: bool
    by_rubric: bool

    @property
    def said(self) -> str:
        """The words that correct it: those of a request that is scored in words name nothing that code looks for."""
        return f"no - it is {self.lesson.want} here" if self.by_rubric and self.lesson.want else self.lesson.said


LESSONS = (
    Lesson("shop", "no - always use pnpm here, never npm", "pnpm"),
    Lesson("ledger", "no - always use poetry here, never pip", "poetry"),
    Lesson("notes", "that is not good enough, you should be more careful with this"),
)


def requests() -> dict[str, Asked]:
    """Every first request of a session by its text, in order of time."""
    found = [_asked(lesson, place, number) for number in range(SESSIONS) for place, lesson in enumerate(LESSONS)]
    return {asked.text: asked for asked in found}


def _asked(lesson: Lesson, place: int, number: int) -> Asked:
    text = _ASKS[(number // len(_THINGS) * 2 + number + place) % len(_ASKS)].format(
        f"{lesson.project} {_THINGS[number % len(_THINGS)]}"
    )
    corrected = number * CORRECTED % SESSIONS < CORRECTED
    return Asked(text, lesson, corrected, by_rubric=not lesson.want or number % 2 == 1)


def write_history(home: Path) -> None:
    """The projects' folders, each with a CLAUDE.md, and the sessions, below this home."""
    for lesson in LESSONS:
        folder = home / "work" / lesson.project
        folder.mkdir(parents=True)
        (folder / "CLAUDE.md").write_text(f"# {lesson.project}\n\nA small service.\n", encoding="utf-8")
    for number, asked in enumerate(requests().values()):
        then = asked.said if asked.corrected else f"what does exit code {number + 1} mean?"
        claude_session(
            home / ".claude" / "projects",
            cwd=str(home / "work" / asked.lesson.project),
            started=NOW - timedelta(hours=70 - number * 0.5),
            exchanges=(Exchange(asked.text, "I would run npm and pip as always."), Exchange(then, "I see.")),
        )
