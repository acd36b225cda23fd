"""A night in which the person's own agent does the requests once more, in sealed copies of their repository."""

import json
import os
import re
import sqlite3
import subprocess
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest

from skillopt_sleep.kit.codec import from_json
from skillopt_sleep.records import Task, wants_a_tool
from skillopt_sleep.replay.seals import SEALS, chosen
from tests.agents.acting_model import RuleKeeper
from tests.cli.test_run_deeds import CLAUDE, CODEX, Part
from tests.command import ONE_ROUND, Home
from tests.genuine import Programs
from tests.server import Asked, ModelServer
from tests.server_protocols import Said

CHECK = "make lint"
RULE = f"Always use `{CHECK}`"
NAMED = re.compile(r'"commit_hash":\s*"[0-9a-f]{40}"')
LONG_AGO = "2026-01-05T12:00:00Z"


class Chatty(RuleKeeper):
    """Ends each attempt in other words: what a model repeats proves nothing a second time."""

    def __init__(self, rule: str, *, lint: str) -> None:
        super().__init__(rule, lint=lint)
        self._said = count(1)

    def __call__(self, asked: Asked) -> Said:
        said = super().__call__(asked)
        return said if said.calls else Said(f"Done, for the {next(self._said)}th time.")


class Sleeper(Home):
    """A person with a repository, and one of the agents as the target of the night."""

    def __init__(self, folder: Path, *, program: Path, address: str, model: str) -> None:
        super().__init__(folder)
        self.program, self.address, self.model = program, address, model
        self.at = LONG_AGO
        self.sealed = "true"
        (self.project / "AGENTS.md").write_text("# shop-api\n", encoding="utf-8")
        (self.project / "CLAUDE.md").unlink()
        (self.project / "Makefile").write_text("lint:\n\techo checked\n", encoding="utf-8")
        (self.project / "app.txt").write_text("old\n", encoding="utf-8")
        for words in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-qm", "one"]):
            self.git(*words)

    @property
    def environment(self) -> dict[str, str]:
        return super().environment | {
            "ANTHROPIC_API_KEY": "sk-ant-dummy-key-for-tests",
            "SKILLOPT_SLEEP_TARGET_NAME": self.program.name,
            "PATH": f"{self.program.parent}{os.pathsep}{os.environ['PATH']}",
            "SKILLOPT_SLEEP_TARGET_MODEL": self.model,
            "SKILLOPT_SLEEP_TARGET_BASE_URL": self.address,
            "SKILLOPT_SLEEP_TARGET_API_KEY_ENV": f"{'ANTHROPIC' if self.program.name == 'claude' else 'OPENAI'}_API_KEY",
            "SKILLOPT_SLEEP_BACKEND_CONFIRMED": "true",
            "SKILLOPT_SLEEP_REPLAY_SEALED": self.sealed,
            "SKILLOPT_SLEEP_BUDGET_CALLS": "2000",
        }

    def stood_here(self) -> None:
        """Have the sessions name this repository's commit, where they name one."""
        commit = self.git("rev-parse", "HEAD").strip()
        for file in (self.folder / ".codex").rglob("*.jsonl"):
            text = file.read_text(encoding="utf-8")
            file.write_text(NAMED.sub(f'"commit_hash":"{commit}"', text), encoding="utf-8")

    def git(self, *words: str) -> str:
        fixed = ["-c", "user.name=n", "-c", "user.email=n@example.org"]
        dated = {"GIT_COMMITTER_DATE": self.at, "GIT_AUTHOR_DATE": self.at, "PATH": os.environ["PATH"]}
        done = subprocess.run(
            ["git", *fixed, *words], cwd=self.project, env=dated, capture_output=True, text=True, check=True
        )
        return done.stdout


