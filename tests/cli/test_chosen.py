import pytest

from tests.cli.walked import states
from tests.command import Home


@pytest.mark.slow
def test_a_rule_that_is_not_there_is_told_with_those_that_are(home: Home) -> None:
    for name in ("P-0001.0", "P-0001.5", "P-0001.x"):
        done = home.command("adopt", name)
        assert done.code == 2
        assert "P-0001.1 to P-0001.1" in done.err


@pytest.mark.parametrize("command", ["adopt", "undo", "undo --redo"])
def test_the_number_of_the_only_rule_means_the_proposal(home: Home, command: str) -> None:
    for earlier in {"adopt": (), "undo": ("adopt",), "undo --redo": ("adopt", "undo")}[command]:
        assert home.command(earlier, "P-0001").code == 0
    done = home.command(*command.split(), "p-0001.1", "P-0001")
    assert (done.code, done.err) == (0, "")
    assert states(home) == {"P-0001": "undone" if command == "undo" else "adopted"}


@pytest.mark.slow
def test_what_is_named_twice_is_decided_once(home: Home) -> None:
    for command, said in (
        ("review --later 1d", "P-0001 isn't shown"),
        ("adopt", "Adopted P-0001"),
        ("undo", "undo --redo P-0001"),
        ("undo --redo", "Adopted P-0001"),
        ("undo", "undo --redo P-0001"),
        ("reject", "Rejected P-0001"),
        ("reject --undo", "P-0001 is undone"),
    ):
        done = home.command(*command.split(), "P-0001", "p-0001")
        assert (done.code, done.out.count(said)) == (0, 1), (command, done)
    task = home.command("tasks", "list", "--json").json[0]["id"]
    for mark, said in (("drop", "Dropped"), ("pin", "Pinned")):
        assert home.command("tasks", mark, task, task[:8]).out.count(said) == 1
