"""Whole records out of a damaged line."""

import json

import pytest

from skillopt_sleep.agents.claude_code.records import RECORD_START
from skillopt_sleep.agents.transcripts.salvage import MOST_TRIES, whole_records


def record(number: int) -> bytes:
    content = [{"type": "text", "text": f'a "quoted" \\ text {number} é'}, {"type": "text", "text": "more"}]
    body = {
        "parentUuid": f"p{number}", "isSidechain": False, "type": "user", "message": {"role": "user", "content": content},
        "numbers": [1, -2.5e3, True, False, None], "uuid": f"u{number}",
    }  # fmt: skip
    return json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode()


ONE, TWO = record(1), record(2)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (ONE + TWO, [ONE, TWO]),
        (ONE + b"\x00\x00 " + TWO, [ONE, TWO]),
        (b"\x00" * 99 + ONE, [ONE]),
        (ONE + b"\x00" * 99, [ONE]),
        (b"\xef\xbb\xbf" + ONE, [ONE]),
        (b"garbage" + ONE, [ONE]),
        (b"garbage", []),
        (b"", []),
        (b"\x00", []),
        (b"5", []),
    ],
)
def test_records_run_together_are_taken_apart(line: bytes, found: list[bytes]) -> None:
    assert whole_records(line, RECORD_START) == found


@pytest.mark.parametrize("between", [b"", b"\x00" * 20])
def test_a_record_after_a_torn_one_is_found_wherever_that_was_torn(between: bytes) -> None:
    for at in range(1, len(ONE)):
        assert whole_records(ONE[:at] + between + TWO, RECORD_START) == [TWO], ONE[:at]
        assert whole_records(ONE[:at] + ONE[:at] + TWO, RECORD_START) == [TWO], ONE[:at]


def test_an_object_within_a_torn_record_is_no_record() -> None:
    holder = b'{"parentUuid":null,"type":"user","result":{"list":[' + TWO + b'],"text":"long enough"},"uuid":"u"}'
    for at in range(holder.index(TWO) + len(TWO) + 1, len(holder)):
        assert TWO not in whole_records(holder[:at], RECORD_START)
        assert whole_records(holder[:at] + ONE, RECORD_START) == [ONE]


def test_a_line_nested_too_deeply_gives_nothing() -> None:
    assert whole_records(b'{"x":' + b"[" * 100_000 + ONE + b"]" * 100_000 + b"}", RECORD_START) == []


def test_a_line_of_many_pieces_is_given_up_at_a_limit() -> None:
    assert len(whole_records(ONE * (MOST_TRIES + 9), RECORD_START)) == MOST_TRIES
