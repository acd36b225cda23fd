import stat
from pathlib import Path

from skillopt_sleep.stores.events import NAME, Event, EventLog, Happened, read_events
from tests.fakes import NOON


def test_events_are_kept_in_their_order_and_a_line_that_is_not_whole_is_left_out(tmp_path: Path) -> None:
    log = EventLog(tmp_path)
    begun = Event(at=NOON, what=Happened.BEGUN)
    ended = Event(at=NOON, what=Happened.STAGE_ENDED, name="mine", items=3, calls=7, tokens=None, usd=None)
    log.append(begun)
    log.append(ended)
    with (tmp_path / NAME).open("ab") as file:
        file.write(b'not json\n{"at": "2026-')
    assert read_events(tmp_path) == (begun, ended)
    assert stat.S_IMODE((tmp_path / NAME).stat().st_mode) == 0o600


def test_what_is_secret_is_not_kept(tmp_path: Path) -> None:
    EventLog(tmp_path).append(
        Event(at=NOON, what=Happened.STOPPED, says="the key sk-ant-api03-" + "a1B2" * 22 + " failed")
    )
    (event,) = read_events(tmp_path)
    assert "sk-ant" not in event.says
    assert "redacted" in event.says


def test_a_night_goes_on_if_nothing_can_be_written_and_without_a_file_there_are_none(tmp_path: Path) -> None:
    EventLog(tmp_path / "gone").append(Event(at=NOON, what=Happened.BEGUN))
    assert read_events(tmp_path / "gone") == ()
