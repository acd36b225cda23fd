"""Secrets out of text: each becomes `[redacted:<kind>]`, and all else stays as it was.

This runs on every text kept of a session, so it first asks cheap questions of the whole text (is there a run of
18 token characters, a "://", a word such as "password") and looks closely only where one is answered by yes.

A named value is judged with its name: `password = "hunter2"` hides the value; `password = get()`, `token: Token`,
`secret = "<yours>"` and `"password": "required"` don't. A password of letters only is hidden only in the form
`DB_PASS=letmein`, and a value with spaces in it never is.
"""

import re
from collections.abc import Callable, Iterator

from skillopt_sleep.kit import secret_rules as rules
from skillopt_sleep.kit.secret_rules import Span

_MARGIN = 8_192
_PASSES = 4
_RUN = b"a" * 18
_BEFORE_RUN = 64  # how far before a long run a token may begin, as in pat….…
_IN_TOKEN = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
_AS_RUNS = bytes(ord("a") if code in _IN_TOKEN else ord(" ") for code in range(256))
_CHAIN = re.compile(r"[A-Za-z0-9_.~%+/=:-]*+")
_CHAINED = bytes(_IN_TOKEN) + b".~%+/=:$|"
_DIGIT = re.compile(r"[0-9]")
_CODE = r"(?:[3-7][0-9A-Fa-f]|2[0-46-9A-Fa-f]|0[AaDd])"
_FOLD = re.compile(rf"\\(?:\r?\n|/|\\{{0,2}}u00{_CODE})|%{_CODE}")


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
    if "%" in text or "\\" in text:
        found += _unfolded(text)
    return _apart(found) if found else found


def _unfolded(text: str) -> Iterator[Span]:
    """What is seen once lines broken by a backslash are joined, and `%3D`, `/` escaped and the like are read."""
    if not _FOLD.search(text) or not (found := _look(_FOLD.sub(_read, text))):
        return
    origin: list[int] = []
    widths: dict[int, int] = {}
    at = 0
    for fold in _FOLD.finditer(text):
        origin += range(at, fold.start() + len(_read(fold)))
        widths[fold.start()] = len(fold[0])
        at = fold.end()
    origin += range(at, len(text))
    for start, end, kind in found:
        yield origin[start], origin[end - 1] + widths.get(origin[end - 1], 1), kind


def _read(fold: re.Match[str]) -> str:
    """The character that is written so, or none where a line goes on."""
    return fold[0][-1].strip() if fold[0][-1] in "\n/" else chr(int(fold[0][-2:], 16))


def _look(text: str) -> list[Span]:
    """What the rules find, in no order."""
    found: list[Span] = []
    # One byte a character: an offset in one is an offset in the other.
    data = text.encode("ascii", "replace")
    runs = data.translate(_AS_RUNS)
    if _RUN in runs:
        found += _tokens(text, data, runs)
    if "@" in text:
        found += rules.url_passwords(text)
    lower = data.lower()
    hint = _HINT.search(lower)
    if hint and _framed(text):
        found += rules.webhooks(text)
        found += rules.curl_passwords(text)
        found += rules.private_keys(text)
        found += _named(text, lower, hint.start())
    return found


def _framed(text: str) -> bool:
    """Whether there is a sign without which no secret has a name or a frame."""
    return (
        ("=" in text or ":" in text or ">" in text or "--" in text)
        or (" is " in text or '",' in text or "earer " in text or "asic " in text)
        or ("login " in text or "ENV " in text or "：" in text or "＝" in text)
    )


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


def _tokens(text: str, data: bytes, runs: bytes) -> Iterator[Span]:
    """Vendor tokens: only those chains of characters are searched that hold a long run."""
    at = 0
    while (run := runs.find(_RUN, at)) >= 0:
        chain = _CHAIN.match(text, run)
        end = chain.end() if chain else run
        before = data[max(run - _BEFORE_RUN, at) : run]
        yield from rules.vendor_tokens(text, run - len(before) + len(before.rstrip(_CHAINED)), end)
        if _DIGIT.search(text, run, end):
            yield from rules.library_tokens(text, run - len(before), end)
        at = end


# Names, and what stands between a name and its value ----------------------------------------------------

