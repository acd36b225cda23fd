from pathlib import Path

import pytest

from skillopt_sleep.daemon.service import cron, table
from skillopt_sleep.daemon.service.manifest import Item, Kind, Ledger
from skillopt_sleep.kit.files import private_dir
from skillopt_sleep.proposals.paths import digest

BEFORE = b"MAILTO=me\n5 4 * * * backup\n@daily tidy up\n"
AFTER = cron.add_line(BEFORE.decode(), Path("/data/daemon.sh")).encode()
EDITED = AFTER.replace(b"@daily", b"@weekly")


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(private_dir(tmp_path / "install"))


def item(ledger: Ledger, before: bytes | None = BEFORE, after: bytes = AFTER) -> Item:
    names = ledger.save(before), ledger.save(after)
    return Item(kind=Kind.CRON, path="crontab", target="crontab", before=names[0], ours=names[1:])


@pytest.mark.parametrize(
    ("now", "left"),
    [
        (BEFORE, BEFORE),
        (AFTER, BEFORE),
        (EDITED, BEFORE.replace(b"@daily", b"@weekly")),
        (b"", BEFORE),
        (None, BEFORE),
        (b" \n\n", BEFORE),
        (BEFORE[:-4], BEFORE),
        (AFTER[:-10], BEFORE),
        (b"MAILTO=me\n", b"MAILTO=me\n"),  # whole lines are a person's
        (b"another", b"another"),
    ],
)
def test_what_is_the_users_is_told_from_the_rest_of_a_write_that_failed(
    now: bytes | None, left: bytes, ledger: Ledger
) -> None:
    assert table.users(item(ledger), now, ledger) == left


@pytest.mark.parametrize("now", [None, b"", AFTER.removeprefix(BEFORE)])
def test_no_table_comes_of_none(now: bytes | None, ledger: Ledger) -> None:
    ours = AFTER.removeprefix(BEFORE)
    assert table.users(item(ledger, None, ours), now, ledger) is None
    assert table.losses(item(ledger, None, ours), now, then=None, ledger=ledger) == ""


def test_lines_that_came_back_and_lines_that_didnt_are_told_with_the_file_they_are_in(ledger: Ledger) -> None:
    known = item(ledger)
    assert table.losses(known, AFTER, then=BEFORE, ledger=ledger) == ""
    assert table.losses(known, AFTER + b"1 2 3 4 5 more\n", then=BEFORE + b"1 2 3 4 5 more\n", ledger=ledger) == ""
    assert str(ledger.copy(digest(BEFORE))) in table.losses(known, b"", then=BEFORE, ledger=ledger)
    said = table.losses(known, EDITED, then=BEFORE.replace(b"@daily", b"@weekly"), ledger=ledger)
    copy = Path(said.split()[-1])
    ledger.forget()
    assert copy.read_bytes() == BEFORE
