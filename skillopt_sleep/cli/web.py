"""The command `web`: the dashboard in the person's own browser."""

import os
import sys
import threading
import webbrowser
from typing import TYPE_CHECKING, Annotated

import typer

from skillopt_sleep.cli.console import warn
from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.extras import command_for
from skillopt_sleep.settings import find_paths

if TYPE_CHECKING:
    from skillopt_sleep.web.access import Access

_MOST_PORT = 65_535
_SECOND_USE = (
    "The address was used a second time, so somebody else may have seen the dashboard. Everyone is out now: "
    "press Ctrl-C, and start it again."
)


def web(
    *,
    port: Annotated[int, typer.Option("--port", min=0, max=_MOST_PORT, help="The port; 0 for any free one.")] = 0,
    no_open: Annotated[bool, typer.Option("--no-open", help="Only print the address.")] = False,
) -> None:
    """Open the dashboard in your browser. It stays on this machine.

    The address that it prints lets one browser in, once.
    """
    try:
        from skillopt_sleep.web.serve import serve
    except ImportError as error:
        if error.name not in {"starlette", "uvicorn"}:
            raise
        raise ConfigError(
            f"the dashboard needs {error.name}, which isn't installed", remedy=f"install it: {command_for('web')}"
        ) from error

    def opened(access: "Access") -> None:
        opens = not no_open and _has_screen()
        lead = "If your browser doesn't open, paste" if opens else "Paste"
        warn(f"The dashboard runs until you press Ctrl-C. {lead} this address into one browser; it works once:")
        sys.stdout.write(f"{access.address}\n")  # in one piece, however narrow the terminal is
        sys.stdout.flush()
        if opens:
            page = access.write_page().as_uri()
            threading.Thread(target=webbrowser.open, args=(page,), daemon=True).start()

    serve(find_paths(), port=port, opened=opened, ended=lambda: warn(_SECOND_USE))


def _has_screen() -> bool:
    """Tell whether a browser could show its window; in a terminal alone, one would take it over."""
    if sys.platform == "darwin":
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
