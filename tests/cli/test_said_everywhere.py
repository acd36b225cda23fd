"""A wish that was said once in each of several projects is one lesson of the person's own, with one home."""

from pathlib import Path

import pytest

from tests.command import Home

PROJECTS = ("shop", "library", "bakery", "garage", "museum")
WORDS = "no, that's wrong - we always use pnpm here, never npm"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def said_in(home: Home, projects: tuple[str, ...]) -> None:
    for day, name in enumerate(projects, start=3):
        home.had_sessions_in(home.folder / "work" / name, [(f"draft a letter to the {name}", WORDS)], days_ago=day)


@pytest.mark.parametrize("miner", ["model", "heuristic"])
def test_the_same_wish_in_five_projects_is_one_lesson_with_one_home(home: Home, miner: str) -> None:
    said_in(home, PROJECTS)

    home.command("harvest")
    night = home.command("run", "--backend", "simulated", SKILLOPT_SLEEP_MINE_MINER=miner)

    assert night.code == 0, night.err
    assert "one session only" not in night.out
    listed = home.command("tasks", "list").out
    assert listed.count(WORDS) == 1
    assert "every project" in listed
    assert "5 sessions: first 7 days ago" in listed
    assert "~/.claude/rules/skillopt-sleep.md" in home.command("status").out
    assert not (home.folder / ".claude" / "rules").exists(), "nothing is adopted"


def test_the_rule_is_adopted_into_the_persons_own_memory_file_and_taken_out_again(home: Home) -> None:
    memory = home.folder / ".claude" / "CLAUDE.md"
    memory.parent.mkdir(exist_ok=True)
    memory.write_text("# Mine\n")
    said_in(home, PROJECTS)
    home.command("run", "--backend", "simulated")

    assert home.command("adopt", "P-0001").code == 0
    assert "pnpm" in memory.read_text()
    assert home.command("undo", "P-0001").code == 0
    assert memory.read_text() == "# Mine\n"


def test_in_two_projects_it_is_said_to_be_known_in_both(home: Home) -> None:
    said_in(home, PROJECTS[:2])

    assert home.command("run", "--backend", "simulated").out.count("one session only") == 1

    told = home.command("report", "--verbose").out
    assert told.count("one session only") == 1
    assert "was said in 2 projects, once in each" in told
    why = home.command("why", "pnpm never npm").out
    assert "2 projects" in why
    assert "say it" not in why
