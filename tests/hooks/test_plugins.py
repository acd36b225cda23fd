"""What the agents read of the plugins, and that they find them."""

import ast
import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from skillopt_sleep import __version__
from skillopt_sleep.agents import AGENTS
from skillopt_sleep.cli.table import COMMANDS
from skillopt_sleep.daemon.service.plugins import PLUGIN
from tests.agent_hooks import HOOKS, ROOT, SCRIPT

MANIFESTS = {"claude_code": ".claude-plugin/plugin.json", "codex": ".codex-plugin/plugin.json"}


def loaded(path: Path) -> Any:
    return json.loads(path.read_bytes())


@pytest.mark.parametrize("agent", MANIFESTS)
def test_the_plugin_has_the_programs_name_and_version(agent: str) -> None:
    manifest = loaded(HOOKS / MANIFESTS[agent])
    assert (manifest["name"], manifest["version"]) == ("skillopt-sleep", __version__)


def test_both_catalogues_are_in_the_plugins_own_folder_and_lead_to_it() -> None:
    claude = loaded(HOOKS / ".claude-plugin" / "marketplace.json")
    codex = loaded(HOOKS / ".agents" / "plugins" / "marketplace.json")
    assert [HOOKS / one["source"] for one in claude["plugins"]] == [HOOKS]
    assert [HOOKS / one["source"]["path"] for one in codex["plugins"]] == [HOOKS]
    for catalogue in (claude, codex):
        assert f"{catalogue['plugins'][0]['name']}@{catalogue['name']}" == PLUGIN


@pytest.mark.parametrize("agent", MANIFESTS)
def test_the_two_hooks_run_the_script_in_the_plugin_and_cannot_fail(agent: str) -> None:
    hooks = loaded(HOOKS / loaded(HOOKS / MANIFESTS[agent])["hooks"])["hooks"]
    assert list(hooks) == ["SessionStart", "SessionEnd"]
    for (group,) in hooks.values():
        (hook,) = group["hooks"]
        path = re.search(r'"\$\{CLAUDE_PLUGIN_ROOT\}/(.+?)"', hook["command"])
        assert path
        assert HOOKS / path[1] == SCRIPT
        assert hook["command"].endswith(f" {agent} || true")
    # Codex warns of more.
    assert agent != "codex" or hooks["SessionEnd"][0]["hooks"][0]["timeout"] <= 3


def test_no_agent_finds_the_hooks_of_another() -> None:
    """An agent reads the default file beside the one its manifest names."""
    assert not (HOOKS / "hooks").exists()
    assert not (HOOKS / "hooks.json").exists()
    assert set(MANIFESTS) == {agent.source for agent in AGENTS.values()}
    assert len({loaded(HOOKS / path)["hooks"] for path in MANIFESTS.values()}) == len(MANIFESTS)


def test_there_are_no_links_for_an_agent_to_lose() -> None:
    assert [path for path in HOOKS.rglob("*") if path.is_symlink()] == []


def test_the_script_needs_nothing_but_the_standard_library_of_an_old_python() -> None:
    tree = ast.parse(SCRIPT.read_bytes(), feature_version=(3, 8))
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert names <= sys.stdlib_module_names


def test_the_skill_never_adopts_by_itself() -> None:
    text = (HOOKS / "skills" / "morning" / "SKILL.md").read_text(encoding="utf-8")
    assert "Never adopt or reject for the person" in text
    assert "allowed-tools" not in text


COMMANDS_OF = {
    "morning": {"status", "report", "review", "adopt", "reject", "undo"},
    "night": {"status", "run"},
}


@pytest.mark.parametrize(("skill", "commands"), COMMANDS_OF.items())
def test_every_command_of_a_skill_exists(skill: str, commands: set[str]) -> None:
    text = (HOOKS / "skills" / skill / "SKILL.md").read_text(encoding="utf-8")
    assert text.startswith(f"---\nname: {skill}\ndescription: ")
    assert set(re.findall(r"`skillopt-sleep (\w+)", text)) == commands
    assert commands <= set(COMMANDS)
    assert {path.name for path in (HOOKS / "skills").iterdir()} == set(COMMANDS_OF)


def test_the_wheel_and_the_source_archive_carry_the_plugin() -> None:
    build = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]["targets"]
    assert build["wheel"]["force-include"] == {"hooks": "skillopt_sleep/_hooks"}
    assert "hooks" in build["sdist"]["include"]
