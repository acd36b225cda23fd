"""What a training says of a skill at its end is one number for one text."""

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from skillopt_sleep.cli.train_shown import summary_lines
from skillopt_sleep.kit.codec import from_json
from skillopt_sleep.protocols import Backend
from skillopt_sleep.records import Prompt, Purpose, Split
from skillopt_sleep.replay.variation import CANDIDATE_SAMPLES
from skillopt_sleep.trainer import Item, Result, evaluate
from skillopt_sleep.trainer.parts import CONFIRMING
from skillopt_sleep.trainer.plot import page_of_several
from skillopt_sleep.trainer.summary import Action, History
from skillopt_sleep.trainer.unused import unused
from tests.fakes import SerialPool
from tests.trainer.toy import Scripted, Toy, a_config, a_trainer


class Unsteady(Toy, frozen=True):
    """Half of the answers that are right in the passes that choose are wrong in those that report."""

    def rollout_one(self, item: Item, skill: str, target: Backend, *, sample: int) -> Result:
        result = super().rollout_one(item, skill, target, sample=sample)
        if CONFIRMING <= sample < CANDIDATE_SAMPLES and int(item.id.rpartition("-")[2]) < 4:
            return replace(result, hard=0.0, soft=0.0)
        return result


class Wavering(Scripted):
    """Proposes a rule in one step and takes it out in the next."""

    def _answer(self, prompt: Prompt) -> str:
        if prompt.purpose in {Purpose.REFLECT, Purpose.AGGREGATE}:
            rule, step = "- Say alpha.", int(prompt.asker.rpartition(" ")[2])
            edit = {"op": "append", "content": rule} if step % 2 else {"op": "delete", "target": rule}
            return json.dumps({"edits": [edit]})
        return super()._answer(prompt)


def test_a_skill_that_is_best_and_final_has_one_score(tmp_path: Path) -> None:
    config = a_config(
        train={"epochs": 3, "batch_size": 16},
        optimizer={"slow_update": False, "meta_skill": False},
        evaluation={"gate": "greedy", "confirm": True},
    )
    summary = a_trainer(tmp_path, Wavering(), env=Unsteady(), config=config).train()
    best, final = summary.best, summary.final
    assert (best.standing.step, final.standing.step) == (1, 3)
    assert best.standing.sha == final.standing.sha
    assert (best.val, best.test) == (final.val, final.test)
    assert best.standing.val == final.standing.val == best.val.metric
    assert final.file == "skills/skill_v0003.md"
    assert summary.reported is not None
    assert summary.reported.mean + summary.reported.luck == final.val.metric


@pytest.mark.parametrize("evaluation", [{"redraw": "always"}, {"gate": "sequential", "judge": "step"}])
def test_where_each_trial_has_passes_of_its_own_the_report_is_always_of_another_pass(
    tmp_path: Path, evaluation: dict[str, Any]
) -> None:
    config = a_config(optimizer=ALONE, evaluation=evaluation | {"confirm": False})
    items = {split: Toy().items(split) for split in Split}
    assert list(unused(config, items)) == [
        "evaluation.confirm changes nothing without gate strict or greedy with evaluation.redraw doubt or never"
    ]
    summary = a_trainer(tmp_path, env=Unsteady(), config=config).train()
    answers = json.loads((tmp_path / f"answers/val-{summary.best.standing.sha[:12]}.json").read_bytes())
    reported = [answer["hard"] for answer in answers if answer["sample"] == CONFIRMING]
    assert len(reported) == 8
    assert summary.best.val.hard == sum(reported) / 8
    found = evaluate(
        config, Unsteady(), summary.best_skill, Split.VAL, target=Scripted(), pool=SerialPool(), folder=tmp_path
    )
    assert found == summary.best.val
    assert "of the pass that chose it" not in page_of_several([tmp_path])


class Useless(Scripted):
    """Proposes rules that change nothing, each time another one."""

    def _answer(self, prompt: Prompt) -> str:
        if prompt.purpose in {Purpose.REFLECT, Purpose.AGGREGATE}:
            edit = {"op": "append", "content": f"- Mind it, {prompt.asker}."}
            return json.dumps({"edits": [edit]})
        return super()._answer(prompt)


ALONE = {"slow_update": False, "meta_skill": False}


def test_an_initial_skill_that_stays_the_best_is_reported_by_a_pass_that_chose_nothing(tmp_path: Path) -> None:
    config = a_config(optimizer=ALONE, evaluation={"confirm": True})
    env = Unsteady(words=("nothing", "more"))
    model = Useless()
    summary = a_trainer(tmp_path, model, env=env, config=config, initial_skill="Say nothing. Say more.").train()
    assert (summary.best.standing.step, summary.initial.standing.step) == (0, 0)
    assert summary.reported is not None
    assert summary.reported.tried > 0
    assert summary.best.val.hard == summary.initial.val.hard == summary.final.val.hard == 0.5
    found = evaluate(
        config, env, "Say nothing. Say more.", Split.VAL, target=model, pool=SerialPool(), folder=tmp_path
    )
    assert found == summary.best.val


def test_where_nothing_was_tried_no_further_pass_is_made_and_none_is_counted(tmp_path: Path) -> None:
    config = a_config(optimizer=ALONE, evaluation={"confirm": True, "test": False})

    class Silent(Scripted):
        def _answer(self, prompt: Prompt) -> str:
            none = prompt.purpose in {Purpose.REFLECT, Purpose.AGGREGATE}
            return '{"edits": []}' if none else super()._answer(prompt)

    model = Silent()
    summary = a_trainer(tmp_path, model, config=config).train()
    assert summary.reported is not None
    assert summary.reported.tried == 0
    assert summary.costs["val"].calls == 8
    assert "(n=8, 0 skills tried)" in "\n".join(summary_lines(summary, None))


def test_the_evidence_gate_at_the_end_asks_val_for_its_trial_and_the_report_alone(tmp_path: Path) -> None:
    config = a_config(
        optimizer=ALONE | {"screen": 2, "edit_budget": 4},
        evaluation={"gate": "sequential", "confirm": True, "test": False},
    )
    summary = a_trainer(tmp_path, config=config).train()
    assert summary.best.standing.step > 0
    answers = json.loads((tmp_path / f"answers/val-{summary.best.standing.sha[:12]}.json").read_bytes())
    samples = {answer["sample"] for answer in answers}
    assert {sample for sample in samples if sample < CANDIDATE_SAMPLES} == {CONFIRMING}


def test_a_text_that_val_was_not_asked_about_is_not_counted_as_tried(tmp_path: Path) -> None:
    config = a_config(
        train={"epochs": 3},
        optimizer={"slow_update": True, "slow_gated": True, "horizon": 1},
        evaluation={"gate": "sequential", "rounds": 1, "test": False, "judge": "step"},
    )
    summary = a_trainer(tmp_path, Useless(), config=config).train()
    assert "abstain" in summary.actions
    assert summary.reported is not None
    asked = {file.name for file in (tmp_path / "answers").glob("val-*")}
    assert summary.reported.tried == len(asked) - 1


def test_gated_guidance_has_a_share_of_the_error_rate_of_its_own(tmp_path: Path) -> None:
    config = a_config(
        optimizer={"slow_update": True, "slow_gated": True},
        evaluation={"gate": "sequential", "test": False, "judge": "step"},
    )
    a_trainer(tmp_path, Useless(), config=config).train()
    history = from_json((tmp_path / "history.json").read_bytes(), History)
    gated = history.epochs[-1].gated
    assert gated is not None
    assert gated.action is not Action.ABSTAIN
