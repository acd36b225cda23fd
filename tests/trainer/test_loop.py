import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from msgspec.structs import replace

from skillopt_sleep.errors import BackendUnavailable, BudgetExhausted, CallFailed, ConfigError, FailureKind
from skillopt_sleep.kit.codec import from_json
from skillopt_sleep.records import Prompt, Purpose, Split
from skillopt_sleep.trainer import Item
from skillopt_sleep.trainer.plan import limit_lines, plan
from skillopt_sleep.trainer.summary import Action, EpochRecord, History, StepRecord
from tests.fakes import SerialPool
from tests.sweeps import thinned
from tests.trainer.toy import Late, Scripted, Toy, a_config, a_trainer, bytes_of

MODES = {
    "patch": a_config(),
    "everything": a_config(
        train={"epochs": 3, "accumulation": 2, "batch_size": 4},
        gradient={"reflection": "deep", "minibatch": 2, "merge_batch": 2},
        optimizer={"schedule": "autonomous", "edit_budget": 2},
    ),
    "rewrite": a_config(optimizer={"mode": "rewrite"}),
    "full_rewrite": a_config(optimizer={"mode": "full_rewrite", "schedule": "linear"}),
    "default": a_config("default", optimizer={"edit_budget": 2}),
    "evidence": a_config("evidence", optimizer={"edit_budget": 2}, evaluation={"metric": "mixed"}),
}


class Killed(BaseException):
    """What ends a process wherever it is."""


def killing(at: int):  # noqa: ANN201
    """Ends all at the call of this number, and at every later one."""

    def stop(prompt: Prompt, number: int) -> None:
        if number >= at:
            raise Killed

    return stop


def test_a_training_learns_what_the_items_want_and_tests_what_it_names(tmp_path: Path) -> None:
    model = Scripted()
    summary = a_trainer(tmp_path, model).train()
    assert summary.best_skill == "# Skill\n- Say alpha.\n- Say beta.\n- Say delta.\n- Say gamma.\n"
    assert summary.actions == {"accept_new_best": 4}
    assert (summary.initial.val.hard, summary.best.val.hard, summary.best.test and summary.best.test.hard) == (
        0,
        1,
        1,
    )
    assert (tmp_path / "best_skill.md").read_text() == summary.best_skill
    # 8 val and 8 test before, 8 train and 8 val a step, 2 x 16 to look back, 8 test after.
    assert model.counts()["rollout"] == 16 + 4 * 16 + 32 + 8
    assert summary.total.calls == len(model.prompts)


def test_an_unmeasured_skill_is_said_to_be_and_measured_before_it_is_compared(tmp_path: Path) -> None:
    config = a_config(train={"epochs": 3, "batch_size": 16})
    a_trainer(tmp_path, config=config).train()
    history = from_json((tmp_path / "history.json").read_bytes(), History)
    forced = history.epochs[0]
    assert forced.gated is not None
    assert forced.gated.action is Action.FORCE_ACCEPT
    assert forced.gated.error_rate == "unverified"
    assert forced.current.val is None
    assert forced.best == history.steps[1].best
    assert history.steps[2].gated.before is not None


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.slow
def test_the_order_in_which_calls_end_changes_no_byte(tmp_path: Path, mode: str) -> None:
    noise = random.Random(3)
    a_trainer(tmp_path / "serial" / "run", config=MODES[mode], pool=SerialPool()).train()
    expected = bytes_of(tmp_path / "serial" / "run")
    for workers in (1, 2, 8):
        shuffled = Scripted(delay=lambda prompt: noise.random() / 200)
        folder = tmp_path / str(workers) / "run"
        a_trainer(folder, shuffled, config=MODES[mode], workers=workers).train()
        assert bytes_of(folder) == expected


