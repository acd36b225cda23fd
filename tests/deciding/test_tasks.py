import pytest

from skillopt_sleep.deciding.tasks import find, mark, reworded, short_ids, write
from skillopt_sleep.errors import ConfigError
from skillopt_sleep.records import Split
from skillopt_sleep.stores.bank import Banked, TaskMark
from tests.builders import a_task
from tests.command import Home
from tests.deciding.desk import desk


def entries(*names: str) -> list[Banked]:
    return [Banked(a_task(id=name)) for name in names]


def test_a_task_is_found_by_its_id_or_the_beginning_of_it() -> None:
    known = entries("abc1", "abc12", "xyz")
    assert find(known, "abc1").task.id == "abc1"
    assert find(known, "x").task.id == "xyz"
    with pytest.raises(ConfigError, match="2 task ids start with 'ab'") as caught:
        find(known, "ab")
    assert "abc1, abc12" in caught.value.remedy
    with pytest.raises(ConfigError, match="no task ''"):
        find(known, "")


def test_a_short_id_names_one_task_only() -> None:
    known = entries("0123456789ab", "0123456789xy", "ffffffffffff", "tasks-1", "tasks-12")
    assert list(short_ids(known).values()) == ["0123456789a", "0123456789x", "ffffffff", "tasks-1", "tasks-12"]
    for name, short in short_ids(known).items():
        assert find(known, short).task.id == name


def test_a_persons_version_is_stored_and_says_what_moved_with_it(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    with desk(home, monkeypatch) as at:
        entries = at.store.bank.entries()
        entry = next(entry for entry in entries if entry.task.split is Split.VAL)
        same = write(at.store, entry, entry.task, among=entries)
        assert not same.is_changed
        own = reworded(entry.task, prompt="add a start script", context=None, split=Split.TRAIN)
        edited = write(at.store, entry, own, among=entries)
        assert (edited.is_changed, edited.changed_side) == (True, True)
        stored = find(at.store.bank.entries(), entry.task.id)
        assert (stored.task.prompt, stored.task.split) == ("add a start script", Split.TRAIN)
        assert stored.edited


def test_marks_are_set_on_all_tasks_or_none(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    with desk(home, monkeypatch) as at:
        names = [entry.task.id for entry in at.store.bank.entries()][:2]
        with pytest.raises(ConfigError):
            mark(at.store, [*names, "nothing"], TaskMark.DROPPED, undo=False)
        assert not any(entry.dropped for entry in at.store.bank.entries())
        assert [before.task.id for before in mark(at.store, names, TaskMark.DROPPED, undo=False)] == names
        assert sum(entry.dropped is not None for entry in at.store.bank.entries()) == 2
        mark(at.store, names, TaskMark.DROPPED, undo=True)
        assert not any(entry.dropped for entry in at.store.bank.entries())
