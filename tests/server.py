"""A scripted model on loopback: OpenAI Chat Completions (Azure's paths too), OpenAI Responses, Anthropic Messages.

What a healthy one says is in server_answers.py. `behaviour` may be changed at any time, or be a function that chooses
by what was asked; each behaviour takes the form that the protocol has for it.
"""

import json
import logging
import re
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, Self, get_args

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from tests.server_answers import ScriptedModel, recognised
from tests.server_messages import Messages
from tests.server_protocols import (
    CACHED_TOKENS,
    INPUT_TOKENS,
    MODEL,
    OUTPUT_TOKENS,
    RESETS_IN,
    RETRY_AFTER,
    Chat,
    Name,
    Responses,
    Said,
    Speech,
)
from tests.server_wire import (
    JSON,
    MARK,
    as_json,
    as_stream,
    azure_refuses,
    cut_after_first_words,
    dripping,
    dropped,
    dropped_in_the_middle,
    flooding,
    half_a_body,
    half_an_event,
    known_model,
    no_route,
)

__all__ = [
    "BEHAVIOURS",
    "CACHED_TOKENS",
    "GARBAGE",
    "INPUT_TOKENS",
    "MODEL",
    "OUTPUT_TOKENS",
    "PAGE",
    "RESETS_IN",
    "RETRY_AFTER",
    "Asked",
    "Behaviour",
    "ModelServer",
    "model_server",
]

Behaviour = Literal[
    "healthy",
    "unauthorized",  # 401
    "forbidden",  # 403
    "not_found",  # 404
    "context_too_long",  # 400
    "no_response_format",  # 400 where a reply by a schema is asked for, else healthy
    "rate_limited",  # 429 with retry-after
    "quota",  # no money left: 429 insufficient_quota, Anthropic: 400
    "usage_limit",  # a subscription's limit: 429 that names when it ends, `resets_at`
    "error500",
    "overloaded",  # 503, Anthropic: 529
    "garbage",  # a completion of words that mean nothing, for every purpose
    "garbage_body",  # 200, not JSON
    "half_json",  # 200, ends in the middle of the JSON, as if it were all
    "empty",  # a completion without content
    "empty_body",  # 200, nothing
    "html",  # 200, a page
    "no_choices",  # 200, a completion without choices
    "refusal",
    "cut_off",
    "no_usage",  # healthy, but tells no usage
    "raw",  # 200, the server's `raw` as JSON
    "hang",  # no answer until the server stops
    "reset",  # the connection is dropped, unanswered
    "slow_drip",  # headers at once, then a byte now and then until the server stops
    "cut_stream",  # the stream ends in the middle; what is no stream is dropped in the middle
    "flood",  # a healthy answer whose text is `flood_bytes` long
]
BEHAVIOURS: tuple[Behaviour, ...] = get_args(Behaviour)

GARBAGE = "purple monkey dishwasher ;; not what you asked for"
PAGE = "<!doctype html><html><body>Welcome to the portal. Please sign in.</body></html>"

_SPOKEN: dict[Behaviour, Said] = {
    "garbage": Said(GARBAGE),
    "empty": Said(""),
    "no_choices": Said(nothing=True),
    "refusal": Said(refusal="I can't help with that."),
    "flood": Said(MARK),
    "cut_off": Said('{"tasks": [', cut_off=True),
}
_ROUTES: list[tuple[re.Pattern[str], Speech]] = [
    (re.compile(r"(/openai)?/v1/chat/completions|/openai/deployments/[^/]+/chat/completions"), Chat()),
    (re.compile(r"(/openai)?/v1/responses|/openai/responses"), Responses()),
    (re.compile(r"/v1/messages"), Messages()),
]
_MODELS = re.compile(r"(?:/openai)?/v1/models(?:/(.+))?")

