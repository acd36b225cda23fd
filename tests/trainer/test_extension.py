from pathlib import Path
from typing import Any

import pytest

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.codec import from_json
from skillopt_sleep.trainer import TrainerConfig
from skillopt_sleep.trainer.extension import Extension, extension
from skillopt_sleep.trainer.plan import plan
from skillopt_sleep.trainer.summary import History
from tests.trainer.toy import Scripted, Toy, a_config, a_trainer

# So many words are lacking in every batch that the budget decides which are learned.
TOY = Toy(words=tuple("abcdefghijkl"))
FALLING = {"schedule": "cosine", "edit_budget": 2, "min_edit_budget": 1}
WAYS: dict[str, dict[str, dict[str, Any]]] = {
    "cosine": {"optimizer": FALLING},
    "linear": {"optimizer": FALLING | {"schedule": "linear"}},
    "constant": {"optimizer": FALLING | {"schedule": "constant"}},
    "autonomous": {"optimizer": FALLING | {"schedule": "autonomous"}},
    "none": {"optimizer": FALLING | {"schedule": "none"}},
    "evidence": {"optimizer": FALLING | {"screen": 1}, "evaluation": {"gate": "sequential", "rounds": 2}},
    "evidence by step": {"optimizer": FALLING, "evaluation": {"gate": "sequential", "rounds": 2, "judge": "step"}},
    "evidence by epoch": {
        "optimizer": FALLING | {"screen": 1},
        "evaluation": {"gate": "sequential", "rounds": 2, "judge": "epoch"},
    },
    "evidence with removal": {
        "optimizer": FALLING | {"screen": 1, "removal": True},
        "evaluation": {"gate": "sequential", "rounds": 2},
    },
    "removal": {"optimizer": FALLING | {"removal": True}},
    "guidance": {"optimizer": FALLING | {"slow_gated": True}, "train": {"batch_size": 16}},
    "pareto": {"optimizer": FALLING | {"search": "pareto"}},
}


def a_run(way: str, *, epochs: int, horizon: int = 0) -> TrainerConfig:
    sections = WAYS[way]
    own = sections["optimizer"] | {"horizon": horizon}
    train = {"batch_size": 8} | sections.get("train", {}) | {"epochs": epochs}
    return a_config(**sections | {"train": train, "optimizer": own})


def history_of(folder: Path) -> History:
    return from_json((folder / "history.json").read_bytes(), History)


def price(config: TrainerConfig, folder: Path) -> Extension | None:
    return plan(config, TOY, optimizer=Scripted(), target=Scripted(), folder=folder).extends


@pytest.mark.parametrize("way", WAYS)
def test_with_the_old_horizon_what_was_done_stays_and_no_call_is_paid_again(tmp_path: Path, way: str) -> None:
    first, second, whole = Scripted(), Scripted(), Scripted()
    a_trainer(tmp_path / "run", first, env=TOY, config=a_run(way, epochs=2)).train()
    short, longer = history_of(tmp_path / "run"), a_run(way, epochs=4, horizon=2)
    told = price(longer, tmp_path / "run")
    assert told is not None
    assert (told.before, told.epochs, told.again) == (2, 4, 0)
    assert (told.answers, told.paid) == (len(first.prompts), len(first.prompts))
    extended = a_trainer(tmp_path / "run", second, env=TOY, config=longer).train(resume=True)
    assert extended == a_trainer(tmp_path / "whole", whole, env=TOY, config=longer).train()
    done = history_of(tmp_path / "run")
    assert done.steps[: len(short.steps)] == short.steps
    assert len(done.steps) == 2 * len(short.steps)
    assert not set(first.keys()) & set(second.keys())
    made = plan(longer, TOY, optimizer=first, target=first, folder=tmp_path / "run")
    assert made.calls >= extended.total.calls


