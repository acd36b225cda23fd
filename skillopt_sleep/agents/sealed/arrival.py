"""Prove that a document's text reached the model: by what was sent, and by what the agent says it loaded."""

import re
from collections.abc import Iterable, Iterator, Mapping
from io import BytesIO
from typing import Any, cast

import msgspec

from skillopt_sleep.protocols.acting import Arrival, Given
from skillopt_sleep.records import DocumentKind

REQUEST = "request"  # the first request has it
RECORD = "record"  # the agent's own record of what it loaded has it

# The agents leave out comments that stand alone, and the head of a file.
_COMMENT = re.compile(r"^[ \t]*<!--.*?-->[ \t]*$", re.MULTILINE | re.DOTALL)
_HEAD = re.compile(r"\A---[ \t]*\r?\n.*?^---[ \t]*$", re.MULTILINE | re.DOTALL)
_DESCRIPTION = re.compile(r"^description:[ \t]*[>|]?[-+]?[ \t]*(.*(?:\n[ \t]+.*)*)", re.MULTILINE)
_SHORT = 12  # characters: a shorter line may stand anywhere
_SHOWN = 200  # characters of a description that no agent cuts off
_MOST_DEEP = 60


def arrival(given: Given, *, sent: bytes, recorded: Iterable[str], transcript: Iterable[str]) -> Arrival:
    """Return which proofs hold; `recorded` is what the agent says that it loaded, `transcript` all that was said."""
    texts = {REQUEST: list(strings(sent)), RECORD: list(recorded)}
    if given.kind is DocumentKind.SKILL:
        wanted, unwanted = _description(given.text), _description(given.instead_of)
        # A skill without a description isn't listed, so that nothing can show that it is there.
        is_listed = bool(wanted) or not given.text.strip()
        held = [name for name, found in texts.items() if is_listed and _says(found, wanted, unwanted)]
        opened = _has(_lines(transcript), _body(given.text))
    else:
        held = [name for name, found in texts.items() if _holds(found, given)]
        opened = True
    return Arrival(tuple(held), tuple(name for name in texts if name not in held), opened)


def strings(data: bytes) -> Iterator[str]:
    """Yield every text in a JSON value, or nothing if it isn't one."""
    try:
        value: object = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return
    yield from _texts(value, _MOST_DEEP)


def events(transcript: bytes) -> Iterator[Mapping[str, Any]]:
    """Yield the objects of a file with one JSON object a line; anything else is left out."""
    for line in BytesIO(transcript):
        try:
            value: object = msgspec.json.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            continue
        if isinstance(value, dict):
            yield cast("dict[str, Any]", value)


def said(transcript: bytes) -> Iterator[str]:
    """Yield every text in a file with one JSON object a line."""
    for event in events(transcript):
        yield from _texts(event, _MOST_DEEP)


def _texts(value: object, deep: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif deep and isinstance(value, dict):
        for inner in cast("dict[str, object]", value).values():
            yield from _texts(inner, deep - 1)
    elif deep and isinstance(value, list):
        for inner in cast("list[object]", value):
            yield from _texts(inner, deep - 1)


def _holds(found: Iterable[str], given: Given) -> bool:
    """Return whether all lines of the text are there, and none that only the replaced text has."""
    lines = _lines(found)
    wanted = _body(given.text)
    replaced = {line for line in _body(given.instead_of) - wanted if len(line) >= _SHORT}
    return _has(lines, wanted) and not replaced & lines


def _has(lines: set[str], wanted: set[str]) -> bool:
    return wanted <= lines


def _says(found: Iterable[str], wanted: str, unwanted: str) -> bool:
    """Return whether the description is there, and not the one it replaces."""
    whole = " ".join(" ".join(found).split())
    if wanted not in whole:
        return False
    return not unwanted or unwanted in wanted or unwanted not in whole


def _lines(texts: Iterable[str]) -> set[str]:
    return {line.strip() for text in texts for line in text.splitlines()}


def _body(text: str) -> set[str]:
    """Return the lines of a document that an agent passes on."""
    return _lines([_COMMENT.sub("", _HEAD.sub("", text))]) - {""}


def _description(text: str) -> str:
    """Return the beginning of a skill's description, which is what the model gets to see of a skill."""
    head = _HEAD.match(text)
    found = _DESCRIPTION.search(head[0]) if head else None
    if found is None:
        return ""
    return " ".join(found[1].split()).strip("\"'")[:_SHOWN].strip()
