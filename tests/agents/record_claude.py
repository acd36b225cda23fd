"""Records what the genuine `claude` says for every kind of outcome, into recorded/claude-<version>/.

    python tests/agents/record_claude.py PROGRAM [OUTCOME...]

It asks as the dialect asks, with an own HOME, a made-up login, and a server on loopback that answers each request with
what is scripted here. Long texts, the machine's folders and what differs from run to run are left out of the files.
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from skillopt_sleep.agents.claude_code.program import Claude
from skillopt_sleep.kit.process import ProcessResult
from skillopt_sleep.records import Prompt, Purpose
from tests.agents.claude_outcomes import CREDENTIALS, OUTCOMES, Answer, Outcome

RECORDED = Path(__file__).parent / "recorded"
LONG = 400
PATH = os.environ["PATH"]
_OF_THE_MACHINE = frozenset(
    {
        *("agents", "capabilities", "cwd", "messaging_socket_path", "model_usage_since_last_result", "original_cwd"),
        *("plugins", "skills", "subagent_stats", "timestamp", "usage"),
    }
)
_VARYING = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|127\.0\.0\.1:\d+|/tmp/\w+")


class Scripted(ThreadingHTTPServer):
    """Gives the answers in order and counts the requests for a model."""

    def __init__(self, answers: tuple[Answer, ...]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers, self.requests, self.others, self.over = answers, 0, 0, threading.Event()


class _Handler(BaseHTTPRequestHandler):
    @property
    def scripted(self) -> Scripted:
        assert isinstance(self.server, Scripted)
        return self.server

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the library's name
        pass

    def do_GET(self) -> None:
        self.scripted.others += 1
        self.send_error(404)

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("content-length") or 0))
        if not self.path.startswith("/v1/messages?"):
            return self.do_GET()
        answer = self.scripted.answers[min(self.scripted.requests, len(self.scripted.answers) - 1)]
        self.scripted.requests += 1
        if answer.hangs:
            self.scripted.over.wait(60)
        elif answer.sent:
            self.send_response(answer.status)
            for name, value in {**answer.headers, "content-length": str(len(answer.sent))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer.sent)
        return None


def run(program: str, outcome: Outcome) -> tuple[ProcessResult, int]:
    """How the program ended, and how many requests for a model it made."""
    claude = Claude()
    with (
        Scripted(outcome.answers) as server,
        tempfile.TemporaryDirectory() as home,
        tempfile.TemporaryDirectory() as cwd,
    ):
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_address[1]}"
        asked = claude.call(
            Prompt(purpose=Purpose.PREFLIGHT, text=outcome.text, schema=outcome.schema),
            outcome.setup._replace(base_url=address),
        )
        environ = {"PATH": PATH, "HOME": home, claude.home_env: home}
        environ |= {"ANTHROPIC_API_KEY": "sk-ant-api03-made-up"} if outcome.login == "key" else {}
        if outcome.login == "subscription":
            held = claude.account({".credentials.json": json.dumps(CREDENTIALS).encode()}, {}, outcome.setup)
            for name, data in held.files.items():
                (Path(home) / name).write_bytes(data)
        environ |= {**asked.environ, **outcome.environ}
        began = time.monotonic()
        process = subprocess.Popen(
            (program, *asked.arguments, *outcome.extra),
            cwd=cwd, env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        if outcome.killed_by:
            threading.Thread(target=_interrupt, args=(server, process, outcome.killed_by), daemon=True).start()
        stdout, stderr = process.communicate(asked.stdin, timeout=120)
        server.over.set()
        server.shutdown()
        if server.others:
            print(f"  {server.others} requests for something else")
        return ProcessResult(process.returncode, stdout, stderr, time.monotonic() - began), server.requests


def _interrupt(server: Scripted, process: "subprocess.Popen[bytes]", by: signal.Signals) -> None:
    while not server.requests:
        time.sleep(0.05)
    process.send_signal(by)


def trimmed(line: bytes) -> str:
    """One event without what is long, of the machine or different every time."""
    text = line.decode(errors="replace")
    try:
        event = json.loads(text)
    except ValueError:
        return _VARYING.sub("…", text)[:LONG]
    return _VARYING.sub("…", json.dumps(_trimmed(event), ensure_ascii=False))


def _trimmed(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _trimmed(item) for name, item in value.items() if name not in _OF_THE_MACHINE}
    if isinstance(value, list):
        return [_trimmed(item) for item in value]
    return value[:LONG] if isinstance(value, str) else value


def record(program: str, names: list[str]) -> None:
    said = subprocess.run([program, "--version"], capture_output=True, check=True, env={"PATH": PATH})
    version = Claude().version(ProcessResult(0, said.stdout))
    folder = RECORDED / f"claude-{version}"
    folder.mkdir(parents=True, exist_ok=True)
    for name in names or OUTCOMES:
        outcome = OUTCOMES[name]
        ran, requests = run(program, outcome)
        kept = {
            "asked_for": "structure" if outcome.schema else "text",
            "requests": requests,
            "status": ran.status,
            "stdout": [trimmed(line) for line in ran.stdout.splitlines()],
            "stderr": [trimmed(line) for line in ran.stderr.splitlines()],
        }
        (folder / f"{name}.json").write_text(json.dumps(kept, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        print(f"{name}: status {ran.status}, {requests} requests, {ran.seconds:.1f} s")


if __name__ == "__main__":
    record(sys.argv[1], sys.argv[2:])
