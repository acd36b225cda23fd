import os
import subprocess
import sys
import threading
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest

from skillopt_sleep.errors import AdoptInterrupted, ProposalError
from skillopt_sleep.proposals.adopt import adopt
from skillopt_sleep.proposals.entry import AdoptionState, Entry, Written
from skillopt_sleep.proposals.journal import Journal
from skillopt_sleep.proposals.paths import digest
from skillopt_sleep.proposals.undo import undo
from tests.proposals.staging import NOW, propose
from tests.sweeps import WHOLE

OLD, NEW, EDITED = b"old\n", b"old\nand new\n", b"old\nand mine\n"
PREPARED, UNDOING = AdoptionState.PREPARED, AdoptionState.UNDOING


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "adoptions")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    return root / "CLAUDE.md"


def a_file(path: Path, before: bytes | None) -> Written:
    return Written(path=str(path), target=str(path), before=digest(before), after=digest(NEW))


def entry(file: Path, state: AdoptionState, *, existed: bool = True, number: str = "p1") -> Entry:
    return Entry(
        proposal=number,
        root=str(file.parent),
        files=(a_file(file, OLD if existed else None),),
        made=digest(NEW),
        folders=(),
        state=state,
        adopted=NOW,
    )


def put(file: Path, content: bytes | None) -> None:
    if content is None:
        file.unlink(missing_ok=True)
    else:
        file.write_bytes(content)


@pytest.mark.parametrize(
    ("state", "existed", "content", "settled"),
    [
        (PREPARED, True, OLD, None),
        (PREPARED, True, NEW, AdoptionState.DONE),
        (PREPARED, False, None, None),
        (PREPARED, False, NEW, AdoptionState.DONE),
        (UNDOING, True, OLD, AdoptionState.UNDONE),
        (UNDOING, True, NEW, AdoptionState.DONE),
        (UNDOING, False, None, AdoptionState.UNDONE),
        (UNDOING, False, NEW, AdoptionState.DONE),
        (AdoptionState.DONE, True, EDITED, AdoptionState.DONE),
        (AdoptionState.DONE, True, OLD, AdoptionState.DONE),
        (AdoptionState.UNDONE, True, EDITED, AdoptionState.UNDONE),
    ],
)
def test_what_a_crash_left_is_settled_by_what_the_file_holds(
    state: AdoptionState, existed: bool, content: bytes | None, settled: AdoptionState | None, tmp_path: Path
) -> None:
    journal, file = Journal(tmp_path / "adoptions"), tmp_path / "CLAUDE.md"
    journal.prepare(entry(file, state, existed=existed), (OLD if existed else None, NEW))
    put(file, content)
    for _ in range(2):
        journal.recover()
        left = journal.get("p1")
        assert (left.state if left else None) is settled
        assert (file.read_bytes() if file.exists() else None) == content


@pytest.mark.parametrize("state", [PREPARED, UNDOING])
@pytest.mark.parametrize(
    ("existed", "content"), [(True, EDITED), (True, b""), (True, None), (False, EDITED), (False, b"")]
)
def test_a_file_that_was_edited_after_a_crash_is_left_and_told_once(
    state: AdoptionState, existed: bool, content: bytes | None, journal: Journal, file: Path
) -> None:
    journal.prepare(entry(file, state, existed=existed), (OLD if existed else None, NEW))
    put(file, content)
    with pytest.raises(AdoptInterrupted) as caught:
        journal.recover()
    assert str(file) in caught.value.message
    assert digest(NEW)[:12] in caught.value.message
    saved = journal.copy_of(entry(file, state), digest(OLD if existed else NEW))
    assert str(saved) in caught.value.remedy
    assert saved.read_bytes() == (OLD if existed else NEW)
    assert (file.read_bytes() if file.exists() else None) == content
    journal.recover()
    left = journal.get("p1")
    assert left is not None
    assert left.state is AdoptionState.INTERRUPTED


def pair(file: Path, state: AdoptionState) -> Entry:
    """An adoption of two files, of which the second is new."""
    new = file.with_name("NEW.md")
    return msgspec.structs.replace(entry(file, state), files=(a_file(file, OLD), a_file(new, None)))


@pytest.mark.parametrize("state", [PREPARED, UNDOING])
@pytest.mark.parametrize(("first", "second"), [(OLD, None), (NEW, NEW), (OLD, NEW), (NEW, None)])
def test_after_a_crash_both_files_of_a_pair_are_new_or_both_are_old(
    state: AdoptionState, first: bytes, second: bytes | None, journal: Journal, file: Path
) -> None:
    journal.prepare(pair(file, state), (OLD, NEW), (None, NEW))
    put(file, first)
    put(file.with_name("NEW.md"), second)
    for _ in range(2):
        journal.recover()
        left = journal.get("p1")
        if first == second:
            assert left is not None
            assert left.state is AdoptionState.DONE
            assert (file.read_bytes(), file.with_name("NEW.md").read_bytes()) == (NEW, NEW)
        else:
            assert (left.state if left else None) is (AdoptionState.UNDONE if state is UNDOING else None)
            assert file.read_bytes() == OLD
            assert not file.with_name("NEW.md").exists()


