import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from skillopt_sleep.backends.replies import decoded
from skillopt_sleep.kit.codec import from_json
from skillopt_sleep.records import Completion, Fate, Prompt, Purpose
from skillopt_sleep.trainer.final import reported
from skillopt_sleep.trainer.pareto import drawn, starting
from skillopt_sleep.trainer.parts import State
from skillopt_sleep.trainer.summary import Action, History, Scores
from tests.trainer.test_gate import decided, held, some_parts
from tests.trainer.toy import Scripted, a_config, a_trainer


class Fallible(Scripted):
    """Proposes a useless edit beside each one that helps."""

    def complete(self, prompt: Prompt) -> Completion:
        completion = super().complete(prompt)
        if prompt.purpose is not Purpose.REFLECT:
            return completion
        text = completion.text.replace('{"edits": [', '{"edits": [{"op": "append", "content": "- Be kind."}, ', 1)
        return decoded(prompt, Completion(text=text.replace("}, ]", "}]")))


def test_an_edit_that_gains_nothing_on_train_never_reaches_val(tmp_path: Path) -> None:
    config = a_config(
        gradient={"minibatch": 1, "merge_batch": 8, "failure_only": True},
        optimizer={"screen": 1, "schedule": "none", "slow_update": False},
    )

    class Both(Fallible):
        def _answer(self, prompt: Prompt) -> str:
            if prompt.purpose is Purpose.AGGREGATE:
                found = sorted(set(prompt.text.split("append '': ")[1:]))
                rules = dict.fromkeys(line.splitlines()[0] for line in found)
                edits = ", ".join(f'{{"op": "append", "content": "{rule}"}}' for rule in rules)
                return f'{{"edits": [{edits}]}}'
            return super()._answer(prompt)

    model = Both()
    summary = a_trainer(tmp_path, model, config=config).train()
    assert "Be kind" not in summary.best_skill
    assert "Say alpha" in summary.best_skill
    asked = [prompt.text for prompt in model.prompts if "val request" in prompt.text]
    assert not any("Be kind" in text for text in asked)
    history = from_json((tmp_path / "history.json").read_bytes(), History)
    fates = Counter(fate.fate for step in history.steps for fate in step.edits)
    assert fates[Fate.LEFT_OUT] > 0


def test_a_step_whose_edits_all_gain_nothing_asks_val_nothing(tmp_path: Path) -> None:
    class Useless(Scripted):
        def _answer(self, prompt: Prompt) -> str:
            if prompt.purpose in {Purpose.REFLECT, Purpose.AGGREGATE}:
                return '{"edits": [{"op": "append", "content": "- Be careful."}]}'
            return super()._answer(prompt)

    model = Useless()
    config = a_config(optimizer={"screen": 1, "slow_update": False}, evaluation={"test": False})
    summary = a_trainer(tmp_path, model, config=config).train()
    assert summary.actions == {"skip_no_gain": 4}
    assert len([prompt for prompt in model.prompts if "val request" in prompt.text]) == 8


@pytest.mark.parametrize(
    ("redraw", "action"),
    [("never", Action.REJECT), ("doubt", Action.ACCEPT_NEW_BEST), ("always", Action.ACCEPT_NEW_BEST)],
)
def test_a_lucky_draw_of_the_current_skill_does_not_block_for_ever(
    tmp_path: Path, redraw: str, action: Action
) -> None:
    def grade(skill: str, n: int, sample: int) -> float:
        if skill == "candidate":
            return float(n >= 3)
        return float(n < 6 if sample == 0 else n < 3)

    _, gated = decided(some_parts(tmp_path, grade, redraw=redraw))
    assert gated.action is action


def test_a_candidate_far_behind_is_not_doubted(tmp_path: Path) -> None:
    asked: list[int] = []

    def grade(skill: str, n: int, sample: int) -> float:
        asked.append(sample)
        return float(skill == "current")

    _, gated = decided(some_parts(tmp_path, grade))
    assert gated.action is Action.REJECT
    assert len(asked) == 16


