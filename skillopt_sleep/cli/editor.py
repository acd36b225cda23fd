"""Let a person edit a text in their editor; what they write is never lost, even if it can't be used."""

import os
import shlex
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from skillopt_sleep.cli.console import warn
from skillopt_sleep.errors import ConfigError, ProposalError
from skillopt_sleep.kit.files import private_dir, write_atomic
from skillopt_sleep.settings import find_paths

_KEPT = "nothing was changed; edit it again to continue with what you wrote, kept in"


@contextmanager
def in_editor(name: str, text: str) -> Generator[Path | None]:
    """Open the text in the user's editor, or what they wrote before if that could not be used.

    Yields a file of this name, None if they changed nothing. It is deleted once it was used, and kept if that fails.
    """
    command = _editor()
    path = private_dir(find_paths().data / "edits") / name
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
    if code:
        remedy = f"nothing was changed; what you wrote is kept in {path}"
        if is_unchanged:
            path.unlink(missing_ok=True)
            remedy = "nothing was changed; choose another one, such as: export EDITOR=nano"
        raise ConfigError(f"the editor failed: {command[0]} exited with {code}", remedy=remedy)
    try:
        yield None if is_unchanged else path
    except (ConfigError, ProposalError) as error:
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
