from datetime import timedelta
from pathlib import Path

from skillopt_sleep.kit.codec import to_json
from skillopt_sleep.reporters.page.course import MOST, course
from skillopt_sleep.stores.events import NAME, Event, Happened
from tests.fakes import NOON


def event(seconds: int, what: Happened = Happened.BEGUN, name: str = "", items: int = 0) -> Event:
    return Event(at=NOON + timedelta(seconds=seconds), what=what, name=name, items=items)


def ran(name: str, began: int, ended: int, items: int) -> tuple[Event, Event]:
    return event(began, Happened.STAGE_BEGUN, name, items), event(ended, Happened.STAGE_ENDED, name, items)


def told(folder: Path, *events: Event) -> None:
    (folder / NAME).write_bytes(b"".join(to_json(one) + b"\n" for one in events))


def test_each_stage_stands_where_it_ran_with_its_calls_and_how_long_it_took(tmp_path: Path) -> None:
    told(tmp_path, event(0), *ran("mine", 10, 30, 4), *ran("rollout shop/CLAUDE.md", 30, 100, 8))
    found = course(tmp_path)
    assert found is not None
    mine, attempts = found.spans
    assert (mine.name, mine.x, mine.width, mine.told) == ("finding corrections", 10, 20, "4 calls in 20 s")
    assert (attempts.name, attempts.x, attempts.width) == ("attempts: shop/CLAUDE.md", 30, 70)
    assert attempts.told == "8 calls in 70 s"


def test_a_stage_that_ran_again_stands_once_with_all_its_calls(tmp_path: Path) -> None:
    told(tmp_path, event(0), *ran("trial a", 0, 10, 4), *ran("trial a", 20, 50, 4))
    found = course(tmp_path)
    assert found is not None
    (span,) = found.spans
    assert span.told == "8 calls in 50 s"


def test_without_a_log_there_is_no_course_and_a_long_one_is_cut(tmp_path: Path) -> None:
    assert course(None) is None
    assert course(tmp_path) is None
    told(tmp_path, event(0), *(one for at in range(MOST + 3) for one in ran(f"trial {at}", at, at + 1, 4)))
    found = course(tmp_path)
    assert found is not None
    assert (len(found.spans), found.more) == (MOST, 3)
