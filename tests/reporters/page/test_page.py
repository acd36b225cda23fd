"""The page of a night: what it decides first, nothing that loads or runs, and nothing that must not be shown."""

import json
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from skillopt_sleep.records import (
    PAGE,
    Became,
    Correction,
    Corrections,
    Evidence,
    LessonTrend,
    Solved,
    Split,
    Trend,
)
from skillopt_sleep.reporters.page import PageReporter, render
from tests.builders import a_proposal, a_report, an_edit
from tests.colours import AA, colours_of, contrast
from tests.drawn import Elements, refuse_what_loads_or_runs, text_of
from tests.reporters.reports import NASTY, REPORTS, SECRET, WHOLE

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
    task = {"id": "v1", "session": "s", "prompt": "install it", "lesson": "l-1", "split": Split.VAL.value}
    (night / "tasks.jsonl").write_text(json.dumps({**task, "document": outcome.document.id}) + "\n")
    attempts = [
        (outcome.document.sha, "I ran npm <b>install</b>.", 0.0),
        (outcome.candidate.sha, "I ran pnpm install.", 1.0),
    ]
    with (night / "rollouts.jsonl").open("w") as file:
        for sha, said, hard in attempts:
            score = {"hard": hard, "soft": hard}
            row = {"task": "v1", "document_sha": sha, "trajectory": {"response": said}, "score": score}
            file.write(json.dumps(row) + "\n")
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
        "«No, pnpm!» Sun 2026-03-01",
        "Asked «install it»",
        "✗ not as you asked I ran npm <b>install</b>.",
        "✓ as you asked I ran pnpm install.",
        "ithout the rule 3 of 12 answers did as you asked, with it 12 of 12",
        "grade 0.25 → 1.00 (+0.75), 90 % interval of the gain 0.10 to 1.00, 12 tries",
        "+ - Use pnpm, never npm.",
        "tokens in every session",
        f"skillopt-sleep adopt {PROPOSAL.id}",
        "What was tried",
    )
    places = [text.find(words) for words in wanted]
    assert -1 not in places
    assert places == sorted(places)
    refuse_what_loads_or_runs(page)
    assert SECRET not in text


def test_what_was_done_in_a_sealed_copy_stands_side_by_side_with_its_commands_and_its_diff(folder: Path) -> None:
    rows = (folder / "rollouts.jsonl").read_text().splitlines()
    done = {
        "seal": "bubblewrap",
        "commands": [{"text": "npm test", "status": 1}],
        "diff": "+ a line <of> code",
        "turns": 7,
    }
    acted = [json.loads(row) for row in rows]
    acted[0]["trajectory"] |= done | {"changed_files": ["src/a.ts"]}
    (folder / "rollouts.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in acted))
    page = render(NIGHT, folder=folder)
    text = text_of(page)
    assert "Without the rule ✗ not as you asked 7 turns $ npm test (exit 1) edited src/a.ts" in text
    assert "All it did $ npm test (exit 1)" in text
    assert "+ a line <of> code" in text
    refuse_what_loads_or_runs(page)


def test_what_does_not_wait_any_more_is_not_asked_for() -> None:
    assert f"adopt {PROPOSAL.id}" in render(NIGHT)
    decided = text_of(render(NIGHT, []))
    assert "adopt P" not in decided
    assert "It doesn't wait for a decision now." in decided
    told = text_of(render(NIGHT, [], decided={PROPOSAL.id: "You rejected it: «we moved to bun»"}))
    assert "You rejected it: «we moved to bun»" in told
    assert "Of other nights: P-0900" in text_of(render(a_report(), ["P-0900"]))


def test_a_page_says_of_which_moment_its_decisions_are() -> None:
    ended, later = NIGHT.ended.astimezone(), NIGHT.ended.astimezone() + timedelta(days=9)
    assert f"As of {ended:%A, %-d %B %Y, %H:%M}." in text_of(render(NIGHT))
    assert f"As of {later:%A, %-d %B %Y, %H:%M}." in text_of(render(NIGHT, [], at=later))


def test_what_waits_and_what_was_dropped_is_told_with_the_words_and_what_helps() -> None:
    listed = (
        Correction(session="s1", turn=1, quote="no, bash", became=Became.NEEDS_SESSION),
        Correction(session="s2", turn=1, quote="just this once", became=Became.FOR_ONCE),
    )
    counts = {Became.NEEDS_SESSION.value: 2, Became.FOR_ONCE.value: 1}
    text = text_of(render(a_report(corrections=Corrections(counts=counts, listed=listed))))
    wanted = (
        "2 × it waits for one more session",
        "«no, bash»",
        "Not used, and why",
        "1 × by its own words it holds for one",
        "say so without the words that it holds for once",
    )
    places = [text.find(words) for words in wanted]
    assert -1 not in places
    assert places == sorted(places)


def test_the_trend_stands_with_its_sessions_and_only_if_something_was_said() -> None:
    said = LessonTrend(lesson="l-1", wording="Use pnpm", project="/p", corrections=(3, 0), adopted=(0,))
    trend = Trend(first=date(2026, 2, 23), sessions=(4, 9), lessons=(said,))
    page = render(a_report(trend=trend))
    assert "Use pnpm: 3 in the week of 23 Feb; a rule about it was adopted in the week of 23 Feb" in page
    assert "your sessions: 4 in the week of 23 Feb, 9 in the week of 2 Mar" in page
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
