"""A morning fits on a screen: each screen about a night or a rule keeps to its number of words, also after a busy month."""

import re
from datetime import date, timedelta

import pytest
from msgspec.structs import replace

from skillopt_sleep.kit.codec import from_json
from skillopt_sleep.pages.blocks import Block, Fold
from skillopt_sleep.pages.text import markdown
from skillopt_sleep.records import (
    Became,
    Correction,
    Corrections,
    Evidence,
    JudgeReading,
    LessonTrend,
    NightReport,
    Note,
    Outcome,
    Solved,
    Trend,
)
from skillopt_sleep.reporters.night import Night, blocks
from tests.builders import a_proposal, an_edit, changed, with_parts
from tests.example_night import NIGHTS
from tests.fakes import NOON
from tests.reporters.reports import REPORTS, TESTED, WHOLE, improved, page, render

ONE_PROPOSAL = 150
NO_PROPOSAL = 80
WHOLE_PAGE = 900
EXAMPLE = NIGHTS / "example"
RULE = "- Before you say that something is done, run `make lint` and `make test`, and quote the last line of both."
QUOTES = tuple(
    Evidence(
        session=f"s{day}",
        turn=2,
        quote=f"no, that's wrong again: before you say that it is done run the linter and all tests, no. {day}",
        at=NOON - timedelta(days=day),
    )
    for day in range(28, 0, -1)
)


def a_month(proposals: int) -> NightReport:
    """A night at the end of a busy month: everything that a report can tell is there many times."""
    staged = tuple(
        a_proposal(
            id=f"P-{number:04}",
            edits=(an_edit(RULE),),
            evidence=QUOTES,
            before=0.1,
            after=0.9,
            n=12,
            interval=(0.2, 1.0),
            solved=Solved(before=1, after=11, n=12, requests=4),
            guarded=7,
            read_by=("Claude Code", "Codex"),
            one_model="openai:qwen3:8b@http://127.0.0.1:11434/v1",
            error_rate="the chance that the night proposed any rule that does nothing was at most 5 %",
        )
        for number in range(proposals)
    )
    listed = tuple(
        Correction(session=one.session, turn=2, quote=one.quote, became=became) for became in Became for one in QUOTES
    )
    lessons = tuple(
        LessonTrend(lesson=f"l{n}", wording="Run the linter and all tests first", project="/p", corrections=(1,) * 12)
        for n in range(20)
    )
    return replace(
        WHOLE,
        verdict=Outcome.IMPROVED if proposals else Outcome.UNVERIFIED,
        because="; ".join(f"shop-{n}/CLAUDE.md: its lesson was tried and no rule is proven so far" for n in range(9)),
        remedy="; ".join(f"say it in one more session of shop-{n}, or run again" for n in range(9)),
        documents=tuple(with_parts(improved(), tested=(TESTED,) * 4) for _ in range(6)),
        proposals=staged,
        errors=tuple(Note(stage="mine", summary="one call failed, " * 9, remedy="try again " * 9) for _ in range(9)),
        found=replace(
            WHOLE.found,
            corrections=Corrections(counts={became.value: 28 for became in Became}, listed=listed),
            trend=Trend(first=date(2026, 1, 5), sessions=(9,) * 12, lessons=lessons, left_out=30),
        ),
        judging=replace(WHOLE.judging, judge=JudgeReading(right=16, n=16)),
    )


def words(text: str) -> int:
    """Count what a person reads: drawings and punctuation have no words."""
    plain = re.sub(r"(?s)<style.*?</style>|<svg.*?</svg>|<[^>]+>", " ", text)
    return sum(any(char.isalnum() for char in word) for word in plain.split())


def first_screen(report: NightReport, *, example: bool = False) -> str:
    """Everything that isn't folded."""
    night = Night(report, folder=EXAMPLE if example else None)
    shown: list[Block] = [block for block in blocks(night) if not isinstance(block, Fold)]
    return markdown(shown)


def the_example(proposals: int) -> NightReport:
    report = from_json((EXAMPLE / "report.json").read_bytes(), NightReport)
    return replace(report, proposals=report.proposals[:proposals])


def test_the_first_screen_for_one_proposal_is_short() -> None:
    assert 60 < words(first_screen(the_example(1), example=True)) <= ONE_PROPOSAL
    assert 60 < words(first_screen(replace(a_month(1), errors=()))) <= ONE_PROPOSAL
    assert words(render(the_example(1))) <= ONE_PROPOSAL + 20, "with its title and where there is more"


@pytest.mark.parametrize("report", [*REPORTS.values(), a_month(0)], ids=[*REPORTS, "month"])
def test_a_night_without_a_proposal_is_shorter(report: NightReport) -> None:
    without = replace(report, proposals=(), errors=())
    assert words(first_screen(changed(without, sealed=None))) <= NO_PROPOSAL


@pytest.mark.parametrize("count", [0, 1, 2, 30])
def test_the_whole_page_can_be_read_at_breakfast(count: int) -> None:
    report = a_month(count)
    assert words(render(report, verbose=True)) <= WHOLE_PAGE
    assert words(page(report)) <= WHOLE_PAGE


def test_the_example_that_is_shown_to_everybody_keeps_to_it_too() -> None:
    assert words((EXAMPLE / "report.html").read_text(encoding="utf-8")) <= WHOLE_PAGE
    assert words((EXAMPLE / "report.md").read_text(encoding="utf-8")) <= 2 * ONE_PROPOSAL + 20
