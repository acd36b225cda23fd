"""Show what a change does to a file, for people."""

import difflib
import io

from skillopt_sleep.kit.markdown import spelled, visible


def diff(name: str, base: bytes | None, result: bytes | None) -> str:
    """Return the difference as people should see it: with invisible characters written out and without line ends."""
    old = "/dev/null" if base is None else f"a/{spelled(name)}"
    new = "/dev/null" if result is None else f"b/{spelled(name)}"
    lines = difflib.unified_diff(_lines(base or b""), _lines(result or b""), old, new)
    return "".join(_ended(line) for line in lines)


def _ended(line: str) -> str:
    if line.endswith("\n"):
        return line
    return f"{line}\n\\ No newline at end of file\n"


def _lines(data: bytes) -> list[str]:
    # Not splitlines, which also breaks lines at characters that don't end a line of a file.
    return list(io.StringIO(visible(data.decode(errors="replace").replace("\r\n", "\n"))))
