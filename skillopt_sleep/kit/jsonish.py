"""The JSON object in a model's reply: bare, in a fenced block, or with prose around it."""

import json
import re

MOST_TRIES = 100

_FENCE = re.compile(r"```(?:json)?\s*\n(.*?)```", re.DOTALL)


def find_object(text: str) -> str | None:
    """The text of the first whole JSON object, or None where there is none."""
    for candidate in (text.strip(), *(match.strip() for match in _FENCE.findall(text))):
        if candidate.startswith("{") and is_json(candidate):
            return candidate
    decoder = json.JSONDecoder()
    start = text.find("{")
    for _ in range(MOST_TRIES):
        if start == -1:
            break
        try:
            _, end = decoder.raw_decode(text, start)
        except RecursionError:
            return None
        except ValueError:
            start = text.find("{", start + 1)
        else:
            return text[start:end]
    return None


def is_json(text: str) -> bool:
    """Whether the whole text is one JSON value."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
