from pathlib import Path

import pytest

from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.records import Check, Checks, Exact, Op, Rubric, Split
from tests.builders import a_task
from tests.command import Home
from tests.stores.opening import open_at, seal

TASKS = (
    a_task(id="a1", lesson="c", split=Split.TRAIN, prompt='two\nlines "quoted" \\d \x1b[31m\r\n"""', context="\tx"),
    a_task(id="a2", lesson="c", split=Split.TEST, reference=Exact(answer="'pnpm'\\n"), session="s2"),
    a_task(id="a3", lesson="c", split=Split.VAL, reference=Rubric(text="short"), session="s3", project=""),
)


def banked(home: Home, *more: object) -> None:
    store = open_at(home.folder / "sleep" / "data", clock=utc_now)
    with store.open_night() as page:
        seal(page, tasks=(*TASKS, *more))  # pyright: ignore[reportArgumentType]
    store.close()


@pytest.mark.slow
def test_an_export_is_imported_and_exported_the_same(tmp_path: Path) -> None:
    here, there = Home(tmp_path / "here"), Home(tmp_path / "there")
    banked(here)
    file = tmp_path / "all.toml"
    assert "3 tasks" in here.command("tasks", "export", str(file)).out
    text = here.command("tasks", "export").out
    assert text == file.read_text()
    assert "\x1b" not in text

    assert "3 added, 0 changed, 0 unchanged" in there.command("tasks", "import", str(file)).out
    assert there.command("tasks", "export").out == text
    assert "0 added, 0 changed, 3 unchanged" in there.command("tasks", "import", str(file)).out
    assert "0 added, 0 changed, 3 unchanged" in here.command("tasks", "import", str(file)).out


def test_an_import_changes_what_is_known_and_leaves_what_was_dropped(tmp_path: Path) -> None:
    home = Home(tmp_path)
    banked(home)
    home.command("tasks", "drop", "a1")
    lines = (
        '{"id": "a1", "prompt": "new words", "reference": {"kind": "exact", "answer": "x"}}',
        '{"id": "a2", "prompt": "new words", "project": "/home/ada/shop", "reference": {"kind": "exact", "answer": "x"}}',
        '{"prompt": "a new one", "reference": {"kind": "exact", "answer": "x"}}',
    )
    file = tmp_path / "some.jsonl"
    file.write_text("\n".join(lines))
    done = home.command("tasks", "import", str(file))
    assert "1 added, 2 changed, 0 unchanged" in done.out
    assert "still dropped: a1" in done.out
    by_id = {task["id"]: task for task in home.command("tasks", "list", "--json").json}
    assert (by_id["a2"]["prompt"], by_id["a2"]["session"], by_id["a2"]["split"]) == ("new words", "s2", "test")
    assert "a1" not in by_id


def test_a_file_that_cannot_be_used_is_not_taken_in_at_all(tmp_path: Path) -> None:
    home = Home(tmp_path)
    file = tmp_path / "t.jsonl"
    good = '{"prompt": "x", "reference": {"kind": "exact", "answer": "y"}}'
    file.write_text(f"{good}\n{good.replace('exact', 'equal')}")
    done = home.command("tasks", "import", str(file))
    assert done.code == 2
    assert "task 2" in done.err
    assert home.command("tasks", "list", "--json").json == []


@pytest.mark.slow
def test_a_file_that_cannot_be_read_or_written_is_named_as_it_was_given(tmp_path: Path) -> None:
    home = Home(tmp_path)
    banked(home)
    (tmp_path / "folder").mkdir()
    for command, said in (
        (("import", "gone.toml"), "gone.toml can't be read: No such file or directory"),
        (("import", "folder"), "folder can't be read: Is a directory"),
        (("export", "gone/t.toml"), "gone/t.toml: No such file or directory"),
    ):
        done = home.command("tasks", *command)
        assert done.code == 2
        assert done.err.startswith(f"skillopt-sleep: {said}\n  → name a file")


def test_an_export_overwrites_nothing_and_names_what_no_file_could_hold(tmp_path: Path) -> None:
    home = Home(tmp_path)
    bad = Checks(items=(Check(op=Op.REGEX, arg="("),))
    banked(home, a_task(id="bad", session="s9", split=Split.VAL, lesson="c", reference=bad))
    done = home.command("tasks", "export")
    assert "left out bad: the check 'regex' isn't a regular expression" in done.err
    assert 'id = "bad"' not in done.out
    there = tmp_path / "t.toml"
    there.write_text("mine")
    assert home.command("tasks", "export", str(there)).code == 2
    assert there.read_text() == "mine"
    assert "ends in .toml" in home.command("tasks", "export", "t.json").err
