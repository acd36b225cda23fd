"""Behind a link or a script of npm's, the native program is found; what is none is refused."""

import subprocess
from pathlib import Path, PurePosixPath

import pytest

from skillopt_sleep.agents import AGENTS
from skillopt_sleep.agents.sealed.programs import MARK, behind_forwarder, forwarder_reads
from skillopt_sleep.errors import CallFailed, FailureKind
from tests.agents.bwrap import PROGRAM

ELF = b"\x7fELF and so on"
SCRIPT = b"#!/usr/bin/env node\n"


def put(path: Path, data: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def linked(path: Path, target: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)
    return path


def test_a_link_to_the_native_claude(tmp_path: Path) -> None:
    real = put(tmp_path / "share/claude/versions/2.1.330", ELF)
    found = AGENTS["claude"].acting.installed(linked(tmp_path / "bin/claude", real))
    assert (found.command, found.reads) == ((str(real),), {real})


def test_a_script_of_claude_with_the_package_for_this_machine(tmp_path: Path) -> None:
    modules = tmp_path / "lib/node_modules"
    script = put(modules / "@anthropic-ai/claude-code/cli-wrapper.cjs", SCRIPT)
    real = put(modules / "@anthropic-ai/claude-code/node_modules/@anthropic-ai/claude-code-linux-x64/claude", ELF)
    found = AGENTS["claude"].acting.installed(linked(tmp_path / "bin/claude", script))
    assert found.command == (str(real),)


def test_the_script_of_codex_with_its_tools(tmp_path: Path) -> None:
    modules = tmp_path / "lib/node_modules"
    script = put(modules / "@openai/codex/bin/codex.js", SCRIPT)
    whole = modules / "@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl"
    real = put(whole / "bin/codex", ELF)
    put(whole / "codex-resources/bwrap", ELF)
    put(whole / "codex-path/rg", ELF)
    found = AGENTS["codex"].acting.installed(linked(tmp_path / "bin/codex", script))
    assert (found.command, found.path) == ((str(real),), (whole / "codex-path",))
    assert whole in found.reads
    assert modules not in found.reads


def test_a_codex_by_itself_needs_nothing_around_it(tmp_path: Path) -> None:
    real = put(tmp_path / "bin/codex", ELF)
    found = AGENTS["codex"].acting.installed(real)
    assert (found.command, found.path) == ((str(real),), ())
    assert real in found.reads
    assert tmp_path not in found.reads


@pytest.mark.parametrize("name", AGENTS)
def test_a_shim_or_a_script_of_its_own_is_refused(tmp_path: Path, name: str) -> None:
    shim = linked(tmp_path / "shims" / name, put(tmp_path / "volta-shim", ELF))
    wrapper = put(tmp_path / "bin" / name, b"#!/bin/sh\nexec real\n")
    for program in (shim, wrapper, tmp_path / "missing" / name):
        with pytest.raises(CallFailed, match=name) as raised:
            AGENTS[name].acting.installed(program)
        assert raised.value.kind is FailureKind.NOT_INSTALLED
        assert "backend.program" in raised.value.remedy


def test_the_program_gets_its_port_where_the_mark_stands() -> None:
    argv = behind_forwarder(["/bin/echo", f"http://127.0.0.1:{MARK}/v1", "as it is"], PurePosixPath("/run/x.sock"))
    ran = subprocess.run(argv, capture_output=True, text=True, timeout=30, check=True)
    address, _, rest = ran.stdout.strip().partition(" ")
    assert address.removeprefix("http://127.0.0.1:").removesuffix("/v1").isdecimal()
    assert rest == "as it is"


@pytest.mark.skipif(PROGRAM is None, reason="bubblewrap is not installed")
def test_nothing_else_of_the_machine_is_needed(tmp_path: Path) -> None:
    assert PROGRAM
    binds = [word for path in forwarder_reads() for word in ("--ro-bind", str(path), str(path))]
    system = ["--ro-bind", "/usr", "/usr", "--symlink", "usr/bin", "/bin", "--symlink", "usr/lib", "/lib"]
    system += ["--symlink", "usr/lib64", "/lib64", "--proc", "/proc", "--dev", "/dev"]
    argv = behind_forwarder(["/bin/echo", "ran"], PurePosixPath("/run/x.sock"))
    command = [PROGRAM, "--unshare-all", "--clearenv", *system, *binds, *argv]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert (ran.returncode, ran.stdout) == (0, "ran\n"), ran.stderr
