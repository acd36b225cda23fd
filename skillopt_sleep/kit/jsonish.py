"""Find the JSON object in a model's reply: bare, in a fenced block, or with prose around it."""

import json
import re

MOST_TRIES = 100

_FENCED = re.compile(r"```(?:json)?\s*\n(.*?)```", re.DOTALL)


def find_object(text: str) -> str | None:
    """Return the text of the first whole JSON object, or None if there is none."""
    candidates = [text.strip()]
    candidates += [block.strip() for block in _FENCED.findall(text)]
    for candidate in candidates:
        if candidate.startswith("{") and is_json(candidate):
            return candidate
    return _object_within(text)


def _object_within(text: str) -> str | None:
    """Return the first JSON object that begins at one of the first `MOST_TRIES` braces."""
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
    """Tell whether the whole text is one JSON value."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
