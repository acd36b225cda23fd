"""Each task of a document is shown with the last answer of both arms, and how it was graded."""

from pathlib import Path

import msgspec
from msgspec.structs import replace

from skillopt_sleep.kit.codec import to_json
from skillopt_sleep.records import Rollout, Split, Task
from skillopt_sleep.reporters.attempts import ANSWER_CHARS, MOST_TASKS, attempted_tasks, head, most_telling, rows
from tests.builders import a_document, a_rollout, a_task, a_trajectory, an_edit, an_outcome, changed
from tests.reporters.arms import Arms, tried

PLAIN = a_document()
CHANGED = a_document("- Use pnpm, never npm.")
OTHER = a_document("- Use pnpm.")
OUTCOME = an_outcome(candidate=CHANGED)


def wrote(folder: Path, tasks: list[Task], *rollouts: Rollout) -> Path:
    for name, some in (("tasks", tasks), ("rollouts", rollouts)):
        (folder / f"{name}.jsonl").write_bytes(b"".join(to_json(row) + b"\n" for row in some))
    return folder


def routed(name: str = "t1", side: Split = Split.VAL) -> Task:
    return a_task(id=name, split=side, document=PLAIN.id, lesson="l")


def answered(text: str, value: float | None, sha: str = PLAIN.sha, task: str = "t1", sample: int = 0) -> Rollout:
    made = a_rollout(value, task=task, document_sha=sha, sample=sample, trajectory=a_trajectory(text))
    return replace(made, note="" if value is not None else "timed_out: too late")


def test_both_arms_of_a_task_are_shown_with_grade_and_reason(tmp_path: Path) -> None:
    folder = wrote(tmp_path, [routed()], answered("npm", 0.25), answered("pnpm", 1.0, CHANGED.sha))
    (task,) = attempted_tasks([OUTCOME], folder)[PLAIN.id].listed
    assert (task.task, task.side, task.lesson, task.request) == ("t1", Split.VAL, "l", routed().prompt)
    assert task.before is not None
    assert task.after is not None
    assert (task.before.answer, task.before.hard, task.before.soft) == ("npm", 0.0, 0.25)
    assert task.before.why
    assert (task.after.answer, task.after.hard, task.after.problem) == ("pnpm", 1.0, "")


def test_the_last_attempt_is_shown_but_none_without_a_grade_instead_of_one_with_it(tmp_path: Path) -> None:
    folder = wrote(
        tmp_path, [routed()], answered("first", 0.0), answered("second", 0.5, sample=1), answered("", None, sample=2)
    )
    (task,) = attempted_tasks([OUTCOME], folder)[PLAIN.id].listed
    assert task.before is not None
    assert (task.before.answer, task.before.made, task.before.unscored) == ("second", 3, 1)


def test_an_attempt_that_was_never_graded_says_why(tmp_path: Path) -> None:
    (task,) = attempted_tasks([OUTCOME], wrote(tmp_path, [routed()], answered("", None)))[PLAIN.id].listed
    assert task.before is not None
    assert (task.before.hard, task.before.problem) == (None, "timed_out: too late")


def test_the_headlines_change_goes_before_another_that_was_tried_later(tmp_path: Path) -> None:
    attempts = (answered("headline", 1.0, CHANGED.sha), answered("half of it", 0.0, OTHER.sha))
    folder = wrote(tmp_path, [routed()], *attempts)
    (task,) = attempted_tasks([OUTCOME], folder)[PLAIN.id].listed
    assert task.after is not None
    assert task.after.answer == "headline"
    (task,) = attempted_tasks([an_outcome()], folder)[PLAIN.id].listed
    assert task.after is not None
    assert task.after.answer == "half of it"


def test_tasks_to_test_with_come_first_and_no_more_than_there_is_room_for(tmp_path: Path) -> None:
    train = [routed(f"a{number}", Split.TRAIN) for number in range(MOST_TASKS)]
    attempts = [answered("x", 0.0, task=task.id) for task in (*train, routed())]
    shown = attempted_tasks([OUTCOME], wrote(tmp_path, [*train, routed()], *attempts))[PLAIN.id]
    assert (len(shown.listed), shown.left_out, shown.listed[0].task) == (MOST_TASKS, 1, "t1")


def test_a_long_answer_is_cut(tmp_path: Path) -> None:
    (task,) = attempted_tasks([OUTCOME], wrote(tmp_path, [routed()], answered("x" * 9_999, 0.0)))[PLAIN.id].listed
    assert task.before is not None
    assert len(task.before.answer) == ANSWER_CHARS


def test_two_documents_of_the_same_text_keep_their_tasks_apart(tmp_path: Path) -> None:
    twin = an_outcome(document=a_document(id="data:CLAUDE.md"))
    tasks = [routed(), replace(routed("t2"), document="data:CLAUDE.md")]
    found = attempted_tasks(
        [OUTCOME, twin], wrote(tmp_path, tasks, answered("a", 0.0), answered("b", 0.0, task="t2"))
    )
    assert [[task.task for task in of.listed] for of in found.values()] == [["t1"], ["t2"]]


def test_a_night_that_attempted_nothing_shows_nothing(tmp_path: Path) -> None:
    found = attempted_tasks([OUTCOME], tmp_path)[PLAIN.id]
    assert (found.listed, found.left_out) == ((), 0)


def test_the_arms_that_differ_most_tell_most(tmp_path: Path) -> None:
    same = Arms(grades=(1.0, 1.0), prompt="one")
    proposal, report = tried(tmp_path, same, Arms(prompt="two"), same)
    task = most_telling(proposal, report.documents, tmp_path)
    assert task is not None
    assert task.request == "two"


def test_a_request_that_the_rule_was_written_from_or_of_another_lesson_tells_nothing(tmp_path: Path) -> None:
    proposal, report = tried(tmp_path, Arms(), splits=[Split.TRAIN])
    assert most_telling(proposal, report.documents, tmp_path) is None
    proposal, report = tried(tmp_path, Arms())
    other = replace(proposal, edits=(an_edit(lessons=("another",)),))
    assert most_telling(other, report.documents, tmp_path) is None
    assert most_telling(changed(proposal, path="/else/AGENTS.md"), report.documents, tmp_path) is None
    assert most_telling(proposal, report.documents, tmp_path / "gone") is None


class Named(msgspec.Struct):
    """A row of which only the name is read."""

    name: str


def test_only_the_named_fields_of_each_line_are_read(tmp_path: Path) -> None:
    path = tmp_path / "stage.jsonl"
    path.write_bytes(b'{"name": "a", "much": [1, 2]}\n{"name": "b"}\n')
    assert [row.name for row in rows(path, Named)] == ["a", "b"]


def test_without_the_file_there_are_no_rows(tmp_path: Path) -> None:
    assert list(rows(tmp_path / "stage.jsonl", Named)) == []


def test_lines_that_are_damaged_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "stage.jsonl"
    path.write_bytes(b'{"name": "a"}\n{"name": \xff}\n{"name": 3}\n[]\n{"na')
    assert [row.name for row in rows(path, Named)] == ["a"]


def test_a_head_says_that_there_is_more() -> None:
    assert (head("abc", 3), head("abcd", 3)) == ("abc", "ab…")
