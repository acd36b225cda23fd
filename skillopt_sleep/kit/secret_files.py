"""Tell files that hold secrets by their names: neither a patch nor a copy of a repository takes them along."""

from collections.abc import Callable
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

_ALWAYS = (".env", ".env.*", ".envrc", ".netrc", ".npmrc", ".pypirc", "id_rsa*", "id_ed25519*", "*.key", "*.pem")
_MAYBE = ("credentials*", "secrets.*")
SECRET_FILES = (*_ALWAYS, "*.p12", "*.pfx", "*.kdbx", *_MAYBE)
"""The same list as in `hooks/scripts/session.py`, which imports nothing."""

_CODE = frozenset(
    """
    .c .cc .clj .cpp .cs .css .dart .erl .ex .exs .go .h .hpp .hs .html .java .js .jsx .kt .lua .md .mjs
    .ml .php .py .pyi .rb .rs .rst .scala .svelte .swift .ts .tsx .vue
    """.split()  # noqa: SIM905
)


def is_secret_file(path: str, holds_secret: Callable[[], bool]) -> bool:
    """Tell whether the file at this path is to be hidden, by its name or that of a folder above it.

    Source code with such a name (`credentials.py`) is hidden only if it holds a secret, which is asked only then.
    """
    parts = PurePosixPath(path.lower()).parts
    named = {pattern for pattern in SECRET_FILES for part in parts if fnmatchcase(part, pattern)}
    if not named:
        return False
    if named <= set(_MAYBE) and PurePosixPath(path.lower()).suffix in _CODE:
        return holds_secret()
    return True
