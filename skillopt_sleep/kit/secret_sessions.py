"""Session cookies: what a browser shows a server instead of a password, as in `Cookie: JSESSIONID=…`."""

import re
from collections.abc import Iterator

from skillopt_sleep.kit import secret_values as values
from skillopt_sleep.kit.secret_rules import Span

_REACH = 48  # how far before a long run of characters the cookie's name may begin
_COOKIE = re.compile(
    r"(?:sess(?:ion)?(?:[_-]?(?:id|cookie))?|connect[._-]?sid|(?<![a-z])(?:h?sid|ssid))"
    r"(?:\\{0,3}[\"'])?\s{0,3}[:=]\s{0,3}(?:\\{0,3}[\"'])?"
    # An id that says what it names is the key of a record: ses_…, agent-….
    r"(?!(?:ses|sess|session|agent|run|thread)[_-])(?P<value>[\w%.+/=~:-]{20,})",
    re.IGNORECASE,
)


def cookies(text: str, at: int, run: int, end: int) -> Iterator[Span]:
    """The sessions in the chain of characters that ends at `end` and has a long run, looked at from `at` on."""
    first = max(at, run - _REACH)
    part = text[first : run + _REACH].lower()
    if "sess" not in part and "sid" not in part:
        return
    for match in _COOKIE.finditer(text, first, end):
        if values.hidden("key", match["value"], quoted=True, shouted=False):
            yield *match.span("value"), "session"
