from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.records import Split
from skillopt_sleep.stores.bank import TaskMark
from tests.builders import a_task
from tests.command import Home
from tests.stores.opening import open_at, seal


def had_tasks(home: Home) -> None:
    """Two projects, one request that recurred, one dropped, one pinned."""
    store = open_at(home.folder / "sleep" / "data", clock=utc_now)
    now = utc_now()

    def task(number: int, split: Split, **fields: object) -> object:
        at = now - timedelta(days=6 - number, minutes=1)
        return a_task(
            id=f"{number}aaaaaaa{number}bbb", session=f"claude_code:s{number}", split=split, at=at, **fields
        )

    with store.open_night() as page:
        tasks = (
            task(1, Split.TRAIN, lesson="c1"),
            task(2, Split.VAL, lesson="c1", prompt="say it\x1b[31m in red " + "and long " * 20),
            task(3, Split.TRAIN, lesson="c3", project="/home/ada/blog", prompt="write a post"),
            task(4, Split.TRAIN, lesson="c4", prompt="junk"),
        )
        seal(page, tasks=tasks)  # pyright: ignore[reportArgumentType]
    store.bank.mark(["2aaaaaaa2bbb"], TaskMark.PINNED, at=now)
    store.bank.mark(["4aaaaaaa4bbb"], TaskMark.DROPPED, at=now)
    store.close()


def listed(home: Home, *options: str) -> list[dict[str, Any]]:
    return home.command("tasks", "list", "--json", *options).json


@pytest.mark.slow
def test_tasks_of_a_night_are_listed_with_their_side_and_shown_as_they_are_asked(tmp_path: Path) -> None:
    home = Home(tmp_path)
    assert home.command("tasks", "list").out.endswith("To add one: skillopt-sleep tasks add --help\n")
    home.had_sessions()
    home.command("run", "--backend", "simulated")
    tasks = home.command("tasks", "list", "--json").json
    assert [task["split"] for task in tasks] == ["train", "val", "val", "train", "val"]
    name = tasks[0]["id"]
    out = home.command("tasks", "show", name[:6]).out
    assert "The request:\n    create a run script\n" in out
    assert "    contains «pnpm»\n    doesn't contain the word «npm»\n" in out
    assert "scored" not in out, "the answer that was rejected is learned from as it is"
    tested = home.command("tasks", "show", tasks[1]["id"]).out
    assert "with the instructions as they were then, scored " in tested
    why = home.command("why", name).out
    assert "we always use pnpm here, never npm" in why
    assert "4 other tasks" in why
    assert "Nights that used it" in why
    assert home.command("tasks", "show", name, "--json").json["id"] == name


def test_the_list_is_grouped_by_recurring_request_and_fits_in_80_columns(tmp_path: Path) -> None:
    home = Home(tmp_path)
    had_tasks(home)
    out = home.command("tasks", "list").out
    *listed, legend = out.splitlines()
    assert max(map(len, listed)) <= 80
    assert "learn: " in legend
    assert "\x1b" not in out
    assert (
        "  2 sessions: first 5 days ago, last 4 days ago; learn 1, decide 1\n    1aaaaaaa  learn      checks" in out
    )
    assert "once, 3 days ago; learn 1" in out
    assert "[pinned]" in out
    assert "junk" not in out
    assert "3 tasks; 1 dropped" in out


@pytest.mark.slow
def test_the_list_can_be_narrowed(tmp_path: Path) -> None:
    home = Home(tmp_path)
    had_tasks(home)

    def numbers(*options: str) -> str:
        return "".join(task["id"][0] for task in listed(home, *options))

    assert numbers() == "123"
    assert numbers("--project", "blog") == "3"
    assert numbers("--project", "/home/ada/shop") == "12"
    assert numbers("--dropped") == "4"
    assert "[dropped]" in home.command("tasks", "list", "--dropped").out


def test_an_unknown_task_is_named(tmp_path: Path) -> None:
    done = Home(tmp_path).command("tasks", "show", "nope")
    assert done.code == 2
    assert "nope" in done.err


def test_a_task_is_either_dropped_or_pinned_and_the_last_word_is_said(tmp_path: Path) -> None:
    home = Home(tmp_path)
    had_tasks(home)
    dropped, pinned = home.command("tasks", "drop", "2aaa"), home.command("tasks", "pin", "4aaa")
    assert "was pinned" in dropped.out
    assert "was dropped" in pinned.out
    marks = {task["id"][0]: (bool(task["dropped"]), bool(task["pinned"])) for task in listed(home, "--dropped")}
    assert marks == {"2": (True, False)}
    assert "4" in [task["id"][0] for task in listed(home)]
    home.command("tasks", "pin", "--undo", "4aaa")
    assert not any(task["pinned"] for task in listed(home))


@pytest.mark.parametrize(("word", "split"), [("learn", "train"), ("kept back", "test"), ("val", "val")])
def test_a_side_is_named_by_either_word(tmp_path: Path, word: str, split: str) -> None:
    home = Home(tmp_path)
    had_tasks(home)
    done = home.command("tasks", "edit", "3aaa", "--split", word)
    assert done.code == 0, done.err
    assert home.command("tasks", "show", "3aaa", "--json").json["split"] == split


def test_a_side_that_is_none_is_refused_with_those_that_are(tmp_path: Path) -> None:
    done = Home(tmp_path).command("tasks", "edit", "3aaa", "--split", "both")
    assert done.code == 2
    assert "learn, decide, kept back" in done.err
