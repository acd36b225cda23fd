"""Send one notification through apprise, in a process of its own (`python -m skillopt_sleep.notify.deliver`).

The letter comes on stdin; the services that didn't take it are printed to stdout.
"""

import sys
from typing import Any

from skillopt_sleep.kit.codec import from_json
from skillopt_sleep.notify.urls import MISSING, UNSENT, Letter, service


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
    """Deliver the letter from stdin; exit with 0, MISSING (apprise isn't installed) or UNSENT."""
    letter = from_json(sys.stdin.buffer.read(), Letter)
    try:
        import apprise
    except ModuleNotFoundError:
        return MISSING
    failed = deliver(letter, apprise)
    sys.stdout.write(", ".join(failed))
    return UNSENT if failed else 0


if __name__ == "__main__":
    sys.exit(main())
