import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.records import Purpose, Split
from skillopt_sleep.trainer.env import Item, Result
from skillopt_sleep.trainer.envs.multiple_choice import MultipleChoice
from tests.fakes import FakeBackend

FOUR = ["red", "green", "blue", "grey"]
FORMS = {
    "ARC": {
        "question": {
            "stem": "Which?",
            "choices": [{"text": t, "label": n} for n, t in zip("1234", FOUR, strict=True)],
        },
        "answerKey": "3",
    },
    "ARC, flat": {"question": "Which?", "choices": {"text": FOUR, "label": list("ABCD")}, "answerKey": "C"},
    "LiveMathematicianBench": {
        "no": 7,
        "theorem_type": ["Existence", "Bound"],
        "mcq": {
            "question": "Which?",
            "choices": [{"label": f"{n}.", "text": t} for n, t in zip("ABCD", FOUR, strict=True)],
            "correct_choice": {"label": "C", "text": "blue"},
        },
    },
    "MMLU": {"question": "Which?", "choices": FOUR, "answer": 2, "subject": "colour"},
    "a table": {"Question": "Which?", "A": "red", "B": "green", "C": "blue", "D": "grey", "Answer": "C"},
    "a mapping": {"question": "Which?", "options": dict(zip("ABCD", FOUR, strict=True)), "answer": "C"},
    "by text": {"question": "Which?", "choices": FOUR, "answer": "blue"},
    "a list in a cell": {"question": "Which?", "choices": str(FOUR), "answer": "2"},
}


def _items(path: Path, *rows: object, **options: Any) -> list[Item]:
    (path / "train.json").write_text(json.dumps(rows), encoding="utf-8")
    (path / "val.json").write_text(
        json.dumps([{"question": "?", "choices": ["a", "b"], "answer": 0}]), encoding="utf-8"
    )
    return list(MultipleChoice(path=str(path), **options).items(Split.TRAIN))


def _many(count: int = 200) -> list[dict[str, Any]]:
    return [{"id": str(n), "question": "Which?", "choices": FOUR, "answer": "blue"} for n in range(count)]


def _answered(reply: str, item: Item) -> Result:
    return MultipleChoice().rollout_one(item, "", FakeBackend({Purpose.ROLLOUT: reply}), sample=0)


@pytest.mark.parametrize("form", FORMS)
def test_the_usual_forms_are_read(tmp_path: Path, form: str) -> None:
    [item] = _items(tmp_path, FORMS[form])
    assert sorted(item.data["choices"].values()) == sorted(FOUR)
    assert item.data["choices"][item.data["right"]] == "blue"
    assert item.text.startswith("Which?\n\nA) ")


def test_kinds_are_the_datasets_own(tmp_path: Path) -> None:
    assert _items(tmp_path, FORMS["LiveMathematicianBench"])[0].kind == "Existence"
    assert _items(tmp_path, FORMS["MMLU"])[0].kind == "colour"


def test_the_order_depends_on_seed_and_id_alone(tmp_path: Path) -> None:
    items = _items(tmp_path, *_many())
    again = {item.id: item for item in _items(tmp_path, *reversed(_many()))}
    assert all(again[item.id] == item for item in items)
    assert items != _items(tmp_path, *_many(), shuffle_seed=7)


def test_the_right_choice_is_in_every_place_equally_often(tmp_path: Path) -> None:
    counts = Counter(item.data["right"] for item in _items(tmp_path, *_many()))
    assert set(counts) == set("ABCD")
    assert min(counts.values()) > 30


def test_without_shuffling_the_order_is_the_files(tmp_path: Path) -> None:
    [item] = _items(tmp_path, FORMS["MMLU"], shuffle=False)
    assert list(item.data["choices"].values()) == FOUR


@pytest.mark.parametrize("last", ["None of the above", "all of these", "Both A and B", "neither of those"])
def test_choices_that_speak_of_others_stay_where_they_are(tmp_path: Path, last: str) -> None:
    for item in _items(tmp_path, *({**row, "choices": [*FOUR[:3], last]} for row in _many(20))):
        assert list(item.data["choices"].values()) == [*FOUR[:3], last]


def test_a_choice_is_right_or_wrong(tmp_path: Path) -> None:
    [item] = _items(tmp_path, FORMS["MMLU"])
    right = item.data["right"]
    wrong = next(label for label in "ABCD" if label != right)
    assert _answered(f"<answer>{right}</answer>", item).hard == 1
    assert _answered("<answer>blue</answer>", item).soft == 1
    assert _answered(f"<answer>{wrong}</answer>", item).why == f"{wrong} is not the right choice"
    assert "names none" in _answered("<answer>It depends.</answer>", item).why


