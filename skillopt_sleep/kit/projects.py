"""Which project a folder belongs to."""

import os
from functools import lru_cache


@lru_cache(maxsize=4096)
def project_root(folder: str) -> str:
    """The nearest folder at or above this one that holds a `.git`, else the folder itself, which need not exist."""
    at = folder
    while at:
        if os.path.lexists(os.path.join(at, ".git")):  # noqa: PTH118 - thousands of calls a harvest
            return at
        above = os.path.dirname(at)  # noqa: PTH120
        if above == at:
            break
        at = above
    return folder
