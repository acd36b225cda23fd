from pathlib import Path

from tests.command import Home


def test_tasks_are_listed_with_their_side_and_shown_with_their_provenance(tmp_path: Path) -> None:
    home = Home(tmp_path)
    assert "no tasks yet" in home.command("tasks", "list").out
    home.had_sessions()
    home.command("run", "--now", "--backend", "simulated")
    tasks = home.command("tasks", "list", "--json").json
    assert [task["split"] for task in tasks] == ["train", "val", "train", "val", "train"]
    out = home.command("tasks", "show", tasks[0]["id"]).out
    assert "create a run script" in out
    assert "we always use pnpm here, never npm" in out
    assert home.command("tasks", "show", tasks[0]["id"], "--json").json["id"] == tasks[0]["id"]


def test_an_unknown_task_is_named(tmp_path: Path) -> None:
    done = Home(tmp_path).command("tasks", "show", "nope")
    assert done.code == 2
    assert "nope" in done.err
