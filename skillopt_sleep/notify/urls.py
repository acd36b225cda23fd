"""Send a notification to apprise addresses, in a process of its own so that no service can hold up a night."""

import string
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from skillopt_sleep.errors import ItemError
from skillopt_sleep.kit.codec import to_json
from skillopt_sleep.kit.extras import command_for
from skillopt_sleep.kit.process import run
from skillopt_sleep.records.record import Record

SECONDS = 60.0
# Exit codes of the delivering process.
MISSING = 3
UNSENT = 4


class Letter(Record, frozen=True, kw_only=True):
    """A notification and its addresses, sent to the other process on stdin: addresses may hold secrets."""

    urls: tuple[str, ...]
    title: str
    body: str


def send(title: str, body: str, *, urls: Sequence[str], environ: Mapping[str, str]) -> bool:
    """Send a notification to every address; raise ItemError naming the services that didn't take it."""
    letter = Letter(urls=tuple(filled(url, environ) for url in urls), title=title, body=body)
    # -P: the folder the night was started in must not decide which Python code runs.
    argv = [sys.executable, "-P", "-m", f"{__package__}.deliver"]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        process = run(argv, stdin=to_json(letter), cwd=Path(folder), environ=environ, timeout=SECONDS)
    if process.stopped:
        raise ItemError(
            "the notification services took too long to answer",
            remedy="check the addresses in notify.urls",
        )
    if process.status == MISSING:
        raise ItemError(
            "nothing was sent to notify.urls: apprise is not installed",
            remedy=f"install it: {command_for('notify')}",
        )
    if process.status == UNSENT:
        failed = process.stdout.decode(errors="replace").strip()
        raise ItemError(f"the notification failed for {failed}", remedy="check the addresses in notify.urls")
    if process.status:
        raise ItemError(
            f"sending to notify.urls failed with exit status {process.status}",
            remedy="check the addresses in notify.urls",
        )
    return True


def filled(url: str, environ: Mapping[str, str]) -> str:
    """Replace $NAME in the address from the environment; raise ItemError if the variable isn't set."""
    try:
        return string.Template(url).substitute(environ)
    except KeyError as error:
        raise ItemError(
            f"notify.urls uses ${error.args[0]}, which is not set", remedy="set the variable, or change the address"
        ) from error
    except ValueError as error:
        raise ItemError(
            f"notify.urls has a single $ in {service(url)}", remedy="write $$ for a literal dollar sign"
        ) from error


def service(url: str) -> str:
    """Return the part of an address that is safe to show: its scheme. What follows may be a secret."""
    scheme, colon, _ = url.partition("://")
    return f"{scheme}://…" if colon else "an address without ://"
