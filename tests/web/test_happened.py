from pathlib import Path

from skillopt_sleep.stores.events import Event, EventLog, Happened
from skillopt_sleep.web.happened import told_of
from tests.fakes import NOON


def test_what_happened_is_told_at_its_local_time(tmp_path: Path) -> None:
    assert told_of(tmp_path) == ()
    EventLog(tmp_path).append(Event(at=NOON, what=Happened.BEGUN))
    (told,) = told_of(tmp_path)
    assert told.what == "The night begins"
    assert told.at == f"{NOON.astimezone():%H:%M:%S}"
