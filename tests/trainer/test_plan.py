"""A plan is never below what the training makes, and makes no call itself."""

import re
from pathlib import Path
from typing import Any

import pytest

from skillopt_sleep.backends.metered import CHARS_PER_TOKEN
from skillopt_sleep.cli.train_plan import plan_lines
from skillopt_sleep.errors import StoreError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.codec import to_json
from skillopt_sleep.protocols import Backend
from skillopt_sleep.records import Split
from skillopt_sleep.trainer import Item, Result, TrainerConfig, load_config
from skillopt_sleep.trainer.env import find_env
from skillopt_sleep.trainer.fork import fork
from skillopt_sleep.trainer.plan import ANSWER_TOKENS, plan
from skillopt_sleep.trainer.worth import most_attempts
from tests.command import Home
from tests.trainer.toy import TOY_ENV, Scripted, Toy, a_config, a_trainer


@pytest.mark.parametrize(
    "sections",
    [
        {},
        {"evaluation": {"gate": "greedy"}},
        {"evaluation": {"gate": "sequential", "rounds": 2}},
        {"evaluation": {"test": False}},
        {"gradient": {"reflection": "shallow"}},
        {"gradient": {"reflection": "deep"}},
        {"gradient": {"skill_aware": True, "consolidate_after": 1}},
        {"optimizer": {"mode": "rewrite", "slow_gated": True}},
        {"optimizer": {"mode": "full_rewrite"}, "gradient": {"minibatch": 2}},
        {"optimizer": {"schedule": "autonomous", "edit_budget": 3, "slow_update": False}},
        {"train": {"epochs": 4, "batch_size": 4, "accumulation": 2}},
        {"train": {"samples": 2}, "evaluation": {"samples": 2, "redraw": "always"}},
        {"optimizer": {"search": "pareto", "screen": 3}},
        {"evaluation": {"gate": "sequential", "judge": "step"}},
        {"evaluation": {"judge": "epoch"}, "optimizer": {"screen": 4}},
        {"optimizer": {"removal": True, "edit_budget": 4}},
        {"optimizer": {"removal": True}, "evaluation": {"gate": "sequential", "rounds": 2, "judge": "step"}},
        {"optimizer": {"removal": True, "screen": 2}, "evaluation": {"gate": "sequential"}},
    ],
)
def test_a_plan_is_an_upper_bound_of_every_stage(tmp_path: Path, sections: dict[str, Any]) -> None:
    config, asked = a_config(**sections), Scripted()
    made = plan(config, Toy(), optimizer=asked, target=asked)
    assert not asked.prompts
    summary = a_trainer(tmp_path, config=config).train()
    most = {stage.name: stage.calls for stage in made.stages}
    assert {name: cost.calls for name, cost in summary.costs.items() if cost.calls > most.get(name, 0)} == {}
    assert made.steps == summary.steps
    assert made.calls >= summary.total.calls


def test_a_plan_counts_the_attempts_that_measure_rules() -> None:
    def stages(*, removal: bool) -> dict[str, int]:
        config = a_config(optimizer={"removal": removal, "edit_budget": 3})
        return {
            stage.name: stage.calls for stage in plan(config, Toy(), optimizer=Scripted(), target=Scripted()).stages
        }

    usual, more = stages(removal=False), stages(removal=True)
    assert "removal" not in usual
    assert more["removal"] == most_attempts(3 * 4)
    assert more["val"] > usual["val"]


def test_the_tokens_of_a_question_are_those_of_what_its_item_holds() -> None:
    long = find_env("question_answering", {})
    made = plan(a_config(), long, optimizer=Scripted(), target=Scripted())
    tokens = {stage.name: stage.tokens / stage.calls for stage in made.stages}
    sent = [len(to_json(item.data)) for split in Split for item in long.items(split)]
    assert tokens["val"] >= sum(sent) / len(sent) / CHARS_PER_TOKEN + ANSWER_TOKENS


def test_the_smallest_gain_is_what_the_chosen_gate_can_prove() -> None:
    def gain(val: int, **evaluation: Any) -> float | None:
        env = Toy(sizes={"val": val})
        config = a_config(evaluation=evaluation)
        return plan(config, env, optimizer=Scripted(), target=Scripted()).smallest_gain

    assert gain(8) == 1 / 8
    assert gain(8, samples=10) == 1 / 80
    assert gain(8, metric="soft") == 0
    few, many = gain(24, gate="sequential"), gain(200, gate="sequential")
    assert few is not None
    assert many is not None
    assert many < few / 3
    assert gain(4, gate="sequential") is None
    assert gain(4, gate="sequential", rounds=1) is None
    assert gain(200, gate="sequential", min_effect=0.7) == 0.7


