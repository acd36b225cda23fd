"""A plan is never below what the training makes, and makes no call itself."""

import re
from pathlib import Path
from typing import Any

import pytest

from skillopt_sleep.backends.metered import CHARS_PER_TOKEN
from skillopt_sleep.cli.train_shown import plan_lines
from skillopt_sleep.kit.codec import to_json
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.records import Split
from skillopt_sleep.trainer import Item, Result
from skillopt_sleep.trainer.env import find_env
from skillopt_sleep.trainer.plan import ANSWER_TOKENS, plan
from tests.command import Home
from tests.trainer.toy import Scripted, Toy, a_config, a_trainer


@pytest.mark.parametrize(
    "sections",
    [
        {},
        {"preset": "default"},
        {"preset": "evidence"},
        {"evaluation": {"test": False}},
        {"gradient": {"reflection": "shallow"}},
        {"gradient": {"reflection": "deep"}},
        {"optimizer": {"mode": "rewrite"}},
        {"optimizer": {"mode": "full_rewrite"}, "gradient": {"minibatch": 2}},
        {"optimizer": {"schedule": "autonomous", "edit_budget": 3}},
        {"train": {"epochs": 4, "batch_size": 4, "accumulation": 2}},
        {"preset": "default", "optimizer": {"edit_budget": 4}},
        {"preset": "evidence", "optimizer": {"edit_budget": 4}},
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
    assert made.usual <= made.calls


def test_the_tokens_of_a_question_are_those_of_what_its_item_holds() -> None:
    long = find_env("dataset", {})
    made = plan(a_config(), long, optimizer=Scripted(), target=Scripted())
    tokens = {stage.name: stage.tokens / stage.calls for stage in made.stages}
    sent = [len(to_json(item.data)) for split in Split for item in long.items(split)]
    assert tokens["val"] >= sum(sent) / len(sent) / CHARS_PER_TOKEN + ANSWER_TOKENS


@pytest.mark.slow
def test_the_command_says_it_without_a_run(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    (tmp_path / "toy.toml").write_text(
        '[train]\nfolder = "one"\n[backend]\nname = "simulated"\n[env]\nname = "dataset"\n', encoding="utf-8"
    )
    done = home.command("train", str(tmp_path / "toy.toml"), "--plan")
    assert done.code == 0, done.err
    assert "total" in done.out
    assert "error rate is unknown" in done.out
    assert not (tmp_path / "one").exists()
    assert home.command("train", str(tmp_path / "toy.toml")).code == 0
    again = " ".join(home.command("train", str(tmp_path / "toy.toml"), "--plan").err.split())
    assert re.search(r"Paid in \S+one \(finished\): \d+ calls, .*\. None of these answers is paid for again\.", again)
    as_json = home.command("train", str(tmp_path / "toy.toml"), "--plan", "--json").json
    assert as_json["calls"] == sum(stage["calls"] for stage in as_json["stages"])


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
    assert "calls; an attempt takes up to 2 calls." in next(iter(plan_lines(made)))


@pytest.mark.parametrize(
    ("name", "options", "calls"),
    [
        ("office_documents", {"turns": 20}, 20),
        ("dataset", {}, 1),
    ],
)
def test_the_environments_say_how_many_calls_an_attempt_makes(name: str, options: dict[str, Any], calls: int) -> None:
    made = plan(a_config(), find_env(name, options), optimizer=Scripted(), target=Scripted())
    assert made.calls_each == calls
