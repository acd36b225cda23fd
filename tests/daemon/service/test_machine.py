import json
import os
import subprocess
import sys
from pathlib import Path

from skillopt_sleep.daemon.service.machine import (
    NOT_FOUND,
    SOURCED,
    Launch,
    crontab_line,
    keys_file,
    last_words,
    service_environment,
    this_machine,
)
from skillopt_sleep.kit.process import ProcessResult
from tests.installs import machine, program


def test_programs_are_those_of_the_path(tmp_path: Path) -> None:
    there = machine(tmp_path)
    assert not there.has("mine")
    assert there.run("mine").status == NOT_FOUND
    program(tmp_path, "mine", '#!/bin/sh\npwd -P; echo "$1" >&2; exit 3\n')
    assert there.has("mine")
    ran = there.run("mine", "x")
    assert (ran.status, ran.stdout, ran.stderr) == (3, b"%s\n" % os.fsencode(tmp_path.resolve()), b"x\n")


def test_this_machine_is_known_by_its_environment(tmp_path: Path) -> None:
    there = this_machine({"HOME": str(tmp_path), "SKILLOPT_SLEEP_HOME": str(tmp_path / "s")})
    assert there.home == tmp_path
    assert there.paths.config == tmp_path / "s"
    assert (there.platform, there.python) == (sys.platform, str(Path(sys.executable).absolute()))


def test_a_program_that_failed_is_quoted_by_its_last_line() -> None:
    assert last_words(ProcessResult(1, b"out", b"WARNING: x\nError: masked\n\n")) == "Error: masked"
    assert last_words(ProcessResult(1, b"said so\n")) == "said so"
    assert last_words(ProcessResult(3)) == "exit code 3"
    assert "60 seconds" in last_words(ProcessResult(-9, stopped="timed_out"))


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
    """A launch of something that writes down what it was started with."""
    script = tmp_path / "fake 100% python"
    code = f'import json,os,sys; json.dump([sys.argv[1:], dict(os.environ)], open("{tmp_path}/started", "w"))'
    script.write_text(f"#!/bin/sh\nexec {sys.executable} -c '{code}' \"$@\"\n", encoding="utf-8")
    script.chmod(0o755)
    keys = tmp_path / "the keys"
    keys.write_text("A_KEY=mine\nOTHER=1\n", encoding="utf-8")
    return Launch(str(script), {"CODEX_HOME": "/a 'b' $c", "PATH": "/usr/bin:/bin"}, keys)


def started(tmp_path: Path) -> tuple[list[str], dict[str, str]]:
    return json.loads((tmp_path / "started").read_bytes())


def test_the_line_of_a_crontab_starts_the_daemon_with_its_variables_and_keys_in_a_bare_environment(
    tmp_path: Path,
) -> None:
    line = crontab_line(shown(tmp_path))
    *times, command = line.split(" ", 5)
    assert times == ["*/10", "*", "*", "*", "*"]
    assert "\n" not in line
    assert command.count("%") == command.count("\\%") == 1
    # cron hands what is behind the times to /bin/sh, each \% as %.
    subprocess.run(["/bin/sh", "-c", command.replace("\\%", "%")], env={}, check=True)
    argv, environ = started(tmp_path)
    assert argv == ["-P", "-m", "skillopt_sleep", "daemon"]
    assert (environ["A_KEY"], environ["CODEX_HOME"]) == ("mine", "/a 'b' $c")


def test_a_file_of_keys_is_sourced_before_the_program_where_there_is_one(tmp_path: Path) -> None:
    launch = shown(tmp_path)
    for keys, wanted in ((launch.keys, "mine"), (tmp_path / "none", None)):
        subprocess.run(["/bin/sh", "-c", SOURCED, "sh", str(keys), *launch.argv], env={}, check=True)
        argv, environ = started(tmp_path)
        assert argv == ["-P", "-m", "skillopt_sleep", "daemon"]
        assert environ.get("A_KEY") == wanted


def test_the_file_of_keys_is_beside_the_configuration(tmp_path: Path) -> None:
    there = machine(tmp_path)
    assert keys_file(there.paths).parent == there.paths.config_file.parent
