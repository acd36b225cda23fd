"""A rule's passport tells its trial night by night, and nothing of what was said."""

from pathlib import Path

from skillopt_sleep.deciding.passport import passport
from skillopt_sleep.kit.codec import to_json
from skillopt_sleep.proposals.origins import origins
from skillopt_sleep.records import GateRule
from tests.nights import USEFUL, Machine


def test_it_has_the_trial_of_each_night_and_hashes_of_the_tasks_but_no_words(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.had(0, 1, 2, 3)
    machine.night(gate=GateRule())
    store = machine.store()
    lessons = store.lessons.every()
    (origin,) = origins(store.bank.proposals(), lessons)
    found = passport(origin, store)
    assert found.lessons == tuple(lesson.id for lesson in lessons)
    assert not [lesson.wording for lesson in lessons if lesson.wording.encode() in to_json(found)]
    assert [(one.night, one.n > 0, one.e_value > 1) for one in found.nights] == [("2026-03-02", True, True)]
    assert found.tasks
    assert USEFUL.encode() not in to_json(found)
    assert b"claude_code:" not in to_json(found)
    store.close()