# Each word is looked for by its rarest letter, of which so much stands before what is found; keyword, passed and sign
# are ruled out at once. A hook and curl are no names, but what they lead to is found by the same look.
_ENDED = rb"(?:(?![a-z])|(?=key|val|str|text|b64|base|hex))"
_HINT = re.compile(
    rb"p(?:ass(?![abd-or-vx-z])|wd|rivate-)|k(?:ey%b|en(?<=token)|(?<=hook))|c(?:redential|ret(?<=secret)|url )"
    rb"|g(?<=sig)(?:(?=nat)|%b)|uth(?<=auth)(?:(?=oriz)|%b)|b(?:earer|asic )" % (_ENDED, _ENDED, _ENDED)
)
_BEFORE_HINT = {b"ken": 2, b"cret": 2, b"g": 2, b"uth": 1}
_NAME = re.compile(
    rb"(?P<password>passw(?:or)?d|passphrase|passcode|pass|pwd)\d{0,2}(?![a-z])"
    rb"|(?P<header>authorization|bearer|basic)(?![a-z])"
    rb"|(?:secret|token|credentials?|key|auth|sig(?:nature)?)(?:[_-]?(?:key|value|string|text|b64|base64|hex))?"
    rb"\d{0,2}(?![a-z])"
)
_HARMLESS_KEYS = re.compile(
    rb"public|pub|cache|primary|foreign|sort|partition|idempotency|object|s3|hot|mon|tur|don|dedup|index|lookup|map"
    rb"|group|issue|project"
)
_KEY_OWNERS = re.compile(
    rb"api|access|secret|auth|priv|sign|crypt|account|master|client|service|licen|admin|deploy|hook|hmac|aes|jwt"
    rb"|storage|shared|subscription|consumer|app|ssh|token"
)
_IDENT = b"abcdefghijklmnopqrstuvwxyz0123456789_-"
_SEPARATOR = re.compile(
    r"""(?:\\{0,3}["'`]\]?)?[ \t\xa0]{0,8}(?:
      :[ \t]{0,4}(?:&(?:'\w{1,16}[ ])?)?[A-Za-z_][\w.\[\]|,\ ]{0,40}=[ \t]{0,4}(?=[rbfu]?["'`])  # name: type = "…"
    | (?:string|str)?[ \t]{0,4}(?:=>|:{1,3}=|\?{1,2}=|[.+]=|={1,3}|[:：＝])   # = and its kin, and blocks of YAML
      (?:[ \t]*[|>][+-]?[ \t]*\n)?[ \t\xa0]{0,8}
    | is:?[ ]
    | >\s{0,40}                                                         # <name>value
    | (?<=["'`])(?:
        ,?\s{0,16}\\{0,3}["']?value\\{0,3}["']?[ \t]{0,4}[:=][ \t]{0,4}  # "name": "<name>", "value": "…"
      | ,[ \t]{0,4}(?=\\{0,3}["'`]|[rbf]["'])                           # set("name", "value")
      | [ \t]{1,4}\{[^{}]{0,200}?default[ \t]{0,16}=[ \t]{0,4}(?=")      # variable "name" { default = "value" }
      ))""",
    re.VERBOSE,
)
_OPEN = re.compile(r"""[rbfuRBFU]{0,2}(\"{3}|'{3}|\\{0,3}["'`]|[“‘])""")
_CLOSE = {'"': '"', "'": "'", "`": "`", "“": "”", "‘": "’"}
_ENDS = {quote: re.compile(rf"[^{end}\\\n]*+(?:\\.[^{end}\\\n]*+)*+") for quote, end in _CLOSE.items()}
_BARE = re.compile(r"""[^\s"'`,;<>()\[\]{}|&\\]*+(?:\\(?![nrt"'`\\])[^\s"'`,;<>()\[\]{}|&\\]*+)*+""")
_BARE_SHOUTED = re.compile(r"""[^\s"'`\\]*+(?:\\(?![nrt"'`\\])[^\s"'`\\]*+)*+""")
# Not possessive: before 3.11.5 Python left such a group where its last failed attempt had got to.
_MORE = re.compile(r"(?:\s*\n[ \t]*(?:[A-Za-z0-9+/]{16,}={0,2}|[A-Za-z0-9+/]+={1,2})(?![^\s\"'`]))*")
_WRAPPED = 40  # the lines that follow so long a value may be the rest of it
_JUDGED = 128  # a value is judged by so much of it, and hidden whole
_HEADER_GAP = re.compile(r"""(?:\\{0,3}["'])?[ \t]{0,4}[:=,]?[ \t]{0,4}[bfr]?(?:\\{0,3}["'`])?""")
_SCHEME = re.compile(r"(?i:bearer|basic|token|apikey|api-key|bot|digest|ssws)[ ]{1,4}")


