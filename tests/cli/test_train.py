import json
import os
import re
import signal
import subprocess
import threading
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from skillopt_sleep.trainer.run import read_paid
from tests.command import Done, Home
from tests.pressed import Pressed
from tests.sweeps import thinned

CONFIG = """
[train]
epochs = 1
batch_size = 8
folder = "one"

[backend]
name = "simulated"

[env]
name = "dataset"
"""


def a_config(folder: Path, text: str = CONFIG, name: str = "toy.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.slow
def test_a_training_runs_tells_and_goes_on(tmp_path: Path) -> None:
    home, config = Home(tmp_path / "home"), a_config(tmp_path)
    done = home.command("train", str(config))
    assert done.code == 0, done.err
    assert "error rate unknown" in done.out
    assert "(n=" in done.out
    assert (tmp_path / "one" / "best_skill.md").exists()
    first = (tmp_path / "one" / "summary.json").read_bytes()
    again = home.command("train", str(config), "--json")
    assert again.json["schema_version"] == 2
    assert (tmp_path / "one" / "summary.json").read_bytes() == first


def test_a_plan_says_what_is_wrong_with_the_data_and_which_limit_ends_it(tmp_path: Path) -> None:
    rows = [{"question": f"{number} + {number}", "answer": f"#### {2 * number}", "day": "Mon"} for number in range(8)]
    (tmp_path / "data").mkdir()
    for split, some in (("train", rows), ("val", rows[6:]), ("test", rows[:1])):
        text = "".join(f"{json.dumps(row)}\n" for row in some)
        (tmp_path / "data" / f"{split}.jsonl").write_text(text, encoding="utf-8")
    config = a_config(
        tmp_path,
        CONFIG.replace("dataset", "dataset").replace(
            'name = "simulated"', 'name = "openai"\nmodel = "of-mine"\nbase_url = "https://models.example.org/v1"'
        )
        + 'path = "data"\n[limits]\ncalls = 5\nusd = 1.0\n[evaluation]\nalpha = 0.1\n',
    )
    plan = Home(tmp_path / "home").command("train", str(config), "--plan")
    assert plan.code == 0, plan.err
    said = " ".join(plan.err.split())
    assert "Data: columns that are not used: day." in said
    assert "Data: 2 of the 2 val items are train items too, under another id." in said
    assert "Data: 1 of the 1 test items are train items too" in said
    assert 'Config: evaluation.alpha changes nothing without preset = "evidence".' in said
    assert "Limit: limits.calls = 5 ends it without a result: the first scores take 11 calls" in said
    assert "Train refuses to start: what openai:of-mine" in said
    assert "limit calls and tokens instead" in said


SLOWLY = """
import time
from skillopt_sleep.trainer import Env, Item, Result

class Slowly(Env):
    name = "slowly"

    def items(self, split):
        return [Item(id=f"{split}-{n}", text=f"{split} {n}") for n in range(4 if split == "train" else 1)]

    def rollout_one(self, item, skill, target, *, sample):
        time.sleep(0.15)
        return Result(hard=0.0, soft=0.0, response="no", why="it is wrong")
"""


@pytest.mark.parametrize("option", ["", "--quiet"])
@pytest.mark.slow
def test_on_a_terminal_a_training_shows_its_steps_unless_that_is_not_wanted(tmp_path: Path, option: str) -> None:
    home = Home(tmp_path / "home")
    (tmp_path / "slowly.py").write_text(SLOWLY, encoding="utf-8")
    text = '[train]\nepochs = 2\nbatch_size = 2\nworkers = 1\n[env]\nname = "slowly.py:Slowly"\n'
    arguments = ["train", str(a_config(tmp_path, text)), "--backend", "simulated", *([option] if option else [])]
    with Pressed(home, *arguments, columns=90) as pressed:
        pressed.until("best_skill")
    assert ("Training run" in pressed.shown) == (not option)
    assert bool(re.search("step [123] of 4", pressed.shown)) == (not option)


def test_a_column_that_is_not_used_is_said_before_anything_is_spent_and_once(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    rows = [{"question": f"{n}?", "choices": ["a", "b"], "answer": 0, "explanation": "so"} for n in range(12)]
    (tmp_path / "all.json").write_text(json.dumps(rows), encoding="utf-8")
    config = a_config(tmp_path, f'{CONFIG}path = "all.json"\nratio = [1, 1, 1]\n')
    done = home.command("train", str(config), "--json")
    assert done.code == 0, done.err
    assert done.err.count("columns that are not used: explanation") == 1
    assert [note["summary"] for note in done.json["notes"] if note["stage"] == "data"] == [
        "no file is named for a split, so the 12 items were divided: 4 train, 4 val, 4 test (env.ratio = [1, 1, 1])",
        "columns that are not used: explanation",
    ]
    assert "explanation" in home.command("train", "eval", str(config), "--split", "val").err


def test_a_skill_is_scored_on_the_split_that_is_named(tmp_path: Path) -> None:
    home, config = Home(tmp_path / "home"), a_config(tmp_path)
    (tmp_path / "mine.md").write_text("# Mine\n", encoding="utf-8")
    done = home.command(
        "train", "eval", str(config), "--skill", str(tmp_path / "mine.md"), "--split", "val", "--json"
    )
    assert done.code == 0, done.err
    assert done.json["n"] > 0
    assert home.command("train", "eval", str(config), "--split", "dev").code == 2
    assert (done.json["schema_version"], done.json["split"]) == (1, "val")
    assert done.json["paid"]["purposes"] == {"rollout": done.json["n"]}
    again = home.command("train", "eval", str(config), "--skill", str(tmp_path / "mine.md"), "--split", "val")
    assert "paid: 0 calls, 0 tokens" in again.out
    assert done.json["skill"] == str(tmp_path / "mine.md")


@pytest.mark.slow
def test_without_a_run_no_skill_is_scored_and_with_one_its_best(tmp_path: Path) -> None:
    home, config = Home(tmp_path / "home"), a_config(tmp_path)
    none = home.command("train", "eval", str(config))
    assert none.code == 0, none.err
    assert none.out.startswith("test with no skill: ")
    assert "one holds no training, so no skill is scored. Name one with --skill." in " ".join(none.err.split())
    assert home.command("train", "eval", str(config), "--json").json["skill"] is None
    assert home.command("train", str(config)).code == 0
    best = tmp_path / "one" / "best_skill.md"
    assert home.command("train", "eval", str(config)).out.startswith(f"test with {best}: ")


@pytest.mark.parametrize("words", [("train",), ("train eval", "--split", "train", "--skill", "mine.md")])
@pytest.mark.slow
def test_what_waits_for_answers_says_the_command_that_goes_on_with_it(tmp_path: Path, words: tuple[str, ...]) -> None:
    home = Home(tmp_path / "home")
    config = a_config(tmp_path, CONFIG.replace("simulated", "handoff"))
    (home.folder / "mine.md").write_text("# Mine\n", encoding="utf-8")
    done = home.command(*words[0].split(), str(config), *words[1:])
    assert done.code == 7
    folder = tmp_path / "one" / ("handoff" if words[0] == "train" else "handoff-eval")
    laid_out = len(list((folder / "open").iterdir()))
    assert f"{laid_out} prompts wait for an answer in {folder / 'open'}" in done.err
    line = done.err.strip().rpartition("go on: ")[2]
    assert f"`{line}`" in (folder / "README.md").read_text(encoding="utf-8")

    def go_on_with(answer: bytes) -> "subprocess.CompletedProcess[str]":
        for path in (folder / "open").iterdir():
            (folder / "answers" / f"{path.stem.rpartition('-')[2]}.md").write_bytes(answer)
        bare = {"PATH": os.defpath}
        return subprocess.run(["sh", "-c", line], env=bare, cwd="/", capture_output=True, text=True, check=False)

    again = go_on_with(b"\xff is no text")
    assert again.returncode == 7
    assert f"asked again, with what was wrong with the answer: {laid_out}" in again.stderr
    assert len(list((folder / "open").iterdir())) == laid_out
    after = go_on_with(b"I can't tell.")
    assert list((folder / "answers").iterdir()) == []
    if words[0] == "train eval":
        assert (after.returncode, after.stdout.split(":")[0]) == (0, f"train with {home.folder / 'mine.md'}")
        return
    assert after.returncode == 7
    assert "for an answer in" in after.stderr
    assert "again" not in after.stderr


@pytest.mark.slow
def test_a_sweep_makes_a_training_of_each_combination_and_lists_them(tmp_path: Path) -> None:
    home, config = Home(tmp_path / "home"), a_config(tmp_path)
    done = home.command("train", str(config), "--set", "optimizer.edit_budget=2,4", "--seeds", "2", "--quiet")
    assert done.code == 0, done.err
    folders = sorted(path.name for path in tmp_path.iterdir() if path.name.startswith("one-"))
    assert folders == [f"one-edit_budget={edits}-seed={seed}" for edits in (2, 4) for seed in (42, 43)]
    head, _, *rows = done.out.splitlines()
    assert head.startswith("| run | best | ")
    assert len(rows) == 4
    assert all(re.search(r"seed 4[23], edit_budget [24] ", row) for row in rows)
    listed = home.command("train", "list", str(tmp_path))
    assert len(listed.out.splitlines()) == 6
    assert "Training" not in done.err
    sweep = ("train", str(config), "--set", "optimizer.edit_budget=2,4", "--seeds", "2")
    loud = home.command(*sweep).err
    assert "Training 3 of 4: one-edit_budget=4-seed=42" in loud
    planned = home.command(*sweep, "--plan").out
    assert re.match(r"4 trainings, about [\d,]+ calls together, at most [\d,]+. The first of them:\n", planned)
    assert len(home.command(*sweep, "--plan", "--json").json["trainings"]) == 4
    again = home.command(*sweep, "--json")
    assert [run["state"] for run in again.json["runs"]] == ["finished"] * 4
    assert home.command("train", str(config), "--set", "optimizer.edit_budgt=2").code == 2


def test_a_finished_training_says_that_it_asks_nothing_again(tmp_path: Path) -> None:
    home, config = Home(tmp_path / "home"), a_config(tmp_path)
    assert "No call was made" not in home.command("train", str(config)).err
    assert "No call was made: all answers were there already." in home.command("train", str(config)).err
    planned = " ".join(home.command("train", str(config), "--plan").err.split())
    assert re.search(r"Paid in \S+one \(finished\): ", planned)
    config.write_text(CONFIG.replace("batch_size = 8", "batch_size = 3"), encoding="utf-8")
    other = " ".join(home.command("train", str(config), "--plan").err.split())
    assert "Train refuses to start: the run in " in other
    assert "was started with something else: train.batch_size" in other
    assert "Paid" not in other
    unnamed = a_config(tmp_path, CONFIG.replace('name = "simulated"', ""), "unnamed.toml")
    assert "Train refuses" not in home.command("train", str(unnamed), "--plan").err


def test_a_sweep_that_is_stopped_names_the_command_that_goes_on(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    (tmp_path / "slowly.py").write_text(SLOWLY.replace("0.15", "2"), encoding="utf-8")
    text = '[train]\nepochs = 2\nbatch_size = 2\nworkers = 1\n[env]\nname = "slowly.py:Slowly"\n'
    sweep = ["train", str(a_config(tmp_path, text)), "--backend", "simulated", "--set", "train.batch_size=1,2"]
    with Pressed(home, *sweep, "--seeds", "2", columns=200) as pressed:
        pressed.until("step 0 of")
        pressed.press("\x03")
        pressed.until("--seeds 2")
    assert "Training 1 of 4: run-batch_size=1-seed=42" in pressed.shown
    assert "--set train.batch_size=1,2" in pressed.shown


def test_a_wrong_key_is_named_with_the_nearest(tmp_path: Path) -> None:
    config = a_config(tmp_path, CONFIG.replace("epochs", "epoch"))
    done = Home(tmp_path / "home").command("train", str(config))
    assert done.code == 2
    assert "train.epochs" in done.err


ASKING = """
[train]
epochs = 1
batch_size = 6
workers = 2
folder = "one"

[backend]
name = "openai"
confirmed = true
model = "scripted"
base_url = "{url}"

[env]
name = "dataset"
"""


def _said(text: str) -> Response:
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    body = {"choices": [choice], "usage": {"prompt_tokens": 9, "completion_tokens": 9}, "model": "scripted"}
    return Response(json.dumps(body), content_type="application/json")


def _asking(folder: Path, server: HTTPServer) -> Path:
    return a_config(folder, ASKING.replace("{url}", server.url_for("/v1")))


@pytest.mark.slow
def test_a_training_of_which_something_was_not_scored_ends_as_one_in_part(
    tmp_path: Path, httpserver: HTTPServer
) -> None:
    def answer(request: Request) -> Response:
        text = request.get_data().decode()
        if "hexagon" in text:
            return Response('{"error": {"message": "no"}}', status=400, content_type="application/json")
        return _said(
            '{"reasoning": "", "edits": [], "patch": null}' if "json_schema" in text else "<answer>A</answer>"
        )

    httpserver.expect_request("/v1/chat/completions", method="POST").respond_with_handler(answer)
    home, config = Home(tmp_path / "home"), _asking(tmp_path, httpserver)
    done = home.command("train", str(config))
    assert done.code == 3, done.err
    assert "1 of 3 val items of the best skill have no score" in done.err
    assert home.command("train", "eval", str(config), "--split", "val").code == 3
    assert home.command("train", "eval", str(config), "--split", "test").code == 0


@pytest.mark.parametrize("stop", thinned([signal.SIGTERM, signal.SIGINT], every=2))
@pytest.mark.slow
def test_a_training_that_is_stopped_says_how_to_go_on(
    tmp_path: Path, httpserver: HTTPServer, stop: signal.Signals
) -> None:
    asked, go_on = threading.Event(), threading.Event()

    def answer(request: Request) -> Response:
        asked.set()
        go_on.wait(300)
        return _said("<answer>A</answer>")

    httpserver.expect_request("/v1/chat/completions", method="POST").respond_with_handler(answer)
    config = _asking(tmp_path, httpserver)
    process = Home(tmp_path / "home").start("train", str(config), "--model", "other")
    assert asked.wait(300)
    process.send_signal(stop)
    assert process.stderr
    first = process.stderr.readline()
    go_on.set()
    _, err = process.communicate(timeout=300)
    assert process.returncode == 1
    assert "paid" in first
    assert "paid results are kept" in err
    assert f"skillopt-sleep train {config} --model other" in err.partition("continue: ")[2]
    paid = read_paid(tmp_path / "one")
    assert paid
    assert paid.calls


def test_what_has_every_key_is_named_in_the_help(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    for command in ("start", "eval"):
        out = home.command("train", command, "--help").out
        assert "train --init" in out
        assert ".skillopt-sleep.example" not in out


OWN = """
from skillopt_sleep.records import Split
from skillopt_sleep.trainer import Env, Item, Result


class Own(Env):
    name = "own"

    def items(self, split):
        return [Item(id=f"{split}-{n}", text="?") for n in range(2)]

    def rollout_one(self, item, skill, target, *, sample):
        return Result(hard=item.data["gold"])


class Unread(Own):
    def items(self, split):
        return open("/nowhere/gold.json").read()
"""


class WithPackage(Home):
    """A home where a package of the user's own is installed."""

    @property
    def environment(self) -> dict[str, str]:
        return {**super().environment, "PYTHONPATH": os.fspath(self.folder / "lib")}

    def has(self, text: str) -> None:
        lib = self.folder / "lib"
        lib.mkdir(parents=True)
        (lib / "own_env.py").write_text(text, encoding="utf-8")

    def trains(self, name: str) -> Done:
        return self.command("train", str(a_config(self.folder, CONFIG.replace("dataset", name))))


def test_what_breaks_in_the_users_environment_is_not_reported_as_ours(tmp_path: Path) -> None:
    home = WithPackage(tmp_path / "home")
    home.has(OWN)
    unread = home.trains("own_env:Unread")
    assert unread.code == 2
    assert "environment own, train: items (own_env.py, line " in unread.err
    assert "): FileNotFoundError" in unread.err
    assert "report" not in unread.err
    assert "fix it there" in unread.err
    [log] = home.folder.rglob("crash.log")
    assert "own_env.py" in log.read_text(encoding="utf-8")


def test_an_attempt_that_breaks_is_told_with_its_item(tmp_path: Path) -> None:
    home = WithPackage(tmp_path / "home")
    home.has(OWN)
    done = home.trains("own_env:Own")
    assert done.code == 2
    assert "environment own, item 'val-0' (own_env.py, line " in done.err
    assert "): KeyError: 'gold'" in done.err
