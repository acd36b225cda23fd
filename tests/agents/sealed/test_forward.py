"""What the forwarder's port gets goes to the relay's socket and back, while the program runs."""

import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from skillopt_sleep.agents.sealed import forward

SCRIPT = Path(forward.__file__)
ASK = "import socket, sys; s = socket.create_connection(('127.0.0.1', int(sys.argv[1]))); "
TALK = (
    ASK + "s.sendall(sys.stdin.buffer.read()); s.shutdown(1); print(len(b''.join(iter(lambda: s.recv(9999), b''))))"
)


@pytest.fixture
def echoing() -> Iterator[Path]:
    """A socket that sends everything back twice."""
    with tempfile.TemporaryDirectory(prefix="f") as folder, socket.socket(socket.AF_UNIX) as listener:
        path = Path(folder) / "s"
        listener.bind(str(path))
        listener.listen()

        def serve() -> None:
            while True:
                try:
                    client, _ = listener.accept()
                except OSError:
                    return
                with client, client.makefile("rb") as said:
                    client.sendall(said.read() * 2)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield path
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()


def run(path: Path, *command: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    words = [sys.executable, "-I", "-S", str(SCRIPT), str(path), "{port}", *command]
    return subprocess.run(words, input=stdin, capture_output=True, timeout=30, check=False)


def test_bytes_go_both_ways_and_the_mark_becomes_the_port(echoing: Path) -> None:
    ran = run(echoing, sys.executable, "-c", TALK, "{port}", stdin=b"x" * 300_000)
    assert (ran.returncode, ran.stdout.strip(), ran.stderr) == (0, b"600000", b"")


def test_without_the_relay_the_connection_is_closed() -> None:
    ran = run(Path("/nowhere/s"), sys.executable, "-c", ASK + "print(s.recv(9))", "{port}")
    assert (ran.returncode, ran.stdout.strip()) == (0, b"b''")


def test_the_status_of_the_program_is_its_own() -> None:
    assert run(Path("/nowhere/s"), "/bin/sh", "-c", "exit 7").returncode == 7
    assert run(Path("/nowhere/s"), "/bin/sh", "-c", "kill -9 $$").returncode == 137


def test_it_listens_on_loopback_only() -> None:
    elsewhere = ASK.replace("127.0.0.1", "127.0.0.2")
    assert run(Path("/nowhere/s"), sys.executable, "-c", ASK, "{port}").returncode == 0
    assert run(Path("/nowhere/s"), sys.executable, "-c", elsewhere, "{port}").returncode == 1
