import pytest

from tests.command import Home


@pytest.mark.slow
def test_a_rule_that_is_not_there_is_told_with_those_that_are(home: Home) -> None:
    for name in ("P-0001.0", "P-0001.5", "P-0001.x"):
        done = home.command("adopt", name)
        assert done.code == 2
        assert "P-0001.1 to P-0001.1" in done.err


def test_the_only_rule_is_taken_whole(home: Home) -> None:
    done = home.command("adopt", "P-0001.1")
    assert done.code == 2
    assert "name it whole: P-0001" in done.err
