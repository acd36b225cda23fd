"""What a sealed agent asks is sent on only if its model alone answers it; anything else is refused, never a crash."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from skillopt_sleep.backends.admitted import NotAdmitted, admitted

_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["type", "url", "image_url", "file_url", "input", "tools", "x"]), inner)
    ),
    max_leaves=12,
)
_NAMES = st.sampled_from(["tools", "messages", "speed", "service_tier", "background", "Model", "system"])


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
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
