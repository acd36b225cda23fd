import json
import subprocess
import sys
from pathlib import Path

import pytest

from skillopt_sleep.agents import AGENTS
from skillopt_sleep.daemon.service.hook_files import commands, hooks_folder, hooks_of, is_ours


@pytest.mark.parametrize("agent", AGENTS)
def test_the_hooks_of_an_agent_are_those_of_its_plugin_with_absolute_paths(agent: str) -> None:
    folder = hooks_folder()
    listed = json.loads((folder / AGENTS[agent].hooks.listed).read_bytes())["hooks"]
    hooks = hooks_of(agent, folder=folder, python="/a b/python", environ={"SKILLOPT_SLEEP_HOME": "/my home"})
    assert [hook.event for hook in hooks] == list(listed)
    for command in commands(hooks):
        assert "${" not in command
        assert command.startswith("SKILLOPT_SLEEP_HOME='/my home' '/a b/python' ")
        assert str(folder) in command
        assert is_ours({"command": command})


def test_a_command_runs_in_a_shell_also_where_the_path_is_odd_or_the_script_is_gone(tmp_path: Path) -> None:
    folder = tmp_path / 'a "b" $HOME `c`'
    scripts = folder / "scripts"
    scripts.mkdir(parents=True)
    line = 'python3 -I -S "${CLAUDE_PLUGIN_ROOT}/scripts/x.py" agent || true'
    group = {"hooks": [{"type": "command", "command": line}]}
    listed = {"hooks": {"SessionEnd": [group]}}
    (folder / "claude-code.json").write_text(json.dumps(listed), encoding="utf-8")
    (scripts / "x.py").write_text("import sys; print(sys.argv[1:])", encoding="utf-8")
    [command] = commands(hooks_of("claude", folder=folder, python=sys.executable, environ={}))

    def ran() -> "subprocess.CompletedProcess[str]":
        return subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, check=False)

    assert ran().stdout == "['agent']\n"
    (scripts / "x.py").unlink()
    assert ran().returncode == 0


def test_what_isnt_marked_is_not_ours() -> None:
    assert not is_ours({"command": "python3 session.py # skillopt-sleep-like"})
    assert not is_ours("# skillopt-sleep")
