"""Machines to install on that aren't this one, and the shapes that people's settings have."""

import os
import stat
import sys
from pathlib import Path
from typing import NamedTuple

from skillopt_sleep.daemon.service.machine import Machine
from skillopt_sleep.settings import find_paths

# A crontab that keeps its table in a file, and says what the real one says where there is none. As Debian's does, it
# reads all it is given, and then puts it in the table's place; what it is given by nobody is an empty table, and a name
# that is too long is another file's.
CRONTAB = """#!/bin/sh
table="$HOME/table"
case "$1" in
-l) if [ -f "$table" ]; then cat "$table"; else echo "no crontab for me" >&2; exit 1; fi ;;
-r) rm "$table" ;;
-) cat > "$table.new" && mv "$table.new" "$table" ;;
*) cat "$(echo "$1" | cut -c 1-99)" > "$table.new" && mv "$table.new" "$table" ;;
esac
"""
# A user manager that is there, or not, and writes down what it is told.
SYSTEMCTL = """#!/bin/sh
echo "$@" >> "$HOME/told"
exit {status}
"""


def program(home: Path, name: str, text: str) -> None:
    """A program on the PATH of this home."""
    path = home / "bin" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


def machine(home: Path, *, platform: str = "linux", has_systemd: bool = True, **environ: str) -> Machine:
    """A machine whose user has both agents and no service manager that runs."""
    (home / ".claude").mkdir(exist_ok=True)
    (home / ".codex").mkdir(exist_ok=True)
    given = {
        "HOME": str(home),
        "PATH": f"{home / 'bin'}:/usr/bin:/bin",
        "SKILLOPT_SLEEP_HOME": str(home / "sleep"),
        **environ,
    }
    program(home, "systemctl", SYSTEMCTL.format(status=1 if "NO_MANAGER" in environ else 0))
    return Machine(platform, home, given, sys.executable, find_paths(given), has_systemd=has_systemd)


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


THEIRS = """{
  "model": "opus",
  "hooks": {
    "SessionStart": [
      {"matcher": "startup", "hooks": [{"type": "command", "command": "echo hello"}]}
    ],
    "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]
  },
  "env": {"ANTHROPIC_API_KEY": "not-for-your-eyes"}
}
"""
COMMENTED = """// mine
{
  /* the model */ "model": "opus", // a good one
  "hooks": {
    // nothing but this
    "SessionEnd": [
      { "hooks": [ { "type": "command", "command": "echo bye" } ] }, // trailing
    ],
  },
}
"""
# A file of hooks in JSON; None is no file, "link" and "mode" are made by `put`.
JSON_SHAPES: dict[str, bytes | None] = {
    "missing": None,
    "empty": b"",
    "white space": b" \n\n",
    "an empty object": b"{}",
    "comments": COMMENTED.encode(),
    "BOM": b"\xef\xbb\xbf" + THEIRS.encode(),
    "CRLF": THEIRS.replace("\n", "\r\n").encode(),
    "tabs": THEIRS.replace("  ", "\t").encode(),
    "hooks of others": THEIRS.encode(),
    "unknown keys": b'{"zzz": [1, 2.50, 1e3, null], "hooks": {"Future": {"a": 1}}, "\\u00e4": "\xc3\xa4"}\n',
    "symlink": THEIRS.encode(),
    "odd mode": THEIRS.encode(),
    "no newline at the end": THEIRS.rstrip().encode(),
    "one line": b'{"model":"opus","hooks":{}}',
    "empty lists": b'{\n    "hooks": {\n        "SessionStart": []\n    }\n}\n',
    "ours already": b"ours",
    "an older version of ours": b'{"hooks": {"SessionEnd": [{"hooks": [{"type": "command", "command": "/gone/python x || true # skillopt-sleep"}]}]}}',
    "not JSON": b'{"model": ',
    "another encoding": "{}".encode("utf-16"),
}
TOML_THEIRS = """# mine
model = "gpt-5"   # the good one

[[hooks.SessionStart]]
[[hooks.SessionStart.hooks]]
type = "command"
command = "echo hello"

[projects."/code/a"]
trust_level = "trusted"
"""
TOML_SHAPES: dict[str, bytes | None] = {
    "missing": None,
    "empty": b"",
    "comments": b"# nothing\n# but words\n" + TOML_THEIRS.encode(),
    "BOM": b"\xef\xbb\xbf" + TOML_THEIRS.encode(),
    "CRLF": TOML_THEIRS.replace("\n", "\r\n").encode(),
    "tabs": TOML_THEIRS.replace("\ntype", "\n\ttype").encode(),
    "hooks of others": TOML_THEIRS.encode(),
    "unknown keys": TOML_THEIRS.encode() + b"[zzz]\nwhat = 2026-01-01\n",
    "symlink": TOML_THEIRS.encode(),
    "odd mode": TOML_THEIRS.encode(),
    "no newline at the end": TOML_THEIRS.rstrip().encode(),
    "hooks in one line": b'[hooks]\nStop = [{hooks = [{type = "command", command = "say"}]}]\n',
    "what can't be added to": b'[hooks]\nSessionStart = [{hooks = [{type = "command", command = "say"}]}]\n',
    "ours already": b"ours",
    "not TOML": b"model = \n[[",
}


def put(path: Path, shape: str, data: bytes | None, *, ours: bytes = b"") -> None:
    """A file of this shape."""
    if data is None:
        return
    if data == b"ours":
        data = ours
    if shape == "symlink":
        real = path.parent.parent / "dotfiles" / path.name
        real.parent.mkdir(exist_ok=True)
        real.write_bytes(data)
        path.symlink_to(real)
        return
    path.write_bytes(data)
    path.chmod(0o640 if shape == "odd mode" else 0o600)
