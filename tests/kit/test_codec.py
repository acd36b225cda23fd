import msgspec
import pytest
from hypothesis import given, strategies as st

from skillopt_sleep.kit.codec import from_json, map_strings, schema, to_json
from skillopt_sleep.records import Check, Checks, Edit, Op, Reference, Rubric, Session, Task, Usage
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
    assert mapped["damaged"] == 0


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
