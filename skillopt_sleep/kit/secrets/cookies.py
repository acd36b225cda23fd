"""Session cookies: what a browser shows a server instead of a password, as in `Cookie: JSESSIONID=…`."""

import re
from collections.abc import Iterator

from skillopt_sleep.kit.secrets import values
from skillopt_sleep.kit.secrets.spans import Span

_MARGIN = 48  # how far before a long run of characters the cookie's name may begin
_COOKIE = re.compile(
    r"(?:sess(?:ion)?(?:[_-]?(?:id|cookie))?|connect[._-]?sid|(?<![a-z])(?:h?sid|ssid))"
    r"(?:\\{0,3}[\"'])?\s{0,3}[:=]\s{0,3}(?:\\{0,3}[\"'])?"
    # An id that says what it is the id of is the key of a record: ses_…, agent-….
    r"(?!(?:ses|sess|session|agent|run|thread)[_-])(?P<value>[\w%.+/=~:-]{20,})",
    re.IGNORECASE,
)


def cookies(text: str, start: int, run: int, end: int) -> Iterator[Span]:
    """Yield the session cookies in text[start:end], where a long run of characters begins at `run`."""
    first = max(start, run - _MARGIN)
    around = text[first : run + _MARGIN].lower()
    if "sess" not in around and "sid" not in around:
        return
    for match in _COOKIE.finditer(text, first, end):
        if values.is_secret("key", match["value"], quoted=True, shouted=False):
            yield *match.span("value"), "session"
