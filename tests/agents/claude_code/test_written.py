"""Files of the agent's that somebody else changed, as Claude Code tells of them."""

import json
from pathlib import Path

import pytest

from skillopt_sleep.mining.deeds import deeds
from skillopt_sleep.records import DeedKind, Session
from tests.agents.claude_code.test_sessions import Written
from tests.agents.reading import only_session

FILE = "/home/dev/shop/cart.py"
TOLD = {"type": "edited_text_file", "filename": FILE}


@pytest.fixture
def written(tmp_path: Path) -> Written:
    written = Written(tmp_path)
    written.typed("mend the cart")
    return written


def edited(written: Written, *, modified: bool = False, filler: str = "", error: bool = False) -> None:
    call = written.called("Edit", file_path=FILE, old_string="total = 0\nkeep", new_string="total = 1\nkeep")
    result = {"filePath": FILE, "originalFile": filler, "structuredPatch": [], "userModified": modified}
    written.result(call, "The file has been updated.", error=error, toolUseResult={**result, "replaceAll": False})


def read(written: Written, home: Path) -> Session:
    # As the program writes it, without blanks.
    written.lines = [json.dumps(json.loads(line), separators=(",", ":")).encode() for line in written.lines]
    return only_session(written.save(home))


@pytest.mark.parametrize("filler", ["", "x" * 50_000], ids=["small", "large"])
def test_an_edit_that_the_person_changed_is_known(written: Written, tmp_path: Path, filler: str) -> None:
    edited(written, modified=True, filler=filler)
    session = read(written, tmp_path)
    (event,) = session.tools
    assert event.changed
    assert event.at is not None
    assert [(deed.kind, deed.what) for deed in deeds(session)] == [(DeedKind.EDITED, FILE)]


@pytest.mark.parametrize("filler", ["", "x" * 50_000], ids=["small", "large"])
def test_an_edit_as_the_agent_proposed_it_is_none(written: Written, tmp_path: Path, filler: str) -> None:
    edited(written, filler=filler + '"userModified":true')
    (event,) = read(written, tmp_path).tools
    assert (event.changed, event.at) == (False, None)


@pytest.mark.parametrize("filler", ["", "\n" * 9_000], ids=["small", "large"])
def test_a_file_of_the_agents_that_changed_on_disk_is_known(written: Written, tmp_path: Path, filler: str) -> None:
    edited(written)
    written.said("Done.")
    written.add("attachment", attachment={**TOLD, "snippet": "1\ttotal = 2\n2\tkeep" + filler})
    written.typed("go on")
    (file,) = read(written, tmp_path).changed_files
    assert (file.path, file.since, file.turn, file.restored) == (FILE, 0, 1, False)
    assert file.at is not None


@pytest.mark.parametrize(
    ("snippet", "restored"),
    [
        ("1\ttotal = 0\n2\tkeep", True),
        ("    1→total = 0\n    2→keep", True),
        ("1\ttotal = 0\n2\ttotal = 1", False),
        ("1\tkeep", False),
        (None, False),
    ],
)
def test_it_is_restored_if_the_old_lines_are_back_and_the_new_gone(
    written: Written, tmp_path: Path, snippet: str | None, restored: bool
) -> None:
    edited(written)
    written.add("attachment", attachment={**TOLD, "snippet": snippet})
    (file,) = read(written, tmp_path).changed_files
    assert file.restored is restored


def test_a_file_that_the_agent_only_read_or_failed_to_write_is_not_its_own(written: Written, tmp_path: Path) -> None:
    written.result(written.called("Read", file_path=FILE), "total = 0")
    edited(written, error=True)
    written.add("attachment", attachment={**TOLD, "snippet": "1\ttotal = 2"})
    assert read(written, tmp_path).changed_files == ()


def test_a_prompt_that_was_taken_back_takes_its_changes_along(written: Written, tmp_path: Path) -> None:
    answer = written.said("hello")
    written.typed("wrong")
    edited(written)
    written.add("attachment", attachment={**TOLD, "snippet": "1\ttotal = 2"})
    written.typed("right", parent=answer)
    written.said("ok")
    session = read(written, tmp_path)
    assert session.typed == ("mend the cart", "right")
    assert session.changed_files == ()