@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("mode", thinned(MODES, every=2))
def test_a_run_that_is_killed_anywhere_ends_as_one_that_never_was_and_pays_no_call_twice(
    tmp_path: Path, mode: str, every: int
) -> None:
    whole = Scripted()
    a_trainer(tmp_path / "whole" / "run", whole, config=MODES[mode], pool=SerialPool()).train()
    purposes = [prompt.purpose for prompt in whole.prompts]
    boundaries = [n for n in range(2, len(purposes) + 1) if purposes[n - 1] is not purposes[n - 2]]
    expected = bytes_of(tmp_path / "whole" / "run")
    for at in [1, *boundaries[::every], len(purposes)]:
        folder = tmp_path / str(at) / "run"
        first, second = Scripted(killing(at)), Scripted()
        with pytest.raises(Killed):
            a_trainer(folder, first, config=MODES[mode], pool=SerialPool()).train()
        a_trainer(folder, second, config=MODES[mode], workers=3).train()
        assert bytes_of(folder) == expected
        # The last call of the first life was never answered.
        assert sorted(first.keys()[:-1] + second.keys()) == sorted(set(whole.keys()))


def test_a_process_that_is_killed_outright_goes_on_to_the_same_end(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from tests.trainer.toy import *\n"
        "a_trainer(Path(sys.argv[1]), Scripted(delay=lambda prompt: 0.03), workers=2).train()\n"
    )
    process = subprocess.Popen([sys.executable, "-c", script, str(tmp_path / "run")], cwd=Path(__file__).parents[2])
    until = time.monotonic() + 20
    while not (tmp_path / "run" / "steps" / "step_0002").exists() and time.monotonic() < until:
        time.sleep(0.01)
    process.kill()
    process.wait()
    assert not (tmp_path / "run" / "summary.json").exists()
    a_trainer(tmp_path / "run").train()
    a_trainer(tmp_path / "whole" / "run").train()
    assert bytes_of(tmp_path / "run") == bytes_of(tmp_path / "whole" / "run")


def test_going_on_with_a_finished_run_costs_nothing_and_changes_nothing(tmp_path: Path) -> None:
    a_trainer(tmp_path).train()
    before, again = bytes_of(tmp_path), Scripted()
    a_trainer(tmp_path, again).train()
    assert again.prompts == []
    assert bytes_of(tmp_path) == before


def test_a_run_that_is_extended_is_the_longer_run_with_scores_of_its_own_skills(tmp_path: Path) -> None:
    more = a_config(train={"epochs": 2})
    first, second, whole = Scripted(), Scripted(), Scripted()
    short = a_trainer(tmp_path / "run", first, config=a_config(train={"epochs": 1})).train()
    longer = a_trainer(tmp_path / "run", second, config=more).train()
    expected = a_trainer(tmp_path / "whole" / "run", whole, config=more).train()
    assert longer == expected
    assert short.best.test is not None
    assert longer.best.test is not None
    assert (longer.best.test.hard or 0) > (short.best.test.hard or 0)
    assert not set(first.keys()) & set(second.keys())


def test_each_step_and_epoch_says_how_many_calls_were_answered_until_its_end(tmp_path: Path) -> None:
    model = Scripted()
    a_trainer(tmp_path, model, config=a_config(evaluation={"test": False})).train()
    history = from_json((tmp_path / "history.json").read_bytes(), History)
    calls = [history.calls, *(step.calls for step in history.steps), history.epochs[0].calls]
    assert calls == sorted(calls, key=lambda count: count or 0)
    assert calls[0] == 8 + 8  # val and the first batch
    assert calls[-1] == len(model.prompts)
    assert (
        history.epochs[0].calls
        == from_json((tmp_path / "epochs/epoch_02/epoch.json").read_bytes(), EpochRecord).calls
    )


def test_a_score_of_zero_is_a_score_when_a_run_goes_on(tmp_path: Path) -> None:
    env = Toy(words=("alpha",))
    config = a_config(evaluation={"metric": "hard"})
    first, second = Scripted(killing(40)), Scripted()
    with pytest.raises(Killed):
        a_trainer(tmp_path, first, env=env, config=config, pool=SerialPool()).train()
    summary = a_trainer(tmp_path, second, env=env, config=config).train()
    assert summary.initial.val.hard == 0
    assert not set(first.keys()[:-1]) & set(second.keys())


