"""Write the outputs in the documentation anew: `python -m tests.documented [PAGE…]`, for all pages if none is named.

A block of output has a comment directly above it, `<!-- output: COMMAND -->`. The commands of a page run in order in
an example night of the page's own; `<!-- run: COMMAND -->` runs one whose output isn't shown. The configuration page
and the commands page are written as a whole.
"""

import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple, Protocol

from tests.example_home import example_home
from tests.reference_pages import commands_page, configuration

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
WRITTEN: Mapping[Path, Callable[[], str]] = {
    DOCS / "configuration.md": configuration,
    DOCS / "commands.md": commands_page,
}
PAGES = (ROOT / "README.md", *sorted({*DOCS.rglob("*.md"), *WRITTEN}))
NOT_FOUND = 127
_MARK = re.compile(
    r"^<!-- (?P<kind>output|run): (?P<line>.+?) -->\n"
    r"(?P<block>\n?(?P<ticks>`{3,})(?P<language>\w+)\n(?P<shown>.*?)^(?P=ticks)\n)?",
    re.DOTALL | re.MULTILINE,
)
_CHANGING = (
    (r"\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun)\b", "DAY"),
    (r"\b(second|minute|hour|day|week|month)s?\b", "TIME"),
    (r"\d+([.,:-]\d+)*", "0"),
    (r"([─━═])[─━═]+", r"\1"),
    (r"\s+", " "),
)


class Home(Protocol):
    """Where the commands of a page run."""

    def restore(self) -> None:
        """Bring everything back to how it was after the night."""
        ...

    def show(self, line: str, /) -> subprocess.CompletedProcess[str]:
        """Run a line of shell."""
        ...


class Block(NamedTuple):
    """An output as a page shows it and as the command prints it now."""

    line: str
    shown: str
    printed: str

    @property
    def is_stale(self) -> bool:
        return masked(self.shown) != masked(self.printed)


def has_outputs(text: str) -> bool:
    """Say whether a page has commands to run."""
    return _MARK.search(text) is not None


def refreshed(text: str, home: Home) -> tuple[str, list[Block]]:
    """Run the commands of a page and return the page with their outputs, and each of its blocks."""
    home.restore()
    blocks: list[Block] = []

    def written(mark: re.Match[str]) -> str:
        printed = _printed(mark["line"], home, must_work=mark["kind"] == "run")
        if mark["kind"] == "run":
            return mark[0]
        if not mark["block"]:
            raise ValueError(f"no block stands directly below <!-- output: {mark['line']} -->")
        if not printed:
            raise ValueError(f"{mark['line']}: prints nothing")
        blocks.append(Block(mark["line"], mark["shown"], printed))
        ticks = max(["```", *(run + "`" for run in re.findall(r"^`{3,}", printed, re.MULTILINE))], key=len)
        return f"<!-- output: {mark['line']} -->\n{ticks}{mark['language']}\n{printed}{ticks}\n"

    return _MARK.sub(written, text), blocks


def masked(text: str) -> str:
    """Return an output without what differs from day to day and from machine to machine."""
    for pattern, same in _CHANGING:
        text = re.sub(pattern, same, text)
    return text.strip()


def without_outputs(text: str) -> str:
    """Return a page with all its outputs empty."""

    def emptied(mark: re.Match[str]) -> str:
        if mark["kind"] == "run" or not mark["block"]:
            return mark[0]
        return f"<!-- output: {mark['line']} -->\n```{mark['language']}\n```\n"

    return _MARK.sub(emptied, text)


def _printed(line: str, home: Home, *, must_work: bool) -> str:
    done = home.show(line)
    if done.returncode == NOT_FOUND or (must_work and done.returncode):
        raise ValueError(f"{line}: exit code {done.returncode}: {done.stdout}")
    lines = [shown.rstrip() for shown in done.stdout.strip("\n").splitlines()]
    return "".join(f"{shown}\n" for shown in lines)


def _named(name: str) -> Path:
    """Find a page by its path, or by its path in docs/."""
    for page in (Path(name).resolve(), DOCS / name):
        if page in PAGES:
            return page
    raise SystemExit(f"{name} is no page; the pages are README.md and docs/**/*.md")


def main() -> None:
    """Write the pages that are named, or all."""
    with example_home() as home:
        for page in map(_named, sys.argv[1:]) if sys.argv[1:] else PAGES:
            before = page.read_text(encoding="utf-8") if page.exists() else ""
            after = WRITTEN[page]() if page in WRITTEN else before
            if has_outputs(after):
                after, _ = refreshed(after, home)
            if after != before:
                page.write_text(after, encoding="utf-8")
                print(f"wrote {page.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
