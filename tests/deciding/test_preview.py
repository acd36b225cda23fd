"""What decisions would write is shown as one change of each file, and nothing is written."""

import pytest

from skillopt_sleep.deciding.undo import Step, preview_of, steps_to
from tests.command import Home
from tests.deciding.desk import desk
from tests.deciding.test_decide import adopted


def test_the_way_to_another_version_is_shown_as_one_change(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    path = home.project / "CLAUDE.md"
    before = path.read_bytes()
    with desk(home, monkeypatch) as at:
        adopted(at)
        now = path.read_bytes()
        first, *_ = preview_of(at.store, at.journal, steps_to(at.store, at.journal, path, 0)).moves
        assert (first.path, first.old, first.new) == (str(path), now, before)
        there_and_back = [Step("P-0001", adopting=False), Step("P-0001", adopting=True)]
        first, *_ = preview_of(at.store, at.journal, there_and_back).moves
        assert first.old == first.new == now
    assert path.read_bytes() == now
