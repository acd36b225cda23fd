"""The plugins inside the genuine agents: what they leave in the spool, and what the next night makes of it."""

import json
import re
import shlex
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.agent_hooks import HOOKS, ROOT, git, read, repository
from tests.agents_at_night import CLAUDE, CODEX, Agent, Fence, Person
from tests.genuine import Programs
from tests.server import ModelServer

pytestmark = pytest.mark.cli
PLUGIN = "skillopt-sleep@skillopt-sleep"
SOURCES = {"claude": "claude_code", "codex": "codex"}
OUR_HOOKS_OFF = {"claude": ("--settings", '{"disableAllHooks": true}'), "codex": ("--disable", "hooks")}


@pytest.fixture
def fence() -> Iterator[Fence]:
    """Holds the agents back: a session of a person's own asks for updates and tells its maker of itself."""
    with Fence() as fence:
        yield fence


@pytest.fixture
def person(tmp_path: Path, fence: Fence) -> Person:
    person = Person(tmp_path, fence.environ)
    (tmp_path / ".codex").mkdir()
    return person


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


def asks(person: Person, program: Path, *arguments: str, cwd: Path | None = None) -> str:
    """What the program says in the person's project, or in another folder."""
    done = subprocess.run(
        [str(program), *arguments],
        cwd=cwd or person.project,
        env=person.environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def talks(person: Person, program: Path, agent: Agent, server: ModelServer, *more: str) -> str:
    """A session of one prompt; its id."""
    prompt = "no, that's wrong - we always use pnpm here, never npm"
    if agent is CLAUDE:
        person.added["ANTHROPIC_BASE_URL"] = server.root_url
        out = asks(person, program, "-p", prompt, "--model", agent.model, "--output-format", "json", *more)
        return next(one for one in events(out) if one["type"] == "result")["session_id"]
    provider = f'{{name="p",base_url="{server.base_url}",env_key="OPENAI_API_KEY",wire_api="responses"}}'
    set_to = ("-c", f"model_providers.p={provider}", "-c", 'model_provider="p"', "-m", agent.model)
    # A person trusts a hook by hand, in the program's own screens.
    out = asks(person, program, "exec", "--json", "--dangerously-bypass-hook-trust", *set_to, *more, prompt)
    return next(one for one in events(out) if one["type"] == "thread.started")["thread_id"]


def events(out: str) -> Sequence[dict[str, str]]:
    whole = [json.loads(line) for line in out.splitlines() if line.strip()]
    return whole[0] if isinstance(whole[0], list) else whole


@pytest.mark.parametrize("folder", [HOOKS, ROOT], ids=["plugin", "catalog"])
def test_claude_finds_nothing_wrong_with_the_plugin(person: Person, programs: Programs, folder: Path) -> None:
    assert "Validation passed" in asks(person, programs.claude, "plugin", "validate", "--strict", str(folder))


@pytest.mark.parametrize("agent", [CLAUDE, CODEX], ids=lambda agent: agent.name)
def test_the_commands_that_the_docs_print_install_the_plugin(
    person: Person, programs: Programs, agent: Agent
) -> None:
    page = (ROOT / "docs" / "daemon-and-hooks.md").read_text(encoding="utf-8")
    printed = re.findall(rf"^{agent.name} (plugin .+)$", page, re.MULTILINE)
    assert len(printed) == 2
    for line in printed:
        asks(person, getattr(programs, agent.name), *shlex.split(line), cwd=ROOT)
    assert "skillopt-sleep" in asks(person, getattr(programs, agent.name), "plugin", "list")


@pytest.mark.parametrize("agent", [CLAUDE, CODEX], ids=lambda agent: agent.name)
def test_the_next_night_uses_what_the_plugin_noted(
    person: Person, server: ModelServer, programs: Programs, agent: Agent
) -> None:
    """A session that ended this minute is read, at the commit it began at; one without hooks must rest."""
    program, source = getattr(programs, agent.name), SOURCES[agent.name]
    commit = repository(person.project, code_py="one\n")
    (person.project / "code.py").write_text("two\n")
    before = git(person.project, "status", "--porcelain")
    asks(person, program, "plugin", "marketplace", "add", str(ROOT))
    asks(person, program, "plugin", "install" if agent is CLAUDE else "add", PLUGIN)

    noted = talks(person, program, agent, server)
    unnoted = talks(person, program, agent, server, *OUR_HOOKS_OFF[agent.name])

    spool = person.data / "state" / "spool" / source
    assert read(spool / f"{noted}.ended.json")["at"] > 0
    assert read(spool / f"{noted}.started.json")["commit"] == commit
    assert "+two" in (spool / f"{noted}.patch").read_text()
    assert list(spool.glob(f"{unnoted}*")) == []
    assert git(person.project, "status", "--porcelain") == before

    person.configured("[harvest]\ninclude_headless = true\n")
    answer = person.night(server.base_url).json
    assert answer["sessions"]["used"] == 1
    assert answer["sessions"]["skipped"] == {"active": 1}
    folder = Path(answer["folder"])
    (session,) = (json.loads(line) for line in (folder / "sessions.jsonl").read_text().splitlines())
    assert (session["id"], session["commit"]) == (f"{source}:{noted}", commit)
    (snapshot,) = (json.loads(line) for line in (folder / "snapshots.jsonl").read_text().splitlines())
    assert (snapshot["session"], snapshot["patch"]) == (session["id"], str(spool / f"{noted}.patch"))
