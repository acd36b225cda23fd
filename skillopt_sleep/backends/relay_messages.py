"""Read the requests and answers of a sealed agent: what may be sent on, and how many tokens an answer took.

A request is sent on if its model alone answers it, at the price that was agreed. The server of a model can do more:
fetch addresses, run code, talk to other servers. Each of these would be a way out of the seal. And a request can ask
for a dearer model, or for haste.
"""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple, cast

from skillopt_sleep.errors import SleepError
from skillopt_sleep.records import Usage

MOST_VALUES = 2_000_000  # what a request holds, counted before it is read: an empty object takes many times its bytes

_TOOLS = frozenset({"custom", "function", "local_shell"})  # run by the agent; all others run on the server
_REACHING_OUT = frozenset(
    {"background", "container", "conversation", "mcp_servers", "previous_response_id", "prompt"}
)
_USUAL = {"service_tier": ("auto", "default", "standard_only"), "speed": ("standard",)}
_DATA = "data:"
MOST_LINE = 1024 * 1024  # a longer line of a stream is passed on unread
MOST_BODY = 8 * 1024 * 1024  # so is a longer answer that isn't a stream

_STREAMED = b"data:"


class NotAdmitted(SleepError):
    """A request that isn't passed on, and why."""


class Admitted(NamedTuple):
    """A request as it is sent, and the model that it names."""

    body: bytes
    model: str


def admitted(body: bytes) -> Admitted:
    """Encode the checked request afresh, so that the server gets exactly what was checked; raise NotAdmitted."""
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


class UsageReader:
    """Is fed an answer piece by piece and knows afterwards what it took, as far as the answer says."""

    def __init__(self, *, is_stream: bool) -> None:
        self._is_stream = is_stream
        self._pending = bytearray()
        self._skipping = False
        self._counts: dict[str, int] = {}
        self.model = ""

    def feed(self, data: bytes) -> None:
        """Read the next bytes of the answer."""
        if not self._is_stream:
            if len(self._pending) + len(data) <= MOST_BODY:
                self._pending += data
            return
        *lines, rest = (bytes(self._pending) + data).split(b"\n")
        self._pending = bytearray(rest)
        for line in lines:
            if self._skipping:
                self._skipping = False  # the end of a line that was too long
            elif line.startswith(_STREAMED):
                self._read(line[len(_STREAMED) :])
        if len(self._pending) > MOST_LINE:
            self._skipping = True
            self._pending.clear()

    def usage(self) -> Usage | None:
        """Return the tokens of the whole answer, or None if it named none."""
        if not self._is_stream:
            self._read(bytes(self._pending))
            self._pending.clear()
        if not self._counts:
            return None
        counted = self._counts.get
        # Anthropic counts what was cached apart from the input, OpenAI as a part of it.
        cached = counted("cache_read_input_tokens", 0)
        written = counted("cache_creation_input_tokens", 0)
        return Usage(
            input_tokens=counted("input_tokens", 0) + cached + written,
            output_tokens=counted("output_tokens", 0),
            cached_tokens=cached + counted("cached_tokens", 0),
        )

    def _read(self, data: bytes) -> None:
        """Keep the counts of one event, or of the whole answer; later ones replace earlier ones."""
        try:
            event: Any = json.loads(data)
        except ValueError:
            return
        if not isinstance(event, dict):
            return
        whole = cast("dict[str, Any]", event)
        for place in (whole, whole.get("message"), whole.get("response")):
            if not isinstance(place, dict):
                continue
            found = cast("dict[str, Any]", place)
            if isinstance(found.get("model"), str):
                self.model = found["model"]
            self._count(found.get("usage"))

    def _count(self, usage: object) -> None:
        if not isinstance(usage, dict):
            return
        bill = cast("dict[str, Any]", usage)
        details = bill.get("input_tokens_details")
        if isinstance(details, dict):
            bill = bill | cast("dict[str, Any]", details)
        for name in (
            "input_tokens",
            "output_tokens",
            "cache_read_input_tokens",
            "cache_creation_input_tokens",
            "cached_tokens",
        ):
            count = bill.get(name)
            if type(count) is int and count >= 0:
                self._counts[name] = count
