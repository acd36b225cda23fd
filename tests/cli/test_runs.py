import json
import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from skillopt_sleep.errors import BudgetExhausted
from skillopt_sleep.kit.codec import from_json, to_json
from skillopt_sleep.trainer import TrainerConfig
from skillopt_sleep.trainer.env import Env, find_env
from skillopt_sleep.trainer.summary import Summary
from tests.command import Home
from tests.trainer.toy import TOY_ENV, a_config, a_trainer


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


def trained(folder: Path, config: TrainerConfig | None = None, env: Env | None = None) -> Path:
    a_trainer(folder, config=config, env=env).train()
    return folder


@pytest.mark.slow
def test_runs_are_listed_with_what_came_of_them(tmp_path: Path, home: Home) -> None:
    trained(tmp_path / "runs" / "one")
    with pytest.raises(BudgetExhausted):
        a_trainer(tmp_path / "runs" / "two", config=a_config(limits={"calls": 60})).train()
    listed = home.command("runs", "list", str(tmp_path / "runs"))
    assert listed.code == 0, listed.err
    one, two = listed.out.splitlines()
    assert "best val hard 1.000, soft 1.000 (n=8)" in one
    assert two.endswith("not finished: 2 steps so far; the limit of 60 calls is reached")
    told = home.command("runs", "list", str(tmp_path / "runs"), "--json").json
    assert [run["summary"] is None for run in told["runs"]] == [False, True]
    assert "No trainings in" in home.command("runs", "list", str(tmp_path / "home")).out


@pytest.mark.slow
def test_runs_are_listed_and_compared_without_the_luck_of_their_best(tmp_path: Path, home: Home) -> None:
    lucky, plain = trained(tmp_path / "lucky"), trained(tmp_path / "plain")
    for run, luck in ((lucky, 0.125), (plain, 0.0)):
        summary = from_json((run / "summary.json").read_bytes(), Summary)
        assert summary.reported is not None
        reported = replace(summary.reported, mean=1.0 - luck, luck=luck)
        (run / "summary.json").write_bytes(to_json(replace(summary, reported=reported)))
    said = "best val hard 1.000, soft 1.000 (n=8)"
    one, two = home.command("runs", "list", str(tmp_path)).out.splitlines()
    assert f"{said}, 0.875 without the luck of being chosen" in one
    assert "luck of being chosen" not in two
    compared = home.command("runs", "compare", str(lucky), str(plain)).out.splitlines()
    assert f"{said}, 0.875 without the luck of being chosen, best test" in compared[-2]
    assert f"{said}, best test" in compared[-1]


@pytest.mark.slow
def test_runs_in_one_folder_are_listed_with_gate_seed_and_what_they_differ_in(tmp_path: Path, home: Home) -> None:
    runs = tmp_path / "runs"
    trained(runs / "one")
    trained(runs / "two", a_config(optimizer={"edit_budget": 2}, evaluation={"gate": "greedy"}))
    trained(runs / "apart" / "alone", a_config(train={"seed": 9}))
    alone, one, two = home.command("runs", "list", str(runs)).out.splitlines()
    assert "apart/alone  toy, scripted, gate strict, seed 9: best val" in alone
    assert "one  toy, scripted, gate strict, seed 7, optimizer.edit_budget 1: best val" in one
    assert "two  toy, scripted, gate greedy, seed 7, optimizer.edit_budget 2: best val" in two
    told = home.command("runs", "list", str(runs), "--json").json["runs"]
    assert [(run["gate"], run["seed"]) for run in told] == [("strict", 9), ("strict", 7), ("greedy", 7)]
    assert [run["apart"] for run in told] == [
        {},
        {"evaluation.gate": "strict", "optimizer.edit_budget": "1"},
        {"evaluation.gate": "greedy", "optimizer.edit_budget": "2"},
    ]


def test_what_most_trainings_of_a_folder_have_in_common_is_not_listed(tmp_path: Path, home: Home) -> None:
    for name, budget in (("one", 1), ("two", 1), ("three", 2)):
        trained(tmp_path / name, a_config(optimizer={"edit_budget": budget}))
    one, three, two = home.command("runs", "list", str(tmp_path)).out.splitlines()
    assert "seed 7: best val" in one
    assert "seed 7: best val" in two
    assert "seed 7, optimizer.edit_budget 2: best val" in three


def test_a_long_value_is_listed_by_its_end_and_an_empty_one_as_empty(tmp_path: Path, home: Home) -> None:
    trained(tmp_path / "one")
    trained(
        tmp_path / "two", a_config(env={"name": "toy", "path": f"{'long/' * 20}x.json"}, train={"shared": "a.db"})
    )
    one, two = home.command("runs", "list", str(tmp_path)).out.splitlines()
    assert 'train.shared "": best val' in one
    assert "env.path …ng/long/long/long/long/x.json" in two
    assert "long/" * 6 not in two


