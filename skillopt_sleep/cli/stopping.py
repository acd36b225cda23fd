"""How a long command is stopped: by Ctrl-C, or as a service is."""

import signal
from types import FrameType

from skillopt_sleep.cli.console import warn


def stop_softly() -> None:
    """From here on both raise one KeyboardInterrupt, and end no call that is on its way unless they are told to."""
    interrupt = _Interrupt()
    for stop in (signal.SIGINT, signal.SIGTERM):
        signal.signal(stop, interrupt)


class _Interrupt:
    """Stops the work: by Ctrl-C softly, by the next one or a SIGTERM with the programs that are being asked."""

    def __init__(self) -> None:
        self._asked = False

    def __call__(self, signum: int, _frame: FrameType | None) -> None:
        from skillopt_sleep.kit.process import end_all

        asked, self._asked = self._asked, True
        if asked or signum == signal.SIGTERM:
            warn("ending the calls on their way; what was paid for is kept")
            end_all()
            if asked:
                return
            raise KeyboardInterrupt
        warn("stopping as soon as the calls on their way are answered; once more ends them; what was paid is kept")
        raise KeyboardInterrupt
