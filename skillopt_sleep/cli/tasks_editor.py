"""A task in the person's own editor: what they write is never lost, and taken in only where it can be used."""

import os
import re
import shlex
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from skillopt_sleep.cli.console import warn
from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.files import private_dir, write_atomic
from skillopt_sleep.kit.toml import to_tables
from skillopt_sleep.mining.tasks_file import to_text
from skillopt_sleep.records import Task
from skillopt_sleep.settings import find_paths

_HELP = """\
#
# reference says how an answer is scored, by one of
#   { kind = "checks", items = [{ op = "contains", arg = "…" }, { op = "not_contains", arg = "…" }] }
#       op: contains, not_contains, regex, section_contains (with section), tool_called;
#       beside one of these also max_chars, min_chars, json_valid, no_refusal
#   { kind = "exact", answer = "…" }
#   { kind = "rubric", text = "what a good answer does" }
# split is the side: train, val or test. Without a project it teaches your own skill.

"""
_KEPT = "nothing was changed; run it again to go on with what you wrote, kept in"
_EDIT = "# Save and close to keep it; close it as it is to change nothing.\n" + _HELP
_ADD = "# A request of your own. Save and close to add it; close it as it is to add nothing.\n" + _HELP


@contextmanager
def edited(task: Task) -> Generator[Path | None]:
    """The file that holds the task as the person left it in their editor, or None where they left it as it was.

    It is gone once it was used, and kept where anything fails.
    """
    with _in_editor(re.sub(r"[^\w.-]", "_", task.id), _EDIT + to_text((task,))) as path:
        yield path


@contextmanager
def added(project: str) -> Generator[Path | None]:
    """The file with the tasks that the person wrote in their editor, or None where they wrote none."""
    reference = {"kind": "checks", "items": [{"op": "contains", "arg": ""}]}
    fields = {"project": project, "prompt": "", "reference": reference}
    with _in_editor("new", _ADD + to_tables("task", [fields])) as path:
        yield path


@contextmanager
def _in_editor(name: str, text: str) -> Generator[Path | None]:
    """Let the person edit the text; goes on with what they wrote before, where that couldn't be used."""
    command = _editor()
    path = private_dir(find_paths().data / "edits") / f"{name}.toml"
    if path.exists():
        warn(f"going on with what you wrote before: {path}\n  → empty it to let go of it")
    else:
        write_atomic(path, text.encode())
    try:
        code = subprocess.run([*command, str(path)], check=False).returncode
    except OSError as error:
        raise ConfigError(
            f"{command[0]}: {error.strerror}", remedy="set EDITOR to a program that is there"
        ) from error
    left = path.read_text(encoding="utf-8", errors="replace")
    is_same = left == text or not left.strip()
    if code and not is_same:
        raise ConfigError(f"{command[0]} ended with {code}", remedy=f"what you wrote is kept in {path}")
    try:
        yield None if is_same or code else path
    except ConfigError as error:
        raise ConfigError(error.message, remedy=f"{_KEPT}: {path}") from error
    path.unlink(missing_ok=True)


def _editor() -> list[str]:
    said = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
    try:
        command = shlex.split(said)
    except ValueError as error:
        raise ConfigError(f"EDITOR={said}: {error}", remedy="mend the quotes") from error
    if not command:
        raise ConfigError("no editor is set", remedy="export EDITOR=nano, or say it in options (--help shows them)")
    return command
