"""Stand on loopback in a seal and pass everything on to the relay's socket, while the program in the arguments runs.

This runs inside, with the standard library alone: `forward.py SOCKET MARK PROGRAM ARGUMENT…`. Where an argument has
the mark, the port is put in.
"""

import contextlib
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence

PIECE = 64 * 1024


def pump(source: socket.socket, target: socket.socket) -> None:
    """Pass on until the source ends."""
    with contextlib.suppress(OSError):
        while piece := source.recv(PIECE):
            target.sendall(piece)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)


def join(client: socket.socket, path: str) -> None:
    """Pass one connection on, both ways."""
    with client, socket.socket(socket.AF_UNIX) as relay:
        try:
            relay.connect(path)
        except OSError:
            return
        back = threading.Thread(target=pump, args=(relay, client), daemon=True)
        back.start()
        pump(client, relay)
        back.join()


def accept(listener: socket.socket, path: str) -> None:
    """Pass on every connection that comes."""
    while True:
        client, _ = listener.accept()
        threading.Thread(target=join, args=(client, path), daemon=True).start()


def main(arguments: Sequence[str]) -> int:
    """Run the program while its connections are passed on, and return its exit status as a shell would."""
    path, mark, *command = arguments
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = str(listener.getsockname()[1])
        threading.Thread(target=accept, args=(listener, path), daemon=True).start()
        status = subprocess.call([word.replace(mark, port) for word in command])
        return 128 - status if status < 0 else status


if __name__ == "__main__":
    # No waiting for threads that still hold a connection.
    os._exit(main(sys.argv[1:]))
