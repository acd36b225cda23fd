"""What an answer took is read as it passes by, however it is cut into pieces."""

import json
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, strategies as st

from skillopt_sleep.backends.streamed_usage import MOST_LINE, UsageReader
from skillopt_sleep.records import Usage

MESSAGES = [
    {"type": "message_start", "message": {"model": "claude-x", "usage": {"input_tokens": 5, "output_tokens": 1}}},
    {"type": "content_block_delta", "delta": {"text": "hi"}},
    {
        "type": "message_delta",
        "usage": {
            "input_tokens": 5,
            "cache_read_input_tokens": 70,
            "cache_creation_input_tokens": 20,
            "output_tokens": 9,
        },
    },
    {"type": "message_stop"},
]
RESPONSES = [
    {"type": "response.created", "response": {"model": "gpt-x", "usage": None}},
    {
        "type": "response.completed",
        "response": {
            "model": "gpt-x",
            "usage": {"input_tokens": 95, "input_tokens_details": {"cached_tokens": 70}, "output_tokens": 9},
        },
    },
]


def stream(events: Sequence[Mapping[str, object]]) -> bytes:
    return b"".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in events)


@pytest.mark.parametrize(("events", "model"), [(MESSAGES, "claude-x"), (RESPONSES, "gpt-x")])
@given(data=st.data())
def test_a_stream_tells_the_same_however_it_is_cut(
    data: st.DataObject, events: list[dict[str, object]], model: str
) -> None:
    whole = stream(events)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=8)))
    reader = UsageReader(is_stream=True)
    for start, end in zip([0, *cuts], [*cuts, len(whole)], strict=True):
        reader.feed(whole[start:end])
    assert reader.usage() == Usage(input_tokens=95, output_tokens=9, cached_tokens=70)
    assert reader.model == model


def test_an_answer_that_is_no_stream_tells_it_too() -> None:
    reader = UsageReader(is_stream=False)
    reader.feed(b'{"model": "m", "usage": {"input_')
    reader.feed(b'tokens": 3, "output_tokens": 4}}')
    assert reader.usage() == Usage(input_tokens=3, output_tokens=4)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"not json",
        b"[1]",
        b'{"usage": {"input_tokens": -1, "output_tokens": true}}',
        b'{"usage": [1]}',
        b"\xff\xfe",
    ],
)
def test_an_answer_that_names_nothing_is_unknown_and_not_free(body: bytes) -> None:
    for is_stream in (False, True):
        reader = UsageReader(is_stream=is_stream)
        reader.feed(b"data: " + body + b"\n" if is_stream else body)
        assert reader.usage() is None


def test_a_line_without_an_end_is_not_kept() -> None:
    reader = UsageReader(is_stream=True)
    for _ in range(4):
        reader.feed(b"x" * MOST_LINE)
    reader.feed(b"\n" + stream(MESSAGES))
    assert reader.usage() == Usage(input_tokens=95, output_tokens=9, cached_tokens=70)
