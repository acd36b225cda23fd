"""Tasks written by hand."""

import json
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from skillopt_sleep.mining.tasks_file import TasksFile, fields_of, make_task, problem_of, read_tasks, to_text
from skillopt_sleep.records import Check, Checks, Command, Exact, Op, Reading, Rubric, Split
from tests.builders import a_task
from tests.fakes import NOON

ENTRY = {"prompt": "x", "reference": {"kind": "exact", "answer": "y"}}
TOKEN = "ghp_" + "a1B2c3D4" * 4 + "e5F6"
TOML = """
[[task]]
prompt = "Which package manager do we use?"
project = "shop"
context = "a Node project"
reference = {kind = "exact", answer = "pnpm"}
split = "val"
at = 2026-11-20T08:00:00Z

[[task]]
id = "mine"
prompt = "Write a run script"
reference = {kind = "checks", items = [{op = "contains", arg = "pnpm"}, {op = "max_chars", arg = "400"}]}
"""


def read(path: Path, text: str) -> Reading:
    path.write_text(text)
    ((_, _, reading),) = TasksFile((path,)).read([str(path)])
    return reading


def test_tasks_of_a_toml_file(tmp_path: Path) -> None:
    path = tmp_path / "tasks.toml"
    first, second = read(path, TOML).tasks
    assert first.prompt == "Which package manager do we use?"
    assert first.reference == Exact(answer="pnpm")
    assert (first.session, first.source, first.split) == (f"tasks_file:{path}#{first.id}", "tasks_file", Split.VAL)
    assert (first.project, first.context) == (str(tmp_path / "shop"), "a Node project")
    assert first.at.isoformat() == "2026-11-20T08:00:00+00:00"
    assert (second.id, second.project) == ("mine", "")
    assert isinstance(second.reference, Checks)
    assert [check.op for check in second.reference.items] == [Op.CONTAINS, Op.MAX_CHARS]
    assert second.at.timestamp() == pytest.approx(path.stat().st_mtime, abs=1e-3)


def test_tasks_of_a_jsonl_file(tmp_path: Path) -> None:
    line = '{"prompt": "Explain", "reference": {"kind": "rubric", "text": "one line"}}'
    (task,) = read(tmp_path / "tasks.jsonl", f"{line}\n\n").tasks
    assert task.reference == Rubric(text="one line")


def test_a_task_keeps_its_id_when_another_is_put_before_it(tmp_path: Path) -> None:
    line = '{"prompt": "Explain", "reference": {"kind": "rubric", "text": "one line"}}\n'
    other = line.replace("Explain", "Review")
    (before,) = read(tmp_path / "tasks.jsonl", line).tasks
    _, after = read(tmp_path / "tasks.jsonl", other + line).tasks
    assert before.id == after.id


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ('promt = "x"\nreference = {kind = "exact", answer = "y"}', "task 1: Object contains unknown field `promt`"),
        (
            'prompt = "x"\nnote = 1\nreference = {kind = "exact", answer = "y"}',
            "task 1: Object contains unknown field `note`",
        ),
        ('prompt = "x"\nreference = {kind = "exact", answr = "y"}', "unknown field `answr` (in 'reference')"),
        ('prompt = "x"\nreference = {kind = "equal", answer = "y"}', "'equal' (in 'reference.kind')"),
        (
            'prompt = "x"\nreference = {kind = "checks", items = [{op = "has", arg = "y"}]}',
            "'has' (in 'reference.items[0].op')",
        ),
        ('prompt = " "\nreference = {kind = "exact", answer = "y"}', "task 1: 'prompt' is empty"),
        (
            'prompt = "x"\nreference = {kind = "checks", items = [{op = "json_valid"}]}',
            "(json_valid) ask for nothing but a shape",
        ),
        ('prompt = "x"\nreference = {kind = "checks", items = []}', "(none) ask for nothing but a shape"),
        (
            'prompt = "x"\nreference = {kind = "checks", items = [{op = "regex", arg = "("}]}',
            "isn't a regular expression",
        ),
        ('prompt = "x"\nreference = {kind = "checks", items = [{op = "contains"}]}', "'contains' needs an 'arg'"),
        ('prompt = "x"\nreference = {kind = "exact", answer = " "}', "the exact 'answer' is empty"),
        ('prompt = "x"\nreference = {kind = "rubric", text = ""}', "the rubric's 'text' is empty"),
        (
            'id = "a\\nb"\nprompt = "x"\nreference = {kind = "exact", answer = "y"}',
            "'id'",
        ),
        (
            f'prompt = "x"\nreference = {{kind = "exact", answer = "{TOKEN}"}}',
            "the reference holds a secret (github-token)",
        ),
        (
            f'prompt = "x"\nreference = {{kind = "checks", items = [{{op = "contains", arg = "{TOKEN}"}}]}}',
            "the reference holds a secret (github-token)",
        ),
        (
            'prompt = "x"\nreference = {kind = "checks", items = [{op = "section_contains", arg = "y"}]}',
            "'section_contains' needs a 'section'",
        ),
        (
            'prompt = "x"\nreference = {kind = "checks", items = [{op = "contains", arg = "y"}, {op = "max_chars", arg = "few"}]}',
            "'max_chars' needs a number, not 'few'",
        ),
    ],
)
def test_an_entry_that_cannot_be_used_is_named_with_its_key(entry: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "tasks.toml"
    reading = read(path, f"[[task]]\n{entry}\n")
    assert reading.tasks == ()
    assert reading.unreadable.startswith(f"{path}: task 1: ")
    assert said in reading.unreadable
    assert "\n" not in reading.unreadable


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("t.toml", "[[task]", "Expected"),
        ("t.toml", "[[tasks]]\n", "unknown field `tasks`"),
        ("t.toml", "task = 3\n", "`$.task`"),
        ("t.jsonl", '{"prompt": \n', "truncated"),
        ("t.jsonl", "[]\n", "task 1: Expected `object`, got `array`"),
    ],
)
def test_a_file_that_cannot_be_used_says_why_in_one_line(name: str, text: str, said: str, tmp_path: Path) -> None:
    reading = read(tmp_path / name, text)
    assert said in reading.unreadable
    assert "\n" not in reading.unreadable


