from hypothesis import given, strategies as st

from skillopt_sleep.mining.mined import batched
from tests.builders import a_task


def _tasks(*projects: str) -> list[tuple[str, str]]:
    """The batches of tasks of these projects, at most two each, as (project, ids)."""
    tasks = [a_task(id=str(number), project=project) for number, project in enumerate(projects)]
    return [(batch[0].project, "".join(task.id for task in batch)) for batch in batched(tasks, 2)]


def test_nothing_makes_no_batch() -> None:
    assert batched([], 2) == []


def test_no_batch_is_larger_than_it_may_be() -> None:
    assert _tasks(*["/shop"] * 5) == [("/shop", "01"), ("/shop", "23"), ("/shop", "4")]


def test_two_projects_never_share_a_batch() -> None:
    assert _tasks("/shop", "/api", "/shop", "/api", "/shop") == [("/shop", "02"), ("/shop", "4"), ("/api", "13")]


@given(st.lists(st.sampled_from("xyz")), st.integers(1, 5))
def test_each_is_in_one_batch_of_its_project_in_its_order(projects: list[str], size: int) -> None:
    tasks = [a_task(id=str(number), project=project) for number, project in enumerate(projects)]
    batches = batched(tasks, size)
    for project in set(projects):
        own = [batch for batch in batches if batch[0].project == project]
        assert [task for batch in own for task in batch] == [task for task in tasks if task.project == project]
        # Only the last is not full.
        assert all(len(batch) == size for batch in own[:-1])
        assert 1 <= len(own[-1]) <= size
    assert sum(len(batch) for batch in batches) == len(tasks)
