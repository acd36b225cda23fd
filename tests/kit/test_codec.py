import json
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import msgspec
import pytest
from hypothesis import given, strategies as st

from skillopt_sleep.kit.codec import find_object, from_json, map_strings, root_schema, schema, strict_schema, to_json
from skillopt_sleep.records import Check, Checks, Edit, Op, Purpose, Reference, Rubric, Session, Task, Usage
from tests.asked import Call, all_calls
from tests.builders import a_rollout, a_session, a_task

REFERENCES: st.SearchStrategy[Reference] = st.one_of(
    st.builds(Rubric, text=st.text()),
    st.builds(
        Checks,
        items=st.lists(st.builds(Check, op=st.sampled_from(Op), arg=st.text(), section=st.text()), max_size=3).map(
            tuple
        ),
    ),
)


@given(REFERENCES, st.text(), st.booleans())
def test_a_record_comes_back_as_it_was(reference: Reference, prompt: str, pretty: bool) -> None:
    task = a_task(reference=reference, prompt=prompt)
    assert from_json(to_json(task, pretty=pretty), Task) == task


def test_pretty_is_indented_and_ends_its_last_line() -> None:
    assert to_json({"a": [1]}, pretty=True) == b'{\n  "a": [\n    1\n  ]\n}\n'
    assert to_json({"a": [1]}) == b'{"a":[1]}'


@pytest.mark.parametrize(
    "data",
    [
        b'{"input_tokens": 1, "inputtokens": 2}',
        b'{"input_tokens": "1"}',
        b'{"input_tokens": 1.5}',
        b'{"input_tokens": null}',
        b"[]",
    ],
)
def test_what_is_not_of_the_type_is_refused(data: bytes) -> None:
    with pytest.raises(msgspec.ValidationError):
        from_json(data, Usage)


@pytest.mark.parametrize("data", [b"", b"{", b"nonsense", b'{"input_tokens": NaN}', b"\xff"])
def test_what_is_not_json_is_refused(data: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        from_json(data, Usage)


def test_every_string_of_a_record_is_mapped_and_nothing_else() -> None:
    session = a_session()
    mapped = map_strings(session, str.upper)
    assert isinstance(mapped, dict)
    assert [turn["text"] for turn in mapped["turns"]] == [turn.text.upper() for turn in session.turns]
    assert set(mapped) == set(Session.__struct_fields__)
    assert mapped["gaps"]["damaged"] == 0


@given(
    st.recursive(
        st.text() | st.integers() | st.none(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_mapping_with_nothing_changed_changes_nothing(value: object) -> None:
    assert map_strings(value, lambda text: text) == value


def test_a_score_that_is_missing_stays_missing() -> None:
    mapped = map_strings(a_rollout(None), str.upper)
    assert isinstance(mapped, dict)
    assert mapped["score"] is None


def test_the_schema_names_what_is_required_and_what_is_allowed() -> None:
    found = schema(Edit)
    defined = found["$defs"]["Edit"]
    assert defined["required"] == ["op"]
    assert defined["additionalProperties"] is False
    assert found["$defs"]["EditOp"]["enum"] == ["append", "delete", "insert_after", "replace"]


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


CALLS = all_calls()
# Claude's --json-schema knows the words of draft 7 and refuses any other one, as `prefixItems`. Codex passes its
# --output-schema on to OpenAI, whose strict outputs want closed objects and take no `allOf`, `not`, `default` or tuple,
# nor a word beside a `$ref`. Anthropic's take no bounds of numbers, strings and lists. These are taken by all.
TAKEN = frozenset(
    {"type", "title", "description", "properties", "required", "additionalProperties", "items", "enum", "anyOf"}
    | {"$ref", "$defs"}
)


def refused(schema: Mapping[str, Any], taken: frozenset[str] = TAKEN) -> Iterator[str]:
    """Why one of the four would refuse this."""
    yield from sorted(schema.keys() - taken)
    if "$ref" in schema and len(schema) > 1 and "default" not in taken:
        yield "a word beside $ref"
    if schema.get("additionalProperties", False) is not False:
        yield "an open object"
    inner = [*schema.get("properties", {}).values(), *schema.get("$defs", {}).values(), *schema.get("anyOf", ())]
    if "items" in schema:
        inner.append(schema["items"])
    for one in inner:
        yield from refused(one, taken) if isinstance(one, dict) else [f"{one} for a schema"]


def test_the_call_of_every_purpose_is_found() -> None:
    assert {call.purpose for call in CALLS} == set(Purpose)
    assert {call.purpose for call in CALLS if call.schema is None} == {Purpose.PREFLIGHT, Purpose.ROLLOUT}


@pytest.mark.parametrize("call", [call for call in CALLS if call.schema], ids=str)
def test_no_program_and_no_api_refuses_the_schema_of_a_reply(call: Call) -> None:
    schema = strict_schema(call.schema)
    assert list(refused(schema)) == []
    assert schema["type"] == "object"
    # Claude's program gets the defaults too.
    assert list(refused(root_schema(call.schema), TAKEN | {"default"})) == []


@pytest.mark.parametrize(
    "kind", [tuple[int, int], dict[str, int], Annotated[int, msgspec.Meta(ge=0)], set[Any], bytes], ids=str
)
def test_a_type_that_one_of_them_refuses_is_noticed(kind: Any) -> None:
    assert list(refused(strict_schema(msgspec.defstruct("Bad", [("field", kind | None)]))))
