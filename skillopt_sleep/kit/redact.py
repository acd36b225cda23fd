"""Secrets out of text: each becomes `[redacted:<kind>]`, and all else stays as it was.

This runs on every text kept of a session, so it first asks cheap questions of the whole text (is there a run of
18 token characters, a "://", a word such as "password") and looks closely only where one is answered by yes.

A named value is judged with its name: `password = "hunter2"` hides the value; `password = get()`, `token: Token`,
`secret = "<yours>"` and `"password": "required"` don't. A password of letters only is hidden only in the form
`DB_PASS=letmein`, and a value with spaces in it never is.

What a person tells in words is found in some thirty languages (`das Passwort ist …`, `log in with me / …`), and what
a program is handed (`mysql -p…`), where there is a digit or a sign in it: a password told as a word stays.
"""

import re
from collections.abc import Iterator

from skillopt_sleep.kit import (
    command_passwords,
    password_prose,
    password_words as words,
    secret_folds,
    secret_names as names,
    secret_rules as rules,
    secret_sessions as sessions,
)
from skillopt_sleep.kit.secret_rules import Span

_MARGIN = 8_192
_PASSES = 4
_RUN = b"a" * 18
_BEFORE_RUN = 64  # how far before a long run a token may begin, as in pat….…
_IN_TOKEN = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
_AS_RUNS = bytes(ord("a") if code in _IN_TOKEN else ord(" ") for code in range(256))
_CHAINED = bytes(_IN_TOKEN) + b".~%+/=:$|"
# A search for one character, with a look behind it, is many times faster than one for several.
_FLAG = re.compile(r"-(?<=\s-)[A-Za-z-]")
_IN_COMMANDS = re.compile(r"[-|<'\"]")
_SPACED_SLASH, _BETWEEN_SPACES = re.compile(r"/(?<= /)"), re.compile(r"/(?<= /) ")
_HERE = re.compile(r"<(?=<<)")
_PIPED = re.compile(r"\|(?=[\s&]*\w)")
_DIGIT = re.compile(r"[0-9]")
_VARIED = re.compile(r"[0-9A-Z]")


def redact(text: str) -> str:
    """The text with every secret replaced by `[redacted:<kind>]`; doing it twice is doing it once."""
    # A label can end what stood before it, as in `Bearer <token>-----BEGIN …`: look again until nothing is found.
    for _ in range(_PASSES):
        spans = _find(text)
        if not spans:
            break
        text = _render(text, spans, len(text))
    return str(text)


def clip(text: str, limit: int) -> str:
    """At most `limit` characters of the redacted text, ending in '…' where something was cut off."""
    if limit <= 0:
        return ""
    part = text[: limit + _MARGIN]
    clean = redact(_render(part, _find(part), limit))
    return clean if len(text) <= limit and len(clean) <= limit else clean[: limit - 1] + "…"


def secrets(text: str) -> tuple[str, ...]:
    """The kinds of secrets the text holds, each once, in order of appearance."""
    return tuple(dict.fromkeys(kind for _, _, kind in _find(text)))


def _render(text: str, spans: list[Span], stop: int) -> str:
    """The text up to `stop`, with a label for each span that begins before it."""
    if not spans:
        return text[:stop]
    parts: list[str] = []
    at = 0
    for start, end, kind in spans:
        if start >= stop:
            break
        parts += text[at:start], f"[redacted:{kind}]"
        at = end
    parts.append(text[at:stop])
    return "".join(parts)


def _find(text: str) -> list[Span]:
    """Where secrets are, in order and apart; of several that overlap the first rule names them all."""
    found = _look(text)
    return secret_folds.continued(text, _apart(found)) if found else found


