"""Tell from the name of a file or folder which split it holds."""

import re
from collections.abc import Sequence
from pathlib import Path

from skillopt_sleep.records import Split

# Checked in this order, so that `valid_unseen` is test and `valid_seen` is val.
_WORDS = {
    Split.TEST: frozenset({"test", "unseen"}),
    Split.TRAIN: frozenset({"train", "training"}),
    Split.VAL: frozenset({"val", "valid", "validation", "dev", "selection"}),
}


def split_of(name: str) -> Split | None:
    """Return the split that a file's or folder's name contains, if any; of several the first in our order."""
    return next(iter(splits_in(name)), None)


def splits_in(name: str) -> Sequence[Split]:
    """Return all splits that a name contains; `valid_unseen` is test, as ALFWorld calls it."""
    words = set(re.split(r"[^a-z]+", name.lower()))
    if "unseen" in words:
        return (Split.TEST,)
    return [split for split, names in _WORDS.items() if names & words]


def visible(folder: Path) -> list[Path]:
    """Return what is in a folder, but for hidden entries."""
    return [entry for entry in sorted(folder.iterdir()) if not is_hidden(Path(entry.name))]


def is_hidden(path: Path) -> bool:
    """Return whether a file, or a folder that it is in, is hidden."""
    return any(part.startswith(".") for part in path.parts)
