import json

import pytest
from hypothesis import given, strategies as st

from skillopt_sleep.daemon.service.jsonc import add_part, parse, part, remove_part, shape

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)


@given(value=values, indent=st.sampled_from([None, 0, 2, "\t"]))
def test_all_json_is_read_as_json(value: object, indent: int | str | None) -> None:
    assert parse(json.dumps(value, indent=indent)).value == value


def test_comments_and_trailing_commas_are_read_over() -> None:
    text = '\ufeff// a\n{ /* b */ "x": [1, /* c */ 2, ], // d\n "y": {}, }\n// e'
    assert parse(text).value == {"x": [1, 2], "y": {}}


@pytest.mark.parametrize(
    "text",
    ["", "{", "{,}", '{"a" 1}', '{"a": 1 "b": 2}', "[1 2]", "{} {}", "{1: 2}", '{"a": }', "// only", "[" * 5000],
)
def test_what_isnt_json_is_an_error_that_says_where(text: str) -> None:
    with pytest.raises(ValueError, match=r"line|nested"):
        parse(text)


@given(value=st.lists(values, max_size=4), new=values, indent=st.sampled_from([None, 0, 2, "\t"]))
def test_an_item_that_is_added_can_be_taken_out_again(
    value: list[object], new: object, indent: int | str | None
) -> None:
    text = json.dumps(value, indent=indent)
    more = add_part(text, parse(text), new)
    assert parse(more).value == [*value, new]
    assert remove_part(more, parse(more), len(value)) == text


@given(value=st.lists(values, min_size=1, max_size=4), data=st.data())
def test_any_item_can_be_taken_out(value: list[object], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(value) - 1))
    text = json.dumps(value, indent=data.draw(st.sampled_from([None, 2])))
    assert parse(remove_part(text, parse(text), at)).value == value[:at] + value[at + 1 :]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("{}", '{\n  "k": 1\n}'),
        ("{ }", '{"k": 1}'),
        ('{"a":0}', '{"a":0,"k":1}'),
        ('{"a": 0}', '{"a": 0, "k": 1}'),
        ('{\r\n\t"a": 0\r\n}', '{\r\n\t"a": 0,\r\n\t"k": 1\r\n}'),
        ('{\n  "a": 0, // x\n}', '{\n  "a": 0, // x\n  "k": 1,\n}'),
        ('{\n  "a": 0 // x\n}', '{\n  "a": 0, // x\n  "k": 1\n}'),
        ("{\n  // x\n}", '{\n  // x\n  "k": 1\n}'),
    ],
)
def test_a_member_is_added_in_the_texts_own_layout(text: str, wanted: str) -> None:
    assert add_part(text, parse(text), 1, key="k") == wanted


@pytest.mark.parametrize(
    ("text", "at", "wanted"),
    [
        ("[1, 2, 3]", 1, "[1, 3]"),
        ("[\n  1, // one\n  2\n]", 1, "[\n  1 // one\n]"),
        ("[\n  1,\n  // of two\n  2,\n]", 1, "[\n  1,\n  // of two\n]"),
        ("[ // one\n1]", 0, "[ // one\n]"),
        ("[\n  1\n]", 0, "[]"),
    ],
)
def test_comments_stay_where_an_item_goes(text: str, at: int, wanted: str) -> None:
    assert remove_part(text, parse(text), at) == wanted


def test_the_last_of_two_members_of_a_name_counts() -> None:
    found = part(parse('{"a": 1, "a": 2}'), "a")
    assert found
    assert found.node.value == 2


def test_a_layout_is_seen() -> None:
    assert shape('{\r\n\t"a": 1\r\n}') == ("\r\n", "\t")
    assert shape('{"a": 1}\n') == ("\n", "")
