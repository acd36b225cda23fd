"""Fill the prompts we send: one Markdown file per purpose, every slot filled."""

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

_OF_WORDS = (
    "The answers were written without tools. A line that begins with `$` is a command: "
    "it counts as run, its result can't be\n"
    "known, and it is no part of what the answer says. A command that isn't there wasn't run. "
    "Code, changes and texts in an\n"
    "answer count as made. What no such answer can show, like the outcome of a command, isn't demanded."
)
_OF_CHANGES = """\
The answers are what an agent with tools changed in the files, as unified diffs: lines with `+` were added, with `-`
taken out, all else was left as it was. What no diff can show, like the outcome of a command, isn't demanded."""
_SLOT = re.compile(r"\{\{(\w+)\}\}")


@cache
def template(name: str) -> str:
    """Return the prompt of this name with its slots; FileNotFoundError if there is none."""
    return (files(__name__) / f"{name}.md").read_text(encoding="utf-8")


def setting(*, of_changes: bool = False) -> str:
    """Return what an attempt without tools can show, or what the changes of one with tools can.

    The target, the judge and the optimizer are told the same.
    """
    return _OF_CHANGES if of_changes else _OF_WORDS


def slots(words: str) -> set[str]:
    """Return the names of the slots in these words."""
    return set(_SLOT.findall(words))


def put(words: str, values: Mapping[str, str]) -> str:
    """Fill the slots of these words in one pass, so that filled-in text is never read as a slot.

    Raises KeyError for a slot without a value, which is a bug.
    """
    return _SLOT.sub(lambda match: values[match[1]], words)


def fill(name: str, **values: str) -> str:
    """Return the prompt of this name with its slots filled.

    Raises KeyError for a slot without a value and ValueError for a value without a slot: both are bugs.
    """
    words = template(name)
    if unused := values.keys() - slots(words):
        raise ValueError(f"prompt {name} has no slot for {', '.join(sorted(unused))}")
    return put(words, values)
