"""Tokens that somebody tells in a sentence: `use the API token …`, `the client secret, the new one is …`."""

import re

from skillopt_sleep.kit import secret_values as values
from skillopt_sleep.kit.secret_rules import Span

_GAP = re.compile(
    r",?(?: (?:the|new|old|one|current|is|was|now|be|are|it|set|to|as|provided|given|used|found|received|below))"
    r"{0,5}(?::|,| ?->| →)?\s[\"'`«„“(]?(?=\S)"
)
_TOKEN = re.compile(r"(?!sha\d|0x)[\w.~%+/=:-]*+", re.ASCII)
_LONGEST = 1024
OWNER = re.compile(
    rb"\b(?:api|access|secret|sign(?:ing)?|encryption|account|master|client|service|licen[sc]e|admin|deploy|application"
    rb"|app|private|subscription|storage|openai) \Z"
)


def after(text: str, end: int) -> Span | None:
    """The token behind a name that ends here, with nothing between but what links the two."""
    gap = _GAP.match(text, end)
    token = _TOKEN.match(text, gap.end(), gap.end() + _LONGEST) if gap else None
    if not token:
        return None
    value = token[0].rstrip(".:")
    if values.random(value) and values.hidden("secret", value, quoted=False, shouted=False):
        return token.start(), token.start() + len(value), "secret"
    return None
