import json

import pytest
from hypothesis import given, strategies as st

from skillopt_sleep.kit.jsonish import find_object

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(), VALUES, max_size=4)
PROSE = st.text(alphabet=st.characters(blacklist_characters="{}`"))


@given(OBJECTS)
def test_a_bare_object_is_found_whole(value: dict[str, object]) -> None:
    assert json.loads(find_object(f" \n{json.dumps(value)}\n") or "") == value


@given(OBJECTS, PROSE, PROSE)
def test_an_object_with_prose_around_it_is_found_whole(value: dict[str, object], before: str, after: str) -> None:
    assert json.loads(find_object(f"{before}{json.dumps(value)}{after}") or "") == value


@pytest.mark.parametrize(
    "fence", ["```json\n{}\n```", "```\n{}\n```", "Here you are:\n```json\n{}\n```\nAnything else?"]
)
def test_an_object_in_a_fence_is_found(fence: str) -> None:
    value = '{"why": "use {braces} and `ticks`", "n": [1, {"a": null}]}'
    assert find_object(fence.replace("{}", value)) == value


def test_braces_that_are_no_object_before_it_are_passed_over() -> None:
    assert find_object('I set {x} and {not: json}, so: {"score": 1} (done)') == '{"score": 1}'


def test_of_two_objects_the_first_is_meant() -> None:
    assert find_object('{"score": 0}\n{"score": 1}') == '{"score": 0}'


@pytest.mark.parametrize(
    "text", ["", "{", "no object here", "[1, 2]", '"text"', "null", '{"cut": "of', "{'single': 1}"]
)
def test_where_there_is_no_whole_object_there_is_none(text: str) -> None:
    assert find_object(text) is None


def test_a_reply_nested_without_end_is_no_object() -> None:
    assert find_object('{"a":' * 100_000) is None
    assert find_object("so: " + '{"a":' * 100_000 + "1" + "}" * 100_000) is None


@given(st.text(alphabet='{}[]",:a1\\ \n`'))
def test_what_is_found_is_always_a_json_object(text: str) -> None:
    found = find_object(text)
    assert found is None or isinstance(json.loads(found), dict)
