import json
from pathlib import Path
from typing import Any

import pytest

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.records import Purpose, Split
from skillopt_sleep.trainer.env import Item, Result
from skillopt_sleep.trainer.envs.contexts import shortened
from skillopt_sleep.trainer.envs.question_answering import QuestionAnswering, why_wrong
from tests.fakes import FakeBackend

SQUAD = {
    "version": "v2.0",
    "data": [
        {
            "title": "Cats",
            "paragraphs": [
                {
                    "context": "Tom is a grey cat of nine years.",
                    "qas": [
                        {
                            "id": "5a",
                            "question": "How old is Tom?",
                            "answers": [
                                {"text": "nine years", "answer_start": 21},
                                {"text": "nine", "answer_start": 21},
                            ],
                            "is_impossible": False,
                        },
                        {"id": "5b", "question": "Who owns Tom?", "answers": [], "is_impossible": True},
                    ],
                }
            ],
        }
    ],
}


def _first(path: Path, rows: object, **options: Any) -> list[Item]:
    for name in ("train.json", "dev.json"):
        text = json.dumps(rows) if name == "train.json" else '[{"id": "v", "question": "?", "answer": "x"}]'
        (path / name).write_text(text, encoding="utf-8")
    return list(QuestionAnswering(path=str(path), **options).items(Split.TRAIN))


def _answered(reply: str, item: Item) -> Result:
    return QuestionAnswering().rollout_one(item, "", FakeBackend({Purpose.ROLLOUT: reply}), sample=0)


def test_squads_own_file_is_read(tmp_path: Path) -> None:
    old, owner = _first(tmp_path, SQUAD)
    assert (old.id, old.data["answers"]) == ("5a", ["nine years", "nine"])
    assert (owner.id, owner.data["answers"]) == ("5b", [""])
    assert old.text == "Tom is a grey cat of nine years.\n\nHow old is Tom?"


def test_searchqas_rows_are_read_and_cut_between_documents(tmp_path: Path) -> None:
    context = "[DOC] first " + "x" * 30 + "[DOC] second " + "y" * 30
    [item] = _first(tmp_path, [{"question": "Who?", "context": context, "answers": ["Ada"]}], context_chars=60)
    assert item.data["context"] == "[DOC] first " + "x" * 30


def test_the_flat_form_of_squad_is_read(tmp_path: Path) -> None:
    [item] = _first(
        tmp_path, [{"id": "1", "question": "?", "context": "", "answers": {"text": ["Ada"], "answer_start": [0]}}]
    )
    assert item.data["answers"] == ["Ada"]


@pytest.mark.parametrize(("most", "left"), [(0, "abc"), (3, "abc"), (2, "ab")])
def test_a_text_is_shortened_to_so_many_characters(most: int, left: str) -> None:
    assert shortened("abc", most) == left


def test_the_optimizer_is_shown_the_beginning_of_a_long_text_and_the_target_more(tmp_path: Path) -> None:
    [item] = _first(tmp_path, [{"question": "Who?", "context": "x" * 5_000, "answers": ["Ada"]}])
    target = FakeBackend({Purpose.ROLLOUT: "Ada"})
    QuestionAnswering().rollout_one(item, "", target, sample=0)
    assert item.text == "x" * 1_500 + "\n\nWho?"
    assert "x" * 5_000 in target.prompts[0].text


def test_an_answer_is_scored_by_exact_match_and_f1(tmp_path: Path) -> None:
    old, owner = _first(tmp_path, SQUAD)
    assert _answered("<answer>Nine years.</answer>", old) == Result(
        hard=1, soft=1, response="<answer>Nine years.</answer>"
    )
    partly = _answered("<answer>nine long years</answer>", old)
    assert (partly.hard, partly.soft) == (0, pytest.approx(0.8))
    assert "too much" in partly.why
    assert _answered("<answer></answer>", owner).hard == 1
    assert _answered("<answer>Ada</answer>", owner).soft == 0


@pytest.mark.parametrize("answer", ["nine", "nine hundred", "", "ten", "nine years or so"])
def test_why_an_answer_is_wrong_never_tells_the_right_one(answer: str) -> None:
    assert "zebra" not in why_wrong(answer, ["nine zebra"])
    assert "zebra" not in why_wrong(answer, ["zebra"])


def test_why_is_empty_for_a_right_answer_and_says_what_is_wrong_else() -> None:
    assert why_wrong("The cat", ["cat"]) == ""
    assert "some are missing" in why_wrong("cat", ["grey cat"])
    assert "gives no answer" in why_wrong("", ["cat"])
    assert "does not say" in why_wrong("cat", [""])
    assert why_wrong("dog", ["cat"]) == "the answer is wrong"


@pytest.mark.parametrize(
    ("article", "said"),
    [
        ({"paragraphs": "abc"}, "the article has no list of objects called 'paragraphs'"),
        ({"paragraphs": [{"context": "x"}]}, "a paragraph has no list of objects called 'qas'"),
        ({"paragraphs": [{"context": "x", "qas": ["y"]}]}, "'qas'"),
        ({"paragraphs": [{"qas": [{"question": "?"}]}]}, "'context'"),
    ],
)
def test_what_is_not_squads_is_named_with_file_and_row(tmp_path: Path, article: object, said: str) -> None:
    with pytest.raises(ConfigError, match=r"train\.json: row 2: ") as refused:
        _first(tmp_path, {"data": [SQUAD["data"][0], article]})
    assert said in refused.value.message


@pytest.mark.parametrize("answers", [[["x"]], [{"answer": "x"}], {"text": [{"a": 1}]}])
def test_an_answer_that_is_no_text_is_no_gold(tmp_path: Path, answers: object) -> None:
    with pytest.raises(ConfigError, match=r"train\.json: row 1: .* neither a text nor a number"):
        _first(tmp_path, [{"question": "Who?", "answers": answers}])


def test_answers_with_their_places_are_their_texts(tmp_path: Path) -> None:
    [item] = _first(tmp_path, [{"question": "Who?", "answers": [{"text": "Ada", "answer_start": 0}]}])
    assert item.data["answers"] == ["Ada"]


def test_contexts_that_were_cut_are_counted_and_so_are_those_that_lost_what_the_answer_rests_on(
    tmp_path: Path,
) -> None:
    context = [["Mill", ["x" * 40]], ["River", ["y" * 40]]]
    rows: list[dict[str, Any]] = [
        {"question": "Who?", "answer": "Ada", "context": context, "supporting_facts": [["Mill", 0]]},
        {"question": "Which?", "answer": "Ida", "context": context, "supporting_facts": [["River", 0]]},
        {"question": "Why?", "answer": "so", "context": "short"},
    ]
    (tmp_path / "train.json").write_text(json.dumps(rows), encoding="utf-8")
    (tmp_path / "dev.json").write_text('[{"question": "?", "answer": "x"}]', encoding="utf-8")
    env = QuestionAnswering(path=str(tmp_path), context_chars=60)
    assert [item.data["context"] for item in env.items(Split.TRAIN)][:2] == ["[DOC] Mill\n" + "x" * 40] * 2
    [said] = env.remarks
    assert said.startswith(
        "2 contexts are longer than env.context_chars = 60 and were cut; 1 of them lost a document"
    )
    whole = QuestionAnswering(path=str(tmp_path), context_chars=0)
    assert len(whole.items(Split.TRAIN)) == 3
    assert whole.remarks == ()


def test_a_context_of_an_unknown_form_is_refused_and_never_dropped(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"train\.json: row 1: .*'context'"):
        _first(tmp_path, [{"question": "Who?", "answer": "Ada", "context": {"passages": ["x"]}}])
