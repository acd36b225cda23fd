"""The installed command, as a person runs it, against a scripted model on loopback."""

import json
import random
import sqlite3
import threading
import time
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from skillopt_sleep.records import Purpose
from tests.command import ASKS, KEY, Home, night_arguments
from tests.server import Asked, Behaviour, ModelServer
from tests.server_answers import ScriptedModel
from tests.sweeps import WHOLE, thinned


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path)
    home.had_sessions()
    return home


def test_a_recurring_correction_becomes_a_proposal_that_can_be_adopted_and_undone(home: Home) -> None:
    before = (home.project / "CLAUDE.md").read_bytes()
    with ModelServer() as server:
        done = home.night(server.base_url)
    assert done.code == 0, done.err
    answer = done.json
    assert answer["verdict"] == "improved"
    assert answer["sessions"] == {"seen": 5, "used": 5, "skipped": {}}
    (document,) = answer["documents"]
    assert (document["verdict"], document["before"], document["after"], document["n"]) == ("accept", 0.0, 1.0, 6)
    assert (home.project / "CLAUDE.md").read_bytes() == before

    (proposal,) = answer["proposals"]
    assert "pnpm" in home.command("review", "--show", proposal["id"]).out
    assert home.command("status", "--exit-code").code == 10
    assert home.command("adopt", proposal["id"]).code == 0
    adopted = (home.project / "CLAUDE.md").read_bytes()
    assert adopted.startswith(before)
    assert b"Use pnpm for packages, never npm." in adopted
    assert home.command("undo", proposal["id"]).code == 0
    assert (home.project / "CLAUDE.md").read_bytes() == before


@pytest.mark.slow
def test_the_files_of_a_night_are_private_and_tell_the_same_story(home: Home) -> None:
    with ModelServer() as server:
        answer = home.night(server.base_url).json
    folder = Path(answer["folder"])
    assert {"report.md", "report.json", "diagnostics.json", "calls.jsonl", "sessions.jsonl", "tasks.jsonl"} <= {
        path.name for path in folder.iterdir()
    }
    for path in folder.rglob("*"):
        assert path.stat().st_mode & 0o077 == 0, path
    report = (folder / "report.md").read_text(encoding="utf-8")
    assert "1 proposal" in report.splitlines()[2]
    assert "Without the rule 0 of 6 answers did as you asked, with it 6 of 6 (on 3 new requests" in report
    assert KEY not in "".join(path.read_text(encoding="utf-8") for path in folder.rglob("*") if path.is_file())


def test_no_session_is_read_twice(home: Home) -> None:
    with ModelServer() as server:
        home.night(server.base_url)
        asked = len(server.requests)
        again = home.night(server.base_url)
    assert again.json["verdict"] == "nothing_new"
    assert len(server.requests) == asked


@pytest.mark.parametrize(
    "outage",
    thinned(
        [
            ("unauthorized", 4),
            ("error500", 1),
            ("garbage", 1),
            ("garbage_body", 1),
            ("empty", 1),
            ("empty_body", 1),
            ("html", 1),
            ("rate_limited", 1),
        ],
        every=8,
    ),
)
def test_an_outage_is_backend_failed_and_costs_no_session(home: Home, outage: tuple[Behaviour, int]) -> None:
    behaviour, code = outage
    with ModelServer(behaviour) as server:
        done = home.night(server.base_url)
        assert done.code == code, done.err
        assert done.json["verdict"] == "backend_failed"
        assert done.json["because"]
        assert done.json["remedy"]
        server.behaviour = "healthy"
        healthy = home.night(server.base_url)
    assert healthy.json["verdict"] == "improved"
    assert healthy.json["sessions"]["used"] == len(ASKS)


@pytest.mark.slow
def test_a_model_that_dies_in_the_middle_is_backend_failed(home: Home) -> None:
    def dies(asked: Asked) -> Behaviour:
        return "healthy" if asked.purpose in {"preflight", "mine"} else "error500"

    # Enough train tasks that their failures look like an outage.
    home.had_sessions_in(home.folder / "work" / "other", [(f"{ask} again", said) for ask, said in ASKS])
    with ModelServer(dies) as server:
        assert home.night(server.base_url).json["verdict"] == "backend_failed"
        server.behaviour = "healthy"
        assert home.night(server.base_url).json["sessions"]["used"] == 2 * len(ASKS)


