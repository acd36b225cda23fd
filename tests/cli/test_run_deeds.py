"""A night over sessions that the genuine programs wrote, in which a command of the person's own is the only sign."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.agents.reading import TRANSCRIPTS
from tests.command import Home

CHECK = "make lint"
REQUESTS = (
    "publish my branch",
    "tag the release",
    "close the old tickets",
    "rename the cart module",
    "bump the price list",
)
UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
CLAUDE = TRANSCRIPTS / "claude" / "v2.1.330_deeds"
CODEX = TRANSCRIPTS / "codex" / "v0.169.0_deeds"


def remade(text: str, *, number: int, project: Path, request: str) -> str:
    """The genuine session again, a day later each: another id, request and folder, and a check in place of `git checkout`."""
    day = datetime.now(UTC) - timedelta(days=9 - number)
    text = re.sub(r"2026-11-23(?=T)", f"{day:%Y-%m-%d}", text)
    text = text.replace("git checkout cart.py", CHECK).replace("/home/dev/work/shop-api", str(project))
    text = text.replace("publish my branch", request)
    return renumbered(text, number)


def renumbered(text: str, number: int) -> str:
    """Give every id another beginning: what is copied with its ids is a fork and not asked again."""
    return UUID.sub(lambda match: f"{number}{match[0][1:]}", text)


def had(home: Home, source: Path) -> None:
    (file,) = source.rglob("*.jsonl")
    folder = home.folder / (".claude" if source == CLAUDE else ".codex") / file.parent.relative_to(source)
    folder.mkdir(parents=True)
    for number, request in enumerate(REQUESTS, start=1):
        text = remade(file.read_text(encoding="utf-8"), number=number, project=home.project, request=request)
        (folder / renumbered(file.name, number)).write_text(text, encoding="utf-8")


@pytest.mark.parametrize("source", [CLAUDE, CODEX], ids=["claude", "codex"])
def test_what_the_person_ran_again_and_again_becomes_a_rule(tmp_path: Path, source: Path) -> None:
    home = Home(tmp_path)
    (home.project / "AGENTS.md").write_text("# shop-api\n", encoding="utf-8")
    had(home, source)

    done = home.command("run", "--now", "--backend", "simulated", "--json")

    assert done.code == 0, done.err
    shown = [home.command("show", proposal["id"]).out for proposal in done.json["proposals"]]
    assert any(CHECK in text for text in shown), done.out
