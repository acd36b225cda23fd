"""Say where a document stands in a seal, and prove by the first request that its text reached the model."""

import re
from collections.abc import Iterable, Iterator, Mapping
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import Any, cast

import msgspec

from skillopt_sleep.kit.markdown import front_matter, skill_description
from skillopt_sleep.protocols.acting import GivenDocument
from skillopt_sleep.records import DocumentKind

# The agents leave out comments that stand alone, and the head of a file.
_COMMENT = re.compile(r"^[ \t]*<!--.*?-->[ \t]*$", re.MULTILINE | re.DOTALL)
_SHOWN = 200  # characters of a description that no agent cuts off
_MOST_DEEP = 60


def placed(document: Path, *, root: Path, folders: Mapping[Path, PurePosixPath]) -> PurePosixPath | None:
    """Return the same place below the repository, or below that one of the user's folders which stands inside.

    `folders` are the user's, by their path on the disk; the first one that holds the document counts.
    """
    if ".." in document.parts:
        return None
    if document.is_relative_to(root):
        return PurePosixPath(document)
    for folder, inside in folders.items():
        if document.is_relative_to(folder):
            return inside / document.relative_to(folder)
    return None


def has_arrived(given: GivenDocument, sent: bytes) -> bool:
    """Return whether the request that was sent holds the document."""
    texts = list(strings(sent))
    if given.kind is not DocumentKind.SKILL:
        passed_on = _lines([_COMMENT.sub("", front_matter(given.text)[1])]) - {""}
        return passed_on <= _lines(texts)
    wanted = skill_description(given.text)[:_SHOWN].strip()
    # A skill without a description isn't listed, so that nothing can show that it is there.
    is_listed = bool(wanted) or not given.text.strip()
    return is_listed and wanted in " ".join(" ".join(texts).split())


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


def _texts(value: object, deep: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif deep and isinstance(value, dict):
        for inner in cast("dict[str, object]", value).values():
            yield from _texts(inner, deep - 1)
    elif deep and isinstance(value, list):
        for inner in cast("list[object]", value):
            yield from _texts(inner, deep - 1)


def _lines(texts: Iterable[str]) -> set[str]:
    return {line.strip() for text in texts for line in text.splitlines()}
