"""Write config.toml with what was chosen, and keep the earlier file as a backup."""

import difflib
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.files import private_dir, write_atomic
from skillopt_sleep.kit.toml import to_sections
from skillopt_sleep.settings import Paths, Settings, load

Chosen = Mapping[str, Mapping[str, Any]]
_HEAD = "# The settings of skillopt-sleep that you chose. To see every key: skillopt-sleep config show\n\n"


class WrittenConfig(NamedTuple):
    """The written file; `backup` is a copy of the earlier one, `diff` what changed in it."""

    path: Path
    text: str
    backup: Path | None = None
    diff: str = ""
    changed: bool = True


def merged(before: Chosen, chosen: Chosen) -> dict[str, dict[str, Any]]:
    """Return the sections with the chosen keys added; a new backend starts without the keys of the old one."""
    sections = {name: dict(keys) for name, keys in before.items()}
    name = chosen.get("backend", {}).get("name")
    if name is not None and name != sections.get("backend", {}).get("name", ""):
        sections["backend"] = {}
    for section, keys in chosen.items():
        if section == "backend" and name == "":
            continue
        sections[section] = {**sections.get(section, {}), **keys}
    return {section: keys for section, keys in sections.items() if keys}


def checked(sections: Chosen) -> tuple[str, Settings]:
    """Return the text of the file and the settings it makes; ConfigError if they are invalid."""
    text = _HEAD + to_sections(sections)
    with tempfile.TemporaryDirectory(prefix="skillopt-sleep-") as folder:
        trial = Paths(config=Path(folder), data=Path(folder))
        trial.config_file.write_text(text, encoding="utf-8")
        try:
            return text, load(trial, environ={})
        except ConfigError as error:
            message = re.sub(rf"{re.escape(str(trial.config_file))}(:\d+)?: ", "", error.message)
            raise ConfigError(message, remedy=error.remedy) from error


def write(paths: Paths, text: str) -> WrittenConfig:
    """Write config.toml privately; an earlier file is copied, byte for byte, to our state folder."""
    private_dir(paths.config)
    # A symlink is kept, because the file may be among someone's dotfiles.
    target = paths.config_file.resolve()
    if not target.exists():
        private_dir(target.parent)
        write_atomic(target, text.encode())
        return WrittenConfig(paths.config_file, text)
    before = target.read_bytes()
    if before == text.encode():
        return WrittenConfig(paths.config_file, text, changed=False)
    folder = private_dir(paths.state / "config")
    backup = folder / f"{paths.config_file.name}.before-{utc_now():%Y%m%dT%H%M%S.%f}"
    write_atomic(backup, before)
    write_atomic(target, text.encode())
    old = before.decode("utf-8", errors="replace").splitlines()
    diff = "\n".join(difflib.unified_diff(old, text.splitlines(), "before", "now", lineterm="", n=1))
    return WrittenConfig(paths.config_file, text, backup, diff)
