from datetime import timedelta
from pathlib import Path

from msgspec.structs import replace

from skillopt_sleep.proposals.entry import AdoptionState, Entry, Written
from tests.builders import a_proposal
from tests.proposals.staging import NOW

LATER = NOW + timedelta(hours=1)
ENTRY = Entry(
    proposal="P-0001",
    root="/p",
    files=(Written(path="/p/CLAUDE.md", target="/p/real.md", before="1", after="2"),),
    folders=(),
    state=AdoptionState.DONE,
    adopted=NOW,
    made="3",
)


def test_an_adoption_is_known_by_the_text_that_its_proposal_was_staged_with() -> None:
    assert ENTRY.is_of(a_proposal(path="/p/CLAUDE.md", result="3"))
    assert not ENTRY.is_of(a_proposal(path="/p/CLAUDE.md", result="2"))
    assert not ENTRY.is_of(a_proposal(path="/p/AGENTS.md", result="3"))


def test_it_touches_a_file_by_its_name_and_by_the_real_one_behind_it() -> None:
    assert [ENTRY.place_of(Path("/p", name)) for name in ("CLAUDE.md", "real.md", "AGENTS.md")] == [0, 0, None]


def test_it_changed_last_when_it_was_undone() -> None:
    assert ENTRY.changed_at == NOW
    assert replace(ENTRY, state=AdoptionState.UNDONE, undone=LATER).changed_at == LATER
    assert replace(ENTRY, state=AdoptionState.UNDONE).changed_at == NOW


def test_what_is_written_are_the_files_of_the_undo_if_there_is_one() -> None:
    assert [file.after for file in ENTRY.moving] == ["2"]
    undo = Written(path="/p/CLAUDE.md", target="/p/CLAUDE.md", before="5", after="6")
    assert replace(ENTRY, taken_back=(undo,)).moving == (undo,)