def test_an_id_given_twice_is_refused(tmp_path: Path) -> None:
    entry = '[[task]]\nid = "a"\nprompt = "x"\nreference = {kind = "exact", answer = "y"}\n'
    assert "task 2: the id 'a'" in read(tmp_path / "t.toml", entry * 2).unreadable


def test_a_named_file_that_is_missing_is_told(tmp_path: Path) -> None:
    path = tmp_path / "gone.toml"
    source = TasksFile((path,))
    assert [name for name, _ in source.stamps()] == [str(path)]
    ((_, _, reading),) = source.read([str(path)])
    assert "there is no such file" in reading.unreadable


def test_secrets_in_a_prompt_are_redacted(tmp_path: Path) -> None:
    entry = f'[[task]]\nprompt = "push with {TOKEN}"\nreference = {{kind = "exact", answer = "y"}}\n'
    (task,) = read(tmp_path / "t.toml", entry).tasks
    assert TOKEN not in task.prompt


def test_what_an_entry_does_not_say_can_be_told(tmp_path: Path) -> None:
    path = tmp_path / "t.toml"
    path.write_text('[[task]]\nprompt = "x"\nproject = "shop"\nreference = {kind = "exact", answer = "y"}\n')
    (task,) = read_tasks(path, written=NOON, session="", folder=Path("/home/ada"), name="mine")
    assert (task.id, task.session, task.project, task.at) == ("mine", "tasks_file:#mine", "/home/ada/shop", NOON)


def test_tasks_are_written_so_that_they_are_read_the_same(tmp_path: Path) -> None:
    tasks = (
        a_task(id="a", split=Split.VAL, context=f"use {TOKEN}"),
        a_task(id="b", reference=Rubric(text="short\nand 'clear'"), project=""),
        a_task(id="c", reference=Checks(items=(Check(op=Op.SECTION_CONTAINS, section="Notes", arg="\\d"),))),
    )
    path = tmp_path / "t.toml"
    path.write_text(to_text(tasks))
    again = read_tasks(path, written=NOON)
    assert TOKEN not in path.read_text()
    assert to_text(again) == path.read_text()
    assert [(t.id, t.prompt, t.reference, t.project, t.split, t.at) for t in again] == [
        (t.id, t.prompt, t.reference, t.project, t.split, t.at) for t in tasks
    ]


@pytest.mark.parametrize("character", ["\u2028", "\u2029", "\x85"])
def test_a_character_that_ends_a_line_of_text_ends_no_line_of_a_file(character: str, tmp_path: Path) -> None:
    text = json.dumps({"prompt": f"a{character}b", "reference": {"kind": "exact", "answer": "x"}}, ensure_ascii=False)
    [task] = read(tmp_path / "tasks.jsonl", f"{text}\r\n").tasks
    assert task.prompt.startswith("a")


@pytest.mark.parametrize(
    ("at", "moment"),
    [
        (datetime(2026, 1, 2, 3), datetime(2026, 1, 2, 3, tzinfo=UTC)),  # noqa: DTZ001 - as a person writes it
        (datetime(2026, 1, 2, 3, tzinfo=timezone(timedelta(hours=1))), datetime(2026, 1, 2, 2, tzinfo=UTC)),
    ],
)
def test_a_time_without_a_zone_is_in_utc(at: datetime, moment: datetime) -> None:
    task = make_task(ENTRY | {"at": at}, session="s", folder=Path("/home/ada"), written=NOON)
    assert (task.at, task.at.tzinfo) == (moment, UTC)


def test_what_is_empty_is_not_written() -> None:
    fields = fields_of(a_task(id="b", reference=Rubric(text="short"), project="", context=""))
    assert fields.keys() == {"id", "at", "prompt", "reference"}
    checks = fields_of(a_task(reference=Checks(items=(Check(op=Op.JSON_VALID),))))
    assert checks["reference"] == {"kind": "checks", "items": [{"op": "json_valid"}]}


def test_a_reference_that_no_file_could_hold_is_told_of() -> None:
    assert problem_of(Exact(answer="pnpm")) == ""
    assert "nothing but a shape" in problem_of(Checks(items=(Check(op=Op.MAX_CHARS, arg="9"),)))


def test_a_command_is_written_with_all_that_it_is_tried_with() -> None:
    command = Command(argv=("pytest",), tests=("conftest.py",), given=("test_a.py",))
    fields = {"kind": "command", "argv": ["pytest"], "tests": ["conftest.py"], "given": ["test_a.py"]}
    assert fields_of(a_task(reference=command))["reference"] == fields
