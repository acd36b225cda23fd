import json
from pathlib import Path

import pytest

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.records import Purpose, Split
from skillopt_sleep.trainer.env import Item, Result
from skillopt_sleep.trainer.envs.word_problems import WordProblems
from tests.fakes import FakeBackend

ITEM = Item(id="a", text="How many?", data={"answer": "1,080"})


def _answered(reply: str) -> Result:
    return WordProblems().rollout_one(ITEM, "", FakeBackend({Purpose.ROLLOUT: reply}), sample=0)


@pytest.mark.parametrize("answer", ["1080", "$1,080.00", "1 080 jars", "1080%"])
def test_an_equal_number_is_right(answer: str) -> None:
    result = _answered(f"12*90 = 1080\n<answer>{answer}</answer>")
    assert (result.hard, result.soft, result.why) == (1, 1, "")


def test_why_an_answer_is_wrong_never_tells_the_right_one() -> None:
    other = _answered("<answer>108</answer>")
    assert (other.hard, other.why) == (0, "108 is not the right number")
    assert _answered("<answer>many</answer>").why == "the answer is not one number"
    assert "no <answer> tag" in _answered("It is 1080, I think; or 108").why


def test_the_target_is_asked_for_the_problem_and_not_shown_the_calculation() -> None:
    [item, *_] = WordProblems().items(Split.TRAIN)
    target = FakeBackend({Purpose.ROLLOUT: "<answer>1</answer>"})
    WordProblems().rollout_one(item, "Be quick.", target, sample=0)
    assert "Ida fills 90 crates" in target.prompts[0].text
    assert "1080" not in target.prompts[0].text


@pytest.mark.parametrize("answer", ["x + 1", "many", "3 or 4"])
def test_what_is_not_a_number_is_refused_with_its_row(tmp_path: Path, answer: str) -> None:
    rows = [{"question": "?", "answer": "1"}, {"question": "?", "answer": answer}]
    (tmp_path / "all.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    with pytest.raises(ConfigError, match=r"all\.jsonl: row 2: its answer .* is not one number"):
        WordProblems(path=str(tmp_path)).items(Split.TRAIN)
