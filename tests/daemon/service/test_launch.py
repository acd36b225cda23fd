import json
import subprocess
import sys
from pathlib import Path

from skillopt_sleep.daemon.service.launch import SOURCED, Launch, keys_file, service_environment, shell_script
from tests.installs import machine


def test_what_a_service_needs_is_captured_absolute_and_nothing_else(tmp_path: Path) -> None:
    found, left_out = service_environment(
        {
            "PATH": "/usr/bin:relative::/bin:/usr/bin",
            "CODEX_HOME": "~/codex",
            "SKILLOPT_SLEEP_HOME": str(tmp_path),
            "SKILLOPT_SLEEP_BACKEND_NAME": "openai",
            "https_proxy": "http://proxy:3128",
            "OPENAI_API_KEY": "sk-not-for-a-unit",
            "TERM": "xterm",
        }
    )
    assert found == {
        "CODEX_HOME": str(Path("~/codex").expanduser()),
        "PATH": "/usr/bin:/bin",
        "SKILLOPT_SLEEP_BACKEND_NAME": "openai",
        "SKILLOPT_SLEEP_HOME": str(tmp_path),
        "https_proxy": "http://proxy:3128",
    }
    assert left_out == ()


def test_a_relative_home_is_made_absolute_and_a_relative_folder_of_the_platform_counts_for_nothing() -> None:
    given = {"PATH": "/bin", "SKILLOPT_SLEEP_HOME": "slp", "CLAUDE_CONFIG_DIR": "c", "XDG_CONFIG_HOME": "/etc/mine"}
    found, _ = service_environment(
        {**given, "XDG_DATA_HOME": "share", "XDG_STATE_HOME": "~/state", "XDG_CACHE_HOME": ""}
    )
    assert found == {
        "CLAUDE_CONFIG_DIR": str(Path("c").absolute()),
        "PATH": "/bin",
        "SKILLOPT_SLEEP_HOME": str(Path("slp").absolute()),
        "XDG_CONFIG_HOME": "/etc/mine",
    }


def test_a_secret_in_a_variable_stays_out_of_a_unit() -> None:
    found, left_out = service_environment(
        {
            "PATH": "/bin",
            "HTTPS_PROXY": "http://me:hunter2@proxy:3128",
            "SKILLOPT_SLEEP_BACKEND_BASE_URL": "https://user:pass@host/v1",
        }
    )
    assert list(found) == ["PATH"]
    assert left_out == ("HTTPS_PROXY", "SKILLOPT_SLEEP_BACKEND_BASE_URL")


def shown(tmp_path: Path) -> Launch:
    """A launch of something that prints what it was started with."""
    script = tmp_path / "fake python"
    code = "import json,os,sys; print(json.dumps([sys.argv[1:], dict(os.environ)]))"
    script.write_text(f"#!/bin/sh\nexec {sys.executable} -c '{code}' \"$@\"\n", encoding="utf-8")
    script.chmod(0o755)
    keys = tmp_path / "the keys"
    keys.write_text("A_KEY=of mine\nOTHER=1\n".replace("of mine", "mine"), encoding="utf-8")
    return Launch(str(script), {"CODEX_HOME": "/a 'b' $c", "PATH": "/usr/bin:/bin"}, keys)


def test_the_script_starts_the_daemon_with_its_variables_and_keys_in_a_bare_environment(tmp_path: Path) -> None:
    launch = shown(tmp_path)
    script = tmp_path / "daemon.sh"
    script.write_text(shell_script(launch), encoding="utf-8")
    done = subprocess.run(["/bin/sh", str(script)], env={}, capture_output=True, text=True, check=True)
    argv, environ = json.loads(done.stdout)
    assert argv == ["-P", "-m", "skillopt_sleep", "daemon"]
    assert (environ["A_KEY"], environ["CODEX_HOME"]) == ("mine", "/a 'b' $c")


def test_a_file_of_keys_is_sourced_before_the_program_where_there_is_one(tmp_path: Path) -> None:
    launch = shown(tmp_path)
    for keys, wanted in ((launch.keys, "mine"), (tmp_path / "none", None)):
        done = subprocess.run(
            ["/bin/sh", "-c", SOURCED, "sh", str(keys), *launch.argv],
            env={},
            capture_output=True,
            text=True,
            check=True,
        )
        argv, environ = json.loads(done.stdout)
        assert argv == ["-P", "-m", "skillopt_sleep", "daemon"]
        assert environ.get("A_KEY") == wanted


def test_the_file_of_keys_is_beside_the_configuration(tmp_path: Path) -> None:
    there = machine(tmp_path)
    assert keys_file(there.paths).parent == there.paths.config_file.parent
