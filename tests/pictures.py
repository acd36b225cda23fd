"""Make the pictures of the documentation from the example night: `python -m tests.pictures`.

docs/screens has one of each command; those of pages are made by tests/page_pictures.py.
"""

import re
from collections.abc import Iterator
from datetime import timedelta
from io import StringIO
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.text import Text

from skillopt_sleep.cli.blocks import drawn as drawn_blocks
from skillopt_sleep.cli.console import BOLD, DIM
from skillopt_sleep.cli.progress import view
from skillopt_sleep.cli.review import KEYS
from skillopt_sleep.reporters.rule_page import screen
from skillopt_sleep.stores.running import Progress, StageProgress
from tests.cli.review_screens import ADDED
from tests.example_home import NIGHT, ExampleHome, example_home

DOCS = Path(__file__).parent.parent / "docs"
WIDTH = 100
COMMANDS = {
    "status": "skillopt-sleep status",
    "show": "skillopt-sleep review --show P-0001",
    "report": "skillopt-sleep report",
    "harvest": "skillopt-sleep harvest",
    "history": "skillopt-sleep report --list",
    "why": "skillopt-sleep why P-0001",
    "doctor": "skillopt-sleep doctor --project .",
}
# What differs from machine to machine.
CHANGING = (
    (r"[\d.]+ GiB free", "64 GiB free"),
    (r"\d+(\s+)KiB", r"512\1KiB"),
    (r"\d+ s;", "1 s;"),
)
FONTS = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace'
_RUNNING = Progress(
    night=f"{NIGHT:%Y-%m-%d}",
    process=1,
    started=NIGHT,
    stages=(
        StageProgress(label="trial shop-api/CLAUDE.md", done=12, total=16),
        StageProgress(label="rollout invoices/CLAUDE.md", done=3, total=8),
    ),
    calls=118,
    tokens=52_100,
    usd=0.31,
    most_calls=300,
    most_minutes=60,
)


def main() -> None:
    """Write one SVG a picture."""
    with example_home() as home:
        for path, svg in screens(home):
            path.parent.mkdir(exist_ok=True)
            path.write_text(svg, encoding="utf-8")


def screens(home: ExampleHome) -> Iterator[tuple[Path, str]]:
    """Draw what each command shows."""
    shown: dict[str, tuple[str, RenderableType]] = {}
    for name, line in COMMANDS.items():
        shown[name] = line, Text.from_ansi(steady(home.show(line, width=WIDTH, colours=True).stdout))
    keys = Text("   ").join(Text.assemble((key, BOLD), f" {meaning}") for key, meaning in KEYS.items())
    rule = Text("1 of 3", DIM), *drawn_blocks([*screen(ADDED)], width=WIDTH)
    shown["review"] = "skillopt-sleep review", Group(*rule, Text(""), keys)
    shown["run"] = "skillopt-sleep run", view(_RUNNING, now=NIGHT + timedelta(minutes=7))
    for name, (line, content) in shown.items():
        yield DOCS / "screens" / f"{name}.svg", drawn(name, line, content, width=WIDTH)


def steady(text: str) -> str:
    """Replace what differs from machine to machine, so that only real changes change a picture."""
    for pattern, same in CHANGING:
        text = re.sub(pattern, same, text)
    return text


def drawn(name: str, title: str, content: RenderableType, *, width: int) -> str:
    """Return a terminal with this content as SVG, in the reader's own fonts."""
    console = Console(record=True, width=width, file=StringIO(), force_terminal=True, color_system="truecolor")
    console.print(content)
    svg = console.export_svg(title=title, unique_id=f"screen-{name}")
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r"font-family: Fira Code, monospace", f"font-family: {FONTS}", svg)
    return "".join(f"{line.rstrip()}\n" for line in svg.splitlines())


if __name__ == "__main__":
    main()
