"""What is left when an adoption and the bank part: by a kill, a full disk, or two commands at once."""

import resource
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.proposals.adopt import adopt
from skillopt_sleep.proposals.journal import Journal
from skillopt_sleep.proposals.undo import undo
from tests.command import PROGRAM, Home

ROOM = 300_000


def data(home: Home) -> Path:
    return home.folder / "sleep" / "data"


def journal(home: Home) -> Journal:
    return Journal(data(home) / "adoptions")


def adopt_and_die(home: Home) -> None:
    """What a command leaves that was killed when the file was live and the bank not yet written."""
    (proposal,) = (data(home) / "nights").glob("*/proposals/P-0001")
    adopt(proposal, journal=journal(home), at=utc_now())


def state(home: Home) -> str:
    (row,) = home.command("review", "--show", "--json").json
    return row["state"]


def is_live(home: Home) -> bool:
    return b"pnpm" in (home.project / "CLAUDE.md").read_bytes()


def test_an_adoption_the_bank_never_heard_of_is_undone_to_the_byte(home: Home) -> None:
    before = (home.project / "CLAUDE.md").read_bytes()
    adopt_and_die(home)
    done = home.command("undo", "P-0001")
    assert (done.code, done.err) == (0, "")
    assert (home.project / "CLAUDE.md").read_bytes() == before
    assert state(home) == "undone"


@pytest.mark.slow
def test_an_adoption_the_bank_never_heard_of_does_not_wait(home: Home) -> None:
    adopt_and_die(home)
    assert home.command("status", "--json").json["waiting"] == []
    assert state(home) == "adopted"
    done = home.command("reject", "P-0001")
    assert done.code == 2
    assert "P-0001 is adopted" in done.err


@pytest.mark.slow
def test_an_undo_the_bank_never_heard_of_is_not_adopted(home: Home) -> None:
    home.command("adopt", "P-0001")
    undo("P-0001", journal=journal(home), at=utc_now())
    assert state(home) == "undone"
    assert home.command("reject", "P-0001").code == 0
    assert state(home) == "rejected"


def test_what_was_rejected_while_it_stood_in_the_file_can_still_be_taken_back(home: Home) -> None:
    adopt_and_die(home)
    with closing(sqlite3.connect(data(home) / "sleep.db", isolation_level=None)) as connection:
        connection.execute("UPDATE proposals SET state = 'rejected'")
    assert home.command("undo", "P-0001").code == 0
    assert not is_live(home)


@pytest.mark.slow
def test_adopt_and_reject_at_once_end_as_one_of_them(home: Home) -> None:
    with journal(home).held():
        adopting, rejecting = home.start("adopt", "P-0001"), home.start("reject", "P-0001")
        # Whoever doesn't wait for the journal is through by now.
        with pytest.raises(subprocess.TimeoutExpired):
            rejecting.wait(timeout=2)
    said = [process.communicate(timeout=60)[1] for process in (adopting, rejecting)]
    assert sorted((adopting.returncode, rejecting.returncode)) == [0, 2]
    assert any("P-0001 is rejected" in one or "P-0001 is adopted" in one for one in said)
    assert state(home) == ("adopted" if is_live(home) else "rejected")


def test_a_disk_that_fills_up_between_the_file_and_the_bank_is_told_and_made_good(home: Home) -> None:
    with closing(sqlite3.connect(data(home) / "sleep.db", isolation_level=None)) as holds:
        # While somebody reads, the log of the database only grows: past the size that a file may have below.
        holds.execute("CREATE TABLE ballast (body BLOB)")
        holds.execute("BEGIN")
        holds.execute("SELECT count(*) FROM proposals").fetchone()
        with closing(sqlite3.connect(data(home) / "sleep.db", isolation_level=None)) as fills:
            fills.execute("INSERT INTO ballast VALUES (?)", (b"x" * ROOM,))
        done = subprocess.run(
            [str(PROGRAM), "adopt", "P-0001"],
            capture_output=True,
            text=True,
            env=home.environment,
            cwd=home.folder,
            check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, ROOM)),
        )
    assert done.returncode == 1
    assert "Adopted P-0001: wrote" in done.stdout
    assert "P-0001 is adopted" in done.stderr
    assert "a bug" not in done.stderr
    assert is_live(home)
    assert home.command("undo", "--yes").code == 0
    assert not is_live(home)


@pytest.mark.slow
def test_one_damaged_adoption_is_told_in_a_line_and_stands_in_nobodys_way(home: Home) -> None:
    home.command("adopt", "P-0001")
    record = data(home) / "adoptions" / "P-0000" / "journal.json"
    record.parent.mkdir()
    record.write_bytes(b"\0" * 100)
    done = home.command("status")
    assert (done.code, "Waiting      no proposals" in done.out) == (0, True)
    (line,) = done.err.splitlines()
    assert f"{record} can't be read" in line
    for command in ("undo", "adopt", "undo", "reject"):
        done = home.command(command, "P-0001")
        assert (done.code, done.err.splitlines()) == (0, [line]), command
    refused = home.command("undo", "P-0000")
    assert refused.code == 6
    assert record.read_bytes() == b"\0" * 100
