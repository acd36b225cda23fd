"""In a project that both agents use and no file of which both read, a proposal changes the files of both."""

from pathlib import Path

import pytest

from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.proposals.adopt import adopt
from skillopt_sleep.proposals.journal import Journal
from tests.command import ASKS, Home
from tests.sweeps import thinned

MINE = {"CLAUDE.md": b"# For Claude\r\n", "AGENTS.md": b"# For Codex, without an end of line"}
RULE = b"- Use pnpm, never npm."


def files(home: Home) -> dict[str, bytes]:
    return {name: (home.project / name).read_bytes() for name in MINE}


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A person's home after a night over sessions of both agents, whose files have nothing to do with each other."""
    home = Home(tmp_path / "ada")
    for name, text in MINE.items():
        (home.project / name).write_bytes(text)
    home.had_sessions()
    assert home.command("run", "--backend", "simulated").code == 0
    return home


@pytest.mark.slow
def test_a_lesson_is_proposed_adopted_undone_and_not_learned_again_as_one_for_both_files(home: Home) -> None:
    (waiting,) = home.command("review", "--show", "--json").json
    assert "shop-api/CLAUDE.md and shop-api/AGENTS.md" in waiting["summary"]
    evidence = home.command("review", "--show", "P-0001", "--json").json[0]["evidence"]
    shown = home.command("review", "--show", "P-0001").out
    assert "in shop-api/CLAUDE.md and shop-api/AGENTS.md, for Claude Code and Codex" in shown
    report = next(home.folder.rglob("report.md")).read_text(encoding="utf-8")
    assert "in shop-api/CLAUDE.md and shop-api/AGENTS.md, for Claude Code and Codex" in report
    assert files(home) == MINE

    home.had_sessions([(f"{ask}, once more", said) for ask, said in ASKS], days_ago=1.5)
    home.command("run", "--backend", "simulated")
    again = home.command("review", "--show", "P-0001", "--json").json[0]
    assert again["version"] == 1
    assert len(again["evidence"]) > len(evidence)

    adopted = home.command("adopt", "P-0001")
    assert adopted.code == 0
    assert all(str(home.project / name) in adopted.out for name in MINE)
    assert all(text.startswith(MINE[name]) and text.count(RULE) == 1 for name, text in files(home).items())

    home.had_sessions(days_ago=0.5)
    home.command("run", "--backend", "simulated")
    assert [row["id"] for row in home.command("review", "--show", "--json").json] == ["P-0001"]

    undone = home.command("undo", "P-0001")
    assert undone.code == 0
    assert all(str(home.project / name) in undone.out for name in MINE)
    assert files(home) == MINE


@pytest.mark.parametrize("name", thinned(MINE, every=2))
@pytest.mark.slow
def test_if_either_file_can_not_be_written_it_is_named_and_neither_is(home: Home, name: str) -> None:
    (home.project / name).write_bytes(b"<<<<<<< mine\n")

    refused = home.command("adopt", "P-0001")

    assert refused.code != 0
    assert str(home.project / name) in refused.err
    assert files(home) == MINE | {name: b"<<<<<<< mine\n"}


@pytest.mark.slow
def test_an_adoption_that_was_killed_between_the_files_is_taken_back_by_the_next_command(home: Home) -> None:
    """What a kill leaves: the journal as it was prepared, and only the first file written."""
    (folder,) = home.folder.rglob("proposals/P-0001")
    adoptions = home.folder / "sleep" / "data" / "adoptions"
    adopt(folder, journal=Journal(adoptions), at=utc_now())
    record = adoptions / "P-0001" / "journal.json"
    record.write_text(record.read_text().replace('"done"', '"prepared"'), encoding="utf-8")
    (home.project / "AGENTS.md").write_bytes(MINE["AGENTS.md"])

    home.command("review", "--show")

    assert files(home) == MINE
    assert home.command("adopt", "P-0001").code == 0
    assert all(RULE in text for text in files(home).values())