@pytest.mark.cli
@pytest.mark.parametrize(("name", "model"), [("claude", "claude-sonnet-5"), ("codex", "gpt-5.5")])
def test_a_check_that_the_person_ran_again_and_again_is_learned_from_what_the_agent_does(
    tmp_path: Path, programs: Programs, name: str, model: str
) -> None:
    if chosen(SEALS, tmp_path).seal is None:
        pytest.skip("nothing can be sealed here")
    with ModelServer() as server:
        server.acts = Chatty(RULE, lint=CHECK)
        address = server.root_url if name == "claude" else server.base_url
        home = Sleeper(tmp_path / "home", program=getattr(programs, name), address=address, model=model)
        Part(source=CLAUDE if name == "claude" else CODEX, command=CHECK).had_by(home)
        home.stood_here()

        done = home.command("run", "--backend", "simulated", "--json")
        plan = home.command("run", "--backend", "simulated", "--plan", "--json", "--again").json["sealed"]

    assert done.code == 0, f"{done.err}\n{done.out}"
    assert plan["earlier_attempts"] > 0
    assert plan["tokens_per_attempt"] > 0
    assert home.git("status", "--porcelain") == ""
    (night,) = (home.folder / "sleep" / "data" / "nights").iterdir()
    report = json.loads((night / "report.json").read_text())
    rollouts = [json.loads(line) for line in (night / "rollouts.jsonl").read_text().splitlines()]
    assert {row["trajectory"].get("seal", "") for row in rollouts} != {""}, report["judging"]["calibrations"]
    shown = [home.command("review", "--show", proposal["id"], "--verbose").out for proposal in done.json["proposals"]]
    assert any(RULE in text for text in shown), done.out
    (told,) = (text for text in shown if RULE in text)
    assert f"$ {CHECK} (exit 0)" in told
    assert told.count("+++ b/app.txt") == 2
    lines = (night / "report.md").read_text().splitlines()
    (without,) = (line for line in lines if line.startswith("- Without the rule"))
    (rule,) = (line for line in lines if line.startswith("- With the rule"))
    assert (CHECK in without, f"$ {CHECK} (exit 0)" in rule) == (False, True)
    (document,) = json.loads((night / "diagnostics.json").read_text())["documents"]
    after = [task["after"] for task in document["attempts"]["listed"] if task["after"]]
    ran = [(run["text"], run["status"]) for one in after if one["acted"] for run in one["acted"]["commands"]]
    assert (CHECK, 0) in ran


@pytest.mark.cli
def test_what_was_banked_before_anything_was_sealed_is_tried_once_its_lesson_comes_again(
    tmp_path: Path, programs: Programs
) -> None:
    if chosen(SEALS, tmp_path).seal is None:
        pytest.skip("nothing can be sealed here")
    with ModelServer() as server:
        server.acts = Chatty(RULE, lint=CHECK)
        home = Sleeper(tmp_path / "home", program=programs.claude, address=server.root_url, model="claude-sonnet-5")
        Part(source=CLAUDE, command=CHECK).had_by(home)
        *earlier, last = sorted((home.folder / ".claude").rglob("*.jsonl"), key=lambda path: path.name)
        later = tmp_path / last.name
        last.rename(later)
        home.sealed = "false"
        first = home.command("run", "--backend", "simulated", "--json", **ONE_ROUND)
        assert first.code == 0, first.err
        before = banked(home)
        later.rename(last)
        home.sealed = "true"
        done = home.command("run", "--backend", "simulated", "--json", **ONE_ROUND)

    assert done.code == 0, f"{done.err}\n{done.out}"
    after = banked(home)
    assert len(before) >= len(earlier) - 1
    assert {task.setting.workspace for task in before.values()} == {None}
    stood = {name for name in before if after[name].setting.workspace is not None}
    assert stood == set(before)
    assert all(wants_a_tool(after[name].reference) for name in stood)
    assert {name: after[name].prompt for name in before} == {name: task.prompt for name, task in before.items()}
    shown = [home.command("review", "--show", proposal["id"]).out for proposal in done.json["proposals"]]
    assert any(RULE in text for text in shown), done.out


def banked(home: Home) -> dict[str, Task]:
    """Every task in the person's bank, by id."""
    connection = sqlite3.connect(home.folder / "sleep" / "data" / "sleep.db")
    with closing(connection):
        rows = connection.execute("SELECT id, body FROM tasks").fetchall()
    return {name: from_json(body, Task) for name, body in rows}
