"""Find every secret of a text.

This runs on every text that is kept of a session, so it first asks cheap questions of the whole text (is there a run
of 18 token characters, a "://", a word such as "password") and looks closely only if the answer to one is yes. A
search for one character, with a look behind it, is many times faster than one for several: hence the odd patterns
here.
"""

import re
from collections.abc import Iterator

from skillopt_sleep.kit.secrets import Span, broken_up, commands, formats, named_values, names, passwords_in_prose
from skillopt_sleep.kit.secrets.shapes import CHAIN, merged

_TOKEN_CHARACTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
_AS_RUNS = bytes(ord("a") if code in _TOKEN_CHARACTERS else ord(" ") for code in range(256))
_CHAIN_CHARACTERS = _TOKEN_CHARACTERS + b".~%+/=:$|"
_LONG_RUN = b"a" * 18
_BEFORE_RUN = 64  # so far before a long run may a token begin, as in pat….…
_DIGIT = re.compile(r"[0-9]")
_DIGIT_OR_CAPITAL = re.compile(r"[0-9A-Z]")
_FLAG = re.compile(r"-(?<=\s-)[A-Za-z-]")
_PIPE = re.compile(r"\|(?=[\s&]*\w)")
_SPACE_AND_SLASH = re.compile(r"/(?<= /)")
_SPACED_SLASH = re.compile(r"/(?<= /) ")


def find_secrets(text: str) -> list[Span]:
    """Return the places of all secrets in the text, in order and without overlaps."""
    found, digits = _find_as_written(text)
    if broken_up.is_folded(text, digits=digits):
        found += broken_up.unfolded(text, _find_in_unfolded)
    if not found:
        return found
    return broken_up.continued(text, merged(found))


def _find_in_unfolded(text: str) -> list[Span]:
    """Return what the rules find in a text that was unfolded or decoded already."""
    found, _ = _find_as_written(text)
    return found


def _find_as_written(text: str) -> tuple[list[Span], bool]:
    """Return what the rules find in the text as it stands, and whether it has digits."""
    found: list[Span] = []
    # One byte a character: an offset in the one is an offset in the other.
    data = text.encode("ascii", "replace")
    runs = data.translate(_AS_RUNS)
    chains = list(_long_chains(text, runs)) if _LONG_RUN in runs else []
    if chains:
        found += _tokens(text, data, chains)
    plain = names.as_plain(data)
    digits = b"0" in plain
    if digits and "\n" in text and (chains or names.DIGIT_ENDS_LINE.search(plain)):
        found += broken_up.wrapped(text, data)
    if "@" in text:
        found += formats.url_passwords(text)
    places, has_context = names.find_names(plain)
    if has_context:
        found += _in_context(text)
    if places:
        if "Secret" in text:
            found += formats.manifest(text)
        found += named_values.named(text, data.lower(), places)
    if not text.isascii() and names.may_have_foreign_label(text):
        found += named_values.foreign(text)
    if "/" in text:
        found += _beside_slashes(text, has_context=has_context)
    if digits:
        found += _in_commands(text, has_context=has_context)
    return found, digits


def _long_chains(text: str, runs: bytes) -> Iterator[tuple[int, int]]:
    """Yield the chains of characters that have a run as long as a token's and aren't mere words."""
    at = 0
    while (run := runs.find(_LONG_RUN, at)) >= 0:
        chain = CHAIN.match(text, run)
        at = chain.end() if chain else run
        if _DIGIT_OR_CAPITAL.search(text, run, at):
            yield run, at


def _tokens(text: str, data: bytes, chains: list[tuple[int, int]]) -> Iterator[Span]:
    """Yield the tokens, bare or in base64, that stand in long chains of characters."""
    at = decoded_to = 0
    for run, end in chains:
        before = data[max(run - _BEFORE_RUN, at) : run]
        start = run - len(before) + len(before.rstrip(_CHAIN_CHARACTERS))
        yield from formats.vendor_tokens(text, start, end)
        if _DIGIT.search(text, run, end):
            yield from named_values.cookies(text, at, run, end)
            if run >= decoded_to:
                decoded_to = formats.end_of_base64(text, run, end)
                yield from formats.encoded(text, run, decoded_to, _find_in_unfolded)
        at = end


def _in_context(text: str) -> Iterator[Span]:
    """Yield what is secret because of a word before it that isn't its name."""
    yield from formats.webhooks(text)
    yield from formats.curl_passwords(text)
    yield from formats.private_keys(text)
    yield from formats.seed_phrases(text)
    yield from passwords_in_prose.logins(text)
    yield from commands.passwords_in_place(text)


def _beside_slashes(text: str, *, has_context: bool) -> list[Span]:
    """Return the passwords beside a slash, in sentences and in commands."""
    found: list[Span] = []
    slash_behind_space = _SPACE_AND_SLASH.search(text)
    spaced_slash = slash_behind_space and _SPACED_SLASH.search(text)
    if spaced_slash or "with " in text or "mit " in text or "avec " in text:
        found += passwords_in_prose.pairs(text)
    if slash_behind_space or (has_context and "sqlplus" in text):
        found += commands.beside_slashes(text)
    return found


def _in_commands(text: str, *, has_context: bool) -> list[Span]:
    """Return the passwords on command lines."""
    found: list[Span] = []
    if "-" in text and _FLAG.search(text):
        found += commands.flagged(text)
    if not has_context:
        return found
    if "IDENTIFIED" in text or "identified" in text:
        found += commands.database_users(text)
    if "|" in text and _PIPE.search(text) and ("echo " in text or "printf " in text):
        found += commands.piped(text)
    if "<<<" in text:
        found += commands.passwords_of_programs(text)
    return found
