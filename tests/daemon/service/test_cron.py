from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from skillopt_sleep.daemon.service.cron import add_line, line, remove_line

SCRIPT = Path("/a b/50% off/it's/daemon.sh")


@given(table=st.text(st.sampled_from("ab#*% \t\n\r\x0b\u2028é"), max_size=60))
def test_every_other_byte_of_a_table_stays(table: str) -> None:
    there = add_line(table, SCRIPT)
    assert there.startswith(table)
    assert add_line(there, SCRIPT) == there
    assert remove_line(there).removesuffix("\n") == table.removesuffix("\n")


@pytest.mark.parametrize(
    "theirs", ["# see # skillopt-sleep\n", "1 2 3 4 5 x # skillopt-sleep-not\n", "A=# skillopt-sleep too\n"]
)
def test_lines_that_only_speak_of_us_stay(theirs: str) -> None:
    assert remove_line(add_line(theirs, SCRIPT)) == theirs


def test_a_path_means_to_cron_what_it_is() -> None:
    assert line(SCRIPT) == (
        "*/10 * * * * /bin/sh '/a b/50\\% off/it'\"'\"'s/daemon.sh' >/dev/null 2>&1 # skillopt-sleep"
    )
