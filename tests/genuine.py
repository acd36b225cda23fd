"""The genuine agent programs, for the tests marked `cli`.

They are installed once from the npm registry, at the versions below, into a folder that all later test runs share.
SKILLOPT_SLEEP_TEST_PROGRAMS names a folder in which they are installed already.
"""

import getpass
import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

import pytest
from filelock import FileLock

CLAUDE = "2.1.330"
CODEX = "0.169.0"
READY = "SKILLOPT_SLEEP_TEST_PROGRAMS"
SECONDS = 240

_PACKAGES = {"@anthropic-ai/claude-code": CLAUDE, "@openai/codex": CODEX}
_UNREACHABLE = re.compile(
    r"\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|E40[137]|E5\d\d)\b"
)


class Programs(NamedTuple):
    """Where the programs are."""

    claude: Path
    codex: Path


@pytest.fixture(scope="session")
def programs() -> Programs:
    """Both programs; a test that wants them is skipped where there is no npm or no registry."""
    if named := os.environ.get(READY):
        folder = Path(named)
        if not _installed(folder):
            pytest.fail(f"{READY}: {folder} has not claude {CLAUDE} and codex {CODEX} in its node_modules")
        return _programs(folder)
    folder = Path(tempfile.gettempdir()) / f"skillopt-sleep-programs-{getpass.getuser()}" / f"{CLAUDE}-{CODEX}"
    folder.parent.mkdir(mode=0o700, exist_ok=True)
    with FileLock(f"{folder}.lock"):
        if not _installed(folder):
            _install(folder)
    return _programs(folder)


def _installed(folder: Path) -> bool:
    return all(_version(folder, package) == version for package, version in _PACKAGES.items())


def _version(folder: Path, package: str) -> str:
    try:
        return json.loads((folder / "node_modules" / package / "package.json").read_bytes())["version"]
    except FileNotFoundError:
        return ""


def _install(folder: Path) -> None:
    """Install beside, and move in place what is complete."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("the genuine programs are not there: npm is not installed")
    with tempfile.TemporaryDirectory(dir=folder.parent) as made:
        new = Path(made) / "new"
        new.mkdir()
        # A prefix of our own moves npm's global configuration, and with it a proxy or a registry that is set there.
        asked = subprocess.run([npm, "config", "get", "globalconfig"], capture_output=True, text=True, check=True)
        environ = {**os.environ, "npm_config_globalconfig": asked.stdout.strip(), "npm_config_cache": f"{made}/cache"}
        packages = [f"{package}@{version}" for package, version in _PACKAGES.items()]
        quiet = [
            "--no-audit",
            "--no-fund",
            "--no-update-notifier",
            "--fetch-retries=1",
            "--fetch-retry-mintimeout=1000",
        ]
        try:
            ran = subprocess.run(
                [npm, "install", "--prefix", str(new), *quiet, *packages],
                env=environ,
                capture_output=True,
                text=True,
                timeout=SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            pytest.skip(f"the genuine programs are not there: npm did not install them in {SECONDS} seconds")
        if ran.returncode and (why := _UNREACHABLE.search(ran.stderr)):
            pytest.skip(f"the genuine programs are not there: the npm registry can't be reached ({why[0]})")
        assert ran.returncode == 0, ran.stderr
        shutil.rmtree(folder, ignore_errors=True)
        new.rename(folder)


def _programs(folder: Path) -> Programs:
    where = str(folder / "node_modules" / ".bin")
    claude, codex = (shutil.which(name, path=where) for name in ("claude", "codex"))
    assert claude, f"{where} has no claude"
    assert codex, f"{where} has no codex"
    return Programs(Path(claude), Path(codex))
