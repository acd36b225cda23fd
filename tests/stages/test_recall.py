"""Earlier nights' tasks of tonight's clusters come back, on the side they have."""

from skillopt_sleep.records import Split
from skillopt_sleep.stages.recall import recall
from tests.builders import a_task

TONIGHT = a_task(id="new", cluster="c-a", split=Split.VAL)
EARLIER = a_task(id="old", cluster="c-a", split=Split.TRAIN)
OTHER = a_task(id="far", cluster="c-b", split=Split.TRAIN)


def test_earlier_tasks_of_the_same_clusters_come_first() -> None:
    assert recall([TONIGHT], known=[EARLIER, OTHER]) == (EARLIER, TONIGHT)


def test_a_task_that_is_known_already_is_there_once() -> None:
    assert recall([TONIGHT], known=[TONIGHT, EARLIER]) == (EARLIER, TONIGHT)


def test_without_tasks_tonight_nothing_is_recalled() -> None:
    assert recall([], known=[EARLIER, OTHER]) == ()


def test_without_earlier_nights_there_is_only_tonight() -> None:
    assert recall([TONIGHT], known=[]) == (TONIGHT,)


def test_a_recalled_task_keeps_its_side() -> None:
    assert [task.split for task in recall([TONIGHT], known=[EARLIER])] == [Split.TRAIN, Split.VAL]
