"""What the research trainer and skillrl get wrong in a step, and that ours doesn't."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bench.trainer_lab import AsSkillOpt, AsSkillrl, ToyEnv, ToyModel, config_of
from bench.trainer_world import TOPICS, rules
from skillopt_sleep.backends.failures import IN_A_ROW
from skillopt_sleep.backends.replies import decoded
from skillopt_sleep.errors import BackendUnavailable, CallFailed, FailureKind
from skillopt_sleep.proposals.edited import BEGIN, END
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.records import Completion, EditFate, Prompt, Purpose
from skillopt_sleep.trainer import Item, Result, Summary, Trainer, TrainerConfig
from skillopt_sleep.trainer.run import HISTORY
from skillopt_sleep.trainer.scorers import exact_match
from skillopt_sleep.trainer.summary import Action, History

SIZES = {"train": 16, "val": 8, "test": 8}
SHORT = {"num_epochs": 1, "batch_size": 8, "minibatch_size": 4, "workers": 4, "seed": 3}
Says = Callable[[Prompt], str | None]


class Told:
    """The toy model, but for what a test says in its place; None leaves the answer to the toy."""

    name = "told"

    def __init__(self, toy: ToyModel, says: Says) -> None:
        self.toy, self._says = toy, says

    def complete(self, prompt: Prompt) -> Completion:
        text = self._says(prompt)
        if text is None:
            return self.toy.complete(prompt)
        self.toy.prompts.append(prompt)
        return decoded(prompt, Completion(text=text, usd=0.0, model=self.name))

    def asked(self, *purposes: Purpose) -> list[Prompt]:
        """The prompts of these purposes, in order."""
        return [prompt for prompt in self.toy.prompts if prompt.purpose in purposes]


def trained(
    folder: Path,
    says: Says = lambda _prompt: None,
    *,
    env: type[ToyEnv] = ToyEnv,
    skill: str | None = None,
    config: Mapping[str, Any] = SHORT,
    kind: type[TrainerConfig] = AsSkillrl,
    **sections: Mapping[str, Any],
) -> tuple[Summary, History, Told]:
    """A short training, what it told of its steps, and the model."""
    model = Told(ToyModel(folder), says)
    world = env(SIZES, seed=3)
    trainer = Trainer(
        config_of(config, kind, **sections), world, optimizer=model, initial_skill=skill, folder=folder / "run"
    )
    summary = trainer.train()
    history = msgspec.json.decode((folder / "run" / HISTORY).read_bytes(), type=History)
    return summary, history, model


def only(purpose: Purpose, text: str) -> Says:
    """This answer to every question of a purpose."""
    return lambda prompt: text if prompt.purpose is purpose else None


def edits(*some: Mapping[str, str]) -> Says:
    """These edits from every reflection."""
    return only(Purpose.REFLECT, json.dumps({"edits": some}))


def test_a_budget_of_nothing_applies_nothing_and_asks_for_no_ranking(tmp_path: Path) -> None:
    _, history, model = trained(
        tmp_path,
        only(Purpose.BUDGET, '{"edit_budget": 0}'),
        optimizer={"schedule": "autonomous", "min_edit_budget": 0},
    )
    assert {step.gated.action for step in history.steps} == {Action.SKIP_NO_BUDGET}
    assert model.asked(Purpose.BUDGET)
    assert not model.asked(Purpose.SELECT)
    assert {call.kind for call in model.toy.calls if call.rules} == set()  # nothing but the initial skill was tried


def test_a_budget_that_can_not_be_read_is_noted_and_is_not_a_budget_of_nothing(tmp_path: Path) -> None:
    _, history, _ = trained(
        tmp_path,
        only(Purpose.BUDGET, "I would rather not say."),
        optimizer={"schedule": "autonomous", "min_edit_budget": 0},
    )
    assert [step.edit_budget for step in history.steps] == [4, 4]
    assert {note.stage for step in history.steps for note in step.notes} == {"budget"}


def test_an_edit_that_runs_into_the_protected_block_is_refused(tmp_path: Path) -> None:
    skill = f"Report in full.\n{BEGIN}\nKeep the block.\n{END}\n"
    into = {"op": "delete", "target": f"in full.\n{BEGIN}\nKeep"}
    summary, history, _ = trained(tmp_path, edits(into), skill=skill)
    assert {fate.fate for step in history.steps for fate in step.edits} == {EditFate.REFUSED}
    assert summary.best_skill == skill


def test_a_slow_update_leaves_the_blank_lines_of_the_skill_as_they_are(tmp_path: Path) -> None:
    skill = "Report like this:\n\n\n```\nfirst\n\n\n\nlast\n```\n"
    two = SHORT | {"num_epochs": 2}
    summary, history, _ = trained(tmp_path, skill=skill, config=two, kind=AsSkillOpt)
    final = (tmp_path / "run" / summary.final.file).read_text(encoding="utf-8")
    assert "Reports are short." in final
    assert final.startswith(skill.rstrip("\n"))
    assert history.epochs[-1].gated is not None


def test_a_forced_slow_update_has_no_score_that_was_measured_on_another_text(tmp_path: Path) -> None:
    two = SHORT | {"num_epochs": 2}
    summary, history, _ = trained(tmp_path, config=two, kind=AsSkillOpt)
    told = history.epochs[-1]
    assert told.gated is not None
    assert (told.gated.action, told.gated.error_rate) == (Action.FORCE_ACCEPT, "unverified")
    assert told.current.val is None
    assert summary.final.val.n == SIZES["val"]  # it is measured at the end
    assert told.best.sha != told.current.sha


@pytest.mark.parametrize(
    "edit",
    [
        {"op": "append", "content": ""},
        {"op": "append", "content": " \n "},
        {"op": "replace", "target": "by topic", "content": "by topic"},
        {"op": "insert_after", "target": "by topic", "content": ""},
        {"op": "replace", "target": "not in the skill", "content": "more"},
    ],
    ids=["empty", "blank", "identity", "empty insertion", "without a place"],
)
def test_an_edit_that_changes_nothing_is_not_applied_and_not_tried(tmp_path: Path, edit: dict[str, str]) -> None:
    _, history, model = trained(tmp_path, edits(edit))
    assert {step.gated.action for step in history.steps} <= {Action.SKIP_NO_CHANGE, Action.SKIP_NO_PATCHES}
    assert model.toy.kinds["val"] == SIZES["val"]


@pytest.mark.parametrize(
    "reply",
    [
        '[{"op": "append", "content": "a list"}]',
        '{"edits": ["a string"]}',
        '{"edits": "a string"}',
        '{"edits": [{"op": "append", "content": null}]}',
        '{"edits": [{"op": "shout", "content": "more"}]}',
        "{" * 500,
    ],
    ids=["list", "string for an edit", "string for edits", "null", "unknown op", "braces"],
)
@pytest.mark.parametrize("purpose", [Purpose.REFLECT, Purpose.AGGREGATE])
def test_a_reply_in_another_form_is_a_failed_call_and_never_the_end_of_the_run(
    tmp_path: Path, reply: str, purpose: Purpose
) -> None:
    _, history, _ = trained(
        tmp_path, lambda prompt: reply if prompt.purpose is purpose and prompt.asker == "step 1" else None
    )
    first, second = history.steps
    assert {note.stage for note in first.notes} == {purpose.value}
    assert not second.notes


@pytest.mark.parametrize("size", [1, 4])
def test_an_optimizer_whose_every_reply_is_of_no_use_ends_the_run_and_is_no_result(tmp_path: Path, size: int) -> None:
    with pytest.raises(BackendUnavailable, match="none of the optimizer's"):
        trained(tmp_path, only(Purpose.REFLECT, "no idea"), gradient={"minibatch": size})


def test_many_replies_that_can_not_be_used_end_nothing_where_the_model_is_there(tmp_path: Path) -> None:
    answered: list[Prompt] = []

    def says(prompt: Prompt) -> str | None:
        if prompt.purpose is not Purpose.REFLECT or prompt.asker != "step 1":
            return None
        if answered:
            return "no idea"
        answered.append(prompt)
        return None

    _, history, model = trained(tmp_path, says, gradient={"minibatch": 1})
    first, second = history.steps
    assert len(first.notes) > IN_A_ROW
    assert second.merged
    assert model.asked(Purpose.PREFLIGHT)


class Flaky(ToyEnv):
    """Every third val item can't be attempted."""

    def rollout_one(self, item: Item, skill: str, target: Backend, *, sample: int) -> Result:
        if item.id.startswith("val") and int(item.id[-2:]) % 3 == 0:
            raise CallFailed(FailureKind.TIMED_OUT, "no answer in time")
        return super().rollout_one(item, skill, target, sample=sample)