def test_if_one_file_of_a_pair_was_edited_after_a_crash_the_other_one_is_as_before(
    journal: Journal, file: Path
) -> None:
    other = file.with_name("NEW.md")
    journal.prepare(pair(file, PREPARED), (OLD, NEW), (None, NEW))
    put(file, NEW)
    put(other, EDITED)

    with pytest.raises(AdoptInterrupted) as caught:
        journal.recover()

    assert str(other) in caught.value.message
    assert str(journal.copy_of(pair(file, PREPARED), digest(NEW))) in caught.value.remedy
    assert (file.read_bytes(), other.read_bytes()) == (OLD, EDITED)
    journal.recover()


def test_a_file_of_a_pair_that_can_not_be_put_back_is_told_with_what_to_do(journal: Journal, file: Path) -> None:
    torn = pair(file, PREPARED)
    journal.prepare(torn, (OLD, NEW), (None, NEW))
    put(file, NEW)
    journal.copy_of(torn, digest(OLD)).write_bytes(EDITED)

    with pytest.raises(AdoptInterrupted, match="is damaged") as caught:
        journal.recover()

    assert "undo p1" in caught.value.remedy
    assert file.read_bytes() == NEW
    journal.copy_of(torn, digest(OLD)).write_bytes(OLD)
    undo("p1", journal=journal, at=NOW)
    assert file.read_bytes() == OLD


def test_a_pipe_in_place_of_the_file_is_told_and_never_waited_for(journal: Journal, file: Path) -> None:
    journal.prepare(entry(file, PREPARED), (OLD, NEW))
    os.mkfifo(file)
    with pytest.raises(AdoptInterrupted, match="plain file"):
        journal.recover()
    journal.recover()


def test_an_interrupted_adoption_never_stands_in_the_way_of_others(
    journal: Journal, file: Path, tmp_path: Path
) -> None:
    file.write_bytes(b"# Rules\n")
    other = file.with_name("AGENTS.md")
    journal.prepare(entry(other, PREPARED, number="p0"), (OLD, NEW))
    other.write_bytes(EDITED)
    folder, _ = propose(tmp_path / "night", file, file.parent)
    with pytest.raises(AdoptInterrupted):
        adopt(folder, journal=journal, at=NOW)
    adopt(folder, journal=journal, at=NOW)
    undo("p1", journal=journal, at=NOW)
    assert undo("p0", journal=journal, at=NOW).already
    assert other.read_bytes() == EDITED


def test_only_our_own_half_written_copies_are_swept(journal: Journal, file: Path) -> None:
    journal.prepare(entry(file, PREPARED), (OLD, NEW))
    file.write_bytes(OLD)
    ours = {".CLAUDE.md.abcd1234": NEW, ".CLAUDE.md.abcd_234": NEW[:3], ".CLAUDE.md.00000000": b""}
    mine = {".CLAUDE.md.abcd5678": EDITED, ".CLAUDE.md.backup": OLD, ".CLAUDE.md.swp": OLD, "CLAUDE.md.abcd1234": OLD}
    for name, content in (ours | mine).items():
        file.with_name(name).write_bytes(content)
    journal.recover()
    assert {path.name for path in file.parent.iterdir()} == {"CLAUDE.md", *mine}


def test_entries_are_in_the_order_of_time_and_survive_a_reopening(
    journal: Journal, file: Path, tmp_path: Path
) -> None:
    late = msgspec.structs.replace(entry(file, AdoptionState.DONE, number="p1"), adopted=NOW + timedelta(days=1))
    journal.prepare(late, (OLD, NEW))
    journal.prepare(entry(file, AdoptionState.DONE, number="p2"), (OLD, NEW))
    assert [found.proposal for found in Journal(tmp_path / "adoptions").entries()] == ["p2", "p1"]
    assert Journal(tmp_path / "adoptions").get("p1") == late


@pytest.mark.parametrize("state", [AdoptionState.DONE, AdoptionState.INTERRUPTED, AdoptionState.UNDONE])
def test_an_adoption_of_another_file_is_never_replaced(state: AdoptionState, journal: Journal, file: Path) -> None:
    known = entry(file, state)
    journal.prepare(known, (OLD, NEW))
    with pytest.raises(ProposalError, match="whose undo would be lost") as caught:
        journal.prepare(entry(file.with_name("AGENTS.md"), PREPARED), (OLD, NEW))
    assert str(file) in caught.value.message
    assert journal.get("p1") == known
    assert journal.copy_of(known, digest(OLD)).read_bytes() == OLD


