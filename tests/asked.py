"""Every kind of call to a model, found in the code: each purpose with the type of its reply."""

import ast
import importlib
from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import Any, NamedTuple, get_args, get_type_hints

import msgspec

from skillopt_sleep.kit.codec import strict_schema
from skillopt_sleep.learning import asking
from skillopt_sleep.mining.mined import ask_model
from skillopt_sleep.records import Prompt, Purpose
from tests.test_architecture import MODULES, PACKAGE

Reply = type[msgspec.Struct]
ASKS = (Prompt, ask_model, asking.Question)
# Both pass on the schema that they are given.
PASS_ON = ("skillopt_sleep.mining.mined", "skillopt_sleep.learning.asking")


class Call(NamedTuple):
    """A purpose, and the type of the reply; None is an answer in words."""

    purpose: Purpose
    schema: Reply | None

    def __str__(self) -> str:
        return f"{self.purpose}-{self.schema.__name__ if self.schema else 'words'}"


def all_calls() -> list[Call]:
    """Each kind of call once. Where the purpose stands in a variable, those that the module names are meant."""
    found: dict[Call, None] = {}
    for path in MODULES:
        text = path.read_text(encoding="utf-8")
        if not any(ask.__name__ + "(" in text for ask in ASKS):
            continue
        module = importlib.import_module(".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts))
        tree = ast.parse(text)
        for call in _asks(module, tree):
            for schema in _schemas(module, call):
                found |= dict.fromkeys(Call(purpose, schema) for purpose in _purposes(call) or _purposes(tree))
    return list(found)


def _asks(module: ModuleType, tree: ast.AST) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(module, ast.unparse(node.func), None) in ASKS:
            yield node


def _purposes(node: ast.AST) -> list[Purpose]:
    inner = [part for part in ast.walk(node) if isinstance(part, ast.Attribute)]
    return [Purpose[part.attr] for part in inner if isinstance(part.value, ast.Name) and part.value.id == "Purpose"]


def _schemas(module: ModuleType, call: ast.Call) -> Sequence[Any]:
    """The types that are asked for: none where one is passed on, each reply of the module if it may be any."""
    named = {keyword.arg: keyword.value for keyword in call.keywords}
    given = named.get("schema")
    if given is None and ast.unparse(call.func) == "Question":
        given = call.args[1]
    match given:
        case None:
            return (None,)
        case ast.Name(id="schema") | ast.Attribute(attr="schema") if module.__name__ in PASS_ON:
            return ()
        case ast.Name(id="schema"):
            return [one for name, one in vars(module).items() if name.endswith("Reply") and isinstance(one, type)]
        case ast.Name(id=name):
            return (getattr(module, name),)
        case ast.Call(func=ast.Name(id=name)):
            (reply,) = get_args(get_type_hints(getattr(module, name))["return"])
            return (reply,)
        case _:
            raise AssertionError(
                f"{module.__name__}, line {call.lineno}: name the type of the reply where it is asked for"
            )


def an_answer(reply: Reply) -> dict[str, Any]:
    """A reply of this type: every list has two items, every number is 1."""
    whole = strict_schema(reply)

    def made(schema: dict[str, Any]) -> Any:
        match schema:
            case {"$ref": name}:
                return made(whole["$defs"][name.rpartition("/")[2]])
            case {"anyOf": choices}:
                return made(choices[0])
            case {"enum": choices}:
                return choices[0]
            case {"properties": fields}:
                return {name: made(inner) for name, inner in fields.items()}
            case {"type": "array", "items": inner}:
                return [made(inner)] * 2
            case {"type": kind}:
                return {"string": "x", "integer": 1, "number": 1.0, "boolean": True, "null": None}[kind]
            case _:
                raise AssertionError(schema)

    return made(whole)