def test_of_many_differences_the_first_are_listed(tmp_path: Path, home: Home) -> None:
    trained(tmp_path / "one")
    many = {"edit_budget": 2, "screen": 1, "slow_update": False, "meta_skill": False, "max_chars": 9_000}
    trained(tmp_path / "two", a_config(optimizer=many))
    assert "optimizer.meta_skill false and 2 more: best val" in home.command("runs", "list", str(tmp_path)).out


@pytest.mark.slow
def test_a_run_is_shown_step_by_step(tmp_path: Path, home: Home) -> None:
    folder = trained(tmp_path / "one")
    shown = home.command("runs", "show", str(folder))
    assert shown.code == 0, shown.err
    steps = [line.strip() for line in shown.out.splitlines() if line.startswith("  step")]
    assert [line.partition(":")[0] for line in steps] == [
        f"step {number:4} (epoch {epoch}), accepted as the best" for number, epoch in ((1, 1), (2, 1), (3, 2), (4, 2))
    ]
    assert steps[0].endswith("; val 0.000 → 0.250 (n=8)")
    assert "end of epoch 2: no guidance, as none of the compared items fails" in shown.out
    assert len(home.command("runs", "show", str(folder), "--json").json["history"]["steps"]) == 4
    assert home.command("runs", "show", str(tmp_path)).code == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("backend", "changes", "said"),
    [
        ("simulated", ["--set", "train.seed=7"], "Run it: skillopt-sleep train {} --backend simulated"),
        ("", [], "Run it, with the --backend of the first one if it had one: skillopt-sleep train {}"),
    ],
)
def test_a_fork_says_how_it_is_run_and_whether_it_differs(
    tmp_path: Path, home: Home, backend: str, changes: list[str], said: str
) -> None:
    config = a_config(train={"folder": "one"}, env=TOY_ENV, backend={"name": backend})
    trained(tmp_path / "one", config, env=find_env(str(TOY_ENV["name"]), {"words": TOY_ENV["words"]}))
    forked = home.command("runs", "fork", str(tmp_path / "one"), "two", *changes)
    assert forked.code == 0, forked.err
    words = " ".join(forked.out.split())
    assert said.format(tmp_path / "two.toml") in words
    assert ("it gives the same result again" in words) is (not changes)
    assert forked.err == ""


@pytest.mark.slow
def test_a_fork_of_a_run_whose_skill_has_changed_promises_no_same_result(tmp_path: Path, home: Home) -> None:
    (tmp_path / "skill.md").write_text("Be brief.", encoding="utf-8")
    toml = tmp_path / "one.toml"
    toml.write_text(
        'skill = "skill.md"\n[train]\nfolder = "one"\nepochs = 1\n[backend]\nname = "simulated"\n'
        '[env]\nname = "multiple_choice"\n',
        encoding="utf-8",
    )
    assert home.command("train", str(toml)).code == 0
    (tmp_path / "skill.md").write_text("Be long.", encoding="utf-8")
    forked = home.command("runs", "fork", str(tmp_path / "one"), "two")
    assert "began: the initial skill. The new training begins with what is there now." in " ".join(forked.err.split())
    assert "same result" not in forked.out


@pytest.mark.slow
def test_a_run_is_drawn_as_a_page_in_its_folder_or_where_it_is_wanted(tmp_path: Path, home: Home) -> None:
    folder = trained(tmp_path / "one")
    done = home.command("runs", "plot", str(folder))
    assert done.code == 0, done.err
    assert done.out.strip() == str(folder / "plot.html")
    assert "best on items like val" in (folder / "plot.html").read_text(encoding="utf-8")
    elsewhere = home.command("runs", "plot", str(folder), "--output", str(tmp_path / "mine.html"))
    assert elsewhere.out.strip() == str(tmp_path / "mine.html")
    assert (tmp_path / "mine.html").read_bytes() == (folder / "plot.html").read_bytes()
    refused = home.command("runs", "plot", str(folder), "--output", str(tmp_path / "nowhere" / "mine.html"))
    assert refused.code == 2
    assert "--output" in refused.err
    assert home.command("runs", "plot", str(tmp_path)).code == 2


@pytest.mark.slow
def test_several_runs_are_drawn_over_one_another_in_the_folder_that_holds_them(tmp_path: Path, home: Home) -> None:
    one, other = trained(tmp_path / "one"), trained(tmp_path / "other", a_config(train={"seed": 8}))
    done = home.command("runs", "plot", str(one), str(other))
    assert done.code == 0, done.err
    assert done.out.strip() == str(tmp_path / "runs-plot.html")
    assert "train.seed" in (tmp_path / "runs-plot.html").read_text(encoding="utf-8")
    elsewhere = home.command("runs", "plot", str(one), str(other), "--output", str(tmp_path / "mine.html"))
    assert elsewhere.out.strip() == str(tmp_path / "mine.html")
    twice = home.command("runs", "plot", str(one), str(one))
    assert (twice.code, "named twice" in twice.err) == (2, True)
    assert home.command("runs", "plot").code == 2


