"""A scripted model on loopback that speaks OpenAI Chat Completions.

A healthy one has one lesson to learn, `pnpm` instead of `npm`: as the target it says `npm` until the instructions in
its prompt say `pnpm`; as the miner it finds the turns in which the person said so; as the optimizer it turns those
words into one edit. `behaviour` may be changed at any time, or be a function that chooses by what was asked.
"""

import json
import logging
import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, Literal, Self, get_args

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from skillopt_sleep.records import Purpose

Behaviour = Literal[
    "healthy",
    "unauthorized",  # 401
    "forbidden",  # 403
    "not_found",  # 404
    "context_too_long",  # 400
    "no_response_format",  # 400 where a response_format is sent, else healthy
    "rate_limited",  # 429 with retry-after
    "error500",
    "overloaded",  # 503
    "garbage",  # a completion of words that mean nothing, for every purpose
    "garbage_body",  # 200, not JSON
    "empty",  # a completion without content
    "empty_body",  # 200, nothing
    "html",  # 200, a page
    "no_choices",  # 200, a completion without choices
    "refusal",
    "cut_off",
    "no_usage",  # healthy, but tells no usage
    "raw",  # 200, the server's `raw` as JSON
    "hang",  # no answer until the server stops
]
BEHAVIOURS: tuple[Behaviour, ...] = get_args(Behaviour)

GARBAGE = "purple monkey dishwasher ;; not what you asked for"
PAGE = "<!doctype html><html><body>Welcome to the portal. Please sign in.</body></html>"
MODEL = "scripted-1"
INPUT_TOKENS, OUTPUT_TOKENS, CACHED_TOKENS = 100, 20, 10
RETRY_AFTER = 7

_ERRORS: dict[str, tuple[int, str]] = {
    "unauthorized": (401, "Incorrect API key provided."),
    "forbidden": (403, "You are not allowed to use this model."),
    "not_found": (404, "The model does not exist."),
    "context_too_long": (400, "This model's maximum context length is 8192 tokens."),
    "no_response_format": (400, "Unknown parameter: 'response_format'."),
    "rate_limited": (429, "Rate limit reached."),
    "error500": (500, "The server had an error."),
    "overloaded": (503, "The server is overloaded."),
}
_SAID = re.compile(r"^- «(.*?)»$", re.DOTALL | re.MULTILINE)
_PROPOSED = re.compile(r"^\(\w+, \d+ attempts\) (\w+) (''|'.*?'): (.*)$", re.MULTILINE)


def _beginnings() -> dict[str, str]:
    """How each of our prompts begins, up to its first slot: what tells one purpose from another."""
    prompts = files("skillopt_sleep.prompts")
    texts = {purpose.value: (prompts / f"{purpose}.md").read_text(encoding="utf-8") for purpose in Purpose}
    return {name: text.split("{{", 1)[0][:60] for name, text in texts.items()}


_BEGINNINGS = _beginnings()

