"""Take from a section's comment what it says of each setting."""

from collections.abc import Iterator

import msgspec

from skillopt_sleep.settings.sections import BackendSettings, Section, Settings


def sentence_of(key: str) -> str:
    """Return what the comment of its section says of a setting; "" for an unknown one.

    Those of the other models are told of at `[backend]`.
    """
    name, _, inner = key.partition(".")
    sections = {field.name: field.type for field in msgspec.structs.fields(Settings)}
    for section in (sections.get(name), BackendSettings):
        found = [piece for piece in _pieces(section) if f"`{inner}`" in piece]
        if section is not None and inner in section.__struct_fields__ and found:
            return _plain(found[0])
    return ""


def rest_of(section: type[Section]) -> str:
    """Return what the comment of a section says beside what it says of single settings."""
    names = [f"`{name}`" for name in section.__struct_fields__]
    return " ".join(_plain(piece) for piece in _pieces(section) if not any(name in piece for name in names))


def _pieces(section: type[Section] | None) -> Iterator[str]:
    """Yield the sentences of a comment; what stands after a semicolon is one too, unless it is in parentheses."""
    text = " ".join((section.__doc__ or "").split()) if section else ""
    depth, start = 0, 0
    for place, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if sign in ".;" and not depth and text[place + 1 : place + 2] in {"", " "}:
            yield text[start : place + 1].strip()
            start = place + 1


def _plain(piece: str) -> str:
    words = piece.replace("`", "").rstrip(".;")
    return f"{words[:1].upper()}{words[1:]}." if piece[:1] != "`" else f"{words}."
