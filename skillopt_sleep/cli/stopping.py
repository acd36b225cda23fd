"""Stop a long command when the user presses Ctrl-C or a service manager sends SIGTERM."""

import signal
from types import FrameType

from skillopt_sleep.cli.console import warn


def stop_softly() -> None:
    """Turn SIGINT and SIGTERM into one KeyboardInterrupt; the first Ctrl-C lets calls in flight finish."""
    interrupt = _Interrupt()
    for stop in (signal.SIGINT, signal.SIGTERM):
        signal.signal(stop, interrupt)


class _Interrupt:
    """A signal handler: the first Ctrl-C waits for calls in flight, a second one or SIGTERM kills their programs."""

    def __init__(self) -> None:
        self._was_called = False

    def __call__(self, signum: int, _frame: FrameType | None) -> None:
        from skillopt_sleep.kit.process import end_all

        is_first = not self._was_called
        self._was_called = True
        if is_first and signum != signal.SIGTERM:
            warn("Stopping after the calls in flight (Ctrl-C again ends them now); paid results are kept.")
            raise KeyboardInterrupt
        warn("Ending the calls in flight; paid results are kept.")
        end_all()
        if is_first:
            raise KeyboardInterrupt