@pytest.mark.parametrize("state", [AdoptionState.DONE, AdoptionState.INTERRUPTED, AdoptionState.UNDONE])
def test_bytes_of_before_are_replaced_only_once_they_are_back(
    state: AdoptionState, journal: Journal, file: Path
) -> None:
    known = entry(file, state)
    journal.prepare(known, (OLD, NEW))
    journal.prepare(known, (OLD, NEW))
    other = msgspec.structs.replace(known, files=(a_file(file, EDITED),), state=PREPARED)
    if state is AdoptionState.UNDONE:
        journal.prepare(other, (EDITED, NEW))
        assert journal.copy_of(other, digest(EDITED)).read_bytes() == EDITED
    else:
        with pytest.raises(ProposalError, match="whose undo would be lost"):
            journal.prepare(other, (EDITED, NEW))
        assert journal.copy_of(known, digest(OLD)).read_bytes() == OLD


def test_a_journal_that_does_not_exist_is_empty_and_stays_so(journal: Journal, tmp_path: Path) -> None:
    journal.recover()
    assert journal.entries() == ()
    assert journal.get("p1") is None
    assert not (tmp_path / "adoptions").exists()


def test_everything_in_the_journal_is_for_the_owner_only(journal: Journal, file: Path, tmp_path: Path) -> None:
    with journal.held():
        journal.prepare(entry(file, PREPARED), (OLD, NEW))
    for path in (tmp_path / "adoptions", *(tmp_path / "adoptions").rglob("*")):
        assert path.stat().st_mode & 0o077 == 0, path


def another_version(record: Path) -> None:
    record.write_bytes(record.read_bytes().replace(b'"target"', b'"real"'))


def cut_off(record: Path) -> None:
    record.write_bytes(record.read_bytes()[:40])


@pytest.mark.parametrize("damage", [another_version, cut_off])
def test_a_record_that_cannot_be_read_is_passed_over_and_nothing_of_it_is_touched(
    damage: Callable[[Path], None], journal: Journal, file: Path, tmp_path: Path
) -> None:
    journal.prepare(entry(file, PREPARED), (OLD, NEW))
    file.write_bytes(EDITED)
    folder = tmp_path / "adoptions" / "p1"
    (folder / ".half").write_bytes(b"written by who knows whom")
    damage(folder / "journal.json")
    kept = {path.name: path.read_bytes() for path in folder.iterdir()}
    other = file.with_name("AGENTS.md")
    other.write_bytes(NEW)
    journal.prepare(entry(other, PREPARED, number="p2"), (OLD, NEW))

    journal.recover()

    assert [(one.proposal, one.state) for one in journal.entries()] == [("p2", AdoptionState.DONE)]
    (told,) = journal.damaged()
    assert str(folder / "journal.json") in told.message
    with pytest.raises(AdoptInterrupted):
        journal.get("p1")
    with pytest.raises(AdoptInterrupted):
        journal.prepare(entry(file, PREPARED), (EDITED, NEW))
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == kept
    assert file.read_bytes() == EDITED


def test_two_processes_never_adopt_at_once(journal: Journal, tmp_path: Path, file: Path) -> None:
    file.write_bytes(b"# Rules\n")
    folder, _ = propose(tmp_path / "night", file, file.parent)
    results: list[bool] = []

    def run() -> None:
        results.append(adopt(folder, journal=Journal(tmp_path / "adoptions"), at=NOW))

    threads = [threading.Thread(target=run) for _ in range(4)]
    with journal.held():
        for thread in threads:
            thread.start()
        assert file.read_bytes() == b"# Rules\n"
    for thread in threads:
        thread.join()
    assert sorted(results) == [False, False, False, True]


# A kill at one of so many steps of a scenario, and at least so many kills.
EVERY, AT_LEAST = (4, 60) if WHOLE else (96, 2)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.timeout(1200)
@pytest.mark.parametrize(
    ("scenario", "every", "at_least"),
    [
        ("adopt", EVERY, AT_LEAST),
        *(
            pytest.param(scenario, EVERY, AT_LEAST, marks=pytest.mark.slow)
            for scenario in ("undo", "random", "nospace", "broken", "denied")
        ),
    ],
)
def test_a_kill_or_an_error_at_any_step_leaves_old_or_new_and_a_journal_that_agrees(
    scenario: str, every: int, at_least: int, tmp_path: Path
) -> None:
    here = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, str(here / "tests" / "proposals" / "crashes.py"), str(tmp_path), scenario, str(every)],
        env={**os.environ, "PYTHONPATH": str(here)},
        cwd=here,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) >= at_least
