"""Text files of this machine without secrets: what a redaction should leave as it is."""

import os
import re
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

_LIBRARY = Path(os.__file__).parent
_ROOTS = (  # a folder, and so many lines of it at most
    (_LIBRARY, 70_000),
    (_LIBRARY / "site-packages", 20_000),
    (Path("/usr/lib/python3/dist-packages"), 40_000),
    (Path("/usr/lib/node_modules"), 45_000),
    (Path("/usr/share/perl"), 35_000),
    (Path("/usr/share/doc"), 35_000),
    (Path("/etc"), 10_000),
)
_PACKAGES = {"site-packages", "dist-packages"}
_SKIPPED_FOLDERS = {
    *("__pycache__", "test", "tests", "testing", "fixtures", "__fixtures__"),
    *("certdata", "private", "ssh", "docker", "apt", "sudoers.d"),
}
_SKIPPED_FILES = re.compile(
    r"(?i)^(passwd|shadow|gshadow|group|subuid|subgid|environment|machine-id|sudoers|netrc|\.netrc|krb5\.keytab|pip\.conf|npmrc|"
    r"\.npmrc|hosts|hostname|resolv\.conf|.*\.(key|pem|p12|pfx|jks|crt|gz|pyc|so|mo|png|gif|ico|jpg|node|wasm))-?$|credential"
)
_KEY_BLOCK = re.compile("-{5}BEGIN [A-Z ]*PRIVATE" + " KEY")
_LARGEST = 400_000
_FULL = 0.99


def benign_files(most: int) -> Iterator[Path]:
    """Yield text files of together at most so many lines, in an order that gives every folder its share.

    Left out are folders with tests (they hold sample keys), files with private keys, and what could hold a credential.
    """
    total = 0
    for root, most_of_root in _ROOTS:
        if total >= most:
            return
        lines = 0
        for path in _text_files(root):
            text = _text(path)
            count = text.count("\n") + 1
            if not text or lines + count > most_of_root or total + count > most:
                continue
            lines, total = lines + count, total + count
            yield path
            if lines > most_of_root * _FULL:
                break


def _text_files(root: Path) -> Sequence[Path]:
    found: list[Path] = []
    for folder, folders, files in os.walk(root):
        skipped = _SKIPPED_FOLDERS | (_PACKAGES if root == _LIBRARY else set())
        folders[:] = [name for name in folders if name not in skipped and not name.startswith(".")]
        found += [Path(folder, name) for name in files if not _SKIPPED_FILES.search(name)]
    return sorted(found, key=lambda path: (zlib.crc32(os.fsencode(path.relative_to(root))), path))


def _text(path: Path) -> str:
    """The text of a plain file, or nothing where it can't be read as text, is large, or holds a private key."""
    try:
        if path.is_symlink() or path.stat().st_size >= _LARGEST:
            return ""
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
    return "" if "\0" in text or _KEY_BLOCK.search(text) else text
