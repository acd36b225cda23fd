"""Start the daemon from one crontab line, on machines that offer nothing else; all other lines stay as they are."""

import shlex
from pathlib import Path

MARK = "# skillopt-sleep"
_COMMAND_WORD = 6  # after five time fields and the shell


def add_line(table: str, script: Path) -> str:
    """Return the table with our line, exactly once; cron starts the script again if it has ended."""
    rest = remove_line(table)
    if rest and not rest.endswith("\n"):
        rest += "\n"
    return f"{rest}{line(script)}\n"


def remove_line(table: str) -> str:
    """Return the table without our line."""
    return "".join(row for row in table.splitlines(keepends=True) if not _is_ours(row))


def line(script: Path) -> str:
    """Return our line: it runs every ten minutes, and ends at once if a daemon is running."""
    # cron takes an unescaped percent sign for the end of the line.
    command = shlex.quote(str(script)).replace("%", "\\%")
    return f"*/10 * * * * /bin/sh {command} >/dev/null 2>&1 {MARK}"


def script(table: str) -> Path | None:
    """Return the script that our line of the table runs, or None without such a line."""
    for row in table.splitlines():
        if _is_ours(row):
            words = shlex.split(row.replace("\\%", "%"))
            if len(words) > _COMMAND_WORD:
                return Path(words[_COMMAND_WORD])
            return None
    return None


def _is_ours(row: str) -> bool:
    return row.rstrip().endswith(MARK) and not row.lstrip().startswith("#")