def test_a_run_whose_items_have_numbers_as_keys_goes_on_and_pays_nothing_twice(tmp_path: Path) -> None:
    class Numbered(Toy, frozen=True):
        def items(self, split: Split) -> list[Item]:
            return [replace(item, data=item.data | {1: "a", 2.5: {3: "b"}}) for item in super().items(split)]

    first, second, whole = Scripted(killing(40)), Scripted(), Scripted()
    with pytest.raises(Killed):
        a_trainer(tmp_path / "a" / "run", first, env=Numbered(), pool=SerialPool()).train()
    summary = a_trainer(tmp_path / "a" / "run", second, env=Numbered()).train()
    assert summary == a_trainer(tmp_path / "b" / "run", whole, env=Numbered()).train()
    assert sorted(first.keys()[:-1] + second.keys()) == sorted(set(whole.keys()))


def test_an_outage_ends_the_training_with_what_it_has_and_is_no_score(tmp_path: Path) -> None:
    def gone(prompt: Prompt, number: int) -> None:
        if number > 50:
            raise CallFailed(FailureKind.OVERLOADED, "the model is gone", retry_after=0.0)

    trainer = a_trainer(tmp_path, Scripted(gone))
    ended = trainer.train()
    assert "in a row failed" in ended.stopped
    assert isinstance(trainer.ended_by, BackendUnavailable)
    assert (ended.steps, ended.planned) == (1, 4)
    assert ended.best.val.hard == 0.25
    assert a_trainer(tmp_path).train().best.val.hard == 1


def test_an_outage_before_the_initial_skill_is_scored_is_an_error(tmp_path: Path) -> None:
    def gone(prompt: Prompt, number: int) -> None:
        raise CallFailed(FailureKind.OVERLOADED, "the model is gone", retry_after=0.0)

    with pytest.raises(BackendUnavailable):
        a_trainer(tmp_path, Scripted(gone)).train()


def test_ctrl_c_ends_the_training_with_what_it_has(tmp_path: Path) -> None:
    def stop(prompt: Prompt, number: int) -> None:
        if number == 60:
            raise KeyboardInterrupt

    trainer = a_trainer(tmp_path, Scripted(stop), pool=SerialPool())
    summary = trainer.train()
    assert (summary.stopped, summary.steps) == ("it was stopped", 2)
    assert (tmp_path / "best_skill.md").read_text() == summary.best_skill != "# Skill\n"
    assert a_trainer(tmp_path).train() == a_trainer(tmp_path / "whole").train()


def test_the_best_and_the_current_skill_are_there_while_it_trains(tmp_path: Path) -> None:
    seen: list[tuple[str, str]] = []

    def look(record: StepRecord) -> None:
        seen.append(((tmp_path / "best_skill.md").read_text(), (tmp_path / "current_skill.md").read_text()))

    summary = a_trainer(tmp_path, on_step=look).train()
    assert [best for best, _ in seen] == [current for _, current in seen]
    assert len(set(seen)) == 4
    assert seen[-1][0] == summary.best_skill


def test_an_item_that_fails_has_no_score_and_spoils_none(tmp_path: Path) -> None:
    def refuses(prompt: Prompt, number: int) -> None:
        if "val request 3" in prompt.text:
            raise CallFailed(FailureKind.REFUSED, "no")

    summary = a_trainer(tmp_path, Scripted(refuses)).train()
    assert (summary.best.val.hard, summary.best.val.n, summary.best.val.unscored) == (1.0, 7, 1)


def test_a_dataset_that_no_answer_can_be_had_for_is_no_training(tmp_path: Path) -> None:
    def refuses(prompt: Prompt, number: int) -> None:
        raise CallFailed(FailureKind.REFUSED, "no")

    with pytest.raises(
        BackendUnavailable, match="8 of 8 val items under the initial skill could not be scored; of 8: refused: no"
    ):
        a_trainer(tmp_path, Scripted(refuses)).train()


@pytest.mark.parametrize("limit", [60, 75, 100])
def test_a_limit_ends_the_training_with_a_result_and_a_higher_one_lets_it_go_on_for_the_rest_only(
    tmp_path: Path, limit: int
) -> None:
    first, second, whole = Scripted(), Scripted(), Scripted()
    trainer = a_trainer(tmp_path / "run", first, config=a_config(limits={"calls": limit}))
    ended = trainer.train()
    assert isinstance(trainer.ended_by, BudgetExhausted)
    assert "raise it in [limits]" in trainer.ended_by.remedy
    assert len(first.prompts) <= limit
    assert ended.stopped
    assert 0 < ended.steps < ended.planned
    assert ended.reported is not None
    low, high = ended.reported.interval
    assert low <= ended.reported.mean <= high
    assert (tmp_path / "run" / "best_skill.md").read_text() == ended.best_skill
    summary = a_trainer(tmp_path / "run", second, config=a_config(limits={"calls": 500})).train()
    assert summary == a_trainer(tmp_path / "elsewhere" / "whole", whole).train()
    assert not set(first.keys()) & set(second.keys())
    # What only scored the best skill of the time isn't needed any more.
    assert len(first.prompts) + len(second.prompts) <= len(whole.prompts) + 8


