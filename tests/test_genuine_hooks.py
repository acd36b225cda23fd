"""The plugins inside the genuine agents: what they leave in the spool, and what the next night makes of it."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path

import pytest

from skillopt_sleep import __version__
from skillopt_sleep.agents import AGENTS
from skillopt_sleep.daemon.service.machine import this_machine
from skillopt_sleep.daemon.service.plugins import install_commands, installed_version
from tests.agent_hooks import HOOKS, git, lines_of, repository
from tests.agents.acting_model import printed, run, told
from tests.agents_at_night import CLAUDE, CODEX, Agent, Fence, Person
from tests.command import PROGRAM
from tests.genuine import Programs
from tests.installs import SYSTEMCTL, program
from tests.server import Asked, ModelServer
from tests.server_answers import ScriptedModel, recognised
from tests.server_protocols import Call, Said

pytestmark = pytest.mark.cli
PLUGIN = "skillopt-sleep@skillopt-sleep"
SOURCES = {"claude": "claude_code", "codex": "codex"}
OUR_HOOKS_OFF = {"claude": ("--settings", '{"disableAllHooks": true}'), "codex": ("--disable", "hooks")}
# With a key Claude Code asks its maker for 17 seconds before each command on plugins, which need none.
NO_KEY = {"ANTHROPIC_API_KEY"}


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


def talks(
    person: Person,
    program: Path,
    agent: Agent,
    server: ModelServer,
    *more: str,
    prompt: str = "no, that's wrong - we always use pnpm here, never npm",
) -> str:
    """A session of one prompt; its id."""
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


def test_claude_finds_nothing_wrong_with_the_plugin(person: Person, programs: Programs) -> None:
    assert "Validation passed" in asks(person, programs.claude, "plugin", "validate", "--strict", str(HOOKS))


SETTINGS = {
    ".claude/settings.json": '{\n  "model": "opus",\n  "env": {"MINE": "1"},\n  "cleanupPeriodDays": 9\n}\n',
    ".codex/config.toml": '# mine\nmodel = "gpt-5"   # the good one\n\n[projects."/code/a"]\ntrust_level = "trusted"\n',
}


def with_both_agents(folder: Path, fence: Fence, programs: Programs) -> Person:
    """A person who has both programs in PATH, settings of their own, and a user manager that answers."""
    person = Person(folder, fence.environ)
    person.left_out = NO_KEY
    for name, text in SETTINGS.items():
        (folder / name).parent.mkdir()
        (folder / name).write_text(text, encoding="utf-8")
    program(folder, "systemctl", SYSTEMCTL.format(status=0))
    for path in programs:
        (folder / "bin" / path.name).symlink_to(path)
    person.added["PATH"] = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return person


def settings_of(person: Person) -> dict[str, bytes]:
    return {name: (person.folder / name).read_bytes() for name in SETTINGS}


def test_install_and_uninstall_change_the_agents_settings_only_by_their_own_commands(
    tmp_path: Path, fence: Fence, programs: Programs
) -> None:
    ours, by_hand = (with_both_agents(tmp_path / name, fence, programs) for name in ("ours", "by_hand"))
    for _ in range(2):
        done = ours.command("install", "--yes")
        assert done.code == 0, done.out + done.err
        for agent in AGENTS.values():
            for name, *words in install_commands(agent):
                asks(by_hand, by_hand.folder / "bin" / name, *words)
        assert settings_of(ours) == settings_of(by_hand)
    for agent in AGENTS.values():
        assert installed_version(agent, this_machine(ours.environment)) == __version__
        assert f"the plugin in {agent.title} is version {__version__}" in ours.command("doctor").out

    done = ours.command("uninstall", "--yes")
    assert done.code == 0, done.out + done.err
    for agent in AGENTS.values():
        assert installed_version(agent, this_machine(ours.environment)) == ""
        assert f"{agent.title} doesn't have our plugin" in ours.command("doctor").out
    left = settings_of(ours)
    # Claude Code leaves two empty tables behind.
    assert json.loads(left.pop(".claude/settings.json")) == json.loads(SETTINGS[".claude/settings.json"]) | {
        "enabledPlugins": {},
        "extraKnownMarketplaces": {},
    }
    assert left == {".codex/config.toml": SETTINGS[".codex/config.toml"].encode()}
    done = ours.command("uninstall", "--yes")
    assert (done.code, "removed" in done.out) == (0, False)


@pytest.mark.parametrize("agent", [CLAUDE, CODEX], ids=lambda agent: agent.name)
def test_an_older_plugin_from_a_folder_that_is_gone_is_told_and_replaced(
    tmp_path: Path, fence: Fence, programs: Programs, agent: Agent
) -> None:
    person = with_both_agents(tmp_path / "home", fence, programs)
    old = tmp_path / "old"
    shutil.copytree(HOOKS, old)
    for manifest in (old / ".claude-plugin" / "plugin.json", old / ".codex-plugin" / "plugin.json"):
        manifest.write_text(manifest.read_text().replace(f'"{__version__}"', '"0.0.1"'))
    add, install_it = install_commands(AGENTS[agent.name])
    asks(person, getattr(programs, agent.name), *add[1:-1], str(old))
    asks(person, getattr(programs, agent.name), *install_it[1:])
    title = AGENTS[agent.name].title
    says = " ".join(person.command("doctor").out.split())
    assert f"the plugin in {title} is version 0.0.1, and this program is {__version__}" in says

    shutil.rmtree(old)
    assert person.command("install", "--yes").code == 0
    assert installed_version(AGENTS[agent.name], this_machine(person.environment)) == __version__


@pytest.mark.parametrize("agent", [CLAUDE, CODEX], ids=lambda agent: agent.name)
def test_the_next_night_uses_what_the_plugin_noted(
    person: Person, server: ModelServer, programs: Programs, agent: Agent
) -> None:
    """A session that ended this minute is read, at the commit it began at; one without hooks must rest."""
    program, source = getattr(programs, agent.name), SOURCES[agent.name]
    commit = repository(person.project, code_py="one\n")
    (person.project / "code.py").write_text("two\n")
    before = git(person.project, "status", "--porcelain")
    person.left_out = NO_KEY
    asks(person, program, "plugin", "marketplace", "add", str(HOOKS))
    asks(person, program, "plugin", "install" if agent is CLAUDE else "add", PLUGIN)
    person.left_out = set()

    noted = talks(person, program, agent, server)
    unnoted = talks(person, program, agent, server, *OUR_HOOKS_OFF[agent.name])

    spool = person.data / "state" / "spool" / source
    assert float((spool / f"{noted}.ended").read_text()) > 0
    assert lines_of(spool / f"{noted}.started") == [str(person.project), commit]
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
    assert (snapshot["session"], snapshot["commit"]) == (session["id"], commit)


def answering(agent: Agent, mind: ScriptedModel) -> Generator[Said, Asked, None]:
    """A model that answers the first prompt of a night as the skill says, call by call."""
    asked = yield Said()
    if agent is CLAUDE:
        asked = yield Said(calls=(Call("Skill", {"skill": "skillopt-sleep:night"}),))
    else:
        root = re.search(r"`(/[^`]+/skillopt-sleep/[^`]+/skills)`", told(asked.body))
        assert root
        assert "/night/SKILL.md" in told(asked.body)
        asked = yield Said(calls=(run(asked, f"cat {root[1]}/night/SKILL.md"),))
    assert "Answer each from nothing but its own text" in told(asked.body)
    asked = yield Said(calls=(run(asked, "skillopt-sleep status"),))
    found = re.search(r"1 prompt waiting in (/.+)/open", printed(asked.body))
    assert found
    asked = yield Said(calls=(run(asked, f"cat {found[1]}/README.md {found[1]}/open/*.md"),))
    shown = printed(asked.body)
    go_on, file, prompt = (
        re.search(pattern, shown, re.MULTILINE | re.DOTALL)
        for pattern in (r"Go on: `([^`]+)`", r"^    (/\S+/answers/\w+\.md)$", r"^## Prompt\n\n(`{3,})\n(.*)\n\1$")
    )
    assert go_on
    assert file
    assert prompt
    text = mind.answer(*recognised([prompt[2]]))
    if agent is CLAUDE:
        asked = yield Said(calls=(Call("Write", {"file_path": file[1], "content": text}),))
    else:
        asked = yield Said(calls=(run(asked, f"cat > {file[1]} << 'END'\n{text}\nEND"),))
    asked = yield Said(calls=(run(asked, go_on[1]),))
    yield Said(f"Went on: {printed(asked.body)}")


MAY = {
    "claude": ("--plugin-dir", str(HOOKS), "--allowedTools", "Bash,Write,Skill", "--add-dir", ".."),
    "codex": ("--dangerously-bypass-approvals-and-sandbox",),
}


@pytest.mark.parametrize("agent", [CLAUDE, CODEX], ids=lambda agent: agent.name)
def test_an_agent_that_is_told_to_answers_the_night_as_the_skill_says(
    person: Person, server: ModelServer, programs: Programs, agent: Agent
) -> None:
    program = getattr(programs, agent.name)
    # Codex runs a login shell, which begins with a PATH of its own.
    (person.folder / ".profile").write_text(f'PATH="{PROGRAM.parent}:$PATH"\n', encoding="utf-8")
    person.added["PATH"] = f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}"
    person.had_sessions()
    assert person.command("run", "--backend", "handoff").code == 7
    if agent is CODEX:
        asks(person, program, "plugin", "marketplace", "add", str(HOOKS))
        asks(person, program, "plugin", "add", PLUGIN)
    model = answering(agent, server.model)
    next(model)
    server.acts = lambda asked: model.send(asked) if asked.body.get("tools") else None

    talks(person, program, agent, server, *MAY[agent.name], prompt="Answer the night of skillopt-sleep that waits.")

    assert "1 prompt waiting in" in person.command("status").out
    assert {path.name[3:10] for path in (person.data / "handoff" / "open").iterdir()} == {"reflect"}
