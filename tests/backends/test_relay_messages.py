"""What a sealed agent may ask, and what an answer says that it took."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from skillopt_sleep.backends.relay_messages import MOST_LINE, NotAdmitted, UsageReader, admitted
from skillopt_sleep.records import Usage

_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["type", "url", "image_url", "file_url", "input", "tools", "x"]), inner)
    ),
    max_leaves=12,
)
_NAMES = st.sampled_from(["tools", "messages", "speed", "service_tier", "background", "Model", "system"])


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(fields=st.dictionaries(_NAMES, _VALUES))
def test_any_request_is_sent_as_it_was_read_or_refused(fields: dict[str, Any]) -> None:
    whole = {"model": "m", **fields}
    try:
        sent = admitted(json.dumps(whole).encode())
    except NotAdmitted:
        return
    assert sent.model == "m"
    assert repr(json.loads(sent.body)) == repr(whole)


@pytest.mark.parametrize("tools", [[{"type": ["web_search"]}], [{"type": {}, "name": "x"}], [{"type": 7}], ["web_search"], {}, 7])  # fmt: skip
def test_odd_tools_are_refused(tools: Any) -> None:
    with pytest.raises(NotAdmitted):
        admitted(json.dumps({"model": "m", "tools": tools}).encode())


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
