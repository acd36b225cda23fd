"""Sealed attempts are made by the user's own agent where it can be pointed at our relay and a seal holds."""

import json
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

import pytest

from skillopt_sleep.backends.metered import Limits, NightMeter
from skillopt_sleep.errors import SleepError
from skillopt_sleep.kit.process import ProcessResult
from skillopt_sleep.protocols.models import Model
from skillopt_sleep.protocols.sealing import Policy, Probe, Seal
from skillopt_sleep.records import Check, Checks, Command, Limit, Op, Task, Workspace
from skillopt_sleep.replay.seals import SEALS
from skillopt_sleep.settings import BackendSettings, Paths, Settings, find_paths
from skillopt_sleep.stores.sqlite import SqliteStore
from skillopt_sleep.wiring.models import make_model
from skillopt_sleep.wiring.sealed import SealedParts, find_actor, find_sealing
from tests.agents.acting_model import RULE, RuleKeeper
from tests.builders import a_document, a_task, changed
from tests.fakes import FakeClock
from tests.genuine import Programs
from tests.server import ModelServer
from tests.stores.opening import open_at

pytestmark = pytest.mark.seal

KEY = "sk-ant-api03-the-real-key-of-the-user"
LOGINS = {"claude": "ANTHROPIC_API_KEY", "codex": "OPENAI_API_KEY"}
MODELS = {"claude": "claude-sonnet-5", "codex": "gpt-5.5"}
MEMORIES = {"claude": "CLAUDE.md", "codex": "AGENTS.md"}
LINTED = Checks(items=(Check(op=Op.COMMAND_RUN, arg="sh lint.sh"),))

Named = Literal["claude", "codex"]
Api = Literal["", "anthropic", "openai"]


class Person:
    """Someone with a small repository and one of the agents, pointed at a scripted model, or at its API alone."""

    def __init__(self, folder: Path, name: Named, program: str, server: ModelServer, *, api: Api = "") -> None:
        self.home = folder / "home"
        self.root = self.home / "shop"
        self.root.mkdir(parents=True)
        (self.root / "app.txt").write_text("old\n")
        (self.root / "lint.sh").write_text("echo checked app.txt\n")
        (self.root / ".env").write_text("SECRET=hunter2\n")
        self.git("init", "-q", "-b", "main")
        self.git("add", ".")
        self.git("commit", "-qm", "one")
        self.commit = self.git("rev-parse", "HEAD").strip()
        self.name = name
        self.environ = {"PATH": os.environ["PATH"], "HOME": str(self.home), LOGINS[name]: KEY}
        self.paths: Paths = find_paths({"SKILLOPT_SLEEP_HOME": str(folder / "sleep")})
        address = server.root_url if name == "claude" else server.base_url
        self.settings = Settings(
            backend=BackendSettings(
                name=api or name,
                model=MODELS[name],
                base_url=address,
                api_key_env=LOGINS[name],
                api="responses" if api == "openai" else "chat",
                program="" if api else program,
                confirmed=True,
            )
        )
        if api:
            self.environ["PATH"] = os.pathsep.join((str(Path(program).parent), self.environ["PATH"]))
        self.model: Model = make_model(self.settings.backend, self.paths, self.environ)

    def git(self, *words: str) -> str:
        fixed = ["-c", "user.name=n", "-c", "user.email=n@example.org"]
        return subprocess.run(
            ["git", *fixed, *words], cwd=self.root, capture_output=True, text=True, check=True
        ).stdout

    def task(self, **fields: Any) -> Task:
        workspace = Workspace(root=str(self.root), commit=self.commit)
        asked = a_task(prompt="Make app.txt new.", reference=LINTED, workspace=workspace, project=str(self.root))
        return changed(asked, **fields)

    def document(self, rule: str) -> Any:
        path = f"{self.root}/{MEMORIES[self.name]}"
        return a_document(
            f"- {rule}\n" if rule else "", path=path, project=str(self.root), lead="# Shop\n\nBe kind.\n"
        )


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        server.acts = RuleKeeper()
        yield server


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    opened = open_at(tmp_path / "sleep.db", clock=FakeClock())
    yield opened
    opened.close()


def the_parts(person: Person, store: SqliteStore, *, seals: Sequence[Seal] = SEALS) -> SealedParts:
    meter = NightMeter(store.ledger, Limits(Limit(200), 60), clock=FakeClock())
    actor = partial(find_actor, person.settings, person.model, person.paths, person.environ)
    return SealedParts(actor, person.paths, price=person.model.price, meter=meter, store=store, seals=seals)