@pytest.mark.slow
def test_the_command_says_it_without_a_run(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    (tmp_path / "toy.toml").write_text(
        '[train]\nfolder = "one"\n[backend]\nname = "simulated"\n[env]\nname = "multiple_choice"\n', encoding="utf-8"
    )
    done = home.command("train", str(tmp_path / "toy.toml"), "--plan")
    assert done.code == 0, done.err
    assert "total" in done.out
    assert "error rate is unknown" in done.out
    assert not (tmp_path / "one").exists()
    assert home.command("train", str(tmp_path / "toy.toml")).code == 0
    again = " ".join(home.command("train", str(tmp_path / "toy.toml"), "--plan").out.split())
    assert re.search(
        r"Paid in \S+one so far: \d+ calls, .*\. If the training goes on, no answer is paid for again\.", again
    )
    as_json = home.command("train", str(tmp_path / "toy.toml"), "--plan", "--json").json
    assert as_json["calls"] == sum(stage["calls"] for stage in as_json["stages"])
    assert home.command("train", str(tmp_path / "toy.toml"), "--plan", "--resume").code == 0


@pytest.mark.slow
def test_a_plan_of_going_on_is_refused_as_going_on_would_be(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    toml = tmp_path / "toy.toml"
    text = '[backend]\nname = "simulated"\n[env]\nname = "multiple_choice"\n[train]\nfolder = "one"\n'
    toml.write_text(text, encoding="utf-8")
    nothing = home.command("train", str(toml), "--plan", "--resume")
    assert (nothing.code, "holds no run to resume" in nothing.err) == (2, True)
    assert home.command("train", str(toml)).code == 0
    toml.write_text(f"{text}batch_size = 7\n", encoding="utf-8")
    planned, resumed = (home.command("train", str(toml), *flags) for flags in (["--plan", "--resume"], ["--resume"]))
    assert "batch_size" in planned.err
    assert (planned.code, planned.err) == (resumed.code, resumed.err)


def test_what_a_gate_without_an_error_rate_takes_is_said() -> None:
    def said(**evaluation: Any) -> str:
        config = a_config(evaluation=evaluation)
        return plan_lines(plan(config, Toy(), optimizer=Scripted(), target=Scripted()))[-1]

    unknown = "proves nothing: its error rate is unknown. On 8 val items it takes"
    assert said() == f"The gate strict {unknown} a gain of 0.125 already."
    assert said(metric="soft") == f"The gate strict {unknown} any gain, however small."


def test_a_val_set_that_can_prove_nothing_is_said_to_be_so() -> None:
    config = a_config(evaluation={"gate": "sequential"})
    made = plan(config, Toy(sizes={"val": 4}), optimizer=Scripted(), target=Scripted())
    assert plan_lines(made)[-1] == (
        "The gate: 4 val items can't prove anything where a skill repeats its answers; where they differ each time, "
        "5 passes can prove 0.45. Add val items, or make fewer steps."
    )


@pytest.mark.parametrize("shared", ["", "answers.db"])
def test_a_plan_counts_the_answers_that_a_fork_begins_with(tmp_path: Path, shared: str) -> None:
    config, asked = a_config(train={"folder": "one"}, env=TOY_ENV), Scripted()
    env = find_env(str(TOY_ENV["name"]), {"words": TOY_ENV["words"]})

    def kept(config: TrainerConfig, folder: Path) -> int:
        return plan(config, env, optimizer=asked, target=asked, folder=folder).kept

    assert kept(config, tmp_path / "one") == 0
    trained = a_trainer(tmp_path / "one", config=config, env=env).train()
    assert kept(config, tmp_path / "one") == 0
    changes = [f"train.shared={shared}"] if shared else []
    made = fork(tmp_path / "one", "two", changes, clock=utc_now)
    assert kept(load_config(made.config), made.folder) == trained.total.calls
    made.folder.joinpath("calls.db").write_bytes(b"torn" * 100)
    if not shared:
        with pytest.raises(StoreError, match="not a database"):
            kept(load_config(made.config), made.folder)


def test_a_plan_says_how_many_calls_an_unfinished_run_still_makes(tmp_path: Path) -> None:
    class Stopped(BaseException):
        """Ends a training in its middle."""

    def left() -> int | None:
        return plan(a_config(), Toy(), optimizer=Scripted(), target=Scripted(), folder=tmp_path).left

    assert left() is None
    for most in (4, 30, 20):

        def stop(prompt: object, number: int, most: int = most) -> None:
            if number > most:
                raise Stopped

        with pytest.raises(Stopped):
            a_trainer(tmp_path, Scripted(stop)).train(resume=(tmp_path / "config.json").exists())
    planned = left()
    assert planned is not None
    rest = Scripted()
    a_trainer(tmp_path, rest).train(resume=True)
    assert 0 < len(rest.prompts) <= planned < plan(a_config(), Toy(), optimizer=rest, target=rest).calls
    assert left() is None


def test_a_plan_counts_every_call_of_an_attempt_whose_environment_says_how_many_it_makes(tmp_path: Path) -> None:
    class Twice(Toy, frozen=True):
        """Asks for a second opinion."""

        calls_each = 2

        def rollout_one(self, item: Item, skill: str, target: Backend, *, sample: int) -> Result:
            super().rollout_one(item, skill, target, sample=sample + 1_000)
            return super().rollout_one(item, skill, target, sample=sample)

    asked = Scripted()
    made = plan(a_config(), Twice(), optimizer=asked, target=asked)
    summary = a_trainer(tmp_path, env=Twice()).train()
    most = {stage.name: stage.calls for stage in made.stages}
    assert all(cost.calls <= most[name] for name, cost in summary.costs.items())
    assert "At most these calls, with 2 for each attempt and none repeated" in plan_lines(made)[0]


@pytest.mark.parametrize(
    ("name", "options", "calls"),
    [
        ("tasks", {}, 1),
        ("tasks", {"graded_by_target": True}, 2),
        ("text_worlds", {"steps": 20}, 20),
        ("question_answering", {}, 1),
    ],
)
def test_the_environments_say_how_many_calls_an_attempt_makes(name: str, options: dict[str, Any], calls: int) -> None:
    made = plan(a_config(), find_env(name, options), optimizer=Scripted(), target=Scripted())
    assert made.calls_each == calls
