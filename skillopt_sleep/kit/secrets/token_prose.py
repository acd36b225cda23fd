"""Tokens told in a sentence: `use the API token …`, `the client secret, the new one is …`."""

import re

from skillopt_sleep.kit.secrets import shapes, values
from skillopt_sleep.kit.secrets.spans import Span

# A few words that lead from the name to its value, then a sign and perhaps a quote.
_LINK = re.compile(
    r",?(?: (?:the|new|old|one|current|is|was|now|be|are|it|set|to|as|provided|given|used|found|received|below))"
    r"{0,5}(?::|,| ?->| →)?\s[\"'`«„“(]?(?=\S)"
)
_TOKEN = re.compile(r"(?!sha\d|0x)[\w.~%+/=:-]*+", re.ASCII)
_LONGEST = 1024


def after(text: str, end: int) -> Span | None:
    """Return the token behind a name that ends at `end`, if only linking words stand between."""
    link = _LINK.match(text, end)
    if not link:
        return None
    token = _TOKEN.match(text, link.end(), link.end() + _LONGEST)
    if not token:
        return None
    value = token[0].rstrip(".:")
    if shapes.is_random(value) and values.is_secret("secret", value, quoted=False, shouted=False):
        return token.start(), token.start() + len(value), "secret"
    return None
