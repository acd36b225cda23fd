"""Import the command once, and fork a process for each one that is asked for: starting Python is most of a test's time.

This is a program with a socket as its standard input. A message names the arguments, the variables and the folder of a
command, and brings three files: where to answer, and the command's output and errors. The answer is the id of the new
process, then its exit code. The server ends when the socket is closed.
"""

import atexit
import contextlib
import gc
import importlib
import json
import os
import pkgutil
import signal
import socket
import struct
import sys
import threading
from pathlib import Path
from typing import Any

PRELOADED = ("skillopt_sleep.cli", "skillopt_sleep.wiring", "skillopt_sleep.reporters")
LIBRARIES = ("jinja2", "openai", "rich.console", "rich.table", "rich.progress")
EXAMPLE = Path(__file__).parents[1] / ".skillopt-sleep.example"
MOST_BYTES = 1 << 20
ANSWER = struct.Struct("i")


def served(control: socket.socket) -> dict[str, Any]:
    """Answer requests for ever; return, in the process that becomes the command, what it is to be."""
    # Each command is awaited by a process of its own, and that one by nobody.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        message, files, _, _ = socket.recv_fds(control, MOST_BYTES, 3)
        if not message:
            sys.exit(0)
        if os.fork() == 0:
            control.close()
            return _command(json.loads(message), *files)
        for file in files:
            os.close(file)


def _command(asked: dict[str, Any], answer: int, out: int, err: int) -> dict[str, Any]:
    """Fork the command, wait for its end and tell it; return in the command itself."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    command = os.fork()
    if command == 0:
        os.close(answer)
        for file, number in ((os.open(os.devnull, os.O_RDONLY), 0), (out, 1), (err, 2)):
            os.dup2(file, number)
            os.close(file)
        return asked
    for file in (out, err):
        os.close(file)
    with contextlib.suppress(BrokenPipeError):
        os.write(answer, ANSWER.pack(command))
    _, status = os.waitpid(command, 0)
    with contextlib.suppress(BrokenPipeError):
        os.write(answer, ANSWER.pack(os.waitstatus_to_exitcode(status)))
    os._exit(0)


def become(asked: dict[str, Any]) -> None:
    """Take over the folder, the variables and the arguments of a command."""
    os.chdir(asked["cwd"])
    coerced = os.environ.get("LC_CTYPE")  # set by Python itself, where nobody names a language
    os.environ.clear()
    os.environ.update(asked["environment"])
    if coerced is not None:
        os.environ["LC_CTYPE"] = coerced
    sys.argv[:] = asked["arguments"]


def _read_ahead() -> None:
    """Compile the templates and patterns that a night compiles when it first needs them."""
    from skillopt_sleep.kit.codec import from_json
    from skillopt_sleep.mining.wishes import is_correction
    from skillopt_sleep.proposals.warnings import kinds
    from skillopt_sleep.records import NightReport
    from skillopt_sleep.reporters import morning
    from skillopt_sleep.reporters.night import Night

    is_correction("with our own words")
    kinds("Nothing is wrong with this rule.")
    for file in EXAMPLE.glob("nights/*/report.json"):
        morning.page(Night(from_json(file.read_bytes(), NightReport)))


def _ended() -> int:
    """Run the command; return its exit code as Python does."""
    from skillopt_sleep.cli import main

    try:
        main()
    except SystemExit as end:
        if isinstance(end.code, int | None):
            return end.code or 0
        print(end.code, file=sys.stderr)
        return 1
    except BaseException as error:  # noqa: BLE001 - as Python itself does
        sys.excepthook(type(error), error, error.__traceback__)
        return 1
    return 0


def _leave(code: int) -> None:
    """End as Python does, but for freeing everything, which takes longer than most commands."""
    threading._shutdown()  # pyright: ignore[reportAttributeAccessIssue]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    for package in PRELOADED:
        folder = importlib.import_module(package).__path__
        for module in pkgutil.iter_modules(folder, f"{package}."):
            importlib.import_module(module.name)
    for library in LIBRARIES:
        importlib.import_module(library)
    _read_ahead()
    gc.collect()
    gc.freeze()
    begun = served(socket.socket(fileno=os.dup(0)))
    become(begun)
    ended = _ended()
    _leave(ended)
