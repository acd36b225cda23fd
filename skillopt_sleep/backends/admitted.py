"""Admit of what a sealed agent asks only what its model alone answers, at the price that was agreed.

The server of a model can do more for a request than answer it: fetch addresses, run code, talk to other servers. Each
of these would be a way out of the seal. And a request can ask for a dearer model, or for haste.
"""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple, cast

from skillopt_sleep.errors import SleepError

MOST_VALUES = 2_000_000  # what a request holds, counted before it is read: an empty object takes many times its bytes

_TOOLS = frozenset({"custom", "function", "local_shell"})  # run by the agent; all others run on the server
_REACHING_OUT = frozenset(
    {"background", "container", "conversation", "mcp_servers", "previous_response_id", "prompt"}
)
_USUAL = {"service_tier": ("auto", "default", "standard_only"), "speed": ("standard",)}
_DATA = "data:"


class NotAdmitted(SleepError):
    """A request that isn't passed on, and why."""


class Admitted(NamedTuple):
    """A request as it is sent, and the model that it names."""

    body: bytes
    model: str


def admitted(body: bytes) -> Admitted:
    """Return the request written anew, so that the server reads what was read here; raise NotAdmitted."""
    request = _read(body)
    model = request.get("model")
    if not isinstance(model, str) or not model:
        raise NotAdmitted("a request has to name its model")
    for name, value in request.items():
        if name != "model" and name.casefold() == "model":
            raise NotAdmitted("a request has to name its model once")
        if name in _REACHING_OUT and value:
            raise NotAdmitted(f"{name} isn't allowed in a sealed attempt")
        if name in _USUAL and value is not None and value not in _USUAL[name]:
            raise NotAdmitted(f"{name} isn't allowed to cost more in a sealed attempt")
    if not _are_own_tools(request.get("tools")):
        raise NotAdmitted("only the agent's own tools are allowed in a sealed attempt")
    if any(_is_elsewhere(part) for part in _objects(request)):
        raise NotAdmitted("nothing may be fetched in a sealed attempt")
    return Admitted(json.dumps(request, separators=(",", ":")).encode(), model)


def _read(body: bytes) -> dict[str, Any]:
    if sum(body.count(sign) for sign in (b",", b"[", b"{")) > MOST_VALUES:
        raise NotAdmitted("a request may not have so many parts")
    try:
        request: Any = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise NotAdmitted("a request has to be JSON") from error
    if not isinstance(request, dict):
        raise NotAdmitted("a request has to be a JSON object")
    return cast("dict[str, Any]", request)


def _are_own_tools(tools: object) -> bool:
    if tools is None:
        return True
    if not isinstance(tools, list):
        return False
    return all(_is_own(tool) for tool in cast("list[Any]", tools))


def _is_own(tool: object) -> bool:
    if not isinstance(tool, dict):
        return False
    kind = cast("dict[str, Any]", tool).get("type")
    return kind is None or (isinstance(kind, str) and kind in _TOOLS)


def _objects(request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield every object of what is said; what a tool was given are words of the model's."""
    waiting: list[Any] = [request]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting.extend(cast("list[Any]", value))
        elif isinstance(value, dict):
            part = cast("dict[str, Any]", value)
            yield part
            is_call = part.get("type") == "tool_use"
            waiting.extend(
                inner for name, inner in part.items() if name != "tools" and not (is_call and name == "input")
            )


def _is_elsewhere(part: dict[str, Any]) -> bool:
    """Tell whether the server would have to fetch this picture or file from an address."""
    if part.get("type") == "url" or part.get("file_url"):
        return True
    image = part.get("image_url")
    if isinstance(image, dict):
        image = cast("dict[str, Any]", image).get("url")
    return bool(image) and not (isinstance(image, str) and image.startswith(_DATA))