def test_an_attempt_that_could_not_be_made_is_no_zero(tmp_path: Path) -> None:
    whole, _, _ = trained(tmp_path / "whole")
    summary, history, _ = trained(tmp_path / "flaky", env=Flaky)
    assert (summary.best.val.n, summary.best.val.unscored) == (5, 3)
    assert whole.best.val.n == 8
    assert all(step.gated.n == 5 for step in history.steps if step.gated.after is not None)


class Dead(ToyModel):
    """A server that is gone."""

    def complete(self, prompt: Prompt) -> Completion:
        raise CallFailed(FailureKind.UNREACHABLE, "connection refused", retry_after=0)


def test_a_dead_endpoint_ends_the_run_and_scores_nothing(tmp_path: Path) -> None:
    trainer = Trainer(config_of(SHORT), ToyEnv(SIZES, seed=3), optimizer=Dead(tmp_path), folder=tmp_path / "run")
    with pytest.raises(BackendUnavailable, match="connection refused"):
        trainer.train()
    assert not (tmp_path / "run" / "summary.json").exists()


def test_results_are_broken_down_by_the_items_own_types(tmp_path: Path) -> None:
    summary, _, _ = trained(tmp_path)
    assert summary.best.test is not None
    assert set(summary.best.test.kinds) <= set(TOPICS)
    assert sum(n for n, _, _ in summary.best.test.kinds.values()) == SIZES["test"]


