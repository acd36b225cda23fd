import re
from pathlib import Path

import pytest

from skillopt_sleep.cli.runs import say_runs
from skillopt_sleep.trainer import TrainerConfig
from skillopt_sleep.trainer.env import Env
from skillopt_sleep.trainer.runs import read
from tests.command import Home
from tests.trainer.toy import SIZES, Toy, a_config, a_trainer


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


def trained(folder: Path, config: TrainerConfig | None = None, env: Env | None = None) -> Path:
    a_trainer(folder, config=config, env=env).train()
    return folder


@pytest.mark.slow
def test_runs_are_listed_as_a_table_the_best_first_with_what_they_differ_in(tmp_path: Path, home: Home) -> None:
    runs = tmp_path / "runs"
    trained(runs / "cut", a_config(limits={"calls": 60}))
    trained(runs / "whole", a_config(optimizer={"edit_budget": 2}, env={"name": "toy", "path": "long/" * 20}))
    listed = home.command("train", "list", str(runs))
    assert listed.code == 0, listed.err
    head, _, whole, cut = listed.out.splitlines()
    assert head == "| run | best | 90 % interval | test | calls | differs in | state |"
    assert whole.count("1.000") == 3  # best, the end of its interval, test
    assert "edit_budget 2, env toy, path …" in whole
    assert "(n=8)" in whole
    assert whole.endswith(" finished |")
    assert "long/" * 6 not in whole
    assert " of 4 steps: " in cut
    told = home.command("train", "list", str(runs), "--json").json
    assert [run["differs"]["optimizer.edit_budget"] for run in told["runs"]] == ["2", "1"]
    assert "No trainings in" in home.command("train", "list", str(tmp_path / "home")).out


def test_a_narrow_terminal_leaves_out_neither_a_run_nor_its_score(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in {"FORCE_COLOR": "1", "COLUMNS": "80", "TERM": "dumb"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    names = [f"run-edit_budget={edits}-seed=42" for edits in (1, 2)]
    for edits, name in enumerate(names, start=1):
        config = a_config(optimizer={"edit_budget": edits}, train={"epochs": 1}, target={"base_url": f"u{edits}"})
        a_trainer(tmp_path / name, config=config, env=Toy(sizes={**SIZES, "train": 8 * edits})).train()
    say_runs([read(Path(name)) for name in names])
    shown = capsys.readouterr().out
    lines = [line for line in shown.splitlines() if line.startswith("run-")]
    assert [line.split()[0] for line in lines] == list(reversed(names))
    assert [line.split()[1] for line in lines] == ["0.375", "0.250"]
    assert "other" in shown
    assert not re.search("[0-9a-f]{12}", shown)
    assert "base_url" not in shown


@pytest.mark.slow
def test_a_run_is_shown_step_by_step(tmp_path: Path, home: Home) -> None:
    folder = trained(tmp_path / "one")
    shown = home.command("train", "show", str(folder))
    assert shown.code == 0, shown.err
    steps = [line.strip() for line in shown.out.splitlines() if line.startswith("  step")]
    assert [line.partition(":")[0] for line in steps] == [
        f"step {number:4} (epoch {epoch}), accepted as the best" for number, epoch in ((1, 1), (2, 1), (3, 2), (4, 2))
    ]
    assert steps[0].endswith("; val 0.000 → 0.250 (n=8)")
    assert len(home.command("train", "show", str(folder), "--json").json["history"]["steps"]) == 4
    assert home.command("train", "show", str(tmp_path)).code == 2


@pytest.mark.slow
def test_a_run_is_drawn_as_a_page_in_its_folder(tmp_path: Path, home: Home) -> None:
    folder = trained(tmp_path / "one")
    done = home.command("train", "plot", str(folder))
    assert done.code == 0, done.err
    assert done.out.strip() == str(folder / "plot.html")
    assert "best on items like val" in (folder / "plot.html").read_text(encoding="utf-8")
    assert home.command("train", "plot", str(tmp_path)).code == 2


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
    done = home.command("train", "plot", str(folder), "--open")
    assert done.code == 0, done.err
    assert (home.folder / "opened").read_text(encoding="utf-8").strip() == (folder / "plot.html").as_uri()
    home.browser = "/bin/false %s"
    none = home.command("train", "plot", str(folder), "--open")
    assert none.code == 0, none.err
    assert "yourself" in none.err


@pytest.mark.slow
def test_a_run_that_can_not_be_read_is_listed_as_such(tmp_path: Path, home: Home) -> None:
    for name in ("a", "b", "c", "d"):
        (tmp_path / "runs" / name).mkdir(parents=True)
        (tmp_path / "runs" / name / "calls.db").touch()
        (tmp_path / "runs" / name / "config.json").write_text("{", encoding="utf-8")
    trained(tmp_path / "runs" / "e")
    trained(tmp_path / "runs" / "f")
    (tmp_path / "runs" / "f" / "summary.json").write_text("[" * 100_000, encoding="utf-8")
    listed = home.command("train", "list", str(tmp_path / "runs"))
    assert listed.code == 0, listed.err
    assert listed.err.count("json: ") == 5
    assert "finished" in listed.out
    told = home.command("train", "list", str(tmp_path / "runs"), "--json").json["runs"]
    assert ["unreadable" in run for run in told] == [False] + [True] * 5
    assert home.command("train", "show", str(tmp_path / "runs" / "f")).code == 2


def test_a_folder_that_is_not_there_holds_no_list_of_runs(tmp_path: Path, home: Home) -> None:
    done = home.command("train", "list", str(tmp_path / "nothere"))
    assert done.code == 2
    assert "nothere: no such folder" in done.err


def test_what_each_purpose_cost_is_shown(tmp_path: Path, home: Home) -> None:
    folder = trained(tmp_path / "one")
    shown = home.command("train", "show", str(folder)).out
    assert re.search(r"^  val: \d+ answers, [\d,]+ tokens, \$0\.\d+$", shown, re.MULTILINE)
