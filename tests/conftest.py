"""Fixtures that many tests share."""

import errno
import gc
import os
import signal
import sys
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

pytest_plugins = ["tests.genuine", "tests.after_a_night", "tests.web.browser"]

# What is started in the background ignores the keyboard, and hands that on to every process it starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the longest tests first, so that no worker is left alone with one of them at the end."""
    items.sort(key=lambda item: [item.get_closest_marker(name) is None for name in ("timeout", "cli")])


def pytest_collection_finish() -> None:
    """Leave the thousands of collected tests out of every later garbage collection, which took a tenth of the time."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def refusing() -> Generator[Callable[[Path, int], None]]:
    """Have the disk refuse to remove a folder, as often as named: the interpreter tells of it before it is asked."""
    left: dict[str, int] = {}

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "os.rmdir" and left.get(name := os.fspath(arguments[0]), 0):
            left[name] -= 1
            raise OSError(errno.EIO, os.strerror(errno.EIO), name)

    sys.addaudithook(hook)  # for the rest of the process, so it does nothing but for the folders of one test
    yield lambda folder, times: left.update({str(folder): times})
    left.clear()
