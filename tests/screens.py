"""Make the pictures of docs/screens from a night over the example day: `python -m tests.screens`."""

import os
import re
import subprocess
import tempfile
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.text import Text

from skillopt_sleep.cli.console import BOLD
from skillopt_sleep.cli.progress import view
from skillopt_sleep.cli.review import KEYS
from skillopt_sleep.cli.review_shown import screen
from skillopt_sleep.stores.progress import Progress, Stage
from tests.cli.review_screens import ADDED
from tests.command import PROGRAM

FOLDER = Path(__file__).parent.parent / "docs" / "screens"
WIDTH = 100
COMMANDS = {
    "status": ("status",),
    "show": ("show", "P-0001"),
    "report": ("report",),
    "harvest": ("harvest",),
    "history": ("history",),
    "why": ("why", "P-0001"),
    "doctor": ("doctor", "--project", "."),
}
CHANGING = (
    (r"(today|yesterday) \d\d:\d\d", "today 04:17"),
    (r"[\d.]+ GiB free", "64 GiB free"),
    (r"\d+ KiB", "512 KiB"),
    (r"\d+ s;", "1 s;"),
    (r"/home/store/data/example", "~/.skillopt-sleep"),
)
_STARTED = datetime(2026, 11, 23, 4, 17, tzinfo=UTC)
_NIGHT = Progress(
    night="2026-11-23",
    process=1,
    started=_STARTED,
    stages=(
        Stage(label="trial shop-api/CLAUDE.md", done=12, total=16),
        Stage(label="rollout invoices/CLAUDE.md", done=3, total=8),
    ),
    calls=118,
    tokens=52_100,
    usd=0.31,
    most_calls=300,
    most_minutes=60,
)


def main() -> None:
    """Write one SVG a screen."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        home.mkdir()
        run(home, home / "store", "run", "--example")
        example = home / "store" / "data" / "example"
        for name, arguments in COMMANDS.items():
            out = run(example / "home", example, *arguments)
            out = out.replace(folder, "").replace(str(PROGRAM.parent), "~/.local/bin")
            save(name, " ".join(("skillopt-sleep", *arguments)), Text.from_ansi(steady(out)))
    keys = Text("   ").join(Text.assemble((key, BOLD), f" {meaning}") for key, meaning in KEYS.items())
    rule = screen(ADDED, number=1, count=3, width=WIDTH)
    save("review", "skillopt-sleep review", Group(*rule, Text(""), keys))
    save("run", "skillopt-sleep run", view(_NIGHT, now=_STARTED + timedelta(minutes=7)))


def run(home: Path, store: Path, *arguments: str) -> str:
    """Run the command as on a terminal with colours and return what it prints."""
    environment = {
        "HOME": str(home),
        "SKILLOPT_SLEEP_HOME": str(store),
        "CLAUDE_CONFIG_DIR": str(store / "home" / ".claude"),
        "CODEX_HOME": str(store / "home" / ".codex"),
        "SKILLOPT_SLEEP_NOTIFY_DESKTOP": "false",
        "PATH": f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}",
        "FORCE_COLOR": "1",
        "COLUMNS": str(WIDTH),
        "TERM": "xterm-256color",
    }
    done = subprocess.run(
        [str(PROGRAM), *arguments], env=environment, cwd=home, capture_output=True, text=True, check=False
    )
    return done.stdout


def steady(screen: str) -> str:
    """Replace what differs from run to run and from machine to machine, so that only real changes change a picture."""
    shift = _STARTED.date() - datetime.now(UTC).astimezone().date()
    screen = re.sub(r"\d{4}-\d\d-\d\d", lambda day: str(date.fromisoformat(day[0]) + shift), screen)
    for pattern, same in CHANGING:
        screen = re.sub(pattern, same, screen)
    return screen


def save(name: str, title: str, screen: RenderableType) -> None:
    """Write one screen as SVG."""
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        console = Console(record=True, width=WIDTH, file=nowhere, force_terminal=True, color_system="truecolor")
        console.print(screen)
    svg = console.export_svg(title=title, unique_id=f"screen-{name}")
    (FOLDER / f"{name}.svg").write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()
