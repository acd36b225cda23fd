"""The outputs in the documentation are those of the commands above them, and two pages are the program's own words."""

import subprocess
from collections.abc import Generator
from pathlib import Path

import msgspec
import pytest

from skillopt_sleep.settings import ProjectSettings, known_keys
from tests.documented import DOCS, PAGES, ROOT, WRITTEN, has_outputs, masked, refreshed, without_outputs
from tests.example_home import MORNING, ExampleHome, example_home

SHOWING = [page for page in PAGES if has_outputs(page.read_text(encoding="utf-8"))]
FIRST, OTHERS = SHOWING[:2], SHOWING[2:]
ANEW = "write it anew: python -m tests.documented"


@pytest.fixture(scope="module")
def home() -> Generator[ExampleHome]:
    with example_home() as made:
        yield made


class Shows:
    """A home in which each command prints its own words, as often as it was run."""

    def __init__(self, code: int = 0) -> None:
        self.code = code
        self.ran: list[str] = []

    def restore(self) -> None:
        self.ran.clear()

    def show(self, line: str, /) -> subprocess.CompletedProcess[str]:
        self.ran.append(line)
        return subprocess.CompletedProcess(line, self.code, stdout=f"\n{line}: {len(self.ran)} of 9\n\n")


def test_the_example_night_is_the_same_on_every_day(home: ExampleHome) -> None:
    home.restore()
    status = home.show("skillopt-sleep status").stdout
    assert f"({MORNING:%Y-%m-%d})" in status
    assert "today 04:17" in status
    assert str(home.folder) not in home.show("skillopt-sleep config path").stdout


def test_what_one_page_does_is_not_seen_by_the_next(home: ExampleHome) -> None:
    home.restore()
    assert home.show("skillopt-sleep adopt P-0001").returncode == 0
    assert "P-0001" not in home.show("skillopt-sleep status").stdout
    home.restore()
    assert "P-0001" in home.show("skillopt-sleep status").stdout


def test_outputs_of_the_first_pages_are_what_their_commands_print(home: ExampleHome) -> None:
    assert FIRST
    assert {page.name: stale(page, home) for page in FIRST} == {page.name: [] for page in FIRST}, ANEW


@pytest.mark.slow
@pytest.mark.parametrize("page", OTHERS, ids=lambda page: page.name)
def test_outputs_of_a_page_are_what_its_commands_print(page: Path, home: ExampleHome) -> None:
    assert stale(page, home) == [], ANEW


def stale(page: Path, home: ExampleHome) -> list[tuple[str, ...]]:
    """The blocks that show something else than their commands print."""
    _, blocks = refreshed(page.read_text(encoding="utf-8"), home)
    return [tuple(block) for block in blocks if block.is_stale]


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: page.name)
def test_a_written_page_says_what_the_program_says(page: Path) -> None:
    assert without_outputs(page.read_text(encoding="utf-8")) == without_outputs(WRITTEN[page]()), ANEW


def test_the_configuration_page_names_every_key() -> None:
    page = (DOCS / "configuration.md").read_text(encoding="utf-8")
    for key in (*known_keys(), *(f"project.{field.name}" for field in msgspec.structs.fields(ProjectSettings))):
        assert f"`{key.partition('.')[2]}" in page


def test_blocks_are_written_anew_in_order() -> None:
    page = "# A\n\n<!-- run: b c -->\n\n<!-- output: d -->\n```text\nold\n```\n\n<!-- output: e | f -->\n\n```text\n```\n\nEnd\n"
    text, blocks = refreshed(page, Shows())
    assert text == (
        "# A\n\n<!-- run: b c -->\n\n<!-- output: d -->\n```text\nd: 2 of 9\n```\n\n"
        "<!-- output: e | f -->\n```text\ne | f: 3 of 9\n```\n\nEnd\n"
    )
    assert [block.is_stale for block in blocks] == [True, True]
    _, blocks = refreshed(text, Shows())
    assert [block.is_stale for block in blocks] == [False, False]


def test_a_block_that_a_page_only_shows_is_left_alone() -> None:
    page = "<!-- run: a -->\n```text\nas it is\n```\n"
    assert refreshed(page, Shows())[0] == page


def test_an_output_without_a_block_is_refused() -> None:
    with pytest.raises(ValueError, match="skillopt-sleep status"):
        refreshed("<!-- output: skillopt-sleep status -->\nText\n", Shows())


@pytest.mark.parametrize(("page", "code"), [("<!-- run: a -->\n", 1), ("<!-- output: a -->\n```text\n```\n", 127)])
def test_a_command_that_fails_without_being_shown_is_refused(page: str, code: int) -> None:
    with pytest.raises(ValueError, match=f"exit code {code}"):
        refreshed(page, Shows(code))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Mon 2026-03-02 04:17, 48,156 tokens", "Thu 2026-11-26 08:00, 9 tokens"),
        ("You said  «pnpm»\n          2 days ago", "You said «pnpm» 1 day ago"),
        ("P-0001 ─────", "P-0001 ─────────"),
    ],
)
def test_what_differs_from_day_to_day_is_no_difference(before: str, after: str) -> None:
    assert masked(before) == masked(after)


def test_other_words_are_a_difference() -> None:
    assert masked("2 proposals wait") != masked("2 proposals are waiting")


def test_the_readme_is_a_page() -> None:
    assert ROOT / "README.md" in PAGES
