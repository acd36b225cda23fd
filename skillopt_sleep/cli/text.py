"""Lay out long texts for 80 columns."""

import textwrap

from skillopt_sleep.kit.markdown import visible
from skillopt_sleep.kit.words import WIDTH


def block(text: str, *, indent: str = "    ") -> str:
    """Return an indented text with its own line breaks kept and long lines wrapped."""
    lines: list[str] = []
    for line in visible(text).expandtabs(4).splitlines():
        wrapped = textwrap.wrap(line, WIDTH - len(indent), replace_whitespace=False, drop_whitespace=False)
        lines += wrapped or [""]
    return "\n".join(f"{indent}{line}".rstrip() for line in lines)
