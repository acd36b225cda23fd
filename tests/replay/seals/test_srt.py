"""sandbox-runtime: what it is told, on each platform."""

import subprocess
import sys
from pathlib import Path, PurePosixPath
from typing import Any, cast

import pytest

from skillopt_sleep.protocols.sealing import Policy, Tree
from skillopt_sleep.replay.seals.srt import MARK, SandboxRuntime, command, end_marked, settings, too_old_below


def _policy(folder: Path, **changed: Any) -> Policy:
    values: dict[str, Any] = {
        "tree": Tree(upper=folder),
        "root": PurePosixPath(folder),
        "cwd": PurePosixPath(folder),
        "home": folder,
        "inside_home": PurePosixPath(folder),
        "environ": {"PATH": "/usr/bin:/bin", "ODD": "a b'c\n"},
    }
    return Policy(**(values | changed))


@pytest.mark.parametrize("platform", ["darwin", "linux"])
def test_everything_is_hidden_but_what_is_named_and_no_domain_is_allowed(tmp_path: Path, platform: str) -> None:
    told = cast("dict[str, dict[str, Any]]", settings(_policy(tmp_path), platform=platform))
    files, network = told["filesystem"], told["network"]
    assert files["denyRead"] == ["/"]
    assert files["allowWrite"] == [str(tmp_path), str(tmp_path)]
    assert not {"/", "/home", "/Users", "/etc", "/var", "/private", str(Path.home())} & set(files["allowRead"])
    assert (network["allowedDomains"], network["strictAllowlist"], network["allowLocalBinding"]) == ([], True, False)
    assert (network["allowUnixSockets"], network["allowAllUnixSockets"]) == ([], False)


def test_the_relays_socket_is_the_only_one_on_macos(tmp_path: Path) -> None:
    socket = tmp_path / "s"
    policy = _policy(tmp_path, socket=socket, inside_socket=PurePosixPath(socket))
    network = cast("dict[str, dict[str, Any]]", settings(policy, platform="darwin"))["network"]
    assert (network["allowUnixSockets"], network["allowAllUnixSockets"]) == ([str(socket)], False)


def test_on_macos_the_folder_that_all_its_users_share_can_not_be_written(tmp_path: Path) -> None:
    files = cast("dict[str, dict[str, Any]]", settings(_policy(tmp_path), platform="darwin"))["filesystem"]
    assert "/private/tmp/claude" in files["denyWrite"]


def test_words_and_environment_are_arguments_never_text_of_a_script(tmp_path: Path) -> None:
    argv = command(
        Path("/x/srt"), tmp_path / "s.json", ["run", "; touch pwned"], mark="0ab", policy=_policy(tmp_path)
    )
    assert argv[:4] == ("/x/srt", "--settings", str(tmp_path / "s.json"), "--")
    assert argv[-2:] == ("run", "; touch pwned")
    assert "ODD=a b'c\n" in argv
    script = argv[argv.index("-c") + 1]
    assert str(tmp_path) not in script
    assert argv[argv.index("-i") - 1] == "/usr/bin/env"


def test_a_version_that_is_not_the_pinned_one_is_not_used(tmp_path: Path) -> None:
    program = tmp_path / "srt"
    program.write_text("#!/bin/sh\necho 0.0.84\n")
    program.chmod(0o755)
    probe = SandboxRuntime(lambda: program).probe(tmp_path)
    assert not probe.holds
    assert "0.0.83" in probe.problem
    assert "0.0.83" in probe.remedy


@pytest.mark.parametrize(("version", "refused"), [("0.11.9", True), ("0.12.0", False), ("0.13.1", False)])
def test_on_linux_it_needs_a_bubblewrap_that_follows_no_link(tmp_path: Path, version: str, refused: bool) -> None:
    program = tmp_path / "bwrap"
    program.write_text(f"#!/bin/sh\necho bubblewrap {version}\n")
    program.chmod(0o755)
    assert bool(too_old_below(program)) is refused


def test_what_carries_the_mark_is_killed_and_nothing_else() -> None:
    argv = [sys.executable, "-c", "import time; print('on', flush=True); time.sleep(60)"]
    with (
        subprocess.Popen(argv, env={MARK: "mine"}, stdout=subprocess.PIPE) as mine,
        subprocess.Popen(argv, env={MARK: "other"}, stdout=subprocess.PIPE) as other,
    ):
        for process in (mine, other):
            assert process.stdout
            process.stdout.readline()
        end_marked("mine")
        assert mine.wait(10) == -9
        assert other.poll() is None
        other.kill()
