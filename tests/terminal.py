"""The installed command on a terminal, answered line by line as a person would."""

import os
import pty
import select
import subprocess
from collections.abc import Sequence

from tests.command import PROGRAM, Done, Home

SECONDS = 300.0


def typed(home: Home, *arguments: str, answers: Sequence[str]) -> Done:
    """Run the command on a pseudo-terminal; each answer is typed when a question waits for it."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [str(PROGRAM), *arguments],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={**home.environment, "TERM": "dumb", "COLUMNS": "120"},
        cwd=home.folder,
        start_new_session=True,
    )
    os.close(slave)
    said, left, asked = b"", list(answers), 0
    try:
        while select.select([master], [], [], SECONDS)[0]:
            try:
                part = os.read(master, 4096)
            except OSError:
                break  # the other end is closed
            if not part:
                break
            said += part
            if left and said.rstrip(b" ").endswith(b":") and len(said) > asked:
                os.write(master, left.pop(0).encode() + b"\n")
                asked = len(said)
        code = process.wait(SECONDS)
    finally:
        process.kill()
        process.wait()
        os.close(master)
    return Done(code, said.decode().replace("\r\n", "\n"), "")