def test_a_choice_with_the_text_of_the_right_one_is_right(tmp_path: Path) -> None:
    [item] = _items(tmp_path, {"question": "Which?", "choices": ["a", "b", "a"], "answer": 0})
    graded = {text: _answered(f"<answer>{label}</answer>", item).hard for label, text in item.data["choices"].items()}
    assert graded == {"a": 1, "b": 0}
    assert sum(_answered(f"<answer>{label}</answer>", item).hard for label in "ABC") == 2


def test_a_table_may_have_fewer_choices_in_a_row_but_none_is_empty_between_others(tmp_path: Path) -> None:
    table = "question,A,B,C,D,answer\nWhich?,red,blue,,,B\n"
    (tmp_path / "all.csv").write_text(table, encoding="utf-8")
    [item] = MultipleChoice(path=str(tmp_path / "all.csv")).read(tmp_path / "all.csv")
    assert sorted(item.data["choices"].values()) == ["blue", "red"]
    (tmp_path / "all.csv").write_text(table + "Which?,red,,blue,,A\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"row 2: its choice B is empty, but C is not"):
        MultipleChoice(path=str(tmp_path)).items(Split.TRAIN)


def test_a_table_whose_first_line_names_no_columns_is_refused_with_what_it_has_to_do(tmp_path: Path) -> None:
    (tmp_path / "all.csv").write_text("Which?,red,blue,1\nWhat?,red,blue,0\n", encoding="utf-8")
    with pytest.raises(ConfigError) as refused:
        MultipleChoice(path=str(tmp_path)).items(Split.TRAIN)
    assert "the first line of a table has to name its columns" in refused.value.remedy
    (tmp_path / "all.csv").write_text("question,A,B,answer\nWhich?,red,blue,A\nWhat?,red,,B\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="row 2") as later:
        MultipleChoice(path=str(tmp_path)).items(Split.TRAIN)
    assert later.value.remedy == "fix the row, or leave it out"


@pytest.mark.parametrize(
    "row",
    [
        {"question": "Which?", "choices": ["one"], "answer": 0},
        {"question": "Which?", "choices": FOUR, "answer": "E"},
        {"question": "Which?", "choices": FOUR, "answer": 4},
        {"question": "Which?", "choices": ["a", "", "b"], "answer": 0},
        {"question": "Which?", "answer": "A"},
        {"choices": FOUR, "answer": 0},
        {"question": "Which?", "choices": [{"label": "A"}, {"label": "B"}], "answer": "A"},
        {"question": "Which?", "choices": 5, "answer": "A"},
        {"question": "Which?", "choices": [["red"], ["blue"]], "answer": "A"},
        {"question": "Which?", "choices": ["1", "2", "3", "4"], "answer": "2"},
        {"question": "Which?", "choices": [1, 2, 3, 4], "answer": 2},
        {"question": "Which?", "choices": ["B", "A"], "answer": "A"},
    ],
)
def test_an_unusable_row_is_refused(tmp_path: Path, row: object) -> None:
    with pytest.raises(ConfigError, match="row 1"):
        _items(tmp_path, row)


@pytest.mark.parametrize(
    ("row", "right"),
    [
        ({"choices": ["0", "4", "2", "6"], "answer": 1}, "4"),
        ({"choices": ["1", "2", "3", "4"], "answer": "B"}, "2"),
        ({"choices": ["0", "1", "2"], "answer": "1"}, "1"),
        ({"choices": [1, 2, 3], "answer": "C"}, "3"),
        ({"choices": {"label": list("1234"), "text": list("4321")}, "answer": "1"}, "4"),
    ],
)
def test_an_answer_that_can_be_read_in_one_way_is_taken(tmp_path: Path, row: dict[str, Any], right: str) -> None:
    [item] = _items(tmp_path, {"question": "Which?", **row})
    assert item.data["choices"][item.data["right"]] == right


def test_an_answer_that_can_be_read_in_two_ways_is_refused_with_what_to_write(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"train\.json: row 1: .*write C for '3', or B for '2'"):
        _items(tmp_path, {"question": "Which?", "choices": ["1", "2", "3", "4"], "answer": "2"})
    with pytest.raises(ConfigError, match="write 0 for 'B', or 1 for 'A'"):
        _items(tmp_path, {"question": "Which?", "choices": ["B", "A"], "answer": "A"})
