"""What the schema of a reply may hold: Claude Code, Codex and the two APIs each refuse some words of JSON schema."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import msgspec
import pytest

from skillopt_sleep.kit.codec import root_schema, strict_schema
from skillopt_sleep.records import Purpose
from tests.asked import Call, all_calls

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
