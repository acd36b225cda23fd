"""Tell host names from other dotted words: files, attributes, modules and abbreviations.

The ending decides, by the Public Suffix List. `.sh`, `.rs`, `.py` and `.md` end files and hosts: such a word is a
file when it stands alone, and a host before a path, a port or a query, or after `curl` or `visit`.
"""

import re
from functools import cache

from publicsuffixlist import PublicSuffixList

from skillopt_sleep.proposals.guard.words import words

# Endings that no file, attribute or module has, so that any word with one is a host.
_HOSTS_ONLY = words("hosts-only")
# Reserved for private use or for examples, so they are not on the Public Suffix List.
_RESERVED = words("reserved")
# Endings of both files and hosts.
_FILES_TOO = words("files-too")
_FILES = words("files")
# Files with an ending that files rarely have.
_FILE = re.compile(
    r"(?:config\.ru|(?:configure|makefile|\w+\.(?:h|hpp|py|pc|cfg|conf|toml|json|sh|txt|service|spec|yml|yaml|ini|md))"
    r"\.(?:in|ac|am|dev|prod|app)|configure\.(?:ac|in)|makefile\.(?:am|in)|(?:requirements|manifest|setup)\.in"
    r"|id_\w+\.pub|(?:config|settings|env|appsettings|dockerfile|compose|docker-compose|procfile|makefile|jenkinsfile)\.(?:dev|prod|local|test|example)"
    r"|asp\.net|ado\.net|vb\.net|ml\.net|json\.net|system\.(?:net|io)|java\.(?:net|io)|kotlin\.io|std\.(?:net|io)"
    r"|(?:tokio|async_std|golang)\.(?:net|io)|py\.typed)"
)
# Folders with a dot in their names.
_FOLDER = re.compile(
    r"(?:\w+\.)+(?:d|git|lproj|xcodeproj|xcworkspace|xcassets|framework|bundle|egg-info|dist-info|wiki)"
)
_VERSION = re.compile(r"[vV]?\d[\w.+-]*|\w+[-@]v?\d+(?:\.[\dx]+)*")
# Common names in code; an attribute of one is a host only if its ending is for hosts only.
_THINGS = words("things")
_HUMP = re.compile(r"[a-z][A-Z]|_|^[A-Z][a-z]+$")
_PACKAGES = frozenset({"com", "org", "net", "io", "dev", "edu"})
_FETCHES = re.compile(
    r"\b(?:curl|wget|ping|nc|ncat|ssh|scp|telnet|dig|nslookup|whois|visit|browse|git clone|docker pull|irm|iwr)\b"
    r"[^.\n]{0,60}$"
    r"|\b(?:download|install|fetch)\b[^.\n]{0,40}\b(?:from|at)\s$|\b(?:upload|post|submit)\b[^.\n]{0,40}\bto\s$",
    re.IGNORECASE,
)
_PORT = re.compile(r":(\d{2,5})(?!\w)")
_LINE_DIGITS = 3  # at most, in a line number; a port has more
_BEHIND = re.compile(r"(?::\d+)?/[\w%?#@~.$&=+-]|[?#][\w-]+=")


def is_host(word: str, *, before: str, after: str) -> bool:
    """Return whether the dotted word names a host, given the text `before` and `after` it."""
    labels = word.strip(".").split(".")
    ending = labels[-1].casefold()
    name = ".".join(labels).casefold()
    if ending[:1].isdigit() or all(len(label) == 1 for label in labels) or len(labels) == 1:
        return False  # a number, an abbreviation like e.g., or no dot inside
    if name == "readme.md" and after[1:].startswith("CHANGELOG.md"):
        return False
    if _FILE.fullmatch(name) and not _has_path_or_port(after):
        return False
    if before[-1:] in {"/", "\\"}:
        return False  # a part of a path
    if word.startswith(".") and not before.endswith("*"):
        return ending in {"com", "net", "org"}  # else a hidden file or a property
    if not _is_ending(ending):
        return _has_path_or_port(after) and _is_unknown_host(labels, name, ending)
    return _is_known_host(labels, name, ending, before=before, after=after)


def _is_known_host(labels: list[str], name: str, ending: str, *, before: str, after: str) -> bool:
    """Return whether a word with the ending of a host is one."""
    if ending not in _HOSTS_ONLY and all(label[:1].isupper() and not label.isupper() for label in labels):
        return False  # as in Foo.Bar/Baz
    if _has_path_or_port(after) or _FETCHES.search(before[-90:]):
        return not _VERSION.fullmatch(name)
    return not _is_file(labels, ending) and not _is_code(labels, ending, after)


def _has_path_or_port(after: str) -> bool:
    if _BEHIND.match(after):
        return True
    port = _PORT.match(after)
    return port is not None and len(port[1]) > _LINE_DIGITS


def _is_unknown_host(labels: list[str], name: str, ending: str) -> bool:
    """Return whether a word with a path or a port is a host, although its ending is unknown."""
    if ending in _FILES or _FOLDER.fullmatch(name) or _VERSION.fullmatch(name):
        return False
    if labels[0].casefold() in _THINGS:
        return False
    return not any(_HUMP.search(label) for label in labels[1:])


def _is_file(labels: list[str], ending: str) -> bool:
    stem = labels[-2].casefold()
    if ending in _FILES_TOO and (ending not in _RESERVED or stem in _FILES or not stem):
        return labels[0].casefold() != "www"
    return stem in _FILES and ending not in _HOSTS_ONLY


def _is_code(labels: list[str], ending: str, after: str) -> bool:
    """Return whether it is an attribute, a call, a module, or the end of a sentence without a space after it."""
    first = labels[0].casefold()
    is_package = len(labels) > 2 and first in _PACKAGES  # noqa: PLR2004 - com.example.app
    is_country = len(ending) <= 2  # noqa: PLR2004 - the ending of a country
    if is_package and first in {"com", "org"}:
        return ending not in {"com", "org", "net"} and not is_country
    if ending in _HOSTS_ONLY:
        return False
    if after[:1] == "(" or re.match(r":[A-Za-z_]", after):
        return True
    last = labels[-1]
    if last[:1].isupper() and last[1:].islower() and labels[-2][-1:].islower():
        return True  # the first word of the next sentence
    if is_package:
        return not is_country
    return all(len(label) == 1 or label.casefold() in _THINGS or _HUMP.search(label) for label in labels[:-1])


@cache
def _is_ending(label: str) -> bool:
    return label in _RESERVED or label in _HOSTS_ONLY or _suffixes().publicsuffix(f"x.{label}") is not None


@cache
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList(accept_unknown=False, only_icann=True)
