import pytest

from skillopt_sleep.proposals.merge import merge

UNIX = b"\n"


def merged(now: bytes, old: str, new: str) -> bytes:
    return merge(now, old, new, eol=UNIX).lines


@pytest.mark.parametrize(
    ("now", "old", "new", "then"),
    [
        (b"", "", "- a", b"- a\n"),
        (b"- a\n", "- a", "- a\n- b", b"- a\n- b\n"),
        (b"- a\n- b\n", "- a\n- b", "- a", b"- a\n"),
        (b"- a\n", "- a", "- b", b"- b\n"),
        (b"- mine\n", "", "- a", b"- mine\n- a\n"),  # two lines that were added at one place: theirs first
        (b"- a\n- mine\n- b\n", "- a\n- b", "- a", b"- a\n- mine\n"),
        (b"- b\n- mine\n- a\n", "- a\n- b", "", b"- mine\n"),  # lines that were moved are still ours
        (b"- a\n- b\n", "", "- a", b"- a\n- b\n"),  # what stands there isn't added twice
        (b"- a", "- a", "- a\n- b", b"- a\n- b\n"),
        (b"- a\r\n  mine\r\n", "- a", "", b"  mine\r\n"),
        (b"caf\xe9\n- a\n", "- a", "- b", b"caf\xe9\n- b\n"),
    ],
)
def test_a_change_is_made_in_the_lines_as_they_stand(now: bytes, old: str, new: str, then: bytes) -> None:
    assert merged(now, old, new) == then
    assert not merge(now, old, new, eol=UNIX).overlaps


@pytest.mark.parametrize(
    ("now", "old", "new", "then"),
    [
        (b"- a, says me\n", "- a", "- b", b"- a, says me\n- b\n"),
        (b"- a, says me\n", "- a", "", b"- a, says me\n"),
        (b"", "- a", "- b", b"- b\n"),
    ],
)
def test_a_line_that_the_person_changed_stays_and_is_told(now: bytes, old: str, new: str, then: bytes) -> None:
    assert merge(now, old, new, eol=UNIX) == (then, True)


def test_added_lines_end_as_the_block_does_and_others_as_they_did() -> None:
    assert merge(b"- a\n- b\r\n", "- a\n- b", "- a\n- b\n- c", eol=b"\r\n").lines == b"- a\n- b\r\n- c\r\n"
