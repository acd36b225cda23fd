from pathlib import Path
from typing import Any

import pytest

from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.records import Split
from tests.builders import a_task
from tests.command import Home
from tests.stores.opening import open_at, seal

SECRET = "ghp_" + "a1B2c3D4" * 4 + "e5F6"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path)
    store = open_at(tmp_path / "sleep" / "data", clock=utc_now)
    with store.open_night() as page:
        task = a_task(id="abc123", lesson="c", split=Split.TRAIN)
        seal(page, tasks=(task, a_task(id="abd456", lesson="c", split=Split.TRAIN, prompt="the other")))
    store.close()
    return made


def tasks(home: Home, *options: str) -> dict[str, Any]:
    return {task["id"]: task for task in home.command("tasks", "list", "--json", *options).json}


def test_a_new_side_is_told_with_what_it_means(home: Home) -> None:
    done = home.command("tasks", "edit", "abc", "--split", "val")
    assert "it was to learn from and is now to decide with, and the rest of its session with it: abd456" in done.out
    assert "easier test" in done.out
    assert {task["split"] for task in tasks(home).values()} == {"val"}


def test_an_unclear_id_and_the_side_that_it_has_change_nothing(home: Home) -> None:
    assert "2 task ids start with 'ab'" in home.command("tasks", "edit", "ab", "--split", "val").err
    assert "not changed" in home.command("tasks", "edit", "abc", "--split", "train").out


@pytest.mark.slow
def test_tasks_are_dropped_and_pinned_and_that_is_taken_back(home: Home) -> None:
    done = home.command("tasks", "drop", "abc", "abd")
    assert "undo: skillopt-sleep tasks drop --undo abc123" in done.out
    assert tasks(home) == {}
    assert list(tasks(home, "--dropped")) == ["abc123", "abd456"]
    home.command("tasks", "drop", "--undo", "abc")
    home.command("tasks", "pin", "abc")
    assert tasks(home)["abc123"]["pinned"]
    home.command("tasks", "pin", "--undo", "abc")
    assert not tasks(home)["abc123"]["pinned"]
    assert home.command("tasks", "drop", "abc", "nope").code == 2
    assert list(tasks(home)) == ["abc123"]


@pytest.mark.slow
def test_a_task_is_added_by_options(home: Home) -> None:
    rubric = ("--rubric", f"uses pnpm {SECRET}")
    done = home.command("tasks", "add", "--prompt", f"Add lodash {SECRET}", *rubric, "--project", str(home.project))
    assert done.code == 0
    assert "1 added" in done.out
    (added,) = (task for name, task in tasks(home).items() if name.startswith("tasks-"))
    assert (added["project"], added["split"], added["source"]) == (str(home.project), None, "tasks_file")
    assert SECRET not in str(added)
    assert added["reference"]["text"].startswith("uses pnpm")
    assert "1 added" in home.command("tasks", "add", "--prompt", "Which port?", "--rubric", "says 8080").out
    assert "0 added, 0 changed, 1 unchanged" in home.command(
        "tasks", "add", "--prompt", "Which port?", "--rubric", "says 8080"
    ).out  # fmt: skip


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (("--rubric", "says 9090"), "has the same request with another reference"),
        (("--rubric", "says 8080", "--project", "."), "has the same request for another project"),
    ],
)
@pytest.mark.slow
def test_a_task_in_the_same_words_is_not_written_over(home: Home, other: tuple[str, ...], said: str) -> None:
    home.command("tasks", "add", "--prompt", "Which port?", "--rubric", "says 8080")
    before = tasks(home)
    (name,) = before.keys() - {"abc123", "abd456"}
    done = home.command("tasks", "add", "--prompt", "Which port?", *other)
    assert done.code == 2
    assert f"{name} {said}" in done.err
    assert f"skillopt-sleep tasks edit {name}" in done.err
    assert tasks(home) == before


NOT_ADDED = (
    (("--prompt", "x"), "Missing option '--rubric'"),
    (("--rubric", "x"), "Missing option '--prompt'"),
    (("--prompt", "x", "--rubric", " "), ""),
    (("--prompt", "x", "--rubric", "y", "--project", "/nowhere"), "no such folder"),
)


@pytest.mark.slow
def test_a_task_that_cannot_be_used_is_not_added(home: Home) -> None:
    for options, said in NOT_ADDED:
        done = home.command("tasks", "add", *options)
        assert done.code == 2, said
        assert said in done.err
    assert set(tasks(home)) == {"abc123", "abd456"}
