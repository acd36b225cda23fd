"""Tell whether something that is kept quotes what is to be purged: an id, a path of a project, or words."""

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, cast

import msgspec

LEAST_CHARS = 12  # of a rule: shorter ones are in other texts by chance


class PurgeSearch(NamedTuple):
    """The texts to look for: whole strings, paths in one of the folders, and phrases in a longer text."""

    ids: frozenset[str] = frozenset()
    folders: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()

    def is_in(self, value: object) -> bool:
        """Return whether a value of dicts, lists and scalars holds any of it."""
        return any(self.is_in_text(text) for text in _strings(value))

    def is_in_text(self, text: str) -> bool:
        """Return whether this text is one of the ids, or a path in a folder, or holds one of the phrases."""
        if text in self.ids or any(is_inside(text, folder) for folder in self.folders):
            return True
        if not self.phrases:
            return False
        plain = plain_words(text)
        return any(phrase in plain for phrase in self.phrases)

    def is_in_bytes(self, data: bytes) -> bool:
        """Return whether these bytes hold any of it, as JSON, as lines of JSON, or as text."""
        for line in data.split(b"\n"):
            if not line.startswith((b"{", b"[")):
                break
            try:
                value = msgspec.json.decode(line)
            except msgspec.DecodeError:
                break
            if self.is_in(value):
                return True
        else:
            return False
        try:
            return self.is_in(msgspec.json.decode(data))
        except msgspec.DecodeError:
            return self._is_in_plain(data)

    def is_in_file(self, file: Path) -> bool:
        """Return whether the file holds any of it; a file that is gone holds nothing."""
        try:
            return self.is_in_bytes(file.read_bytes())
        except FileNotFoundError:
            return False

    def _is_in_plain(self, data: bytes) -> bool:
        text = data.decode(errors="replace")
        return any(name in text for name in (*self.ids, *self.folders)) or self.is_in_text(text)


def plain_words(text: str) -> str:
    """Return the words of a text for a comparison: in lower case, one space apart, also where it is JSON."""
    return " ".join(text.replace("\\n", " ").replace('\\"', '"').casefold().split())


def rule_phrases(contents: Iterable[str]) -> tuple[str, ...]:
    """Return the lines of these rules as phrases, without those so short that they are anywhere by chance."""
    phrases: dict[str, None] = {}
    for content in contents:
        for line in content.splitlines():
            phrase = plain_words(line.strip(" \t-*"))
            if len(phrase) >= LEAST_CHARS:
                phrases[phrase] = None
    return tuple(phrases)


def is_inside(path: str, folder: str) -> bool:
    """Return whether the path is this folder or in it."""
    return path == folder or path.startswith(folder.rstrip("/\\") + ("\\" if "\\" in folder else "/"))


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in cast("dict[object, object]", value).items():
            yield from _strings(key)
            yield from _strings(item)
    elif isinstance(value, Collection) and not isinstance(value, bytes):
        for item in cast("Collection[object]", value):
            yield from _strings(item)
