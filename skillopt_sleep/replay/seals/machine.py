"""Find the bubblewrap of this machine, and what to do where there is none that can be used."""

import os
import re
import shutil
from pathlib import Path

from skillopt_sleep.kit import process

OLDEST = (0, 8)  # the first that can forbid namespaces inside
CODEX_BUILD = "bubblewrap built for Codex"
SYSTEM_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
_VERSION_SECONDS = 5.0
_INSTALLERS = {
    "apt-get": "sudo apt-get install -y bubblewrap",
    "dnf": "sudo dnf install -y bubblewrap",
    "pacman": "sudo pacman -S --noconfirm bubblewrap",
    "zypper": "sudo zypper install -y bubblewrap",
    "apk": "sudo apk add bubblewrap util-linux",
}
# Settings of the kernel that keep ordinary users from namespaces: the file, the value that does, and the command.
_FORBIDDEN = (
    ("kernel/apparmor_restrict_unprivileged_userns", "1", "kernel.apparmor_restrict_unprivileged_userns=0"),
    ("kernel/unprivileged_userns_clone", "0", "kernel.unprivileged_userns_clone=1"),
    ("user/max_user_namespaces", "0", "user.max_user_namespaces=15000"),
)


def system_program() -> Path | None:
    """Return the system's bubblewrap; never one in a folder that the user's PATH names."""
    found = shutil.which("bwrap", path=SYSTEM_PATH)
    return Path(found) if found else None


def codex_program() -> Path | None:
    """Return the bubblewrap that comes with the npm package of Codex, if that is installed."""
    codex = shutil.which("codex")
    if codex is None:
        return None
    package = Path(codex).resolve().parent.parent
    for near in (package / "node_modules", package.parent.parent):
        for found in sorted(near.glob("@openai/codex-linux-*/vendor/*/codex-resources/bwrap")):
            if os.access(found, os.X_OK):
                return found
    return None


def version_of(program: Path) -> str:
    """Return the version as the program prints it, "" if it can't be run."""
    try:
        ran = process.run(
            [str(program), "--version"],
            stdin=b"",
            cwd=Path("/"),
            environ={"PATH": SYSTEM_PATH},
            timeout=_VERSION_SECONDS,
        )
    except OSError:
        return ""
    return ran.stdout.decode(errors="replace").strip()[:80] if ran.status == 0 else ""


def too_old(version: str) -> str:
    """Say why this version can't be used, or ""."""
    if version == CODEX_BUILD or is_at_least(version, OLDEST):
        return ""
    oldest = ".".join(map(str, OLDEST))
    return f"{version or 'its version is not known; it'} is too old: {oldest} is the first that can forbid namespaces"


def is_at_least(version: str, least: tuple[int, int]) -> bool:
    """Tell whether this is such a version of bubblewrap or a later one; what says no number is none."""
    found = re.fullmatch(r"bubblewrap (\d+)\.(\d+)(\.\d+)*", version)
    return found is not None and (int(found[1]), int(found[2])) >= least


def linux_remedy(settings: Path = Path("/proc/sys"), path: str | None = None) -> str:
    """Return what to do where bubblewrap isn't installed or may not make namespaces."""
    if shutil.which("bwrap", path=path):
        for name, value, command in _FORBIDDEN:
            if _text(settings / name) == value:
                return f"sudo sysctl -w {command}"
        return "allow namespaces to whoever runs this machine or container"
    for program, command in _INSTALLERS.items():
        if shutil.which(program, path=path):
            return command
    return "install bubblewrap"


def _text(file: Path) -> str:
    try:
        return file.read_text().strip()
    except OSError:
        return ""