def _named(text: str, lower: bytes, at: int) -> Iterator[Span]:
    """Values whose name says that they are secret; no hint of one is before `at`."""
    hidden_to = 0
    for hint in _HINT.finditer(lower, at):
        name = _NAME.match(lower, hint.start() - _BEFORE_HINT.get(hint[0], 0))
        if not name or name.start() < hidden_to:
            continue
        span = _header_value(text, name.end()) if name["header"] else _assigned(text, lower, name)
        if span:
            hidden_to = span[1]
            yield span


def _assigned(text: str, lower: bytes, name: re.Match[bytes]) -> Span | None:
    """The value assigned to this name, if it is one to hide."""
    separator = _SEPARATOR.match(text, name.end())
    if not separator and text[name.end() : name.end() + 1] != " ":
        return None
    before = lower[max(0, name.start() - 40) : name.start()]
    prefix = before[len(before.rstrip(_IDENT)) :]
    humped = text[name.start()].isupper() and text[name.start() - 1 : name.start()].islower()
    if not (separator or b"--" in prefix or rules.led(lower, name.start() - len(prefix))):
        return None
    kind = _kind(prefix, name["password"], name[0], humped=humped)
    if not kind:
        return None
    at = separator.end() if separator else name.end() + 1
    between = separator[0].strip("\\\"'` ") if separator else ""
    shouted = between == "=" and text[at - 1] == "=" and text[name.start() : name.end()].isupper()
    start, ends, quoted = _value(text, at, shouted=shouted)
    end = ends(min(start + _JUDGED, len(text)))
    value = text[start:end]
    if between.startswith("is") and rules.plain(value):
        return None
    if not rules.hidden("secret" if between == "," else kind, value, quoted=quoted, shouted=shouted):
        return None
    end = ends(len(text))
    if end - start >= _WRAPPED or "\n" in between:
        end = _end(_MORE, text, end, len(text))
    return start, end, "secret" if kind == "key" else kind


def _kind(prefix: bytes, password: bytes | None, name: bytes, *, humped: bool) -> str:
    """Which rule judges the value: password, secret, key (a weaker word), or none."""
    if password == b"pass":
        # bypass and compass aren't names of passwords; DB_PASS and dbPass are.
        return "password" if humped or prefix[-1:] in {b"_", b"-"} else "" if prefix else "secret"
    if password:
        return "password"
    if not name.startswith((b"key", b"auth", b"sig")):
        return "secret"
    if _HARMLESS_KEYS.search(prefix):
        return ""
    return "secret" if _KEY_OWNERS.search(prefix) else "key"


def _value(text: str, at: int, *, shouted: bool) -> tuple[int, Callable[[int], int], bool]:
    """Where the value begins, where it ends if it may not go on past an offset, and whether it is quoted."""
    opened = _OPEN.match(text, at)
    if opened:
        start = opened.end()
        inside = _ENDS.get(opened[1])
        return (
            start,
            lambda limit: _end(inside, text, start, limit) if inside else _closed(text, opened[1], start, limit),
            True,
        )
    if shouted:
        return at, lambda limit: _end(_BARE_SHOUTED, text, at, limit), False
    return at, lambda limit: _end_bare(text, at, limit), False


def _end(pattern: re.Pattern[str], text: str, start: int, limit: int) -> int:
    return match.end() if (match := pattern.match(text, start, limit)) else start


def _end_bare(text: str, start: int, limit: int) -> int:
    """Without a full stop that ends a sentence; nothing where it is a call or an index."""
    end = _end(_BARE, text, start, limit)
    if text[end : end + 1] in {"(", "[", "{"}:
        return start
    return start + len(text[start:end].rstrip(".:!?"))


def _closed(text: str, quote: str, start: int, limit: int) -> int:
    """Up to the closing quote, or to white space where there is none."""
    end = text.find(quote, start, limit)
    return end if end >= 0 else _end(_BARE_SHOUTED, text, start, limit)


def _header_value(text: str, at: int) -> Span | None:
    """The credentials that follow `Authorization:`, `Bearer` or `Basic`."""
    gap = _HEADER_GAP.match(text, at)
    start = gap.end() if gap else at
    scheme = _SCHEME.match(text, start)
    start = scheme.end() if scheme else start
    value = text[start : _end(_CHAIN, text, start, min(start + _JUDGED, len(text)))]
    if rules.hidden("secret", value, quoted=False, shouted=False) or rules.basic(value):
        return start, _end(_CHAIN, text, start, len(text)), "authorization"
    return None
