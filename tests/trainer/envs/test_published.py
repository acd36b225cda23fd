"""Files in the form in which datasets are published: each is read as its authors meant it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.records import Split
from skillopt_sleep.trainer.env import Item, find_env

PUBLISHED = Path(__file__).parent / "published"


def train(env: str, folder: str, **options: Any) -> Sequence[Item]:
    return find_env(env, {"path": str(PUBLISHED / folder), **options}).items(Split.TRAIN)


def right_choices(items: Sequence[Item]) -> list[str]:
    return [item.data["choices"][item.data["right"]] for item in items]


def test_the_paragraphs_of_hotpotqa_are_the_context() -> None:
    founder, compared = train("dataset", "hotpotqa")
    assert "Edvin Rask was a clockmaker. He was born in Bergen." in founder.data["context"]
    assert founder.data["context"].startswith("[DOC] Lerve\nThe Lerve is a river of 41 km.")
    assert (founder.id, founder.kind, founder.data["answers"]) == (f"5ac{1:021d}", "bridge", ["Bergen"])
    assert (compared.kind, compared.data["answers"]) == ("comparison", ["no"])


def test_a_test_without_answers_is_refused_only_where_it_is_asked_for() -> None:
    env = find_env("dataset", {"path": str(PUBLISHED / "hotpotqa")})
    assert len(env.items(Split.VAL)) == 1
    with pytest.raises(ConfigError, match=r"hotpot_test_fullwiki_v1\.json: row 1: it has no 'answers'") as refused:
        env.items(Split.TEST)
    assert "evaluation.test = false" in refused.value.remedy


def test_gsm8k_is_asked_for_the_number_after_its_marks() -> None:
    env = find_env("dataset", {"path": str(PUBLISHED / "gsm8k"), "ratio": [2, 1, 0]})
    items = [*env.items(Split.TRAIN), *env.items(Split.VAL), *env.items(Split.TEST)]
    assert sorted(item.data["answers"][0] for item in items) == ["-5", "15", "21", "3,240"]
    assert not any("####" in item.text for item in items)


def test_mmlus_own_tables_have_no_header() -> None:
    env = find_env("dataset", {"path": str(PUBLISHED / "mmlu")})
    assert right_choices(env.items(Split.TRAIN)) == ["mercury", "6"]
    assert right_choices(env.items(Split.VAL)) == ["Lerve"]
    assert right_choices(env.items(Split.TEST)) == ["3", "True, False"]
    assert env.items(Split.TEST)[0].text.startswith("Find the order of 2 in Z_6.\n\nA) ")
    assert env.items(Split.TEST)[0].kind == "abstract_algebra"


def test_gpqas_right_answer_is_in_no_place_of_its_own() -> None:
    items = train("dataset", "gpqa", ratio=[10, 1, 1])
    assert all(choice.endswith(".5 nm") for choice in right_choices(items))
    assert len({item.data["right"] for item in items}) > 1
    assert items == train("dataset", "gpqa", ratio=[10, 1, 1])
    assert all(item.kind == "Physics" for item in items)
    assert all("It follows from" not in item.text for item in items)


def test_the_choices_of_arcs_table_are_in_its_question() -> None:
    melts, drives = train("dataset", "arc")
    assert melts.text.startswith("Which of these (see above) melts first?\n\nA) ")
    assert sorted(melts.data["choices"].values()) == ["glass", "ice", "iron", "rock"]
    assert right_choices([melts, drives]) == ["ice", "a river"]
    assert (melts.id, melts.kind) == ("Oxton_2011_5_1", "")


def test_arcs_lines_are_read() -> None:
    assert right_choices(train("dataset", "arc_jsonl")) == ["a river"]


def test_hellaswag_and_truthfulqa_are_choices_too() -> None:
    [item] = train("dataset", "hellaswag")
    assert right_choices([item]) == ["watches the wheel turn."]
    assert item.text.startswith("A man opens the sluice. he\n\n")
    myths = train("dataset", "truthfulqa", ratio=[10, 1, 1])
    assert set(right_choices(myths)) == {"They pass through you"}
    assert all(len(item.data["choices"]) == 4 for item in myths)
    assert len({item.data["right"] for item in myths}) > 1


def test_mrqa_is_read_with_its_header_line_and_compressed() -> None:
    river, mill = train("dataset", "mrqa")
    assert (river.id, river.text.rpartition("\n\n")[2], river.data["answers"]) == (
        "a1",
        "Which river?",
        ["the Lerve"],
    )
    assert mill.data["context"].startswith("[TLE] Oxton Mill")


def test_a_column_that_is_not_read_is_said_once() -> None:
    env: Any = find_env("dataset", {"path": str(PUBLISHED / "gpqa"), "ratio": [8, 2, 2]})
    env.items(Split.TRAIN)
    said: Sequence[str] = env.remarks
    assert [line.count("Explanation") for line in said if "columns" in line] == [1]
    assert not any(" Correct Answer" in line.replace("Pre-Revision Correct Answer", "") for line in said)
