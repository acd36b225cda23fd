from datetime import timedelta
from pathlib import Path

from skillopt_sleep.kit.codec import to_json
from skillopt_sleep.reporters.page.course import MOST, course
from skillopt_sleep.stores.events import NAME, Event, EventKind
from tests.fakes import NOON


def event(seconds: int, stage: str = "", done: int = 0, total: int = 0) -> Event:
    kind = EventKind.STAGE if stage else EventKind.BEGINS
    return Event(at=NOON + timedelta(seconds=seconds), kind=kind, stage=stage, done=done, total=total)


def told(folder: Path, *events: Event) -> None:
    (folder / NAME).write_bytes(b"".join(to_json(one) + b"\n" for one in events))


def test_each_stage_stands_where_it_ran_with_its_items_and_how_long_it_took(tmp_path: Path) -> None:
    told(
        tmp_path,
        event(0),
        event(10, "mine", 0, 4),
        event(30, "mine", 4, 4),
        event(30, "rollout shop/CLAUDE.md", 0, 8),
        event(50, "rollout shop/CLAUDE.md", 3, 8),
        event(100, "rollout shop/CLAUDE.md", 8, 8),
    )
    found = course(tmp_path)
    assert found is not None
    mine, attempts = found.spans
    assert (mine.name, mine.x, mine.width, mine.told) == ("finding corrections", 10, 20, "4 items in 20 s")
    assert (attempts.name, attempts.x, attempts.width) == ("attempts: shop/CLAUDE.md", 30, 70)
    assert attempts.told == "8 items in 70 s"


def test_a_stage_that_ran_again_stands_once_with_all_its_items(tmp_path: Path) -> None:
    rounds = [event(at, "trial a", done, 4) for at, done in ((0, 0), (10, 4), (20, 0), (40, 2), (50, 4))]
    told(tmp_path, event(0), *rounds)
    found = course(tmp_path)
    assert found is not None
    (span,) = found.spans
    assert span.told == "8 items in 50 s"


def test_a_night_that_went_on_counts_each_item_once_and_ends_a_stage_where_it_got_on_last(tmp_path: Path) -> None:
    def run(at: int, *mined: int) -> list[Event]:
        return [event(at), *(event(at + 1, "mine", done, 4) for done in mined)]

    told(
        tmp_path,
        *run(0, 0, 2),
        *run(50, 0, 4),
        *run(100, 4),
        event(101, "trial a", 0, 2),
        event(110, "trial a", 2, 2),
    )
    found = course(tmp_path)
    assert found is not None
    mine, trial = found.spans
    assert (mine.told, trial.told) == ("4 items in 50 s", "2 items in 9 s")


def test_a_stage_that_was_cut_off_counts_what_was_done(tmp_path: Path) -> None:
    told(tmp_path, event(0), event(0, "mine", 0, 4), event(9, "mine", 3, 4))
    found = course(tmp_path)
    assert found is not None
    assert found.spans[0].told == "3 items in 9 s"


def test_without_a_log_there_is_no_course_and_a_long_one_is_cut(tmp_path: Path) -> None:
    assert course(None) is None
    assert course(tmp_path) is None
    told(tmp_path, event(0), *(event(at, f"trial {at}", 0, 4) for at in range(MOST + 3)))
    found = course(tmp_path)
    assert found is not None
    assert (len(found.spans), found.more) == (MOST, 3)
