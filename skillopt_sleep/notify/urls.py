"""Send a notification to apprise addresses, in a process of its own so that no service can hold up a night."""

import string
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from skillopt_sleep.errors import ItemError
from skillopt_sleep.kit.codec import from_json, to_json
from skillopt_sleep.kit.extras import command_for
from skillopt_sleep.kit.process import run
from skillopt_sleep.records import Record

SECONDS = 60.0
_CHECK = "check the addresses in notify.urls"
_MISSING = 3  # the exit code of the delivering process if apprise isn't installed


class Letter(Record, frozen=True, kw_only=True):
    """A notification and its addresses, sent to the other process on stdin: addresses may hold secrets."""

    urls: tuple[str, ...]
    title: str
    body: str


def send(title: str, body: str, *, urls: Sequence[str], environ: Mapping[str, str]) -> bool:
    """Send a notification to every address; raise ItemError naming the services that didn't take it."""
    letter = Letter(urls=tuple(filled(url, environ) for url in urls), title=title, body=body)
    # -P: the folder the night was started in must not decide which Python code runs.
    argv = [sys.executable, "-P", "-m", __name__]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        process = run(argv, stdin=to_json(letter), cwd=Path(folder), environ=environ, timeout=SECONDS)
    if process.stopped:
        raise ItemError("the notification services took too long to answer", remedy=_CHECK)
    if process.status == _MISSING:
        message = "nothing was sent to notify.urls: apprise is not installed"
        raise ItemError(message, remedy=f"install it: {command_for('notify')}")
    if process.status:
        failed = process.stdout.decode(errors="replace").strip() or f"exit status {process.status}"
        raise ItemError(f"the notification failed: {failed}", remedy=_CHECK)
    return True


def filled(url: str, environ: Mapping[str, str]) -> str:
    """Replace $NAME in the address from the environment; raise ItemError if the variable isn't set."""
    try:
        return string.Template(url).substitute(environ)
    except KeyError as error:
        message = f"notify.urls uses ${error.args[0]}, which is not set"
        raise ItemError(message, remedy="set the variable, or change the address") from error
    except ValueError as error:
        message = f"notify.urls has a single $ in {service(url)}"
        raise ItemError(message, remedy="write $$ for a literal dollar sign") from error


def service(url: str) -> str:
    """Return the part of an address that is safe to show: its scheme. What follows may be a secret."""
    scheme, colon, _ = url.partition("://")
    return f"{scheme}://…" if colon else "an address without ://"


def deliver(letter: Letter, apprise: Any) -> list[str]:
    """Send the letter to each address with the apprise module, and return the services that failed."""
    failed: list[str] = []
    for url in letter.urls:
        client = apprise.Apprise()
        if not client.add(url):
            failed.append(f"{service(url)} (apprise doesn't know it)")
        elif not client.notify(title=letter.title, body=letter.body):
            failed.append(service(url))
    return failed


def main() -> int:
    """Deliver the letter from stdin, print the services that failed, and return the exit code."""
    letter = from_json(sys.stdin.buffer.read(), Letter)
    try:
        import apprise
    except ModuleNotFoundError:
        return _MISSING
    failed = deliver(letter, apprise)
    sys.stdout.write(", ".join(failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
