"""How the scripted server's answers go over the wire, well or badly, and the routes beside the model's."""

import json
import socket
import threading
from collections.abc import Iterator, Mapping
from typing import Any

from werkzeug import Request, Response

from tests.server_protocols import CREATED, Event

JSON = "application/json"
EVENT_STREAM = "text/event-stream"
MARK = "\ue000"  # one character that stands for the text of a flood
_PIECE = "flood " * 10_000
_DRIP_SECONDS = 0.2


def as_json(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """The value as a whole body."""
    return Response(json.dumps(value), status=status, content_type=JSON, headers=dict(headers or {}))


def as_stream(events: list[Event]) -> Response:
    """The events as a stream that ends well after the last."""
    return Response(_sse(events), content_type=EVENT_STREAM)


def cut_after_first_words(events: list[Event]) -> Response:
    """The stream ends once a part of the answer's text is there."""
    words = next(number for number, (name, _) in enumerate(events) if name.endswith("delta"))
    return as_stream(events[: words + 1])


def half_an_event(events: list[Event]) -> Response:
    """The first event breaks off in the middle of its JSON, and nothing follows."""
    name, data = events[0]
    return Response(f"event: {name}\ndata: {_half(json.dumps(data))}\n\n", content_type=EVENT_STREAM)


def half_a_body(value: Any) -> Response:
    """The first half of the JSON, as if it were all."""
    return Response(_half(json.dumps(value)), content_type=JSON)


def dropped(request: Request, sent: str = "") -> Response:
    """The connection is closed after these words, or before any answer."""

    def broken() -> Iterator[bytes]:
        if sent:
            yield sent.encode()
        connection: socket.socket = request.environ["werkzeug.socket"]
        connection.shutdown(socket.SHUT_RDWR)
        raise ConnectionResetError

    return Response(broken(), content_type=JSON)


def dropped_in_the_middle(request: Request, value: Any) -> Response:
    """The first half of the JSON, and then the connection is closed."""
    return dropped(request, _half(json.dumps(value)))


def dripping(released: threading.Event, *, stream: bool) -> Response:
    """Headers at once, then a byte now and then until released."""

    def drops() -> Iterator[bytes]:
        yield b" "
        while not released.wait(_DRIP_SECONDS):
            yield b" "

    return Response(drops(), content_type=EVENT_STREAM if stream else JSON)


def flooding(whole: Any, events: list[Event], *, size: int, released: threading.Event) -> Response:
    """The answer with a text of this size where the mark stands; it stops when the client goes or it is released."""
    parts = [_sse([event]) for event in events] if events else [json.dumps(whole)]

    def water() -> Iterator[bytes]:
        for part in parts:
            before, *others = part.split(json.dumps(MARK)[1:-1])
            yield before.encode()
            for after in others:
                for _ in range(0 if released.is_set() else size // len(_PIECE)):
                    yield _PIECE.encode()
                yield after.encode()

    return Response(water(), content_type=EVENT_STREAM if events else JSON)


def known_model(name: str | None, *, anthropic: bool) -> Response:
    """What is told of a model that exists, or the list of the only one where none is named."""
    shown = {"id": name or "scripted-1", "created": CREATED, "object": "model", "owned_by": "test"}
    if anthropic:
        shown = {
            "type": "model",
            "id": shown["id"],
            "display_name": shown["id"],
            "created_at": "2026-01-01T00:00:00Z",
        }
    return as_json(shown if name else {"object": "list", "data": [shown], "has_more": False})


def no_route(path: str) -> Response:
    """The answer of a server that knows no such path."""
    return as_json({"detail": f"Not Found: {path}"}, 404)


def azure_refuses(request: Request) -> Response | None:
    """Azure's own answer to a request without a key, or without a version where its path wants one."""
    headers = request.headers
    if "api-key" not in headers and not headers.get("authorization", "").startswith("Bearer "):
        said = "Access denied due to invalid subscription key or wrong API endpoint."
        return as_json({"error": {"code": "401", "message": said}}, 401)
    if not request.path.startswith("/openai/v1/") and "api-version" not in request.args:
        return as_json({"error": {"code": "404", "message": "Resource not found"}}, 404)
    return None


def _sse(events: list[Event]) -> str:
    return "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in events)


def _half(text: str) -> str:
    return text[: len(text) // 2]
