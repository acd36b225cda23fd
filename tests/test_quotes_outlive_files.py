"""Every quote opens, in genuine sessions and in made ones, and where half of the files are deleted that is said."""

import shutil
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from skillopt_sleep.deciding.quotes import opened
from skillopt_sleep.pages.blocks import Link
from skillopt_sleep.pages.text import markdown
from skillopt_sleep.records import Evidence
from skillopt_sleep.stores.sqlite import SqliteStore
from tests.command import Home
from tests.web.dashboard import served

TRANSCRIPTS = Path(__file__).parent / "transcripts"
MADE = Path(__file__).parent.parent / "bench" / "lessons_history" / "write.py"


def genuine(home: Home) -> None:
    """Sessions that the genuine programs wrote, of every version, and some in which a lesson came up five times."""
    home.had_sessions()
    for one in sorted((TRANSCRIPTS / "claude").glob("*/projects/*")):
        shutil.copytree(one, home.folder / ".claude" / "projects" / f"{one.parent.parent.name}{one.name}")
    for one in sorted((TRANSCRIPTS / "codex").glob("*/sessions")):
        shutil.copytree(one, home.folder / ".codex" / "sessions" / one.parent.name)


def made(home: Home) -> None:
    """The three weeks of a made-up person."""
    folder = home.folder / "made"
    subprocess.run([sys.executable, MADE, folder], check=True, stdout=subprocess.DEVNULL)
    for agent in (".claude", ".codex"):
        shutil.copytree(folder / "home" / agent, home.folder / agent, dirs_exist_ok=True)


@pytest.fixture(scope="module", params=[genuine, made], ids=["genuine", "made"])
def home(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home with such sessions after a night."""
    home = Home(tmp_path_factory.mktemp("home") / "ada")
    fill: Callable[[Home], None] = request.param
    fill(home)
    assert home.command("run", "--backend", "simulated", SKILLOPT_SLEEP_HARVEST_LOOKBACK="3650d").code == 0
    return home


@contextmanager
def store_of(home: Home) -> Generator[SqliteStore]:
    folder = home.folder / "sleep" / "data"
    store = SqliteStore(folder, clock=lambda: datetime.now(UTC), lookback=timedelta(days=30), config="")
    yield store
    store.close()


def quotes(store: SqliteStore) -> list[Evidence]:
    return [sign for lesson in store.lessons.every() for sign in lesson.signs]


def shown(store: SqliteStore, sign: Evidence) -> str:
    return markdown([*opened([sign], store, now=datetime.now(UTC))])


def test_every_quote_opens_before_and_after_half_of_the_files_are_deleted(home: Home) -> None:
    with store_of(home) as store:
        said = quotes(store)
        files = {sign.session: Path(store.index.place(sign.session)) for sign in said}
        before = {line.id: line for line in store.index.lines(unread=False)}
        paths = {name: store.index.place(name) for name in before}
        for sign in said:
            text = shown(store, sign)
            assert "→ turn" in text
            assert "File: " in text
            assert "aren't in that turn" not in text
    deleted = sorted(set(paths.values()))[::2]
    for path in deleted:
        Path(path).unlink()
    told = home.command("harvest", "--json").json["deleted"]
    with store_of(home) as store:
        after = {line.id for line in store.index.lines(unread=False)}
        gone = store.index.gone()
        assert quotes(store) == said
        assert all(before[name].left_out for name in before.keys() - after), "only what no night reads is dropped"
        assert gone.keys() == {name for name in after if paths[name] in deleted}
        kept = [lesson for lesson in store.lessons.every() if not gone.keys().isdisjoint(lesson.sessions)]
        assert told == {"sessions": len(gone), "lessons": len(kept)}
        assert 0 < sum(sign.session in gone for sign in said) < len(said)
        for sign in said:
            text = shown(store, sign)
            assert "→ turn" in text
            assert ("This session is gone since" in text) is (str(files[sign.session]) in deleted)
            assert "aren't in that turn" not in text
    with served(home) as (dashboard, _):
        dashboard.enter()
        for sign in {sign.session: sign for sign in said}.values():
            page = dashboard.get(Link.to_turn("", sign.session, sign.turn).address.partition("#")[0])
            assert page.status == 200
            assert f"Turn {sign.turn} in its place" in page.text
            assert ("gone since" in page.text) is (sign.session in gone)
