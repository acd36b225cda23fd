from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
from msgspec.structs import replace
from rich.console import Console

from skillopt_sleep.cli.progress import (
    MOST_STAGES,
    Stages,
    following,
    length,
    stages,
    training_view,
    view,
)
from skillopt_sleep.records import Spend
from skillopt_sleep.stores.running import Progress, StageProgress
from skillopt_sleep.trainer import LiveProgress

STARTED = datetime(2026, 3, 2, 3, tzinfo=UTC)
PROGRESS = Progress(
    night="2026-03-02",
    process=1,
    started=STARTED,
    stages=(StageProgress(label="rollout shop/CLAUDE.md", done=3, total=12),),
    calls=30,
    tokens=12_300,
    usd=0.0,
    most_calls=300,
    most_minutes=60,
)


def test_nothing_is_shown_where_nobody_watches(capfd: pytest.CaptureFixture[str]) -> None:
    with following(lambda: PROGRESS), stages() as shown:
        shown.advance("rollout", 0, 3)
        shown.advance("rollout", 3, 3)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("passed", "words"),
    [(timedelta(seconds=90), "90 s"), (timedelta(hours=2, minutes=5), "2 h 5 min"), (timedelta(seconds=-5), "0 s")],
)
def test_a_time_is_told_as_people_say_it(passed: timedelta, words: str) -> None:
    assert length(passed) == words


def test_a_night_fits_sixty_columns_with_its_stage_its_spending_and_its_time() -> None:
    many = tuple(
        StageProgress(label=f"trial {number} {'x' * 90}", done=1, total=4) for number in range(MOST_STAGES + 2)
    )
    console = Console(width=60, record=True, file=StringIO())
    console.print(view(replace(PROGRESS, stages=many, usd=0.31), now=STARTED + timedelta(minutes=3)))
    lines = console.export_text().splitlines()
    assert "2026-03-02" in lines[0]
    assert "at most 57 min left" in lines[0]
    assert "$0.31" in lines[1]
    assert lines[-1].strip() == "and 2 more stages"
    assert len(lines) == MOST_STAGES + 3
    assert all(len(line.rstrip()) <= 60 for line in lines)


LIVE = LiveProgress(
    folder="run",
    started=STARTED,
    since=STARTED,
    step=3,
    steps=16,
    spend=Spend(calls=1_200, tokens=90_000, usd=0.31),
    each=timedelta(minutes=1),
)


def drawn(live: LiveProgress) -> list[str]:
    console = Console(width=60, record=True, file=StringIO())
    console.print(training_view(live, now=STARTED + timedelta(minutes=3)))
    lines = console.export_text().splitlines()
    assert all(len(line.rstrip()) <= 60 for line in lines)
    return lines


def test_a_training_is_drawn_with_its_steps_its_spending_and_the_time_left() -> None:
    head, bar = drawn(LIVE)
    assert head.rstrip() == "Training run  step 3 of 16  3 min  about 10 min left"
    assert "1,200 calls, $0.31" in bar


def test_of_a_long_name_the_end_is_shown_by_which_trainings_of_a_sweep_differ() -> None:
    head, _ = drawn(replace(LIVE, folder="run-edit_budget=2-seed=43", each=None))
    assert head.startswith("Training …udget=2-seed=43  step 3 of 16")


def test_a_training_with_a_limit_names_it_and_an_unknown_time_is_not_told() -> None:
    head, bar = drawn(replace(LIVE, most_calls=2_000, each=None))
    assert "left" not in head
    assert "1,200 of at most 2,000 calls" in bar


def test_stages_are_shown_below_the_training_they_belong_to() -> None:
    shown = Stages()
    shown.advance("gate", 1, 8)
    shown.training = lambda: LIVE
    console = Console(width=60, record=True, file=StringIO())
    console.print(shown.view())
    first, _, last = console.export_text().splitlines()
    assert "Training run" in first
    assert "1/8" in last


def test_stages_have_the_words_of_the_dashboard() -> None:
    console = Console(width=60, record=True, file=StringIO())
    console.print(view(PROGRESS, now=STARTED))
    assert "attempts: shop/CLAUDE.md" in console.export_text()
