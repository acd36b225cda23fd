from pathlib import Path

import pytest

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.records import Split
from skillopt_sleep.trainer.envs.question_answering import QuestionAnswering
from skillopt_sleep.trainer.envs.searchqa import is_searchqas, searchqa_rows

LINES = (
    "<s>Oxton Mill is old</s> <s>The Lerve drives it</s> ||| This river drives Oxton Mill ||| the lerve\n"
    "<s>It burnt down</s> |||  ||| 1902\n"
)


def test_snippets_are_documents_and_a_line_without_a_question_is_left_out_and_said(tmp_path: Path) -> None:
    for name in ("train", "val"):
        (tmp_path / f"{name}.txt").write_text(LINES, encoding="utf-8")
    (tmp_path / "test_notes.txt").write_text("How this was tested.\n", encoding="utf-8")
    env = QuestionAnswering(path=str(tmp_path))
    [item] = env.items(Split.TRAIN)
    assert item.data == {
        "question": "This river drives Oxton Mill",
        "context": "[DOC] Oxton Mill is old\n\n[DOC] The Lerve drives it",
        "answers": ["the lerve"],
    }
    assert "lines without a question, left out of train.txt: 1" in env.remarks
    assert env.items(Split.TEST) == ()


def test_another_text_beside_the_data_is_no_data(tmp_path: Path) -> None:
    (tmp_path / "README.txt").write_text("Read me.\n", encoding="utf-8")
    (tmp_path / "all.txt").write_text(LINES, encoding="utf-8")
    assert not is_searchqas(tmp_path / "README.txt")
    assert not is_searchqas(tmp_path / "gone.txt")
    assert QuestionAnswering(path=str(tmp_path)).data_files(tmp_path) == [tmp_path / "all.txt"]


@pytest.mark.parametrize(("line", "parts"), [("a ||| b", 2), ("a ||| b ||| c ||| d", 4), ("text", 1)])
def test_a_line_with_other_parts_is_named(tmp_path: Path, line: str, parts: int) -> None:
    (tmp_path / "x.txt").write_text(f"{LINES}{line}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=rf"x\.txt: line 3 has {parts} parts"):
        searchqa_rows(tmp_path / "x.txt")
