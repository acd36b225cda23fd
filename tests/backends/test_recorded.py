import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest

from skillopt_sleep.backends.wrappers import Recorded
from skillopt_sleep.errors import CallFailed, FailureKind
from skillopt_sleep.records import Purpose
from tests.builders import a_prompt
from tests.fakes import FakeBackend

SECRET = "ghp_" + "aB3dE5gH7jK9mN1pQ3rS5tU7vW9xY1zA3bC5"


class Reply(msgspec.Struct):
    """What the prompt of a test asks for."""

    edits: tuple[str, ...]


def _rows(folder: Path) -> list[dict[str, object]]:
    return [msgspec.json.decode(line) for line in (folder / "calls.jsonl").read_bytes().splitlines()]


def test_a_question_and_its_answer_are_one_line(tmp_path: Path) -> None:
    recorded = Recorded(FakeBackend(otherwise="two\nlines"), lambda: tmp_path)
    completion = recorded.complete(a_prompt("why?", purpose=Purpose.ROLLOUT, sample=2))
    assert completion.text == "two\nlines"
    assert _rows(tmp_path) == [
        {"purpose": "rollout", "sample": 2, "about": "", "prompt": "why?", "reply": "two\nlines", "failure": ""}
    ]


def test_a_failure_is_written_down_and_raised(tmp_path: Path) -> None:
    recorded = Recorded(FakeBackend(otherwise=CallFailed(FailureKind.TIMED_OUT, "too late")), lambda: tmp_path)
    with pytest.raises(CallFailed, match="too late"):
        recorded.complete(a_prompt())
    (row,) = _rows(tmp_path)
    assert (row["reply"], row["failure"]) == ("", "timed_out: too late")


def test_a_reply_of_no_use_is_written_down_with_the_document_it_is_about(tmp_path: Path) -> None:
    recorded = Recorded(FakeBackend(otherwise="I would rather not."), lambda: tmp_path)
    prompt = a_prompt(purpose=Purpose.REFLECT, schema=Reply, about="shop/CLAUDE.md")
    with pytest.raises(CallFailed):
        recorded.complete(prompt)
    (row,) = _rows(tmp_path)
    assert (row["about"], row["reply"]) == ("shop/CLAUDE.md", "I would rather not.")
    assert str(row["failure"]).startswith("malformed: ")


def test_no_secret_is_written_down(tmp_path: Path) -> None:
    said = f"the token is {SECRET}"
    Recorded(FakeBackend(otherwise=said), lambda: tmp_path).complete(a_prompt(said))
    with pytest.raises(CallFailed):
        Recorded(FakeBackend(otherwise=CallFailed(FailureKind.REFUSED, said)), lambda: tmp_path).complete(a_prompt())
    text = (tmp_path / "calls.jsonl").read_text(encoding="utf-8")
    assert SECRET not in text
    assert text.count("[redacted:") == 3


def test_an_answer_that_is_used_again_stands_there_once_even_in_another_life(tmp_path: Path) -> None:
    for _ in range(2):
        recorded = Recorded(FakeBackend(otherwise="done"), lambda: tmp_path)
        for sample in (0, 1, 0):
            recorded.complete(a_prompt(sample=sample))
    assert [row["sample"] for row in _rows(tmp_path)] == [0, 1]


def test_every_failure_is_written_down(tmp_path: Path) -> None:
    recorded = Recorded(FakeBackend(otherwise=CallFailed(FailureKind.TIMED_OUT, "too late")), lambda: tmp_path)
    for _ in range(2):
        with pytest.raises(CallFailed):
            recorded.complete(a_prompt())
    assert len(_rows(tmp_path)) == 2


def test_each_night_has_its_own(tmp_path: Path) -> None:
    night = tmp_path
    recorded = Recorded(FakeBackend(otherwise="done"), lambda: night)
    for name in ("one", "two"):
        night = tmp_path / name
        night.mkdir()
        recorded.complete(a_prompt())
    assert [len(_rows(tmp_path / name)) for name in ("one", "two")] == [1, 1]


def test_only_the_owner_can_read_it(tmp_path: Path) -> None:
    Recorded(FakeBackend(otherwise="done"), lambda: tmp_path).complete(a_prompt())
    assert stat.S_IMODE((tmp_path / "calls.jsonl").stat().st_mode) == 0o600


def test_lines_of_many_threads_stay_whole(tmp_path: Path) -> None:
    recorded = Recorded(FakeBackend(otherwise=lambda prompt: prompt.text[::-1]), lambda: tmp_path)
    texts = [f"{number} " + "x" * 20_000 for number in range(80)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda text: recorded.complete(a_prompt(text)), texts))
    rows = _rows(tmp_path)
    assert {row["prompt"] for row in rows} == set(texts)
    assert all(row["reply"] == str(row["prompt"])[::-1] for row in rows)


def test_it_is_written_where_the_night_is_when_it_is_asked(tmp_path: Path) -> None:
    folders = iter([tmp_path / "one", tmp_path / "two"])
    recorded = Recorded(FakeBackend(otherwise="done"), lambda: next(folders))
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        recorded.complete(a_prompt(name))
        assert [row["prompt"] for row in _rows(tmp_path / name)] == [name]
