from pathlib import Path

import pytest

from tests.command import Home


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path)
    home.had_sessions()
    home.command("run", "--now", "--backend", "simulated")
    return home


def test_show_prints_the_exact_change_and_the_persons_words(home: Home) -> None:
    out = home.command("show", "p-0001").out
    assert "+- Use pnpm, never npm." in out
    assert "we always use pnpm here, never npm" in out
    assert "error rate unknown" in out
    assert home.command("show", "P-0001", "--json").json["id"] == "P-0001"
    assert "waiting" in home.command("show").out


def test_adopt_prints_how_to_take_it_back_and_undo_does(home: Home) -> None:
    before = (home.project / "CLAUDE.md").read_bytes()
    done = home.command("adopt", "--all")
    assert "skillopt-sleep undo P-0001" in done.out
    assert b"pnpm" in (home.project / "CLAUDE.md").read_bytes()
    assert home.command("undo", "P-0001").code == 0
    assert (home.project / "CLAUDE.md").read_bytes() == before
    assert home.command("adopt", "P-0001").code == 0


def test_a_rejected_proposal_can_not_be_adopted(home: Home) -> None:
    assert home.command("reject", "P-0001").code == 0
    assert home.command("adopt", "P-0001").code == 2
    assert b"pnpm" not in (home.project / "CLAUDE.md").read_bytes()


def test_an_adopted_proposal_is_undone_before_it_is_rejected(home: Home) -> None:
    home.command("adopt", "P-0001")
    done = home.command("reject", "P-0001")
    assert done.code == 2
    assert "undo" in done.err


@pytest.mark.parametrize("command", ["adopt", "reject", "show", "undo"])
def test_an_unknown_proposal_is_named(home: Home, command: str) -> None:
    done = home.command(command, "P-0099")
    assert done.code == 2
    assert "P-0099" in done.err


def test_nothing_named_is_nothing_done(home: Home) -> None:
    assert home.command("adopt").code == 2
    assert home.command("reject").code == 2
    assert home.command("undo").code == 2
