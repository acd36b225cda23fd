"""Values whose name says that they are secret: `password = "…"`, `api_key: …`, `Authorization: Bearer …`."""

import itertools
import re
from collections.abc import Callable, Iterator

from skillopt_sleep.kit import (
    password_prose as prose,
    password_words as words,
    secret_told as told,
    secret_values as values,
)
from skillopt_sleep.kit.secret_rules import Span

# Each word is looked for by its rarest letter, of which so much stands before what is found; keyword, passed and sign
# are ruled out at once. A hook and curl are no names, but what they lead to is found by the same look.
_ENDED = rb"(?:(?![a-z])|(?=key|val|str|text|b64|base|hex))"
HINT = re.compile(
    rb"p(?:ass(?:e(?<=de.passe)|(?![abd-or-vx-z])|ord)|wd|w(?<![a-z0-9+/]pw)(?=[^a-z0-9+/])|rivate-|aro(?=l[aei]?|ol)|alavra.passe"
    rb"|(?<![a-z0-9+/]mdp)(?<=mdp)(?=[^a-z0-9+/]))"
    rb"|k(?:ey%b|en(?<=token)|(?<=hook)|ennwort|ontrasen|a(?<=lozinka)|u(?<=lozinku)|ode(?<=adgangskode)|odeord"
    rb"|ata.(?:sandi|laluan)|hau(?<=mat.khau))"
    rb"|c(?:red(?:s|ential)|ret(?<=secret)|url |lave|ontrase|htwoord(?<=wachtwoord)|odi(?:go|ce).di?.ac)"
    rb"|g(?:(?<=sig)(?:(?=nat)|%b)|eslo)|b(?:earer|asic |itmqctl)|j(?:elsz[oa])"
    rb"|h(?:(?<=auth)(?:(?=oriz)|%b)|a(?<=senha)|esl[oae]|asl[oae])" % (_ENDED, _ENDED, _ENDED)
)
# A search for one letter is many times faster than one for a few. So that there may be a name is seen first where
# these letters are one, as all digits are.
_MARKED = "pkcgbhj"
AS_LOOSE = bytes(
    ord("p") if char in _MARKED else ord("0") if char in "0123456789" else ord(char)
    for char in bytes(range(256)).lower().decode("latin-1")
)
_LOOSE_ENDED = rb"(?:(?![a-z])|(?=pey|val|str|text|p64|pase|pex))"
LOOSE = re.compile(
    rb"p(?:a(?:ss|ro[lo]|lavra|ta.[sl]a|sip |sl[oae]|(?<=senpa)|(?<=zinpa))|u(?:rl |(?<=zinpu))|pau(?<=t.ppau)"
    rb"|e(?:y(?<![^a-z]tpey)%b|n(?<=topen)|nnwort|arer|sl[oae]|lsz)|w(?:d|(?![a-z]))"
    rb"|r(?:ivate-|e(?:d[se]|t(?<=sepret)))|lave|o(?:op|ntras|de(?:ord|(?<=spode))|dip)|twoord"
    rb"|[^a-z](?:(?<=sip.)|(?<=mdp.)|(?<=autp.))|nat(?<=sipnat)|oriz|itmq)" % _LOOSE_ENDED
)
DIGIT_ENDS_LINE = re.compile(rb"0[a-z0_+/.~:$%%-]*=?\r?\n".replace(b"%%", b"%"))
_BEFORE_HINT = {
    b"ken": 2,
    b"cret": 2,
    b"g": 2,
    b"h": 3,
    b"passe": 7,
    b"p": 2,
    b"ka": 5,
    b"ku": 5,
    b"kode": 7,
    b"khau": 4,
    b"chtwoord": 2,
    b"ha": 3,
}
_NAME = re.compile(
    rb"(?P<password>passw(?:or)?d|passphrase|passcode|pass|pwd|pw(?![a-z0-9]))\d{0,2}(?![a-z])"
    rb"|(?P<header>authorization|bearer|basic)(?![a-z])"
    rb"|(?P<foreign>%b)"
    rb"|(?P<pair>creds|credentials?)(?![a-z_-])"
    rb"|(?:secret|token|credentials?|key|auth|sig(?:nature)?)(?:[_-]?(?:key(?:[_-]?base)?|value|string|text|b64|base64|hex))?"
    rb"\d{0,2}(?![a-z])" % words.ascii_labels().pattern
)
_HARMLESS_KEYS = re.compile(
    rb"public|pub|cache|primary|foreign|sort|partition|idempotency|object|s3|hot|mon|tur|don|dedup|index|lookup|map(?!i)"
    rb"|group|issue|project"
)
_KEY_OWNERS = re.compile(
    rb"api|access|secret|auth|priv|sign|crypt|account|master|client|service|licen|admin|deploy|hook|hmac|aes|jwt"
    rb"|storage|shared|subscription|consumer|app|ssh|token"
)
_PASS_OWNERS = re.compile(
    rb"(?:[a-z_]*_)?(?:ssh|db|my|user|admin|root|pg|sql|mail|smtp|ftp|ldap|vnc|key|store|http|app|git|sudo)"
)
_IDENT = b"abcdefghijklmnopqrstuvwxyz0123456789_-"
_SEPARATOR = re.compile(
    r"""(?:\\{0,3}["'`]\]?)?[ \t\xa0]{0,8}(?:
      :[ \t]{0,4}(?:&(?:'\w{1,16}[ ])?)?[A-Za-z_][\w.\[\]|,\ ]{0,40}=[ \t]{0,4}(?=[rbfu]?["'`])  # name: type = "…"
    | (?::|[ \t]=)[ \t]{0,4}\r?\n\s{0,40}(?=[\w+/.=~%:-]{16,1024}[ \t]*(?:[\r\n]|\Z))  # alone in the next line
    | [ ]{0,2}=[ \t]{0,4}\(\s{0,40}(?=[rbfu]?["'])                        # name = ( "…" "…" )
    | [ ]\[[^\]\n]{0,40}\]:[ ]                                           # name [what it is now]: value
    | </\w{1,16}>\s{0,40}<\w{1,16}>                                      # <key>name</key> <string>value
    | [ \t]{0,40}\|[ \t]{1,40}(?=[^|\n]{4,1200}\|)                       # | name | value |
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
_ENDING = re.compile(rf"(?![{words.UNSPACED}])[^\W\d_]{{0,5}}")
CHAIN = re.compile(r"[A-Za-z0-9_.~%+/=:-]*+")
_OPEN = re.compile(r"""[rbfuRBFU]{0,2}(\"{3}|'{3}|\\{0,3}["'`]|[“‘«„])""")
_CLOSE = {'"': '"', "'": "'", "`": "`", "“": "”", "‘": "’", "«": "»", "„": "“”"}
_ENDS = {quote: re.compile(rf"[^{end}\\\n]*+(?:\\.[^{end}\\\n]*+)*+") for quote, end in _CLOSE.items()}
_BARE = re.compile(r"""[^\s"'`,;<>()\[\]{}|&\\]*+(?:\\(?![nrt"'`\\])[^\s"'`,;<>()\[\]{}|&\\]*+)*+""")
_BARE_SHOUTED = re.compile(r"""[^\s"'`\\]*+(?:\\(?![nrt"'`\\])[^\s"'`\\]*+)*+""")
# Not possessive: before 3.11.5 Python left such a group where its last failed attempt had got to.
_MORE = re.compile(r"(?:\s*\n[ \t]*(?:[A-Za-z0-9+/]{16,}={0,2}|[A-Za-z0-9+/]+={1,2})(?![^\s\"'`]))*")
_WRAPPED = 40  # the lines that follow so long a value may be the rest of it
_JUDGED = 128  # a value is judged by so much of it, and hidden whole
_HEADER_GAP = re.compile(r"""(?:\\{0,3}["'])?[ \t]{0,4}[:=,]?[ \t]{0,4}[bfr]?(?:\\{0,3}["'`])?""")
_CALLED = re.compile(r"\((?=[rbfu]?[\"'])")
_INDEXED = re.compile(r"[A-Za-z_][\w.]*[(\[]")
_ARN = re.compile(r":\d{12}:\Z")
_ROW = 400
_OWNED = (b"key", b"auth", b"sig")
_CUTTING = frozenset("()[]{}&;,")
_GOES_ON = frozenset("_-(.,;{[")
_BEHIND = frozenset(" ,(")
_LEADERS = ([b"env"], [b"setx"], [b"setenv"])
_SCHEME = re.compile(r"(?i:bearer|basic|token|apikey|api-key|bot|digest|ssws)[ ]{1,4}")


def named(text: str, lower: bytes, at: int) -> Iterator[Span]:
    """Values whose name says that they are secret; no hint of one is before `at`."""
    hidden_to = 0
    for hint in HINT.finditer(lower, at):
        name = _NAME.match(lower, hint.start() - _BEFORE_HINT.get(hint[0], 0))
        if not name or name.start() < hidden_to:
            continue
        if name["header"]:
            span = _header_value(text, name.end())
        elif name["foreign"]:
            weak = name[0].decode() in words.WEAK_LABELS
            span = _labelled(text, name.start(), name.end(), weak=weak)
        else:
            span = _assigned(text, lower, name)
            if not span and (name["password"] or name["pair"]) and _is_told(text, name.end()):
                weak = name[0] in {b"pw", b"pass"} or bool(name["pair"])
                span = prose.after(text, name.start(), name.end(), weak=weak)
        if span:
            hidden_to = span[1]
            yield span


def foreign(text: str) -> Iterator[Span]:
    """Passwords whose label is of letters beyond ASCII."""
    labels, before = words.foreign_labels()
    hidden_to = 0
    for label, following in itertools.pairwise([*labels.finditer(text), None]):
        if label is None or (start := label.start() - before.get(label[0][:2], 0)) < hidden_to:
            continue
        ending = _ENDING.match(text, label.end())
        end = ending.end() if ending else label.end()
        weak = text[start : label.end()].lower() in words.WEAK_LABELS
        until = following.start() if following else len(text)
        if span := _labelled(text, start, end, weak=weak, until=max(until, end)):
            hidden_to = span[1]
            yield span


def _is_told(text: str, end: int) -> bool:
    """Whether the label ends here, and is no part of a longer name."""
    return text[end : end + 1] not in _GOES_ON or text[end + 1 : end + 2] in {" ", "\n", ""}


def _labelled(text: str, start: int, end: int, *, weak: bool, until: int | None = None) -> Span | None:
    """The value behind a label that needn't be English: as code assigns it, or as it is told."""
    judge = values.near if weak else values.told
    if separator := _SEPARATOR.match(text, end):
        at, ends, quoted = _value(text, separator.end(), shouted=False)
        value = text[at : ends(min(at + _JUDGED, len(text)))]
        if (quoted or separator[0].endswith("=")) and judge(value):
            return at, ends(len(text)), "password"
    return prose.after(text, start, end, weak=weak, until=until) if _is_told(text, end) else None


def _assigned(text: str, lower: bytes, name: re.Match[bytes]) -> Span | None:
    """The value assigned to this name, if it is one to hide."""
    separator = _SEPARATOR.match(text, name.end())
    if not separator and text[name.end() : name.end() + 1] not in _BEHIND:
        return None
    before = lower[max(0, name.start() - 40) : name.start()]
    prefix = _prefix(before, name[0])
    humped = text[name.start()].isupper() and text[name.start() - 1 : name.start()].islower()
    kind = _kind(prefix, name["password"], name[0], humped=humped)
    led = not separator and _led(lower, name.start() - len(prefix))
    separator = separator or _set_by_call(text, name.end(), prefix)
    if not kind or not (separator or led or b"--" in prefix):
        return told.after(text, name.end()) if kind == "secret" and not name["password"] else None
    at = separator.end() if separator else name.end() + 1
    between = separator[0].strip("\\\"'` \t") if separator else ""
    loud = text[name.start() : name.end()].isupper()
    shouted = loud and (led or (between == "=" and text[at - 1] == "="))
    start, ends, quoted = _value(text, at, shouted=shouted)
    end = ends(min(start + _JUDGED, len(text)))
    if _is_other(text, name.start(), start, between) or (end == start and _INDEXED.match(text, at)):
        return None
    spaced = kind == "password" and separator and not quoted and text[at - 1].isspace() and "\n" not in between
    # Whoever writes a space before it writes one behind it too.
    if spaced and (span := prose.after(text, name.start(), name.end(), weak=False)):
        return span
    value = text[start:end]
    if between.startswith("is") and values.plain(value):
        return None
    is_coined = kind == "password" and prefix and (quoted or not spaced) and values.coined(value)
    # What stands in a cell or beside a name in a call may be anything: only a name in capitals is a setting's.
    beside = between in {",", "|"}
    judged = "secret" if beside and not loud else kind
    if not is_coined and not _is_hidden(kind, judged, value, quoted=quoted or beside, shouted=shouted):
        return None
    end = ends(len(text))
    if end - start >= _WRAPPED or "\n" in between:
        end = _end(_MORE, text, end, len(text))
    return start, end, "secret" if kind == "key" else kind


def _is_other(text: str, start: int, at: int, between: str) -> bool:
    """Whether this is a pipe's command rather than a table's cell, or the name of a secret in a cloud."""
    if between == "|":
        line = max(text.rfind("\n", max(0, start - _ROW), start) + 1, start - _ROW, 0)
        return not text[line:at].lstrip().startswith("|")
    return between == ":" and bool(_ARN.match(text, max(0, start - 14), start))


def _is_hidden(kind: str, judged: str, value: str, *, quoted: bool, shouted: bool) -> bool:
    """Whether a value of this kind, judged as another one may be, is no harmless one and a secret."""
    if kind == "password" and not shouted and values.harmless(values.spelled(value)):
        return False
    return values.hidden(judged, value, quoted=quoted, shouted=shouted)


def _prefix(before: bytes, name: bytes) -> bytes:
    """What the identifier has before the name, or whose key it is: AWS_SECRET_, client.api., `API `."""
    prefix = before[len(before.rstrip(_IDENT)) :]
    if not prefix and name.startswith(_OWNED):
        owner = told.OWNER.search(before)
        return owner[0] if owner else before[len(before.rstrip(_IDENT + b".")) :]
    return prefix


def _set_by_call(text: str, end: int, prefix: bytes) -> re.Match[str] | None:
    """What stands between a name and its value in `setPassword("…")` and `.WithApiKey('…')`."""
    return _CALLED.match(text, end) if prefix.startswith((b"set", b"with")) else None


def _kind(prefix: bytes, password: bytes | None, name: bytes, *, humped: bool) -> str:
    """Which rule judges the value: password, secret, key (a weaker word), or none."""
    if password in {b"pass", b"pw"} and not _PASS_OWNERS.fullmatch(prefix):
        # bypass and compass aren't names of passwords; DB_PASS and dbPass are.
        return "password" if humped or prefix[-1:] in {b"_", b"-"} else "" if prefix else "secret"
    if password or prefix == b"rediscli_":
        return "password"
    if not name.startswith(_OWNED):
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
    whole = _end(_BARE_SHOUTED, text, start, limit) if text[end : end + 1] in _CUTTING else end
    if whole > end and text[whole : whole + 1] in {"", "\n", "\r", " ", "<"} and values.signed(text[start:whole]):
        return whole
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
    value = text[start : _end(CHAIN, text, start, min(start + _JUDGED, len(text)))]
    if values.hidden("secret", value, quoted=False, shouted=False) or values.basic(value):
        return start, _end(CHAIN, text, start, len(text)), "authorization"
    return None


def _led(lower: bytes, start: int) -> bool:
    """Whether what precedes the name makes the next word its value: `ENV name value`, `set -gx name value`."""
    before = lower[max(0, start - 80) : start]
    if not before[-1:].isspace():
        return False
    words = before.split()
    leader, flag = words[-2:-1], words[-1:]
    return (
        flag in _LEADERS or leader == [b"login"] or (leader == [b"set"] and flag[0][:1] == b"-" and b"x" in flag[0])
    )
