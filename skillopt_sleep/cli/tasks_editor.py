"""Edit a task in the user's editor."""

import re
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from skillopt_sleep.cli.editor import in_editor
from skillopt_sleep.kit.toml import to_tables
from skillopt_sleep.mining.tasks_file import to_text
from skillopt_sleep.records import Task

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
_EDIT = "# Save and close to keep your changes; close without saving to change nothing.\n" + _HELP
_ADD = "# A request of your own. Save and close to add it; close without saving to add nothing.\n" + _HELP


@contextmanager
def edited(task: Task) -> Generator[Path | None]:
    """Let the user edit a task and yield the file, None if they changed nothing.

    The file is deleted once it was used, and kept if anything fails.
    """
    name = re.sub(r"[^\w.-]", "_", task.id)
    with in_editor(f"{name}.toml", _EDIT + to_text((task,))) as path:
        yield path


@contextmanager
def added(project: str) -> Generator[Path | None]:
    """Let the user write tasks and yield the file, None if they wrote nothing."""
    reference = {"kind": "checks", "items": [{"op": "contains", "arg": ""}]}
    fields = {"project": project, "prompt": "", "reference": reference}
    with in_editor("new.toml", _ADD + to_tables("task", [fields])) as path:
        yield path