def test_calls_are_kept_for_the_pass_that_reports_the_best_skill(tmp_path: Path) -> None:
    config = a_config("default", limits={"calls": 80})
    trainer = a_trainer(tmp_path, config=config)
    summary = trainer.train()
    assert summary.stopped.endswith("left, kept for val and test at the end")
    assert not [note for note in summary.notes if note.stage == "final"]
    assert summary.best.test is not None
    alone = a_config("default", limits={"calls": 80}, evaluation={"test": False})
    assert a_trainer(tmp_path / "alone", config=alone).train().stopped.endswith("left, kept for val at the end")


def test_calls_that_do_not_suffice_for_val_and_test_go_to_val(tmp_path: Path) -> None:
    summary = a_trainer(tmp_path, config=a_config("default", limits={"calls": 64})).train()
    assert summary.stopped
    assert not [note for note in summary.notes if note.stage == "final"]
    assert summary.best.test is None


def test_what_the_end_takes_is_no_part_of_the_steps_that_are_foretold(tmp_path: Path) -> None:
    config = a_config("default", limits={"calls": 70})
    made = plan(config, Toy(), optimizer=Scripted(), target=Scripted())
    steps = a_trainer(tmp_path, config=config).train().steps
    assert f"will end it after about {steps} of 4 steps" in "".join(limit_lines(config, made))


@pytest.mark.parametrize("paid", [0, 5])
def test_a_limit_below_the_first_scores_is_said_to_give_no_result(paid: int) -> None:
    config = a_config(limits={"calls": 5})
    made = plan(config, Toy(), optimizer=Scripted(), target=Scripted())
    (line,) = limit_lines(config, made, paid=paid)
    already = ", of which 5 are paid already," if paid else ""
    assert line.startswith(
        f"Limit: limits.calls = 5{already} ends it without a result: the first scores take 24 calls"
    )


@pytest.mark.parametrize("beside", [False, True])
@pytest.mark.parametrize("preset", ["default", "skillopt"])
def test_training_again_with_the_limit_that_ended_it_changes_and_pays_nothing(
    tmp_path: Path, preset: str, *, beside: bool
) -> None:
    if beside:  # another training has paid for some of the answers
        a_trainer(tmp_path / "other", config=a_config(preset, train={"epochs": 1})).train()
    config, again = a_config(preset, limits={"calls": 105}, train={"epochs": 4}), Scripted()
    ended = a_trainer(tmp_path / "run", config=config).train()
    assert "at the end" in ended.stopped
    assert ended.best.version.step > 1
    assert a_trainer(tmp_path / "run", again, config=config).train() == ended
    assert again.prompts == []


def test_a_training_that_is_killed_is_not_ended_earlier_by_what_it_has_paid(tmp_path: Path) -> None:
    def kill(_prompt: Prompt, number: int) -> None:
        if number == 95:
            raise Killed

    config = a_config("default", limits={"calls": 130}, train={"epochs": 4})
    whole = a_trainer(tmp_path / "a" / "whole", config=config, workers=1).train()
    with pytest.raises(Killed):
        a_trainer(tmp_path / "b" / "run", Scripted(kill), config=config, workers=1).train()
    summary = a_trainer(tmp_path / "b" / "run", config=config, workers=1).train()
    assert whole.steps == summary.steps
    assert whole.best_skill == summary.best_skill


def test_a_limit_before_the_initial_skill_is_scored_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(BudgetExhausted):
        a_trainer(tmp_path, config=a_config(limits={"calls": 5})).train()


