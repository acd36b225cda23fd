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


def test_a_task_is_edited_by_options_and_redacted(home: Home) -> None:
    before = tasks(home)["abc123"]
    done = home.command("tasks", "edit", "abc", "--prompt", f"push with {SECRET}", "--context", "earlier")
    assert done.code == 0
    assert "Edited abc123" in done.out
    after = tasks(home)["abc123"]
    assert (after["prompt"], after["context"]) == ("push with [redacted:github-token]", "earlier")
    assert after["edited"]
    changed = {"prompt", "context", "edited"}
    assert {k: v for k, v in after.items() if k not in changed} == {
        k: v for k, v in before.items() if k not in changed
    }


def test_a_new_side_is_told_with_what_it_means(home: Home) -> None:
    done = home.command("tasks", "edit", "abc", "--split", "val")
    assert "it was to learn from and is now to decide with, and the rest of its session with it: abd456" in done.out
    assert "easier test" in done.out
    assert {task["split"] for task in tasks(home).values()} == {"val"}


def test_a_task_is_edited_from_a_file_that_says_what_changes(home: Home) -> None:
    path = home.folder / "one.toml"
    path.write_text('[[task]]\nprompt = "mine"\nreference = {kind = "exact", answer = "pnpm"}\n')
    assert home.command("tasks", "edit", "abc", "--from", str(path)).code == 0
    after = tasks(home)["abc123"]
    assert (after["prompt"], after["reference"]) == ("mine", {"kind": "exact", "answer": "pnpm"})
    assert (after["session"], after["project"], after["split"]) == ("claude_code:s1", "/home/ada/shop", "train")


NOT_USABLE = (
    ('[[task]]\nprompt = "x"\nreference = {kind = "checks", items = [{op = "json_valid"}]}', "nothing but a shape"),
    ('[[task]]\nprompt = "x"\nreference = {kind = "checks", items = [{op = "regex", arg = "("}]}', "regular expr"),
    ('[[task]]\nprompt = "x"\nreference = {kind = "checks", items = [{op = "has", arg = "y"}]}', "'has'"),
    ('[[task]]\nid = "abd456"\nprompt = "x"\nreference = {kind = "exact", answer = "y"}', "is not abc123"),
    ("", "has 0 tasks, not 1"),
    ('[[task]]\nprompt = "the other"\nreference = {kind = "exact", answer = "y"}', "abd456 has the same request"),
)


@pytest.mark.slow
def test_what_cannot_be_used_changes_nothing_and_says_why(home: Home) -> None:
    before = tasks(home)
    path = home.folder / "one.toml"
    for text, said in NOT_USABLE:
        path.write_text(text)
        done = home.command("tasks", "edit", "abc", "--from", str(path))
        assert done.code == 2, said
        assert said in done.err
        assert len(done.err.splitlines()) == 2
    assert tasks(home) == before


def test_options_that_say_nothing_usable_are_refused(home: Home) -> None:
    assert "--prompt is empty" in home.command("tasks", "edit", "abc", "--prompt", " ").err
    assert "leave out the other" in home.command("tasks", "edit", "abc", "--prompt", "x", "--from", "f").err
    assert "2 task ids start with 'ab'" in home.command("tasks", "edit", "ab", "--prompt", "x").err
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
    done = home.command(
        "tasks", "add", "--prompt", f"Add lodash {SECRET}", "--contains", "pnpm add", "--not-contains", "npm",
        "--project", str(home.project), "--split", "val",
    )  # fmt: skip
    assert done.code == 0
    assert "1 added" in done.out
    (added,) = (task for name, task in tasks(home).items() if name.startswith("tasks-"))
    assert (added["project"], added["split"], added["source"]) == (str(home.project), "val", "tasks_file")
    assert SECRET not in added["prompt"]
    assert [item["op"] for item in added["reference"]["items"]] == ["contains", "not_contains"]
    again = home.command("tasks", "add", "--prompt", "Which port?", "--answer", "8080").out
    assert "1 added" in again
    assert "0 added, 0 changed, 1 unchanged" in home.command(
        "tasks", "add", "--prompt", "Which port?", "--answer", "8080"
    ).out  # fmt: skip


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (("--answer", "9090"), "has the same request with another reference"),
        (("--answer", "8080", "--project", "."), "has the same request for another project"),
    ],
)
@pytest.mark.slow
def test_a_task_in_the_same_words_is_not_written_over(home: Home, other: tuple[str, ...], said: str) -> None:
    home.command("tasks", "add", "--prompt", "Which port?", "--answer", "8080")
    before = tasks(home)
    (name,) = before.keys() - {"abc123", "abd456"}
    done = home.command("tasks", "add", "--prompt", "Which port?", *other)
    assert done.code == 2
    assert f"{name} {said}" in done.err
    assert f"skillopt-sleep tasks edit {name}" in done.err
    assert tasks(home) == before


NOT_ADDED = (
    (("--prompt", "x"), "one way to score"),
    (("--answer", "x"), "one way to score"),
    (("--prompt", "x", "--answer", "y", "--rubric", "z"), "one way to score"),
    (("--prompt", "x", "--regex", "("), "regular expression"),
    (("--prompt", "x", "--answer", SECRET), "holds a secret"),
    (("--prompt", "x", "--answer", "y", "--project", "/nowhere"), "no such folder"),
)


@pytest.mark.slow
def test_a_task_that_cannot_be_used_is_not_added(home: Home) -> None:
    for options, said in NOT_ADDED:
        done = home.command("tasks", "add", *options)
        assert done.code == 2, said
        assert said in done.err
    assert set(tasks(home)) == {"abc123", "abd456"}