class Browsing(Home):
    """A home with a browser of its own, and nothing else on its PATH."""

    browser = ""

    @property
    def environment(self) -> dict[str, str]:
        return super().environment | {"BROWSER": self.browser, "PATH": "/nonexistent"}


@pytest.mark.slow
def test_a_page_is_opened_in_the_browser_or_its_path_is_said(tmp_path: Path) -> None:
    folder, home = trained(tmp_path / "one"), Browsing(tmp_path / "home")
    browser = home.folder / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {home.folder}/opened\n', encoding="utf-8")
    browser.chmod(0o755)
    home.browser = f"{browser} %s"
    done = home.command("runs", "plot", str(folder), "--open")
    assert done.code == 0, done.err
    assert (home.folder / "opened").read_text(encoding="utf-8").strip() == (folder / "plot.html").as_uri()
    home.browser = "/bin/false %s"
    none = home.command("runs", "plot", str(folder), "--open")
    assert none.code == 0, none.err
    assert "yourself" in none.err


@pytest.mark.slow
def test_two_runs_are_compared_by_what_they_were_and_what_came_of_them(tmp_path: Path, home: Home) -> None:
    one = trained(tmp_path / "one")
    other = trained(tmp_path / "other", a_config(optimizer={"edit_budget": 4}))
    done = home.command("runs", "compare", str(one), str(other))
    assert done.code == 0, done.err
    assert "config.optimizer.edit_budget: 1 → 4" in done.out
    assert done.out.count("best test hard 1.000") == 2
    assert "can't be compared" not in done.out
    trained(tmp_path / "short", a_config(evaluation={"val_items": 4}))
    unlike = home.command("runs", "compare", str(one), str(tmp_path / "short")).out
    assert "They differ in val items, so their scores can't be compared." in unlike
    assert "started with the same configuration" in home.command("runs", "compare", str(one), str(one)).out


@pytest.mark.slow
def test_a_run_that_can_not_be_read_is_listed_as_such(tmp_path: Path, home: Home) -> None:
    for name in ("a", "b", "c", "d"):
        (tmp_path / "runs" / name).mkdir(parents=True)
        (tmp_path / "runs" / name / "calls.db").touch()
        (tmp_path / "runs" / name / "config.json").write_text("{", encoding="utf-8")
    trained(tmp_path / "runs" / "e")
    trained(tmp_path / "runs" / "f")
    (tmp_path / "runs" / "f" / "summary.json").write_text("[" * 100_000, encoding="utf-8")
    listed = home.command("runs", "list", str(tmp_path / "runs"))
    assert listed.code == 0, listed.err
    assert listed.out.count("unreadable: ") == 5
    assert "best val" in listed.out
    told = home.command("runs", "list", str(tmp_path / "runs"), "--json").json["runs"]
    assert ["unreadable" in run for run in told] == [True] * 4 + [False, True]
    assert home.command("runs", "show", str(tmp_path / "runs" / "f")).code == 2


def test_a_folder_that_is_not_there_holds_no_list_of_runs(tmp_path: Path, home: Home) -> None:
    done = home.command("runs", "list", str(tmp_path / "nothere"))
    assert done.code == 2
    assert "nothere: no such folder" in done.err


@pytest.mark.slow
def test_all_that_two_runs_were_started_with_is_compared(tmp_path: Path, home: Home) -> None:
    one = trained(tmp_path / "one")
    other = trained(tmp_path / "other", a_config(train={"epochs": 1, "workers": 2}, limits={"calls": 10_000}))
    for pair in ((one, other), (other, one)):
        done = home.command("runs", "compare", *map(str, pair)).out
        assert "config.train.epochs: " in done
        assert "config.train.workers: " in done
        assert "config.limits.calls: " in done
        assert "started with the same" not in done


def test_what_each_stage_took_is_shown(tmp_path: Path, home: Home) -> None:
    folder = trained(tmp_path / "one")
    spend = json.loads((folder / "spend.json").read_bytes())
    (folder / "spend.json").write_text(json.dumps({**spend, "seconds": {"rollout": 12.34, "gate": 0.001}}), "utf-8")
    shown = home.command("runs", "show", str(folder)).out
    assert re.search(r"^  val: \d+ answers, [\d,]+ tokens, \$0\.\d+$", shown, re.MULTILINE)
    assert "  rollout: 12.3 s" in shown
    assert "gate: 0.0 s" not in shown
    assert home.command("runs", "show", str(folder), "--json").json["seconds"]["rollout"] == 12.34
