"""Find the words that rules begin with: names of secrets, and programs that are told one.

Most texts have none, and this search runs over every text, so one automaton looks for all the words at once.
"""

import re

from ahocorasick_rs import BytesAhoCorasick, Implementation

from skillopt_sleep.kit.secrets import password_words

# What leads to the rules for webhooks, private keys and commands.
_CONTEXTS = (
    *("hook", "private key", "private-lines", "curl ", "pass:", "identified", "echo ", "printf ", "<<<"),
    *("htpasswd", "rabbitmqctl", "nmcli", "neo4j-", "wpa_", "sqlplus", "net use ", "gh secret", "mnemonic", "phrase"),
    *password_words.LOGIN_ENDS,
)
_TWO_WORDS = (("connection", "string"), ("recovery", "code"), ("backup", "code"), ("otp", "seed"))
# How the names of secrets begin.
_NAMES = "pass pw key token secret cred auth sig bearer basic mdp jwt dsn cookie salt"
# What begins many other words counts with what stands behind it.
_NAME_PARTS = [
    *(f"pat{end}" for end in " =:'\"`]|"),
    *(f"{name}{gap}{rest}" for name, rest in _TWO_WORDS for gap in ("", "_", "-")),
]


def _plain(code: int) -> int:
    if chr(code).isdigit():
        return ord("0")
    return ord(chr(code).lower())


_AS_PLAIN = bytes(map(_plain, range(128))) + bytes(range(128, 256))
# A digit in the last word of a line, in a text written `as_plain`.
DIGIT_ENDS_LINE = re.compile(rb"0[a-z0_+/.~:$%-]*=?\r?\n")


def as_plain(data: bytes) -> bytes:
    """Return the text in lower case, with each digit as 0."""
    return data.translate(_AS_PLAIN)


def _search() -> BytesAhoCorasick:
    """Return what finds the contexts, which are its first words, and the beginnings of names."""
    names: list[str] = []
    for name in sorted({*_NAMES.split(), *_NAME_PARTS, *password_words.ascii_label_beginnings()}):
        # A name that begins with another one is found where that is found.
        if not names or not name.startswith(names[-1]):
            names.append(name)
    words = [as_plain(word.encode()) for word in (*_CONTEXTS, *names)]
    return BytesAhoCorasick(words, implementation=Implementation.DFA)


_SEARCH = _search()


def find(plain: bytes) -> tuple[list[int], bool]:
    """Return where names of secrets may begin, and whether there is a context, in a text written `as_plain`."""
    words = _SEARCH.find_matches_as_indexes(plain, overlapping=True)
    if not words:
        return [], False
    names = [start for word, start, _ in words if word >= len(_CONTEXTS)]
    return names, len(names) < len(words)
