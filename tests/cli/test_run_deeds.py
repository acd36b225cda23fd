"""A night over sessions that the genuine programs wrote, in which the only sign is a deed of the person's."""

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.agents.reading import TRANSCRIPTS
from tests.cli.taught import Lesson, Taught
from tests.command import Home
from tests.server import ModelServer
from tests.sweeps import thinned

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


@dataclass(frozen=True, kw_only=True)
class Part:
    """The lines of a genuine session that hold one request and one kind of deed; all of them if none are given."""

    source: Path
    command: str = "git checkout cart.py"  # the person's, in place of this one
    request: str = "publish my branch"
    requests: tuple[str, ...] = REQUESTS
    lines: list[int] = field(default_factory=list)

    def had_by(self, home: Home) -> None:
        """Give the person these lines again and again, each time a day later, with another request."""
        (file,) = self.source.rglob("*.jsonl")
        lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
        text = "".join(lines[index] for index in self.lines or range(len(lines)))
        agent = ".claude" if self.source == CLAUDE else ".codex"
        folder = home.folder / agent / file.parent.relative_to(self.source)
        folder.mkdir(parents=True)
        for number, request in enumerate(self.requests, start=1):
            again = self._remade(text, number=number, project=home.project).replace(self.request, request)
            (folder / renumbered(file.name, number)).write_text(again, encoding="utf-8")

    def _remade(self, text: str, *, number: int, project: Path) -> str:
        day = datetime.now(UTC) - timedelta(days=9 - number)
        text = re.sub(r"2026-11-23(?=T)", f"{day:%Y-%m-%d}", text)
        text = text.replace("git checkout cart.py", self.command).replace("/home/dev/work/shop-api", str(project))
        return renumbered(text, number)


def renumbered(text: str, number: int) -> str:
    """Give every id another beginning: what is copied with its ids is a fork and not asked again."""
    return UUID.sub(lambda match: f"{number}{match[0][1:]}", text)


PUSHED = Lesson(
    deed="rejected: git push --force origin main",
    what="git push --force origin main",
    words="Never push with force",
    unwanted="$ git push --force origin main",
    wanted="$ git push origin main",
    requests=(
        "publish my branch",
        "send the fix to main",
        "my last commit isn't up there, see to it",
        "put the changelog online",
        "share what we did today",
    ),
)
PUT_BACK = Lesson(
    deed="undid: git checkout HEAD cart.py",
    what="git checkout HEAD cart.py",
    words="Never edit cart.py",
    unwanted="```python\n# cart.py\ntotal = 0.00\n```",
    wanted="```python\n# prices.py\ntotal = 0.00\n```",
    requests=(
        "print two digits",
        "round the total",
        "add the shipping to the sum",
        "sort what was ordered by name",
        "the currency is missing in the output",
    ),
)
REJECTED = {
    "claude": Part(source=CLAUDE, requests=PUSHED.requests, lines=[*range(17)]),
    "codex": Part(source=CODEX, requests=PUSHED.requests, lines=[*range(12)]),
}
UNDONE = {
    "claude": Part(
        source=CLAUDE,
        command=PUT_BACK.what,
        request="print two digits",
        requests=PUT_BACK.requests,
        lines=[*range(32, 47)],
    ),
    # Its head, and the two turns after what was rejected.
    "codex": Part(
        source=CODEX,
        command=PUT_BACK.what,
        request="what else is open?",
        requests=PUT_BACK.requests,
        lines=[*range(5), *range(16, 36)],
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("source", [CLAUDE, CODEX], ids=["claude", "codex"])
def test_what_the_person_ran_again_and_again_becomes_a_rule(tmp_path: Path, source: Path) -> None:
    home = Home(tmp_path)
    (home.project / "AGENTS.md").write_text("# shop-api\n", encoding="utf-8")
    Part(source=source, command=CHECK).had_by(home)

    done = home.command("run", "--backend", "simulated", "--json")

    assert done.code == 0, done.err
    shown = [home.command("review", "--show", proposal["id"], "--verbose").out for proposal in done.json["proposals"]]
    assert any(CHECK in text for text in shown), done.out


def learned(home: Home, part: Part, lesson: Lesson) -> str:
    """The one proposal of a night with a model that judges what the deed says, as it is shown."""
    (home.project / "AGENTS.md").write_text("# shop-api\n", encoding="utf-8")
    part.had_by(home)
    with ModelServer() as server:
        server.model = Taught(lesson)
        done = home.night(server.base_url)
    assert done.code == 0, done.err
    assert done.json["errors"] == []
    (proposal,) = done.json["proposals"]
    assert proposal["proof"] == "trial"
    return home.command("review", "--show", proposal["id"], "--verbose").out


@pytest.mark.slow
@pytest.mark.parametrize("part", thinned(REJECTED.values(), every=2), ids=REJECTED)
def test_a_call_that_the_person_rejected_again_and_again_becomes_a_rule(tmp_path: Path, part: Part) -> None:
    shown = learned(Home(tmp_path), part, PUSHED)
    assert f"+{PUSHED.rule}\n" in shown
    assert re.search(rf"^You rejected a call in \S+, turn 1: «{PUSHED.what}»$", shown, re.MULTILINE)


@pytest.mark.slow
@pytest.mark.parametrize("part", thinned(UNDONE.values(), every=2), ids=UNDONE)
def test_an_edit_that_the_person_undid_again_and_again_becomes_a_rule(tmp_path: Path, part: Part) -> None:
    shown = learned(Home(tmp_path), part, PUT_BACK)
    assert f"+{PUT_BACK.rule}\n" in shown
    assert re.search(rf"^You undid a change in \S+, turn \d+: «{PUT_BACK.what}»$", shown, re.MULTILINE)