# One line a request on stderr would stand in what a test captures of the program.
logging.getLogger("werkzeug").setLevel(logging.WARNING)


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One request: what it asked, as what we take it, and the parsed body."""

    purpose: str
    prompt: str
    body: dict[str, Any]
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def wants_json(self) -> bool:
        return "response_format" in self.body


class ModelServer:
    """Listens on a free port of loopback while it is entered; `requests` is everything that was asked."""

    def __init__(
        self,
        behaviour: Behaviour | Callable[[Asked], Behaviour] = "healthy",
        *,
        want: str = "pnpm",
        avoid: str = "npm",
        nested: bool = False,
    ) -> None:
        self.behaviour: Behaviour | Callable[[Asked], Behaviour] = behaviour
        self.want, self.avoid, self.nested = want, avoid, nested
        self.raw = "{}"
        self.requests: list[Asked] = []
        self._lock = threading.Lock()
        self._released = threading.Event()
        self._http = HTTPServer(host="127.0.0.1", port=0, threaded=True)
        self._http.expect_request("/v1/chat/completions", method="POST").respond_with_handler(self._handle)

    def __enter__(self) -> Self:
        self._http.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._released.set()
        self._http.stop()

    @property
    def base_url(self) -> str:
        """What a client takes as its base URL."""
        return self._http.url_for("/v1")

    @property
    def prompts(self) -> list[str]:
        return [asked.prompt for asked in self.requests]

    def asked(self, purpose: str) -> list[Asked]:
        """The requests of one purpose, in order."""
        return [asked for asked in self.requests if asked.purpose == purpose]

    def _handle(self, request: Request) -> Response:
        body: dict[str, Any] = json.loads(request.get_data())
        prompt = "\n".join(str(message["content"]) for message in body["messages"])
        asked = Asked(purpose=_purpose(body, prompt), prompt=prompt, body=body, headers=dict(request.headers))
        with self._lock:
            self.requests.append(asked)
        # Outside the lock: a behaviour may take its time, and nobody else waits for it.
        behaviour = self.behaviour(asked) if callable(self.behaviour) else self.behaviour
        response = self._reply(behaviour, asked)
        response.headers["Connection"] = "close"
        return response

    def _reply(self, behaviour: Behaviour, asked: Asked) -> Response:
        if behaviour in _ERRORS and (behaviour != "no_response_format" or asked.wants_json):
            return _error(behaviour)
        match behaviour:
            case "hang":
                self._released.wait(60)
                return Response(status=503)
            case "garbage":
                return _completion(GARBAGE)
            case "garbage_body":
                return Response(GARBAGE, content_type="application/json")
            case "empty":
                return _completion("")
            case "empty_body":
                return Response("", content_type="application/json")
            case "raw":
                return Response(self.raw, content_type="application/json")
            case "html":
                return Response(PAGE, content_type="text/html")
            case "no_choices":
                return _json({**_envelope(), "choices": []})
            case "refusal":
                return _completion("", refusal="I can't help with that.")
            case "cut_off":
                return _completion('{"tasks": [', finish="length")
            case "no_usage":
                return _completion(self.answer(asked), usage=False)
            case _:
                return _completion(self.answer(asked))

    def answer(self, asked: Asked) -> str:
        """What a healthy model says."""
        match asked.purpose:
            case Purpose.PREFLIGHT:
                return "ready"
            case Purpose.ROLLOUT:
                return self._attempt(asked.prompt)
            case Purpose.JUDGE:
                answer = _between(asked.prompt, "\n# Answer\n", "\n# Your reply\n")
                return json.dumps({"score": 1.0 if self._names_want(answer) else 0.0, "reason": "as the rule says"})
            case Purpose.MINE:
                return json.dumps({"tasks": self._mined(asked.prompt)})
            case Purpose.REFLECT:
                patch = {"reasoning": "what the person said", "edits": self._edits(asked.prompt)}
                return json.dumps({"patch": patch} if self.nested else patch)
            case Purpose.AGGREGATE:
                proposed = dict.fromkeys(_PROPOSED.findall(asked.prompt))
                edits = [{"op": op, "target": target.strip("'"), "content": text} for op, target, text in proposed]
                return json.dumps({"reasoning": "one of each", "edits": edits})
            case Purpose.SELECT:
                return json.dumps({"reasoning": "the first", "selected_indices": [0]})
            case _:
                return "I don't know what this is about."

    def _names_want(self, text: str) -> bool:
        return re.search(rf"(?<!\w){re.escape(self.want)}(?!\w)", text) is not None

    def _attempt(self, prompt: str) -> str:
        instructions = _between(prompt, "\n# Project instructions\n", "\n# Request\n")
        tool = self.want if self._names_want(instructions) else self.avoid
        return f"I would run `{tool} install` and then `{tool} test`."

    def _mined(self, prompt: str) -> list[dict[str, object]]:
        """Every request that a later typed turn answered by naming what is wanted."""
        tasks: list[dict[str, object]] = []
        for session in json.loads(prompt.split("\n# Sessions\n", 1)[1]):
            ask: dict[str, Any] | None = None
            for turn in session["turns"]:
                if turn["origin"] != "user":
                    continue
                if ask is None or not self._names_want(turn["text"]):
                    ask = turn
                    continue
                tasks.append(
                    {
                        "session": session["session"],
                        "ask": ask["turn"],
                        "prompt": ask["text"],
                        "corrections": [{"turn": turn["turn"], "quote": turn["text"]}],
                        "checks": [
                            {"op": "contains", "arg": self.want},
                            {"op": "not_contains", "arg": self.avoid},
                        ],
                    }
                )
        return tasks

    def _edits(self, prompt: str) -> list[dict[str, str]]:
        said = list(dict.fromkeys(_SAID.findall(prompt)))
        if not said:
            return []
        useful = any(self._names_want(words) for words in said)
        content = f"- Use {self.want} for packages, never {self.avoid}." if useful else f"- Remember: {said[0]}"
        return [{"op": "append", "content": content, "target": "", "reason": "the person said so"}]


@pytest.fixture
def model_server() -> Iterator[ModelServer]:
    """A healthy model server for one test."""
    with ModelServer() as server:
        yield server


def _purpose(body: dict[str, Any], prompt: str) -> str:
    named = body.get("response_format", {}).get("json_schema", {}).get("name", "")
    return named or next((name for name, start in _BEGINNINGS.items() if prompt.startswith(start)), "")


def _between(text: str, start: str, end: str) -> str:
    return text.partition(start)[2].rpartition(end)[0]


def _envelope() -> dict[str, Any]:
    return {"id": "chatcmpl-1", "object": "chat.completion", "created": 1_700_000_000, "model": MODEL}


def _completion(content: str, *, refusal: str | None = None, finish: str = "stop", usage: bool = True) -> Response:
    message = {"role": "assistant", "content": None if refusal else content, "refusal": refusal}
    reply = {**_envelope(), "choices": [{"index": 0, "message": message, "finish_reason": finish}]}
    if usage:
        reply["usage"] = {
            "prompt_tokens": INPUT_TOKENS,
            "completion_tokens": OUTPUT_TOKENS,
            "total_tokens": INPUT_TOKENS + OUTPUT_TOKENS,
            "prompt_tokens_details": {"cached_tokens": CACHED_TOKENS},
        }
    return _json(reply)


def _error(behaviour: str) -> Response:
    status, message = _ERRORS[behaviour]
    response = _json({"error": {"message": message, "type": behaviour, "param": None, "code": behaviour}}, status)
    if behaviour == "rate_limited":
        response.headers["retry-after"] = str(RETRY_AFTER)
    return response


def _json(value: dict[str, Any], status: int = 200) -> Response:
    return Response(json.dumps(value), status=status, content_type="application/json")