@pytest.mark.parametrize(("part", "asked"), [(0.0, 16), (0.5, 8)])
def test_a_candidate_that_is_behind_on_the_first_part_of_val_is_not_asked_the_rest(
    tmp_path: Path, part: float, asked: int
) -> None:
    calls: list[str] = []

    def grade(skill: str, n: int, sample: int) -> float:
        calls.append(skill)
        return float(skill == "current")

    after, gated = decided(some_parts(tmp_path, grade, part=part))
    assert gated.action is Action.REJECT
    assert len(calls) == asked
    # Half a pass is no measure of the current skill.
    assert (after.current.standing.val is None) == (part > 0)


def test_several_passes_are_averaged(tmp_path: Path) -> None:
    def grade(skill: str, n: int, sample: int) -> float:
        right = {"current": (4, 4), "candidate": (3, 7)}[skill]
        return float(n < right[sample])

    assert decided(some_parts(tmp_path / "one", grade, redraw="never"))[1].action is Action.REJECT
    _, gated = decided(some_parts(tmp_path / "two", grade, samples=2, redraw="never"))
    assert (gated.action, gated.before, gated.after, gated.n) == (Action.ACCEPT_NEW_BEST, 0.5, 0.625, 16)


def test_the_best_skill_is_reported_from_attempts_that_selected_nothing(tmp_path: Path) -> None:
    class Sampled(Scripted):
        samples: list[int] = []  # noqa: RUF012 - of this one model

        def complete(self, prompt: Prompt) -> Completion:
            if "val request 0" in prompt.text:
                self.samples.append(prompt.sample)
            return super().complete(prompt)

    summary = a_trainer(tmp_path, Sampled(), config=a_config(evaluation={"confirm": True})).train()
    assert summary.reported is not None
    assert summary.reported.mean == summary.best.val.metric == 1
    assert summary.reported.tried >= 4
    assert Counter(Sampled.samples)[900_000] == 1


def test_the_interval_is_wider_the_more_skills_were_tried() -> None:
    val = Scores(metric=0.5, n=24)
    widths: list[float] = []
    for tried in (0, 1, 12):
        found = reported(val, tried=tried, level=0.9)
        assert found is not None
        widths.append(found.interval[1] - found.interval[0])
    assert widths[0] == widths[1] < widths[2]
    assert reported(Scores(), tried=1, level=0.9) is None


def test_val_is_asked_at_the_end_only_and_the_error_rate_is_spent_once(tmp_path: Path) -> None:
    model = Scripted()
    config = a_config(
        optimizer={"screen": 1, "slow_update": False}, evaluation={"gate": "sequential", "test": False, "part": 0.0}
    )
    summary = a_trainer(tmp_path, model, config=config).train()
    history = from_json((tmp_path / "history.json").read_bytes(), History)
    assert set(summary.actions) == {"unjudged"}
    assert [epoch.judged is None for epoch in history.epochs] == [False]
    assert history.epochs[0].judged is not None
    assert history.epochs[0].judged.action is Action.ACCEPT_NEW_BEST
    assert summary.best.standing.sha == summary.final.standing.sha
    assert summary.reported is not None
    assert summary.reported.tried == 1


@pytest.mark.parametrize(
    ("fronts", "places"),
    [
        ({"a": {0}, "b": {1}}, {0, 1}),
        ({"a": {0, 1}, "b": {1}}, {1}),
        ({"a": {0, 1}, "b": {0, 1}}, {0}),
        ({"a": {0}, "b": {0, 2}, "c": {1, 2}}, {0, 1, 2}),
    ],
)
def test_a_step_starts_from_a_skill_that_is_best_where_no_other_is(fronts: dict[str, Any], places: set[int]) -> None:
    frozen = {item: frozenset(front) for item, front in fronts.items()}
    found = {drawn(frozen, random.Random(seed)) for seed in range(60)}
    assert found <= places


def test_a_search_over_a_pool_starts_from_each_skill_that_is_best_somewhere(tmp_path: Path) -> None:
    def grade(skill: str, n: int, sample: int) -> float:
        known = {"first half": n < 4, "second half": n >= 4, "nothing": False}
        return float(known[skill])

    parts = some_parts(tmp_path, grade, {"search": "pareto"})
    pool = tuple(held(text) for text in ("nothing", "first half", "second half"))
    state = State(current=pool[0], best=pool[0], pool=pool)
    starts = {starting(parts, state, step).current.document.text for step in range(40)}
    assert starts == {"first half", "second half"}
    assert starting(some_parts(tmp_path / "current", grade), state, 1) == state
