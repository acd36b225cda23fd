import json
from pathlib import Path

import pytest

from skillopt_sleep import __version__
from skillopt_sleep.agents import AGENTS
from skillopt_sleep.daemon.service.plugins import (
    agents_elsewhere,
    agents_here,
    catalogue,
    install,
    install_commands,
    installed_version,
    remove,
)
from skillopt_sleep.errors import SleepError
from tests.installs import agents, machine, program, told

NAMES = list(AGENTS)


@pytest.mark.parametrize("name", NAMES)
def test_a_plugin_is_installed_and_removed_by_the_agents_own_program(name: str, tmp_path: Path) -> None:
    agents(tmp_path)
    there, agent = machine(tmp_path), AGENTS[name]
    assert installed_version(agent, there) == ""
    install(agent, there)
    install(agent, there)
    assert installed_version(agent, there) == __version__
    assert f"{name} plugin marketplace add {catalogue()}" in told(tmp_path)
    assert remove(agent, there)
    assert installed_version(agent, there) == ""
    assert not remove(agent, there)


@pytest.mark.parametrize("name", NAMES)
def test_a_catalogue_from_another_folder_gives_way(name: str, tmp_path: Path) -> None:
    agents(tmp_path)
    there, agent = machine(tmp_path), AGENTS[name]
    old = tmp_path / "old" / ".claude-plugin"
    old.mkdir(parents=True)
    (old / "plugin.json").write_text('{"version": "0.0.1"}', encoding="utf-8")
    add, install_it = install_commands(agent)
    assert there.run(*add[:-1], str(old.parent)).status == 0
    assert there.run(*install_it).status == 0
    assert installed_version(agent, there) == "0.0.1"
    install(agent, there)
    assert installed_version(agent, there) == __version__


def test_an_agent_whose_program_is_not_in_the_path_is_named_only_if_it_was_used(tmp_path: Path) -> None:
    there = machine(tmp_path, PATH=str(tmp_path / "bin"))
    assert (agents_here(there), agents_elsewhere(there)) == ((), ())
    agents(tmp_path)
    (tmp_path / "bin" / "codex").unlink()
    assert [agent.title for agent in agents_here(there)] == ["Claude Code"]
    assert [agent.title for agent in agents_elsewhere(there)] == ["Codex"]


def test_a_program_that_refuses_is_quoted(tmp_path: Path) -> None:
    there, agent = machine(tmp_path), AGENTS["claude"]
    program(tmp_path, "claude", "#!/bin/sh\necho 'error: unknown command plugin' >&2\nexit 1\n")
    for does in (install, remove, installed_version):
        with pytest.raises(SleepError, match="unknown command plugin"):
            does(agent, there)


# As the genuine programs print it, shortened.
LISTED = {
    "claude": [
        {"id": "skillopt-sleep@skillopt-sleep", "version": "0.1.0", "enabled": True, "folderVersion": "0.2.0"}
    ],
    "codex": {"installed": [{"pluginId": "skillopt-sleep@skillopt-sleep", "version": "0.2.0", "enabled": True}]},
}


@pytest.mark.parametrize("name", NAMES)
def test_the_version_is_the_one_that_runs(name: str, tmp_path: Path) -> None:
    there, agent = machine(tmp_path), AGENTS[name]

    def lists(value: object) -> str:
        program(tmp_path, name, f"#!/bin/sh\necho '{json.dumps(value)}'\n")
        return installed_version(agent, there)

    listed = json.dumps(LISTED[name])
    assert lists(LISTED[name]) == "0.2.0"
    assert lists(json.loads(listed.replace("true", "false"))) == ""
    assert lists(json.loads(listed.replace('"enabled": true', '"enabled": true, "errors": ["cache-miss"]'))) == ""
    assert lists(json.loads(listed.replace("skillopt-sleep@", "another@"))) == ""
