"""Say where a document of the user's has to stand in a seal, to be loaded as it is outside."""

from collections.abc import Mapping
from pathlib import Path, PurePosixPath


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
