"""The one command that helps."""

from pathlib import Path

import pytest

from skillopt_sleep.replay.seals.machine import linux_remedy


@pytest.mark.parametrize(
    ("setting", "value", "command"),
    [
        ("kernel/apparmor_restrict_unprivileged_userns", "1", "kernel.apparmor_restrict_unprivileged_userns=0"),
        ("kernel/unprivileged_userns_clone", "0", "kernel.unprivileged_userns_clone=1"),
        ("user/max_user_namespaces", "0", "user.max_user_namespaces=15000"),
    ],
)
def test_the_setting_that_is_in_the_way_is_named(tmp_path: Path, setting: str, value: str, command: str) -> None:
    _program(tmp_path / "bin" / "bwrap")
    file = tmp_path / "sys" / setting
    file.parent.mkdir(parents=True)
    file.write_text(value + "\n")
    assert linux_remedy(tmp_path / "sys", str(tmp_path / "bin")) == f"sudo sysctl -w {command}"
    file.write_text(f"{1 - int(value)}\n")
    assert "allow namespaces" in linux_remedy(tmp_path / "sys", str(tmp_path / "bin"))


@pytest.mark.parametrize("installer", ["apt-get", "dnf", "pacman", "zypper", "apk"])
def test_what_installs_bubblewrap_here_is_named(tmp_path: Path, installer: str) -> None:
    _program(tmp_path / "bin" / installer)
    command = linux_remedy(tmp_path / "sys", str(tmp_path / "bin"))
    assert command.startswith(f"sudo {installer} ")
    assert "bubblewrap" in command


def _program(path: Path) -> None:
    path.parent.mkdir()
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
