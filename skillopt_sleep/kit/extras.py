"""Say how to install a library that only some people need."""

import importlib.util
import shlex
import sys
from importlib.metadata import requires
from pathlib import Path

DISTRIBUTION = "skillopt-sleep"


def command_for(extra: str) -> str:
    """Return the command that installs what this extra needs, beside the program that runs now.

    It names the libraries and not this program, which may have been installed from anywhere.
    """
    needed = [line.partition(";")[0].strip() for line in requires(DISTRIBUTION) or () if _belongs(line, extra)]
    if (Path(sys.prefix) / "pipx_metadata.json").exists():
        return shlex.join(["pipx", "inject", DISTRIBUTION, *needed])
    if importlib.util.find_spec("pip"):
        return shlex.join([sys.executable, "-m", "pip", "install", *needed])
    return shlex.join(["uv", "pip", "install", "--python", sys.executable, *needed])


def _belongs(line: str, extra: str) -> bool:
    """Tell whether a line such as `ray<3,>=2; extra == 'ray'` is one of this extra's."""
    return line.partition(";")[2].replace('"', "'").strip() == f"extra == '{extra}'"
