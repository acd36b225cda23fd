"""Calls that follow one another share a connection, and a connection that is gone costs no answer."""

import gc
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from skillopt_sleep.backends.openai import OpenAIBackend
from skillopt_sleep.backends.wrappers import Retried
from tests.builders import a_prompt


class Server(ThreadingHTTPServer):
    """Speaks HTTP/1.1, counts its connections, and closes each after so many answers."""

    daemon_threads = True

    def __init__(self, answers: int = 1000) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers = answers
        self.opened = 0
        self.closed = threading.Semaphore(0)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def home(self) -> Server:
        assert isinstance(self.server, Server)
        return self.server

    def setup(self) -> None:
        super().setup()
        self.home.opened += 1
        self.left = self.home.answers

    def finish(self) -> None:
        super().finish()
        self.home.closed.release()

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        choice = {"message": {"role": "assistant", "content": "yes"}, "finish_reason": "stop"}
        body = json.dumps({"choices": [choice], "model": "m"}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.left -= 1
        if not self.left:
            self.close_connection = True  # without having said so

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        del format, args


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as opened:
        thread = threading.Thread(target=opened.serve_forever)
        thread.start()
        yield opened
        opened.shutdown()
        thread.join()


def a_backend(server: Server) -> OpenAIBackend:
    url = f"http://127.0.0.1:{server.server_port}/v1"
    return OpenAIBackend(model="m", base_url=url, api_key="k", api_key_env="K", timeout=20)


def test_calls_that_follow_one_another_share_a_connection_which_ends_with_the_backend(server: Server) -> None:
    backend = a_backend(server)
    for number in range(5):
        assert backend.complete(a_prompt(f"question {number}")).text == "yes"
    assert server.opened == 1
    del backend
    gc.collect()
    assert server.closed.acquire(timeout=20)


def test_a_server_that_closes_without_a_word_costs_no_answer(server: Server) -> None:
    server.answers = 2
    backend = Retried(a_backend(server))
    for number in range(6):
        assert backend.complete(a_prompt(f"question {number}")).text == "yes"
        if number % 2:
            assert server.closed.acquire(timeout=20)
    assert server.opened == 3
