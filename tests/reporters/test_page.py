"""The page of a night: what it decides first, nothing that loads or runs, and nothing that must not be shown."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from skillopt_sleep.kit.codec import to_json
from skillopt_sleep.records import (
    PAGE,
    Evidence,
    LessonTrend,
    Solved,
    Split,
    Trend,
)
from skillopt_sleep.reporters import morning
from skillopt_sleep.reporters.morning import PageReporter
from skillopt_sleep.reporters.night import Night
from tests.builders import a_proposal, a_report, a_rollout, a_task, a_trajectory, an_edit
from tests.colours import AA, colours_of, contrast
from tests.drawn import Elements, refuse_what_loads_or_runs, text_of
from tests.reporters.reports import NASTY, REPORTS, SECRET, WHOLE, page as render

SAID = Evidence(session="claude_code:s1", turn=2, quote="No, pnpm!", at=datetime(2026, 3, 1, 9, tzinfo=UTC))
PROPOSAL = a_proposal(
    edits=(an_edit(lessons=("l-1",)),),
    evidence=(SAID,),
    before=0.25,
    after=1.0,
    n=12,
    interval=(0.1, 1.0),
    solved=Solved(before=3, after=12, n=12, requests=4),
)
NIGHT = replace(WHOLE, proposals=(PROPOSAL,))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a night with a proposal and both answers to a request of its lesson."""
    night = tmp_path / NIGHT.night
    staged = night / "proposals" / PROPOSAL.id
    staged.mkdir(parents=True)
    (staged / "base").write_text("# Shop\n")
    (staged / "result").write_text(f"# Shop\n\n- Use pnpm, never npm.\n- The key is {SECRET}\n")
    outcome = NIGHT.documents[0]
    assert outcome.candidate is not None
    task = a_task(id="v1", prompt="install it", lesson="l-1", split=Split.VAL, document=outcome.document.id)
    attempts = [
        a_rollout(
            0.0, task="v1", document_sha=outcome.document.sha, trajectory=a_trajectory("I ran npm <b>install</b>.")
        ),
        a_rollout(1.0, task="v1", document_sha=outcome.candidate.sha, trajectory=a_trajectory("I ran pnpm install.")),
    ]
    (night / "tasks.jsonl").write_bytes(to_json(task))
    (night / "rollouts.jsonl").write_bytes(b"\n".join(map(to_json, attempts)))
    return night


@pytest.mark.parametrize("name", REPORTS)
def test_no_night_loads_or_runs_anything_or_shows_what_it_must_not(name: str) -> None:
    page = render(REPORTS[name])
    refuse_what_loads_or_runs(page)
    assert SECRET not in page
    assert not {"\u202e", "\u200b", "\x1b"} & set(page)
    assert not {"img"} & {tag for tag, _ in Elements(page).found}


def test_text_from_elsewhere_is_escaped() -> None:
    assert "<img" in NASTY
    assert render(REPORTS["nasty"]).count("&lt;img src=x&gt;") >= 3


def test_a_decision_comes_with_the_words_both_answers_the_proof_the_change_and_what_to_run(folder: Path) -> None:
    page = render(NIGHT, folder=folder)
    text = text_of(page)
    wanted = (
        "To decide: 1 proposal",
        "Use pnpm, never npm.",
        "«No, pnpm!» 1 day ago",
        "Asked «install it»",
        "✗ not as you asked I ran npm <b>install</b>.",
        "✓ as you asked I ran pnpm install.",
        "ithout the rule 3 of 12 answers did as you asked, with it 12 of 12",
        "tokens in every session",
        f"skillopt-sleep adopt {PROPOSAL.id}",
        "What was tried",
    )
    places = [text.find(words) for words in wanted]
    assert -1 not in places
    assert places == sorted(places)
    refuse_what_loads_or_runs(page)
    assert SECRET not in text


def test_a_page_says_of_which_moment_its_decisions_are() -> None:
    ended, later = NIGHT.ended.astimezone(), NIGHT.ended.astimezone() + timedelta(days=9)
    assert f"As of {ended:%A, %-d %B %Y, %H:%M}." in text_of(render(NIGHT))
    assert f"As of {later:%A, %-d %B %Y, %H:%M}." in text_of(morning.page(Night(NIGHT, []), at=later))


def test_the_trend_stands_with_its_sessions_and_only_if_something_was_said() -> None:
    said = LessonTrend(lesson="l-1", wording="Use pnpm", project="/p", corrections=(3, 0), adopted=(0,))
    trend = Trend(first=date(2026, 2, 23), sessions=(4, 9), lessons=(said,))
    text = render(a_report(trend=trend))
    assert "3 in the week of 23 Feb; a rule was adopted in the week of 23 Feb" in text
    assert "4 in the week of 23 Feb, 9 in the week of 2 Mar" in text
    assert "How often you had to say it" not in render(a_report(trend=replace(trend, lessons=())))


def test_a_night_without_anything_is_short() -> None:
    text = text_of(render(a_report()))
    assert "What to do:" in text
    assert len(text) < 900


def test_the_file_is_the_page(tmp_path: Path) -> None:
    path = PageReporter().write(WHOLE, tmp_path)
    assert path == tmp_path / PAGE
    assert path.read_text() == render(WHOLE, folder=tmp_path)


@pytest.mark.parametrize("is_dark", [False, True])
def test_every_colour_of_text_can_be_read_on_its_paper(*, is_dark: bool) -> None:
    colours = colours_of(render(a_report()), is_dark=is_dark)
    for name in ("ink", "soft", "act", "care"):
        assert contrast(colours[name], colours["paper"]) >= AA


def test_two_nights_of_one_day_are_told_apart() -> None:
    assert "(2026-03-02-2)" in text_of(render(a_report(night="2026-03-02-2")))