# One line a request on stderr would stand in what a test captures of the program.
logging.getLogger("werkzeug").setLevel(logging.WARNING)


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One request: what it asked, as what we take it, and the parsed body."""

    purpose: str
    prompt: str
    body: dict[str, Any]
    headers: dict[str, str] = field(default_factory=dict)
    protocol: Name = "chat"
    wants_json: bool = False


class ModelServer:
    """Listens on a free port of loopback while it is entered; `requests` is everything that was asked of a model.

    `acts` answers in the place of the usual model where it says something, and may call tools. `models` says what GET /v1/models/<id> finds: any model, none, or no such route. With `late_errors` a stream
    begins well and then brings the error as an event.
    """

    def __init__(
        self,
        behaviour: Behaviour | Callable[[Asked], Behaviour] = "healthy",
        *,
        want: str = "pnpm",
        avoid: str = "npm",
    ) -> None:
        self.behaviour: Behaviour | Callable[[Asked], Behaviour] = behaviour
        self.model = ScriptedModel(want=want, avoid=avoid)
        self.models: Literal["any", "none", "no_route"] = "any"
        self.late_errors = False
        self.acts: Callable[[Asked], Said | None] | None = None
        self.raw = "{}"
        self.flood_bytes = 9 << 20  # more than any reader of ours takes
        self.resets_at = int(time.time()) + RESETS_IN
        self.requests: list[Asked] = []
        self._lock = threading.Lock()
        self._released = threading.Event()
        self._http = HTTPServer(host="127.0.0.1", port=0, threaded=True)
        self._http.expect_request(re.compile(".*")).respond_with_handler(self._handle)

    def __enter__(self) -> Self:
        self._http.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._released.set()
        self._http.stop()

    @property
    def base_url(self) -> str:
        """What a client of OpenAI's protocols takes as its base URL."""
        return self._http.url_for("/v1")

    @property
    def root_url(self) -> str:
        """What a client of Anthropic's protocol takes as its base URL, and one of Azure as its endpoint."""
        return self._http.url_for("").rstrip("/")

    @property
    def prompts(self) -> list[str]:
        return [asked.prompt for asked in self.requests]

    def asked(self, purpose: str) -> list[Asked]:
        """The requests of one purpose, in order."""
        return [asked for asked in self.requests if asked.purpose == purpose]

    def answer(self, asked: Asked) -> str:
        """What a healthy model says."""
        return self.model.answer(asked.purpose, asked.prompt)

    def _handle(self, request: Request) -> Response:
        response = self._routed(request)
        response.headers["Connection"] = "close"
        return response

    def _routed(self, request: Request) -> Response:
        if request.method == "HEAD":
            return Response()
        if request.method == "GET" and self.models != "no_route" and (named := _MODELS.fullmatch(request.path)):
            return self._named_model(named[1], anthropic="anthropic-version" in request.headers)
        if request.method == "POST" and request.path == "/v1/messages/count_tokens":
            return as_json({"input_tokens": INPUT_TOKENS})
        speech = next((speech for pattern, speech in _ROUTES if pattern.fullmatch(request.path)), None)
        if request.method != "POST" or speech is None:
            return no_route(request.path)
        if request.path.startswith("/openai/") and (refused := azure_refuses(request)):
            return refused
        return self._asked(request, speech)

    def _named_model(self, name: str | None, *, anthropic: bool) -> Response:
        """A key or a model that every call refuses is refused here too."""
        wrong = self.behaviour if self.behaviour in ("unauthorized", "forbidden", "not_found") else ""
        if self.models == "none":
            wrong = wrong or "not_found"
        speech: Speech = Messages() if anthropic else Chat()
        failure = speech.failure(str(wrong), {"model": name}, self.resets_at)
        return as_json(failure.body, failure.status) if failure else known_model(name, anthropic=anthropic)

    def _asked(self, request: Request, speech: Speech) -> Response:
        body: dict[str, Any] = json.loads(request.get_data())
        schema = speech.schema_name(body)
        purpose, prompt = recognised(speech.texts(body))
        asked = Asked(
            purpose=schema if speech.name == "chat" and schema else purpose,
            prompt=prompt,
            body=body,
            headers=dict(request.headers),
            protocol=speech.name,
            wants_json=schema is not None,
        )
        with self._lock:
            self.requests.append(asked)
        # Outside the lock: a behaviour may take its time, and nobody else waits for it.
        behaviour = self.behaviour(asked) if callable(self.behaviour) else self.behaviour
        return self._reply(behaviour, asked, speech, request)

    def _reply(self, behaviour: Behaviour, asked: Asked, speech: Speech, request: Request) -> Response:
        stream = bool(asked.body.get("stream"))
        if failure := speech.failure(behaviour, asked.body, self.resets_at):
            if stream and self.late_errors and (events := speech.failed(failure)):
                return as_stream(events)
            return as_json(failure.body, failure.status, failure.headers)
        match behaviour:
            case "hang":
                self._released.wait(60)
                return Response(status=503)
            case "reset":
                return dropped(request)
            case "slow_drip":
                return dripping(self._released, stream=stream)
            case "garbage_body":
                return Response(GARBAGE, content_type=JSON)
            case "empty_body":
                return Response("", content_type=JSON)
            case "raw":
                return Response(self.raw, content_type=JSON)
            case "html":
                return Response(PAGE, content_type="text/html")
            case _:
                return self._completion(behaviour, asked, speech, request)

    def _completion(self, behaviour: Behaviour, asked: Asked, speech: Speech, request: Request) -> Response:
        said = _SPOKEN.get(behaviour) or (self.acts(asked) if self.acts else None)
        said = said or Said(self.answer(asked), usage=behaviour != "no_usage")
        whole = speech.whole(asked.body, said)
        events = speech.events(asked.body, said) if asked.body.get("stream") else []
        match behaviour:
            case "flood":
                return flooding(whole, events, size=self.flood_bytes, released=self._released)
            case "cut_stream":
                return cut_after_first_words(events) if events else dropped_in_the_middle(request, whole)
            case "half_json":
                return half_an_event(events) if events else half_a_body(whole)
            case _:
                return as_stream(events) if events else as_json(whole)


@pytest.fixture
def model_server() -> Iterator[ModelServer]:
    """A healthy model server for one test."""
    with ModelServer() as server:
        yield server