def _look(text: str, *, read: bool = False) -> list[Span]:
    """What the rules find, in no order; a text that was `read` is taken as it is."""
    found: list[Span] = []
    # One byte a character: an offset in one is an offset in the other.
    data = text.encode("ascii", "replace")
    runs = data.translate(_AS_RUNS)
    chains = list(_long_chains(text, runs)) if _RUN in runs else []
    if chains:
        found += _tokens(text, data, chains)
    loose = data.translate(names.AS_LOOSE)
    digits = b"0" in loose
    if digits and "\n" in text and (chains or names.DIGIT_ENDS_LINE.search(loose)):
        found += secret_folds.wrapped(text, data)
    if "@" in text:
        found += rules.url_passwords(text)
    if names.LOOSE.search(loose + b" "):
        found += _named(text, data.lower())
    if not text.isascii() and words.FOREIGN.search(text):
        found += names.foreign(text)
    if "/" in text:
        found += _paired(text)
    if digits and _IN_COMMANDS.search(text):
        found += _commanded(text)
    if not read and secret_folds.is_folded(text, digits=digits):
        found += secret_folds.unfolded(text, _look_as_read)
    return found


def _paired(text: str) -> list[Span]:
    """Passwords of pairs with a slash between."""
    found: list[Span] = []
    spaced = _SPACED_SLASH.search(text)
    if (spaced and _BETWEEN_SPACES.search(text)) or "with " in text or "mit " in text or "avec " in text:
        found += password_prose.pairs(text)
    if spaced or "sqlplus" in text:
        found += command_passwords.slashed(text)
    return found


def _commanded(text: str) -> list[Span]:
    """Passwords on command lines."""
    found: list[Span] = []
    if "-" in text and _FLAG.search(text):
        found += command_passwords.flagged(text)
    if ("'" in text or '"' in text) and ("IDENTIFIED" in text or "identified" in text):
        found += command_passwords.identified(text)
    if "|" in text and _PIPED.search(text) and ("echo " in text or "printf " in text):
        found += command_passwords.piped(text)
    if "<" in text and _HERE.search(text):
        found += command_passwords.behind_programs(text)
    return found


def _look_as_read(text: str) -> list[Span]:
    return _look(text, read=True)


def _named(text: str, lower: bytes) -> Iterator[Span]:
    """What has a name or a frame that says it is secret."""
    if hint := names.HINT.search(lower):
        yield from rules.webhooks(text)
        yield from rules.curl_passwords(text)
        yield from rules.private_keys(text)
        yield from command_passwords.placed(text)
        if "Secret" in text:
            yield from secret_folds.manifest(text)
        yield from names.named(text, lower, hint.start())


def _apart(found: list[Span]) -> list[Span]:
    spans: list[Span] = []
    best = 0
    for start, rank, end, kind in sorted((start, rank, end, kind) for rank, (start, end, kind) in enumerate(found)):
        if not spans or start >= spans[-1][1]:
            spans.append((start, end, kind))
            best = rank
            continue
        first, last, known = spans[-1]
        spans[-1] = (first, max(last, end), kind if rank < best else known)
        best = min(rank, best)
    return spans


def _long_chains(text: str, runs: bytes) -> Iterator[tuple[int, int]]:
    """Where chains of characters are with a run as long as a token's, and no mere word."""
    at = 0
    while (run := runs.find(_RUN, at)) >= 0:
        chain = names.CHAIN.match(text, run)
        at = chain.end() if chain else run
        if _VARIED.search(text, run, at):
            yield run, at


def _tokens(text: str, data: bytes, chains: list[tuple[int, int]]) -> Iterator[Span]:
    """Vendor tokens, bare or in base64: only those chains of characters are searched."""
    at = decoded = 0
    for run, end in chains:
        before = data[max(run - _BEFORE_RUN, at) : run]
        yield from rules.vendor_tokens(text, run - len(before) + len(before.rstrip(_CHAINED)), end)
        if _DIGIT.search(text, run, end):
            yield from rules.library_tokens(text, run - len(before), end)
            yield from sessions.cookies(text, at, run, end)
            if run >= decoded:
                decoded = secret_folds.base64_end(text, run, end)
                yield from secret_folds.encoded(text, run, decoded, _look_as_read)
        at = end