@pytest.mark.parametrize("way", ["cosine", "linear", "evidence by step", "evidence by epoch"])
def test_without_it_the_price_of_what_is_made_again_is_said_with_the_reason(tmp_path: Path, way: str) -> None:
    first, second = Scripted(), Scripted()
    a_trainer(tmp_path / "run", first, env=TOY, config=a_run(way, epochs=2)).train()
    short = history_of(tmp_path / "run")
    told = price(a_run(way, epochs=4), tmp_path / "run")
    assert told is not None
    assert told.kept_by == 2
    assert told.again > 0
    assert "4 epochs" in told.why
    assert told.usd == pytest.approx(0.001 * told.again)
    a_trainer(tmp_path / "run", second, env=TOY, config=a_run(way, epochs=4)).train(resume=True)
    longer = history_of(tmp_path / "run")
    differing = [step.step for step in short.steps if longer.steps[step.step - 1] != step]
    if way in {"cosine", "linear"}:
        assert f"step {differing[0]} " in told.why
        assert len(second.prompts) > (longer.epochs[-1].calls or 0) - (short.epochs[-1].calls or 0)
    else:
        assert "evaluation.alpha" in told.why


@pytest.mark.parametrize("way", ["constant", "autonomous", "none", "pareto"])
def test_a_run_whose_schedule_knows_no_end_pays_nothing_again(tmp_path: Path, way: str) -> None:
    config = a_run(way, epochs=2)
    if way == "pareto":
        config = a_config(train={"epochs": 2}, optimizer={"search": "pareto"})
    a_trainer(tmp_path / "run", env=TOY, config=config).train()
    longer = a_run(way, epochs=4)
    if way == "pareto":
        longer = a_config(train={"epochs": 4}, optimizer={"search": "pareto"})
    told = price(longer, tmp_path / "run")
    assert told is not None
    assert (told.again, told.why) == (0, "")


def test_there_is_no_price_without_a_run_or_without_more_epochs(tmp_path: Path) -> None:
    config = a_config()
    assert extension(config, tmp_path / "nothing", per_epoch=2) is None
    a_trainer(tmp_path / "run", env=TOY).train()
    assert extension(config, tmp_path / "run", per_epoch=2) is None
    assert price(config, tmp_path / "run") is None


def test_a_run_that_ended_early_says_why(tmp_path: Path) -> None:
    config = a_config(train={"target": 0.2})
    a_trainer(tmp_path / "run", env=TOY, config=config).train()
    told = price(a_config(train={"target": 0.2, "epochs": 4}), tmp_path / "run")
    assert told is not None
    assert "train.target" in told.stopped


@pytest.mark.parametrize("horizon", [1, 3])
def test_another_horizon_than_the_run_had_is_another_run(tmp_path: Path, horizon: int) -> None:
    a_trainer(tmp_path / "run", env=TOY, config=a_run("cosine", epochs=2)).train()
    with pytest.raises(ConfigError, match=r"optimizer\.horizon"):
        a_trainer(tmp_path / "run", env=TOY, config=a_run("cosine", epochs=4, horizon=horizon)).train(resume=True)


def test_a_horizon_beyond_the_last_epoch_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"optimizer\.horizon is above train\.epochs"):
        a_trainer(tmp_path / "run", env=TOY, config=a_run("cosine", epochs=2, horizon=3))


def test_a_trial_that_lost_at_the_horizon_leaves_no_error_rate_for_later_ones(tmp_path: Path) -> None:
    config = a_run("evidence", epochs=2)
    assert a_trainer(tmp_path / "run", env=TOY, config=config).train().best.standing.step == 0
    longer = a_run("evidence", epochs=4, horizon=2)
    assert a_trainer(tmp_path / "run", env=TOY, config=longer).train(resume=True).best.standing.step == 0
    judged = [epoch.judged for epoch in history_of(tmp_path / "run").epochs if epoch.judged]
    assert [verdict.n > 0 for verdict in judged] == [True, False]
    assert "used up" in judged[-1].reason
