"""Read a single key from the terminal, without waiting for Enter."""

import os
import sys

_CTRL_C, _CTRL_D, _CTRL_Z = "\x03", "\x04", "\x1a"

if sys.platform == "win32":
    import msvcrt

    def read_key() -> str:
        """Wait for a key and return it; raise EOFError or KeyboardInterrupt if the person ends the program."""
        while msvcrt.kbhit():
            msvcrt.getwch()
        return _checked(msvcrt.getwch())
else:
    import termios
    import tty

    def read_key() -> str:
        """Wait for a key and return it; raise EOFError or KeyboardInterrupt if the person ends the program.

        What was typed before is dropped: a key pressed twice must not answer the next question too.
        """
        terminal = sys.stdin.fileno()
        before = termios.tcgetattr(terminal)
        try:
            tty.setcbreak(terminal, termios.TCSAFLUSH)
            key = os.read(terminal, 1)
        finally:
            termios.tcsetattr(terminal, termios.TCSADRAIN, before)
        return _checked(key.decode(errors="replace"))


def _checked(key: str) -> str:
    if key == _CTRL_C:
        raise KeyboardInterrupt
    if key in {"", _CTRL_D, _CTRL_Z}:
        raise EOFError
    return key