@pytest.mark.slow
def test_nothing_listening_is_backend_failed(home: Home) -> None:
    done = home.night("http://127.0.0.1:9/v1")
    assert (done.code, done.json["verdict"]) == (1, "backend_failed")
    assert "127.0.0.1:9" in done.json["because"]


@pytest.mark.slow
def test_a_backend_from_the_configuration_needs_consent(home: Home) -> None:
    config = home.folder / "sleep" / "config.toml"
    config.parent.mkdir()
    with ModelServer() as server:
        text = f'[backend]\nname = "openai"\nmodel = "scripted-1"\nbase_url = "{server.base_url}"\n'
        text += 'api_key_env = "OPENAI_API_KEY"\n'
        config.write_text(text, encoding="utf-8")
        refused = home.command("run", "--json")
        assert refused.code == 2
        assert "confirmed" in refused.err
        assert server.requests == []
        config.write_text(text + "confirmed = true\n", encoding="utf-8")
        assert home.command("run", "--json").json["verdict"] == "improved"


def test_a_night_without_a_backend_says_how(home: Home) -> None:
    done = home.command("run")
    assert done.code == 2
    assert "--example" in done.err


def test_a_plan_calls_nobody(home: Home) -> None:
    with ModelServer() as server:
        answer = home.command(*night_arguments(server.base_url), "--plan").json
        assert server.requests == []
    assert answer["sessions"]["used"] == len(ASKS)
    assert answer["limits"]["calls"] == 300


@pytest.mark.slow
def test_the_limit_of_calls_is_never_passed(home: Home) -> None:
    (home.folder / "sleep").mkdir()
    (home.folder / "sleep" / "config.toml").write_text("[budget]\ncalls = 4\n", encoding="utf-8")
    with ModelServer() as server:
        done = home.night(server.base_url)
        assert (done.code, done.json["verdict"]) == (5, "over_budget")
        assert len(server.requests) == 4
        (home.folder / "sleep" / "config.toml").unlink()
        assert home.night(server.base_url).json["sessions"]["used"] == len(ASKS)


@dataclass
class Numbering(ScriptedModel):
    """Ends each attempt with a number, by which its answer is found in the store."""

    asked: dict[str, str] = field(default_factory=dict[str, str])

    def answer(self, purpose: str, prompt: str) -> str:
        """The reply to this prompt."""
        reply = super().answer(purpose, prompt)
        if purpose != Purpose.ROLLOUT:
            return reply
        number = f"(attempt {len(self.asked)})"
        self.asked[number] = prompt
        return f"{reply}\n\n{number}"

    def kept(self, store: Path) -> set[str]:
        """The prompts whose answers this store holds."""
        with closing(sqlite3.connect(store)) as connection:
            bodies = [json.loads(body)["text"] for (body,) in connection.execute("SELECT body FROM calls")]
        numbers = [text.rpartition("\n")[2] for text in bodies]
        return {self.asked[number] for number in numbers if number in self.asked}


KILLS = 6 if WHOLE else 3


@pytest.mark.slow
def test_a_killed_night_goes_on_and_asks_no_completed_call_again(tmp_path: Path) -> None:
    """Kills at random moments; what the store had kept at a kill is never asked again."""
    home = Home(tmp_path)
    home.had_sessions([(f"{ask} for part {part}", correction) for part in range(12) for ask, correction in ASKS])
    moments = random.Random(7)
    asked_again: list[str] = []
    settled: set[str] = set()

    def slowly(asked: Asked) -> Behaviour:
        if asked.prompt in settled:
            asked_again.append(asked.prompt)
        time.sleep(0.2)
        return "healthy"

    with ModelServer(slowly) as server:
        model = server.model = Numbering(want="pnpm", avoid="npm")
        nights = set[str]()
        for _ in range(KILLS):
            process = home.start(*night_arguments(server.base_url))
            wanted = len(model.asked) + moments.randrange(2, 7)
            while len(model.asked) < wanted and process.poll() is None:
                time.sleep(0.005)
            time.sleep(moments.random() * 0.4)
            assert process.poll() is None, "the night must be too long to end before it is killed"
            process.kill()
            process.communicate()
            settled |= model.kept(tmp_path / "sleep" / "data" / "sleep.db")
            nights |= {path.name for path in (tmp_path / "sleep" / "data" / "nights").iterdir()}
        done = home.night(server.base_url)
    assert done.code == 0, done.err
    assert done.json["verdict"] == "improved"
    assert nights == {done.json["night"]}
    assert len(settled) > 3
    assert asked_again == []
    assert done.json["spend"]["calls"] >= len(server.requests) - KILLS * 4


