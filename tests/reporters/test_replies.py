"""The last replies about each document, and the last failure of each kind of call, are read from calls.jsonl."""

from pathlib import Path

from skillopt_sleep.kit.codec import to_json
from skillopt_sleep.records import Purpose
from skillopt_sleep.reporters.diagnostics import FAILURE_CHARS, REPLY_CHARS, last_calls


def wrote(folder: Path, *rows: dict[str, str]) -> Path:
    lines = [to_json({"sample": 0, "prompt": "a long question"} | row) + b"\n" for row in rows]
    (folder / "calls.jsonl").write_bytes(b"".join(lines))
    return folder


def test_the_last_reply_of_each_kind_about_each_document_is_shown(tmp_path: Path) -> None:
    replies, failures = last_calls(
        wrote(
            tmp_path,
            {"purpose": "reflect", "about": "a", "reply": "one"},
            {"purpose": "reflect", "about": "b", "reply": "two"},
            {"purpose": "reflect", "about": "a", "reply": "three"},
            {"purpose": "select", "about": "a", "reply": "four"},
            {"purpose": "rollout", "reply": "nobody's"},
        )
    )
    shown = {
        name: [(one.purpose, one.reply, one.calls) for one in of_document] for name, of_document in replies.items()
    }
    assert shown == {
        "a": [(Purpose.REFLECT, "three", 2), (Purpose.SELECT, "four", 1)],
        "b": [(Purpose.REFLECT, "two", 1)],
    }
    assert failures == ()


def test_of_a_long_reply_the_head_is_shown_and_its_length(tmp_path: Path) -> None:
    replies, _ = last_calls(wrote(tmp_path, {"purpose": "reflect", "about": "a", "reply": "x" * 9_999}))
    (reply,) = replies["a"]
    assert (len(reply.reply), reply.characters) == (REPLY_CHARS, 9_999)


def test_the_last_failure_of_each_kind_is_counted_among_its_calls(tmp_path: Path) -> None:
    _, (mine, judge) = last_calls(
        wrote(
            tmp_path,
            {"purpose": "judge", "failure": "empty: nothing"},
            {"purpose": "judge", "reply": "fine"},
            {"purpose": "mine", "failure": "timed_out: " + "late " * 999},
            {"purpose": "judge", "failure": "refused: no", "about": ""},
        )
    )
    assert (mine.purpose, len(mine.failure)) == (Purpose.MINE, FAILURE_CHARS)
    assert (judge.purpose, judge.failure, judge.failed, judge.calls) == (Purpose.JUDGE, "refused: no", 2, 3)


def test_a_reply_that_failed_is_shown_with_why(tmp_path: Path) -> None:
    row = {"purpose": "reflect", "about": "a", "reply": "in words", "failure": "malformed: no JSON"}
    (reply,) = last_calls(wrote(tmp_path, row))[0]["a"]
    assert (reply.reply, reply.failure) == ("in words", "malformed: no JSON")


def test_a_night_without_calls_has_none(tmp_path: Path) -> None:
    assert last_calls(tmp_path) == ({}, ())
