"""Machines to install on that aren't this one, with agents and a user manager that write down what they are told."""

import os
import stat
import sys
from pathlib import Path
from typing import NamedTuple

from skillopt_sleep.daemon.service.machine import Machine
from skillopt_sleep.settings import find_paths

# A program that writes down what it is told; a user manager that isn't there says so.
SYSTEMCTL = """#!/bin/sh
[ {status} = 0 ] || {{ echo "Failed to connect to bus" >&2; exit {status}; }}
echo "systemctl $@" >> "$HOME/told"
"""
# An agent that keeps the catalogue and the plugin in two files, and refuses as the genuine ones do.
AGENT = """#!/bin/sh
echo "{name} $@" >> "$HOME/told"
there="$HOME/{home}"
mkdir -p "$there"
case "$2 $3" in
"marketplace add")
    [ "{name}" = codex ] && [ -f "$there/catalogue" ] && [ "$(cat "$there/catalogue")" != "$4" ] &&
        {{ echo "Error: already added from a different source" >&2; exit 1; }}
    echo "$4" > "$there/catalogue" ;;
"marketplace remove") rm "$there/catalogue" 2>/dev/null || {{ echo "Marketplace '$4' not found" >&2; exit 1; }} ;;
"install "*|"add "*)
    [ -f "$there/catalogue" ] || {{ echo "no such marketplace" >&2; exit 1; }}
    grep -o '"version": "[^"]*"' "$(cat "$there/catalogue")/.claude-plugin/plugin.json" > "$there/plugin" ;;
"uninstall "*|"remove "*) rm "$there/plugin" 2>/dev/null || {{ echo "$3 not found" >&2; exit 1; }} ;;
"list "*)
    [ -f "$there/plugin" ] && echo "[{{\\"id\\": \\"skillopt-sleep@skillopt-sleep\\", $(cat "$there/plugin")}}]" || echo "[]" ;;
esac
"""
HOMES = {"claude": ".claude", "codex": ".codex"}


def program(home: Path, name: str, text: str) -> None:
    """A program on the PATH of this home."""
    path = home / "bin" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


def agents(home: Path) -> None:
    """Both agents, used before, with their programs on the PATH."""
    for name, folder in HOMES.items():
        (home / folder).mkdir(exist_ok=True)
        program(home, name, AGENT.format(name=name, home=folder))


def machine(home: Path, *, platform: str = "linux", systemd: bool = True, **environ: str) -> Machine:
    """A machine whose user has a user manager that answers, or doesn't; agents only where `agents` put them."""
    given = {
        "HOME": str(home),
        "PATH": f"{home / 'bin'}:/usr/bin:/bin",
        "SKILLOPT_SLEEP_HOME": str(home / "sleep"),
        **environ,
    }
    program(home, "systemctl", SYSTEMCTL.format(status=0 if systemd else 1))
    program(home, "launchctl", '#!/bin/sh\necho "launchctl $@" >> "$HOME/told"\n')
    return Machine(platform, home, given, sys.executable, find_paths(given))


def told(home: Path) -> list[str]:
    """What the programs were told so far, but for the question whether a user manager answers."""
    path = home / "told"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [line for line in lines if "show-environment" not in line]


class Seen(NamedTuple):
    """Everything about a path that an uninstall has to leave as it was."""

    kind: str
    mode: int
    data: bytes


def tree(home: Path, *folders: str) -> dict[str, Seen]:
    """All there is below these folders of a home."""
    found: dict[str, Seen] = {}
    for folder in folders:
        for path in sorted((home / folder).rglob("*")):
            info = path.lstat()
            data = os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes() if path.is_file() else b""
            kind = "link" if path.is_symlink() else "file" if path.is_file() else "folder"
            found[str(path.relative_to(home))] = Seen(kind, stat.S_IMODE(info.st_mode), data)
    return found
