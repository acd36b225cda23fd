"""Edit a task or a file in the user's editor; what they write is never lost, even if it can't be used."""

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
# reference says how an answer is scored, as one of
#   { kind = "checks", items = [{ op = "contains", arg = "…" }, { op = "not_contains", arg = "…" }] }
#       op: contains, not_contains, regex, section_contains (with section), tool_called;
#       and, next to one of these, max_chars, min_chars, json_valid, no_refusal
#   { kind = "exact", answer = "…" }
#   { kind = "rubric", text = "what a good answer does" }
# split is train, val or test. A task without a project is for your own skill.

"""
_KEPT = "nothing was changed; run the command again to continue with what you wrote, kept in"
_EDIT = "# Save and close to keep your changes; close without saving to change nothing.\n" + _HELP
_ADD = "# A request of your own. Save and close to add it; close without saving to add nothing.\n" + _HELP


@contextmanager
def edited(task: Task) -> Generator[Path | None]:
    """Let the user edit a task and yield the file, None if they changed nothing.

    The file is deleted once it was used, and kept if anything fails.
    """
    with in_editor(re.sub(r"[^\w.-]", "_", task.id), _EDIT + to_text((task,))) as path:
        yield path


@contextmanager
def added(project: str) -> Generator[Path | None]:
    """Let the user write tasks and yield the file, None if they wrote nothing."""
    reference = {"kind": "checks", "items": [{"op": "contains", "arg": ""}]}
    fields = {"project": project, "prompt": "", "reference": reference}
    with in_editor("new", _ADD + to_tables("task", [fields])) as path:
        yield path


@contextmanager
def in_editor(name: str, text: str) -> Generator[Path | None]:
    """Open the text in the user's editor, or what they wrote before if that could not be used."""
    command = _editor()
    path = private_dir(find_paths().data / "edits") / f"{name}.toml"
    if path.exists():
        warn(f"continuing with what you wrote before: {path}\n  → empty the file to discard it")
    else:
        write_atomic(path, text.encode())
    try:
        code = subprocess.run([*command, str(path)], check=False).returncode
    except OSError as error:
        raise ConfigError(f"{command[0]}: {error.strerror}", remedy="set EDITOR to an installed program") from error
    written = path.read_text(encoding="utf-8", errors="replace")
    is_unchanged = written == text or not written.strip()
    if code and not is_unchanged:
        raise ConfigError(f"{command[0]} exited with {code}", remedy=f"what you wrote is kept in {path}")
    try:
        yield None if is_unchanged else path
    except ConfigError as error:
        raise ConfigError(error.message, remedy=f"{_KEPT}: {path}") from error
    path.unlink(missing_ok=True)


def _editor() -> list[str]:
    setting = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
    try:
        command = shlex.split(setting)
    except ValueError as error:
        raise ConfigError(f"EDITOR={setting}: {error}", remedy="fix the quotes") from error
    if not command:
        raise ConfigError("no editor is set", remedy="export EDITOR=nano, or use options instead (see --help)")
    return command