class Halves(ToyEnv):
    """Grades in parts."""

    def rollout_one(self, item: Item, skill: str, target: Backend, *, sample: int) -> Result:
        known = len(rules(skill))
        target.complete(Prompt(purpose=Purpose.ROLLOUT, text=f"{skill}\n# Item\n{item.text}", sample=sample))
        return Result(hard=min(1.0, 0.3 * known), soft=0.5, response="a report", why="in part")


def test_a_grade_in_between_stays_what_it_is(tmp_path: Path) -> None:
    summary, history, _ = trained(tmp_path, env=Halves)
    assert history.steps[0].gated.action is Action.ACCEPT_NEW_BEST
    assert summary.best.val.hard == pytest.approx(min(1.0, 0.3 * len(rules(summary.best_skill))))


def test_every_stage_tells_its_calls_and_tokens(tmp_path: Path) -> None:
    summary, _, model = trained(tmp_path)
    assert {stage: cost.calls for stage, cost in summary.costs.items()} == dict(model.toy.kinds)
    assert all(cost.input_tokens and cost.output_tokens for cost in summary.costs.values())
    assert summary.total.calls == len(model.toy.calls)


@pytest.mark.parametrize(("answer", "accepted"), [("I do not know", "no"), ("1999", "19"), ("Paris", "Par")])
def test_an_answer_that_only_contains_the_right_one_is_wrong(answer: str, accepted: str) -> None:
    assert exact_match(answer, [accepted]) == 0


def test_what_the_gate_said_can_not_be_changed_afterwards(tmp_path: Path) -> None:
    _, history, _ = trained(tmp_path)
    with pytest.raises(AttributeError):
        history.steps[0].gated.action = Action.REJECT  # pyright: ignore[reportAttributeAccessIssue]


def shown(prompts: Sequence[Prompt]) -> set[str]:
    """The prompts' texts."""
    return {prompt.text for prompt in prompts}


def test_what_was_tried_and_rejected_is_shown_to_the_next_step_of_the_epoch(tmp_path: Path) -> None:
    useless = {"op": "append", "content": "Say it with care."}
    _, history, model = trained(tmp_path, edits(useless))
    assert [step.gated.action for step in history.steps] == [Action.REJECT, Action.REJECT]
    told = [("Say it with care." in text) for text in sorted(shown(model.asked(Purpose.REFLECT)))]
    assert any(told)
    assert not all(told)


def test_what_failed_in_a_step_is_counted_by_its_own_reason_for_the_next_step_of_the_epoch(tmp_path: Path) -> None:
    _, history, model = trained(tmp_path, edits({"op": "append", "content": "Say it with care."}))
    first, second = history.steps
    told = [text for text in shown(model.asked(Purpose.REFLECT)) if "attempts failed" in text]
    failed = first.train.n - round((first.train.hard or 0) * first.train.n)
    assert told
    assert all(f"- step 1: {failed} of {first.train.n} attempts failed (" in text for text in told)
    assert second.epoch == 1
