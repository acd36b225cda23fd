import json
from collections import Counter
from pathlib import Path

import pytest

from skillopt_sleep.kit.codec import from_json
from skillopt_sleep.records import Completion, Prompt, Purpose
from skillopt_sleep.trainer.final import reported
from skillopt_sleep.trainer.summary import Action, History, Scores
from tests.trainer.test_gate import decided, some_parts
from tests.trainer.toy import Scripted, a_config, a_trainer


@pytest.mark.parametrize(("preset", "action"), [("skillopt", Action.REJECT), ("default", Action.ACCEPT_NEW_BEST)])
def test_a_lucky_draw_of_the_current_skill_does_not_block_for_ever(
    tmp_path: Path, preset: str, action: Action
) -> None:
    def grade(skill: str, n: int, sample: int) -> float:
        if skill == "candidate":
            return float(n in {0, 2, 4, 6, 7})
        return float(n in {0, 1, 2, 5, 6, 7} if sample == 0 else n < 3)

    _, gated = decided(some_parts(tmp_path, grade, preset=preset))
    assert gated.action is action


def test_a_candidate_far_behind_is_not_doubted(tmp_path: Path) -> None:
    asked: list[int] = []

    def grade(skill: str, n: int, sample: int) -> float:
        asked.append(sample)
        return float(skill == "current")

    _, gated = decided(some_parts(tmp_path, grade))
    assert gated.action is Action.REJECT
    assert len(asked) == 8


def test_a_candidate_that_loses_by_noise_is_compared_with_fresh_answers_of_the_current_skill(tmp_path: Path) -> None:
    calls: list[str] = []

    def grade(skill: str, n: int, sample: int) -> float:
        calls.append(skill)
        return float(n in {1, 2, 3} if skill == "candidate" else n < 4)

    _, gated = decided(some_parts(tmp_path, grade))
    assert gated.action is Action.REJECT
    assert len(calls) == 8 + 8 + 8


def test_the_best_skill_is_reported_from_attempts_that_selected_nothing(tmp_path: Path) -> None:
    class Sampled(Scripted):
        samples: list[int] = []  # noqa: RUF012 - of this one model

        def complete(self, prompt: Prompt) -> Completion:
            if "val request 0" in prompt.text:
                self.samples.append(prompt.sample)
            return super().complete(prompt)

    summary = a_trainer(tmp_path, Sampled(), config=a_config("default")).train()
    assert summary.reported is not None
    assert summary.reported.mean == summary.best.val.metric == 1
    assert summary.reported.tried >= 4
    assert Counter(Sampled.samples)[900_000] == 1


def test_the_interval_is_wider_the_more_skills_were_tried() -> None:
    val = Scores(metric=0.5, n=24, items=24)
    widths: list[float] = []
    for tried in (0, 1, 12):
        found = reported(val, bias=0.0, tried=tried, level=0.9)
        assert found is not None
        widths.append(found.interval[1] - found.interval[0])
    assert widths[0] == widths[1] < widths[2]
    assert reported(Scores(), bias=0.0, tried=1, level=0.9) is None


def test_asking_the_same_items_again_makes_no_interval_narrower() -> None:
    once = reported(Scores(metric=0.5, n=16, items=16), bias=0.0, tried=1, level=0.9)
    often = reported(Scores(metric=0.5, n=160, items=16), bias=0.0, tried=1, level=0.9)
    assert once == often
    assert once is not None
    assert once.n == 16


def test_a_skill_that_is_tried_again_is_one_skill(tmp_path: Path) -> None:
    class Stubborn(Scripted):
        """Proposes the same useless rule in every step."""

        def _answer(self, prompt: Prompt) -> str:
            if prompt.purpose is Purpose.REFLECT:
                return json.dumps({"edits": [{"op": "append", "content": "- Be nice."}]})
            return super()._answer(prompt)

    summary = a_trainer(tmp_path, Stubborn(), config=a_config(train={"epochs": 1})).train()
    assert summary.actions == {"reject": 2}
    assert summary.reported is not None
    assert summary.reported.tried == 1


@pytest.mark.parametrize(("metric", "luck", "mean"), [(0.5, 0.0, 0.5), (0.5, 0.05, 0.45), (1.0, 0.0, 1.0)])
def test_luck_is_taken_off_the_mean(metric: float, luck: float, mean: float) -> None:
    found = reported(Scores(metric=metric, n=24, items=24), bias=luck, tried=6, level=0.9)
    assert found is not None
    assert (found.mean, found.mean + found.selection_bias) == (mean, metric)
    assert found.interval[0] <= mean <= found.interval[1]


def test_the_mean_never_leaves_its_interval() -> None:
    found = reported(Scores(metric=0.5, n=24, items=24), bias=0.4, tried=6, level=0.9)
    assert found is not None
    assert found.mean == found.interval[0]
    assert found.mean + found.selection_bias == pytest.approx(0.5)


def test_val_is_asked_at_the_end_only_and_the_error_rate_is_spent_once(tmp_path: Path) -> None:
    model = Scripted()
    config = a_config("evidence", evaluation={"test": False})
    summary = a_trainer(tmp_path, model, config=config).train()
    history = from_json((tmp_path / "history.json").read_bytes(), History)
    assert set(summary.actions) == {"unjudged"}
    (end,) = history.end
    assert end.gated.action is Action.ACCEPT_NEW_BEST
    assert summary.best.version.sha == summary.final.version.sha
    assert summary.reported is not None
    assert summary.reported.tried == 1
