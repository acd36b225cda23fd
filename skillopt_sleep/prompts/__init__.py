"""The words we send: one Markdown file per purpose, filled strictly."""

import re
from functools import cache
from importlib.resources import files

_SLOT = re.compile(r"\{\{(\w+)\}\}")


@cache
def _template(name: str) -> str:
    return (files(__name__) / f"{name}.md").read_text(encoding="utf-8")


def fill(name: str, **values: str) -> str:
    """The prompt with its slots filled in one pass, so that filled-in text is never read as a slot.

    Raises KeyError for a slot without a value and ValueError for a value without a slot: both are bugs.
    """
    template = _template(name)
    slots = set(_SLOT.findall(template))
    if unused := values.keys() - slots:
        raise ValueError(f"prompt {name} has no slot for {', '.join(sorted(unused))}")
    return _SLOT.sub(lambda match: values[match[1]], template)
