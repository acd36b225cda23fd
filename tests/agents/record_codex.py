"""Records what the genuine `codex` says: python -m tests.agents.record_codex PATH-OF-CODEX [OUTCOME...].

Every outcome is one run of `Codex.call` against a scripted server on loopback, with a HOME of its own and made-up keys;
what it printed goes into recorded/codex-<version>/<outcome>.json, without what differs from run to run. Run it where
nothing but loopback can be reached (`unshare -n`, then bring `lo` up).
"""

import base64
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import msgspec

from skillopt_sleep.agents.codex.program import CodexProgram
from skillopt_sleep.kit.process import ProcessResult
from skillopt_sleep.protocols.program import Invocation, Setup
from skillopt_sleep.records import Prompt, Purpose
from tests.agents.codex_outcomes import SCENES, WAITS, Reply, Scene

RECORDED = Path(__file__).parent / "recorded"


class Verdict(msgspec.Struct):
    """The structured reply that is asked for."""

    good: bool
    why: str = ""


@contextmanager
def served(reply: Reply) -> Generator[tuple[str, list[str]], None, None]:
    """The server's address, and the questions it was asked."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the inherited name
            pass

        def do_GET(self) -> None:
            account = {"id": "acc-1", "account_id": "acc-1", "workspace_backend_origin": "https://chatgpt.com"}
            known = {"accounts": [account | {"account_routing_override": "us"}]}
            self.give(Reply(body=json.dumps(known).encode()))

        def do_POST(self) -> None:
            asked.append(self.path)
            self.rfile.read(int(self.headers.get("content-length") or 0))
            self.give(reply)

        def give(self, reply: Reply) -> None:
            time.sleep(reply.hang)
            self.close_connection = True
            if reply.status is None or reply.hang:
                return
            self.send_response(reply.status)
            for name, value in {"content-type": reply.kind, "connection": "close", **reply.headers}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1", asked
    finally:
        server.shutdown()
        server.server_close()


def token() -> str:
    """A JWT that says nothing true."""
    about = {"https://api.openai.com/auth": {"chatgpt_plan_type": "plus", "chatgpt_account_id": "acc-1"}}
    parts = ({"alg": "none"}, {"exp": int(time.time()) + 86_400, **about}, "signature")
    return ".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts)


def run(codex: str, scene: Scene, url: str) -> ProcessResult:
    """One run in a folder of its own."""
    prompt = Prompt(purpose=Purpose.PREFLIGHT, text="Say hello.", schema=Verdict if scene.schema else None)
    dialect = CodexProgram()
    home: Mapping[str, bytes] = {}
    setup = Setup(model=scene.model) if scene.login else Setup(model=scene.model, base_url=url)
    asked = dialect.call(prompt, setup)
    extra = scene.extra
    if scene.login:
        tokens = {"id_token": token(), "access_token": token(), "refresh_token": "made-up", "account_id": "acc-1"}
        home = dialect.account({"auth.json": json.dumps({"tokens": tokens}).encode()}, {}, setup).files
        here = {"model_providers.replay.base_url": url, "chatgpt_base_url": url}
        extra += tuple(part for name, at in here.items() for part in ("-c", f'{name}="{at}"'))
    key = {dialect.key_name: "made-up"} if scene.key else {}
    asked = asked._replace(arguments=(*asked.arguments[:-1], *extra, "-"))
    return start(codex, asked, home=home, environ=key, kill=scene.kill)


def start(
    codex: str, asked: Invocation, *, home: Mapping[str, bytes], environ: Mapping[str, str], kill: int
) -> ProcessResult:
    with tempfile.TemporaryDirectory(prefix="record-") as name:
        root = Path(name)
        for folder, files in (("home", {}), ("agent", home), ("work", asked.files)):
            (root / folder).mkdir()
            for path, data in files.items():
                (root / folder / path).write_bytes(data)
        known = {"PATH": os.defpath, "HOME": f"{root}/home", "CODEX_HOME": f"{root}/agent"}
        known["PATH"] = f"{Path(codex).parent}:/usr/local/bin:{os.defpath}"
        child = subprocess.Popen(
            [codex, *asked.arguments],
            env={**known, **asked.environ, **environ},
            cwd=root / "work",
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        stopped = ""
        began = time.monotonic()
        try:
            out, err = child.communicate(asked.stdin, timeout=1.5 if kill else WAITS)
        except subprocess.TimeoutExpired:
            stopped = "" if kill else "timed_out"
            os.killpg(child.pid, kill or signal.SIGTERM)
            out, err = child.communicate(timeout=10)
        return ProcessResult(
            child.returncode, _steady(out, name), _steady(err, name), round(time.monotonic() - began), stopped
        )


def _steady(data: bytes, folder: str) -> bytes:
    """Without what differs from run to run."""
    text = data.decode(errors="replace").replace(folder, "/there")
    for pattern, steady in (
        (r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}", "00000000-0000-7000-8000-000000000000"),
        (r"127\.0\.0\.1:\d{4,5}", "127.0.0.1:1"),
        (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z", "2026-01-01T00:00:00.000000Z"),
    ):
        text = re.sub(pattern, steady, text)
    return text.encode()


def main(codex: str, *wanted: str) -> None:
    """Record these outcomes, or all."""
    version = CodexProgram().version(start(codex, Invocation(("--version",)), home={}, environ={}, kill=0))
    folder = RECORDED / f"codex-{version}"
    folder.mkdir(parents=True, exist_ok=True)
    for outcome, scene in SCENES.items():
        if wanted and outcome not in wanted:
            continue
        with served(scene.reply) as (url, asked):
            ran = run(codex, scene, "http://127.0.0.1:9/v1" if scene.closed else url)
        row = {
            "status": ran.status,
            "stopped": ran.stopped,
            "questions": len(asked),
            "stdout": ran.stdout.decode().splitlines(),
            "stderr": ran.stderr.decode().splitlines()[:10],
        }
        (folder / f"{outcome}.json").write_text(json.dumps(row, indent=1, ensure_ascii=False) + "\n")
        print(f"{outcome}: status {ran.status}, {len(asked)} questions, {ran.seconds} s")


if __name__ == "__main__":
    main(*sys.argv[1:])
