from pathlib import Path

from skillopt_sleep.records import Spend
from skillopt_sleep.stores.events import EventLog
from skillopt_sleep.web.happened import told_of
from tests.fakes import NOON


def test_what_happened_is_told_at_its_local_time(tmp_path: Path) -> None:
    assert told_of(tmp_path) == ()
    EventLog(tmp_path, spent=Spend, clock=lambda: NOON).close()
    begun, ended = told_of(tmp_path)
    assert (begun.what, ended.what) == ("The night begins", "The night ends")
    assert begun.at == f"{NOON.astimezone():%H:%M:%S}"
