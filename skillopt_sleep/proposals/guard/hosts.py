"""Dotted words: which of them are names of hosts, and which are files, attributes, modules or abbreviations.

The ending decides, as the Public Suffix List knows it. `.sh`, `.rs`, `.py`, `.md` are endings of files and of hosts:
alone such a word is a file, with a path, a port or a query behind it, or behind `curl` or `visit`, it is a host.
"""

import re
from functools import cache

from publicsuffixlist import PublicSuffixList

from skillopt_sleep.proposals.guard.words import words

# Endings that no file, attribute or module has: whatever stands before them is a host.
_HOSTS_ONLY = words("hosts-only")
# Set aside for private use or for examples; no such name is on the list.
_RESERVED = words("reserved")
# Endings of files that are endings of hosts too.
_FILES_TOO = words("files-too")
_FILES = words("files")
# Files whose ending is hardly ever one of a file.
_FILE = re.compile(
    r"(?:config\.ru|(?:configure|makefile|\w+\.(?:h|hpp|py|pc|cfg|conf|toml|json|sh|txt|service|spec|yml|yaml|ini|md))"
    r"\.(?:in|ac|am|dev|prod|app)|configure\.(?:ac|in)|makefile\.(?:am|in)|(?:requirements|manifest|setup)\.in"
    r"|id_\w+\.pub|(?:config|settings|env|appsettings|dockerfile|compose|docker-compose|procfile|makefile|jenkinsfile)\.(?:dev|prod|local|test|example)"
    r"|asp\.net|ado\.net|vb\.net|ml\.net|json\.net|system\.(?:net|io)|java\.(?:net|io)|kotlin\.io|std\.(?:net|io)"
    r"|(?:tokio|async_std|golang)\.(?:net|io)|py\.typed)"
)
# Directories whose name has a dot.
_FOLDER = re.compile(
    r"(?:\w+\.)+(?:d|git|lproj|xcodeproj|xcworkspace|xcassets|framework|bundle|egg-info|dist-info|wiki)"
)
_VERSION = re.compile(r"[vV]?\d[\w.+-]*|\w+[-@]v?\d+(?:\.[\dx]+)*")
# What code calls its things; an attribute of one is no host unless its ending is of hosts only.
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
_NAMES_A_LINE = 3  # digits of a line number; more are a port
_BEHIND = re.compile(r"(?::\d+)?/[\w%?#@~.$&=+-]|[?#][\w-]+=")


def is_host(word: str, *, before: str, after: str) -> bool:
    """Whether the dotted word names a host; `before` and `after` are what stands around it."""
    lead = len(word) - len(word.lstrip("."))
    labels = word.strip(".").split(".")
    ending = labels[-1].casefold()
    name = ".".join(labels).casefold()
    if len(labels) == 1 or all(len(label) == 1 for label in labels) or ending[:1].isdigit():
        return False
    port = _PORT.match(after)
    leads_on = bool(_BEHIND.match(after)) or bool(port and len(port[1]) > _NAMES_A_LINE)
    if name == "readme.md" and after[1:].startswith("CHANGELOG.md"):
        return False
    if _FILE.fullmatch(name) and not leads_on:
        return False
    # A dot in front is a hidden file's, or a property's; behind a slash stands a part of a path.
    if (lead and "*" not in before[-1:]) or before[-1:] in {"/", "\\"}:
        return lead > 0 and ending in {"com", "net", "org"} and before[-1:] not in {"/", "\\"}
    if not _is_ending(ending):
        return leads_on and _is_unknown_place(labels, name, ending)
    if ending not in _HOSTS_ONLY and all(label[:1].isupper() and not label.isupper() for label in labels):
        return False  # names of classes, as in Foo.Bar/Baz
    if leads_on or _FETCHES.search(before[-90:]):
        return not _VERSION.fullmatch(name)
    return not _is_file(labels, ending) and not _is_code(labels, ending, after)


def _is_unknown_place(labels: list[str], name: str, ending: str) -> bool:
    """Whether a word with a path or a port is a host, although nobody knows its ending."""
    if ending in _FILES or _FOLDER.fullmatch(name) or _VERSION.fullmatch(name):
        return False
    return not (labels[0].casefold() in _THINGS or any(_HUMP.search(label) for label in labels[1:]))


def _is_file(labels: list[str], ending: str) -> bool:
    if ending in _FILES_TOO and (ending not in _RESERVED or labels[-2].casefold() in _FILES or len(labels[-2]) == 0):
        return labels[0].casefold() != "www"
    return labels[-2].casefold() in _FILES and ending not in _HOSTS_ONLY


def _is_code(labels: list[str], ending: str, after: str) -> bool:
    """Whether it is an attribute, a call, a module, or a sentence that ended without a space."""
    if labels[0].casefold() in {"com", "org"} and len(labels) > 2:  # noqa: PLR2004 - com.example.app
        return ending not in {"com", "org", "net"} and len(ending) > 2  # noqa: PLR2004 - not that of a country
    if ending in _HOSTS_ONLY:
        return False
    if after[:1] == "(" or re.match(r":[A-Za-z_]", after):
        return True
    last = labels[-1]
    if last[:1].isupper() and last[1:].islower() and labels[-2][-1:].islower():
        return True
    if labels[0].casefold() in _PACKAGES and len(labels) > 2:  # noqa: PLR2004 - com.example.app
        return len(ending) > 2  # noqa: PLR2004 - not that of a country
    return all(len(label) == 1 or label.casefold() in _THINGS or _HUMP.search(label) for label in labels[:-1])


@cache
def _is_ending(label: str) -> bool:
    return label in _RESERVED or label in _HOSTS_ONLY or _suffixes().publicsuffix(f"x.{label}") is not None


@cache
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList(accept_unknown=False, only_icann=True)