def test_a_budget_of_no_edit_asks_nobody_which(tmp_path: Path) -> None:
    model = Scripted()
    config = a_config(optimizer={"schedule": "linear", "edit_budget": 1, "min_edit_budget": 0})
    summary = a_trainer(tmp_path, model, config=config).train()
    history = from_json((tmp_path / "history.json").read_bytes(), History)
    budgets = [step.edit_budget for step in history.steps]
    # Python rounds a half to the even number.
    assert budgets == [1, 0, 0, 0]
    assert summary.actions == {"accept_new_best": 1, "skip_no_budget": 3}
    assert model.counts()["select"] == 1


def test_what_was_rejected_in_an_epoch_is_known_to_its_later_steps_only(tmp_path: Path) -> None:
    class Useless(Scripted):
        def _answer(self, prompt: Prompt) -> str:
            if prompt.purpose in {Purpose.REFLECT, Purpose.AGGREGATE}:
                return '{"edits": [{"op": "append", "content": "- Be careful."}]}'
            return super()._answer(prompt)

    model = Useless()
    summary = a_trainer(tmp_path, model).train()
    assert summary.actions == {"reject": 4}
    assert summary.best_skill == "# Skill\n"
    reflections = [prompt.text for prompt in model.prompts if prompt.purpose is Purpose.REFLECT]
    assert ["): append - Be careful." in text for text in reflections] == [False] * 2 + [True] * 2 + [False] * 2 + [
        True
    ] * 2


def test_one_step_of_several_batches_reflects_on_each_and_decides_once(tmp_path: Path) -> None:
    model = Scripted()
    config = a_config(train={"epochs": 1, "batch_size": 3, "accumulation": 3})
    a_trainer(tmp_path, model, config=config).train()
    history = from_json((tmp_path / "history.json").read_bytes(), History)
    assert [step.train.n for step in history.steps] == [9, 7]


def test_a_folder_with_another_training_is_refused(tmp_path: Path) -> None:
    a_trainer(tmp_path).train()
    with pytest.raises(ConfigError, match=r"was started with something else: train\.seed: 7 → 8"):
        a_trainer(tmp_path, config=a_config(train={"seed": 8})).train()


def test_a_training_beside_another_pays_only_for_what_is_new(tmp_path: Path) -> None:
    first, second, other = Scripted(), Scripted(), Scripted()
    a_trainer(tmp_path / "one", first).train()
    a_trainer(tmp_path / "two", second, config=a_config(evaluation={"metric": "soft"})).train()
    assert not set(first.keys()) & set(second.keys())
    a_trainer(tmp_path / "three", other, config=a_config(train={"seed": 8})).train()
    rollouts = [prompt for prompt in other.prompts if prompt.purpose is Purpose.ROLLOUT]
    assert len(rollouts) > len(second.prompts)


def test_a_training_from_a_skill_that_val_chose_draws_val_anew(tmp_path: Path) -> None:
    summary = a_trainer(tmp_path / "one").train()
    model = Scripted()
    a_trainer(tmp_path / "two", model, initial_skill=summary.best_skill).train()
    assert len([prompt for prompt in model.prompts if "val request" in prompt.text]) >= 8


def test_the_final_skill_is_the_best_where_only_the_end_tells(tmp_path: Path) -> None:
    summary = a_trainer(tmp_path, Late()).train()
    assert summary.best.version == summary.final.version
    assert summary.best.val.hard == 1
    history = from_json((tmp_path / "history.json").read_bytes(), History)
    (end,) = history.end
    assert (end.gated.action, end.gated.after) == (Action.ACCEPT_NEW_BEST, 1)
    assert (tmp_path / "end" / "trial_1.json").exists()
    assert history.steps[-1].calls < end.calls <= summary.total.calls


def test_other_models_may_play_the_two_roles(tmp_path: Path) -> None:
    optimizer, target = Scripted(), Scripted()
    a_trainer(tmp_path, optimizer, target=target).train()
    assert set(target.counts()) == {"rollout"}
    assert "rollout" not in optimizer.counts()


def test_splits_share_no_item(tmp_path: Path) -> None:
    class Leaky(Toy, frozen=True):
        def items(self, split: Split):  # noqa: ANN202
            return Toy.items(self, Split.TRAIN)

    with pytest.raises(ConfigError, match="more than once"):
        a_trainer(tmp_path, env=Leaky()).train()