@pytest.mark.cli
@pytest.mark.parametrize(
    "agent", [("claude", ""), ("codex", ""), ("claude", "anthropic"), ("codex", "openai")], ids=" ".join
)
def test_the_genuine_agent_keeps_a_rule_in_a_sealed_copy_only_where_it_was_told(
    tmp_path: Path, store: SqliteStore, server: ModelServer, programs: Programs, agent: tuple[Named, Api]
) -> None:
    name, api = agent
    person = Person(tmp_path, name, str(getattr(programs, name)), server, api=api)
    with store.open_night():
        parts = the_parts(person, store)
        if parts.sealing.why_not:
            pytest.skip(parts.sealing.why_not)
        without = parts.run(person.task(), person.document(""), sample=0)
        with_rule = parts.run(person.task(), person.document(RULE), sample=0)
        passes = Command(argv=("grep", "-q", "new", "app.txt"))
        checked = parts.run(person.task(reference=passes), person.document(""), sample=1)
        calls = store.ledger.spent().calls
        again = parts.run(person.task(), person.document(RULE), sample=0)

        assert (without.failure, with_rule.failure) == ("", "")
        assert ["sh lint.sh" in done.told for done in (without, with_rule)] == [False, True]
        assert with_rule.changed_files == ("app.txt",)
        assert checked.checked is not None
        assert (checked.failure, checked.checked.status) == ("", 0)
        assert again == with_rule
        assert store.ledger.spent().calls == calls

    assert person.git("status", "--porcelain") == ""
    assert (person.root / "app.txt").read_text() == "old\n"
    assert sorted(path.name for path in person.home.iterdir()) == ["shop"]
    told = str([asked.body for asked in server.requests])
    assert "hunter2" not in told
    assert KEY not in told
    left = [
        path
        for path in person.paths.replays.rglob("*")
        if path.name.startswith(("call-", "attempt-", "copy-", "scratch-"))
    ]
    assert left == []


class Untouched:
    """A seal that nobody may try."""

    name = "untouched"

    def probe(self, folder: Path, /) -> Probe:
        raise AssertionError(folder)

    def run(self, argv: Sequence[str], policy: Policy, *, stdin: bytes = b"") -> ProcessResult:
        raise AssertionError(argv)


def why_not(backend: BackendSettings, paths: Paths, environ: Mapping[str, str]) -> SleepError:
    """Why nobody can act with this backend's model; no seal is tried."""
    model = make_model(backend, paths, environ)
    with pytest.raises(SleepError) as raised:
        find_sealing(find_actor(Settings(backend=backend), model, paths, environ), (Untouched(),))
    return raised.value


@pytest.mark.parametrize(
    ("backend", "why", "helps"),
    [
        (BackendSettings(name="simulated", model="simulated"), "simulated is no agent's program", "target.name"),
        (
            BackendSettings(name="azure", model="gpt", base_url="https://x.example", api_version="1"),
            "no agent speaks its API",
            "target.name",
        ),
        (
            BackendSettings(name="openai", model="qwen", base_url="http://127.0.0.1:9/v1"),
            "codex speaks the Responses API alone",
            'backend.api to "responses"',
        ),
        (
            BackendSettings(name="openai", model="gpt-5.5", max_output_tokens=500),
            "codex can't limit the length of an answer",
            "max_output_tokens",
        ),
        (BackendSettings(name="anthropic", model="m"), "claude is not installed", "install it"),
    ],
    ids=["simulated", "azure", "chat", "limited", "not-installed"],
)
def test_a_target_with_whose_model_no_agent_acts_is_named_and_no_seal_is_tried(
    tmp_path: Path, backend: BackendSettings, why: str, helps: str
) -> None:
    paths = find_paths({"SKILLOPT_SLEEP_HOME": str(tmp_path)})
    keys = {"ANTHROPIC_API_KEY": KEY, "OPENAI_API_KEY": KEY, "AZURE_OPENAI_API_KEY": KEY}
    error = why_not(backend, paths, keys)
    assert why in error.message
    assert helps in error.remedy
    assert not paths.replays.exists()


def test_a_login_that_cannot_be_pointed_at_the_relay_is_said(tmp_path: Path) -> None:
    home = tmp_path / "codex"
    home.mkdir()
    token = "a.e30.c"
    tokens = {"id_token": token, "access_token": token, "refresh_token": "r", "account_id": "x"}
    (home / "auth.json").write_text(json.dumps({"auth_mode": "chatgpt", "tokens": tokens}))
    paths = find_paths({"SKILLOPT_SLEEP_HOME": str(tmp_path)})
    error = why_not(BackendSettings(name="codex"), paths, {"PATH": "", "CODEX_HOME": str(home)})
    assert "a login by ChatGPT can't be pointed at another address" in error.message


def test_nothing_is_looked_for_until_a_task_needs_it(tmp_path: Path, store: SqliteStore, server: ModelServer) -> None:
    person = Person(tmp_path, "claude", "/nowhere/claude", server)
    parts = the_parts(person, store)
    assert not parts.reaches(person.task(workspace=None))
    assert not parts.reaches(a_task())
    assert not person.paths.replays.exists()

    assert not parts.reaches(person.task())
    assert "/nowhere/claude" in parts.sealing.why_not
    assert "/nowhere/claude" in parts.workshop.why_not
    assert "/nowhere/claude" in parts.run(person.task(), person.document(""), sample=0).failure
