"""Packages of the npm registry, installed once into a folder that all later test runs share."""

import getpass
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from filelock import FileLock

SECONDS = 240

_UNREACHABLE = re.compile(
    r"\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|E40[137]|E5\d\d)\b"
)


def installed(name: str, packages: Mapping[str, str]) -> Path:
    """Return a folder of this name with these packages, each at its version, in its node_modules.

    A test that wants it is skipped where there is no npm or no registry.
    """
    folder = Path(tempfile.gettempdir()) / f"skillopt-sleep-programs-{getpass.getuser()}" / name
    folder.parent.mkdir(mode=0o700, exist_ok=True)
    with FileLock(f"{folder}.lock"):
        if not has(folder, packages):
            _install(folder, packages)
    return folder


def has(folder: Path, packages: Mapping[str, str]) -> bool:
    """Tell whether a folder has these packages at their versions."""
    return all(_version(folder, package) == version for package, version in packages.items())


def _version(folder: Path, package: str) -> str:
    try:
        return json.loads((folder / "node_modules" / package / "package.json").read_bytes())["version"]
    except FileNotFoundError:
        return ""


def _install(folder: Path, packages: Mapping[str, str]) -> None:
    """Install beside, and move in place what is complete."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("packages of npm are not there: npm is not installed")
    with tempfile.TemporaryDirectory(dir=folder.parent) as made:
        new = Path(made) / "new"
        new.mkdir()
        # A prefix of our own moves npm's global configuration, and with it a proxy or a registry that is set there.
        asked = subprocess.run([npm, "config", "get", "globalconfig"], capture_output=True, text=True, check=True)
        environ = {**os.environ, "npm_config_globalconfig": asked.stdout.strip(), "npm_config_cache": f"{made}/cache"}
        wanted = [f"{package}@{version}" for package, version in packages.items()]
        quiet = [
            "--no-audit",
            "--no-fund",
            "--no-update-notifier",
            # From 11.19 on npm runs no script of a package that isn't approved, and says so only as a warning.
            "--ignore-scripts",
            "--fetch-retries=1",
            "--fetch-retry-mintimeout=1000",
        ]
        try:
            ran = subprocess.run(
                [npm, "install", "--prefix", str(new), *quiet, *wanted],
                env=environ,
                capture_output=True,
                text=True,
                timeout=SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            pytest.skip(f"packages of npm are not there: npm did not install them in {SECONDS} seconds")
        if ran.returncode and (why := _UNREACHABLE.search(ran.stderr)):
            pytest.skip(f"packages of npm are not there: the npm registry can't be reached ({why[0]})")
        assert ran.returncode == 0, ran.stderr
        for package in packages:
            at = new / "node_modules" / package
            set_up = [npm, "run", "--if-present", "postinstall"]
            ran = subprocess.run(
                set_up, cwd=at, env=environ, capture_output=True, text=True, timeout=SECONDS, check=False
            )
            assert ran.returncode == 0, ran.stderr
        shutil.rmtree(folder, ignore_errors=True)
        new.rename(folder)
