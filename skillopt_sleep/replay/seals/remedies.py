"""Name the one command that gives this machine a seal."""

import platform
import shutil
from pathlib import Path

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


def linux_remedy(settings: Path = Path("/proc/sys"), path: str | None = None) -> str:
    """Return what to do where bubblewrap isn't installed, is too old or may not make namespaces."""
    if shutil.which("bwrap", path=path):
        for name, value, command in _FORBIDDEN:
            if _text(settings / name) == value:
                return f"sudo sysctl -w {command}"
        return "allow namespaces to whoever runs this machine or container"
    for program, command in _INSTALLERS.items():
        if shutil.which(program, path=path):
            return command
    return "install bubblewrap"


def remedy() -> str:
    """Return what to do on this machine."""
    return linux_remedy() if platform.system() == "Linux" else "use Linux: nothing is sealed elsewhere yet"


def _text(file: Path) -> str:
    try:
        return file.read_text().strip()
    except OSError:
        return ""