@pytest.mark.slow
def test_a_night_that_is_stopped_says_so_and_leaves_its_sessions_unread(home: Home) -> None:
    def slowly(asked: Asked) -> Behaviour:
        time.sleep(0.3)
        return "healthy"

    with ModelServer(slowly) as server:
        process = home.start(*night_arguments(server.base_url))
        while len(server.requests) < 3:
            time.sleep(0.02)
        process.terminate()
        out, err = process.communicate(timeout=30)
        assert process.returncode == 1, err
        assert '"interrupted"' in out
        server.behaviour = "healthy"
        again = home.night(server.base_url).json
    assert (again["verdict"], again["sessions"]["used"]) == ("improved", len(ASKS))


@pytest.mark.slow
def test_two_nights_at_once_are_one_night(home: Home) -> None:
    refused = threading.Event()

    def held(asked: Asked) -> Behaviour:
        refused.wait(60)
        return "healthy"

    with ModelServer(held) as server:
        first = home.start(*night_arguments(server.base_url))
        while not server.requests:
            time.sleep(0.02)
        second = home.night(server.base_url)
        refused.set()
        out, err = first.communicate(timeout=60)
    assert second.code == 11
    assert str(first.pid) in second.err
    assert first.returncode == 0, err
    assert '"improved"' in out


@pytest.mark.slow
def test_a_rejected_edit_is_not_tried_again(home: Home) -> None:
    with ModelServer() as server:
        proposal = home.night(server.base_url).json["proposals"][0]["id"]
        assert home.command("reject", proposal, "--reason", "not here").code == 0
        more = [(f"{ask} once more", correction) for ask, correction in ASKS[:3]]
        home.had_sessions(more, days_ago=1)
        again = home.night(server.base_url).json
    assert again["proposals"] == []
    assert again["documents"][0]["edits"][0]["fate"] == "refused"


def test_adopting_keeps_what_was_written_since(home: Home) -> None:
    with ModelServer() as server:
        home.night(server.base_url)
    (home.project / "CLAUDE.md").write_text("# mine now\n", encoding="utf-8")
    assert home.command("adopt", "P-0001").code == 0
    assert home.command("undo", "P-0001").code == 0
    assert (home.project / "CLAUDE.md").read_text(encoding="utf-8") == "# mine now\n"


def test_no_secret_leaves_or_is_kept(tmp_path: Path) -> None:
    secret = "ghp_" + "A1b2C3d4" * 4 + "Zz99"
    home = Home(tmp_path)
    home.had_sessions([(f"{ask} with {secret}", correction) for ask, correction in ASKS])
    (home.project / "CLAUDE.md").write_text(f"# shop-api\n\ntoken: {secret}\n", encoding="utf-8")
    with ModelServer() as server:
        assert home.night(server.base_url).json["verdict"] == "improved"
        assert not any(secret in prompt for prompt in server.prompts)
    sleep = home.folder / "sleep"
    kept = [path for path in sleep.rglob("*") if path.is_file() and "proposals" not in path.parts]
    assert not any(secret.encode() in path.read_bytes() for path in kept)


def test_a_bug_is_one_line_and_a_log(home: Home) -> None:
    (home.folder / "sleep" / "data" / "nights").mkdir(parents=True)
    (home.folder / "sleep" / "data" / "sleep.db").mkdir()
    done = home.command("status")
    assert done.code == 1
    assert "Traceback" not in done.err
