"""Read what the stages of a night left in its folder, a line at a time."""

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

Row = TypeVar("Row", bound=msgspec.Struct)


def rows(path: Path, kind: type[Row]) -> Iterator[Row]:
    """Yield the lines of a JSONL file as structs of this kind, which may name only some of their fields.

    Without the file there are none; a line that was cut off by a crash is left out.
    """
    decoder = msgspec.json.Decoder(kind)
    try:
        with path.open("rb") as file:
            for line in file:
                try:
                    yield decoder.decode(line)
                except (msgspec.DecodeError, UnicodeDecodeError):
                    continue
    except FileNotFoundError:
        return


def head(text: str, limit: int) -> str:
    """Return the beginning of a text, ending in "…" if there is more of it."""
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
