"""What a secret value looks like, by what it is called and how it is told: as code, in words, or merely nearby."""

import base64
import itertools
import re

from skillopt_sleep.kit.password_words import UNSPACED

# What a value is without its variables: f"{user}:{password}", "$TOKEN", "<token>", "{{ secret }}", "%(key)s".
_FILLED_IN = re.compile(
    r"\[redacted:[^\]]*\]?|\$?\{[^}]*\}*|\$\([^)]*\)?|\$\w+|%\(\w*\)s|%[sdr]\b|<[^>]*>|\[[^\]]*\]"
)
_SLOT = re.compile(r"[$%{<\[]")
_PATH = re.compile(r"(?:~|\.{0,2})/.*|[A-Za-z]:[\\/].*|[\w.-]+/[\w./-]+\.\w{1,5}")
_KEY_OF_BASE64 = re.compile(r"/[A-Za-z0-9+/]{27,}={0,2}")
# Words, short numbers and names made of them: my-app-v2, user1.password, SHA256, us-east-1, 2024-11-15T10:00:00Z.
_WORDY = re.compile(
    r"(?:[A-Za-z]{2,24}\d{0,4}|[A-Za-z]?\d{1,12}[A-Za-z]{0,2}|[A-Za-z])?"
    r"(?:[-_./:@]+(?:[A-Za-z]{2,24}\d{0,4}|[A-Za-z]?\d{1,12}[A-Za-z]{0,2}|\d\dT\d\d|[A-Za-z])?)*+"
)
_WORD = r"(?:[a-z]{1,24}(?:[A-Z][a-z]{1,24})*|[A-Z]{1,24}|(?:[A-Z][a-z]{1,24})+)"
_CASED_WORDS = re.compile(
    rf"(?:{_WORD}\d{{0,4}}|[A-Za-z]?\d{{1,12}}[A-Za-z]{{0,2}})?"
    rf"(?:[-_./:@]+(?:{_WORD}\d{{0,4}}|[A-Za-z]?\d{{1,12}}[A-Za-z]{{0,2}}|\d\dT\d\d)?)*"
)
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_BARE_TOKEN = re.compile(r"[\w.~+/=:@%-]+")
_LONG = re.compile(r"[A-Za-z0-9+/=%]{20}")
_EXAMPLE = re.compile(
    r"(?i:(?:your|my|the|some|example|sample|dummy|fake|placeholder|change|replace|insert|redacted|todo|none|null|true"
    r"|false|undefined|required|string|secret|password|pass|token|xx+)(?:[-_ ]?[a-z]+)*|[x*.•-]+)"
)
_MIXED = re.compile(r"(?=[^\d\s]{0,64}\d)(?=[^a-zA-Z\s]{0,64}[a-zA-Z])\S{6}")
_CODING = re.compile(r"(?i:base|sha|md|utf|argon|pbkdf|ascii|rfc|v)-?\d")
_KEYED_DIGITS = 6
_SHUFFLED = 22
_DIGIT = re.compile(r"[0-9]")
_JOINT = re.compile(r"[-_.]")
_LETTER = re.compile(r"[^\W\d_]")
_SYMBOL = re.compile(r"[!@#$%^&*?~]")

# Letters of other languages in a file of ASCII: Contrase\u00f1a, &ntilde;, %C3%B1, Has\xc5\x82o.
_WRITTEN_OUT = re.compile(
    r"\\+u(?:\{[0-9A-Fa-f]{2,6}\}|(?!00[0-7])[0-9A-Fa-f]{4})|\\+x[89a-fA-F][0-9A-Fa-f]|\\+[23][0-7]{2}|&#x?[0-9A-Fa-f]{2,6};?|&[A-Za-z]{2,8};"
    r"|(?:%[C-Fc-f][0-9A-Fa-f](?:%[89ABab][0-9A-Fa-f]){1,3})"
)
# What else stands behind a label: names of methods and standards, dates, versions, ranges, sizes, addresses, rules.
_METHOD = (
    r"(?:base|sha|md|utf|argon|pbkdf|ascii|rfc|aes|rsa|des|oauth|ntlm|tls|ssl|pkcs|iso|ipv|bcrypt|scrypt|crc|hmac|hs|rs|es"
    r"|ed|secp|wpa|https?|fido|u2f|k8|i18|l10|a11|x50|x86_|h26|amd|arm|win|latin|cp|python|postgres|mysql|v\d?|api|keepass)"
)
_HARMLESS = re.compile(
    rf"(?i:{_METHOD}(?:[-_]?\d{{1,5}}(?:[a-z]{{1,5}}\d?)?)?(?![a-z])(?:[-_/.:][a-z0-9]{{1,12}}){{0,4}})"
    r"|\d{1,4}(?:[-–—.,:/~x+]+\d{0,4})*[^\W\d_]{0,4}(?:[-–][^\W\d_]+)?"
    r"|\d{1,4}[-–]?[A-Z]?[^\W\d_A-Z]{1,24}|[A-Z]{2,10}-\d{1,6}"
    r"|[a-zA-Z][a-zA-Z0-9+.-]*://.*|[\w.+-]+@[\w-]+\.(?:[\w-]+\.)*[A-Za-z]{2,12}|[\w.-]+\(.*"
    r"|(?:[\w-]+(?::[\w,.-]*)?\|)+[\w-]+(?::[\w,.-]*)?"
    r"|[*xX•.·●_-]+|1password|[a-z][a-z_]{2,}\d*=[^@?!*^~]*|[A-Z][A-Z_]{2,}=.*|0[xX][0-9A-Fa-f]+|[A-Z][A-Z0-9]*_[A-Z0-9_]+|.*\*{3}.*|@.*|(?:type|step|level|field|column|line|page|value|valor|valeur|wert)\d{1,3}|\$?\w+(?:->|::)\w+.*|#\w+|&\w+;?.*|:\w+|--?[a-zA-Z][\w-]*(?:=.*)?"
    r"|[A-Z][a-z]+(?:\+(?:[A-Z][a-z]*|F?\d{1,2}))+"
)
_JOINED_NAMES = re.compile(r"[\w-]+(?:\.[\w-]+)+|[\w.-]+(?:/[\w.#?=-]*)+")
_JOINTS = re.compile(r"[./]")
# A name of somebody's or something's with a number: what people take for a password of their own.
_COINED = re.compile(r"(?:[A-Z][a-z]{2,15}[_.]){1,2}(?:[A-Z][a-z]{2,15}\d{1,4}|\d{2,4})")
_METHODS = re.compile(rf"(?i){_METHOD}(?![a-z])")
_VALIDATION = re.compile(r"(?:[a-zA-Z_]+(?::[\w,.-]*)?\|)+[a-zA-Z_]+(?::[\w,.-]*)?")
_VARIABLE = re.compile(r"\$[A-Za-z_{(\[]\w*(?:[^\w].*)?$|[{<\[].*|%\(?\w+\)?[%s]?$|%\{.*|.*\[redacted:")
_CODE = re.compile(r"->|[{}\[\]|]|\\[dswnb_]|\(\?|\.\w{2,5}[#?]")
_FOREIGN = re.compile(rf"[{UNSPACED}\u0590-\u0eff]")
_SIGN = re.compile(r"[!@#$%^&*?~+=§]")
_RARE_SIGN = re.compile(r"[!#$%^*~§]")
_PARTS = re.compile(r"[/+.]")
_SHORTEST = 6
_PIECE = 4
_FEW = 2  # changes from lower to upper case, to digits, to signs: a word with a number behind it
_LONGEST = 128
_TOKEN = 16
_MANY = 4
_OPERATOR = re.compile(r"&&|[|]{2}|==|[=-]>|[!<>]=|\)\.")


def hidden(kind: str, value: str, *, quoted: bool, shouted: bool) -> bool:
    """Whether a value so named is a secret: `kind` is password, secret or key; shouted is `NAME=value`."""
    rest = _FILLED_IN.sub("", value) if _SLOT.search(value) else value
    if kind == "password":
        rest = spelled(rest)
    digit = bool(_DIGIT.search(rest))
    if not digit and not (kind == "password" and (quoted or shouted)):
        return kind != "password" and _shuffled(rest)
    if len(rest) < (4 if kind == "password" else 6) or not rest.isprintable() or " " in rest or is_path(rest):
        return False
    letter = bool(_LETTER.search(rest))
    if kind == "password":
        return _hidden_password(rest, digit=digit, letter=letter, quoted=quoted, shouted=shouted)
    if (
        not letter
        or not (quoted or shouted or _BARE_TOKEN.fullmatch(rest) or signed(value))
        or _WORDY.fullmatch(rest)
    ):
        return False
    return kind == "secret" or bool(_LONG.search(rest) and not _UUID.fullmatch(rest))


def told(value: str) -> bool:
    """Whether this is a password where somebody says that one follows: `Passwort: …`, `the password is …`."""
    rest = spelled(value)
    if (
        not _SHORTEST <= len(rest) <= _LONGEST
        or not rest.isprintable()
        or " " in rest
        or harmless(rest)
        or _FOREIGN.search(rest)
    ):
        return False
    if not _DIGIT.search(rest):
        return _signed(rest)
    if not _LETTER.search(rest):
        return rest.isdigit() or bool(_SIGN.search(rest.strip("+=%#?!*~"), 1))
    return not (any(char in rest for char in "./:_") and _of_words(rest))


def near(value: str) -> bool:
    """Whether this is a password although it only stands near a word for one."""
    if not told(value) or value.isdigit() or _CODE.search(value):
        return False
    if not _DIGIT.search(value):
        return True
    return not _of_words(value) and (bool(_SIGN.search(value, 1)) or changes(value) > _FEW)


def _of_words(value: str) -> bool:
    """Whether this is made of words and numbers as names are."""
    joints = sum(not char.isalnum() for char in value)
    return bool(_CASED_WORDS.fullmatch(value)) and changes(value) <= 3 * joints + 2


def harmless(value: str) -> bool:
    """Whether this is something else that stands behind a label: a method, a date, an address, a rule, an example."""
    return bool(
        _HARMLESS.fullmatch(value)
        or _VARIABLE.match(value)
        or _EXAMPLE.fullmatch(value)
        or (_JOINED_NAMES.fullmatch(value) and not _by_chance(value))
        or (is_path(value) and not _by_chance(value))
    )


def coined(value: str) -> bool:
    """Whether this is a password as people make them of names: Summer_1984, Monkey.Island7."""
    return bool(_COINED.fullmatch(value)) and not _METHODS.match(value)


def _by_chance(value: str) -> bool:
    """Whether what points and slashes join is chance rather than names."""
    if not value[:1].isalnum() or _CASED_WORDS.fullmatch(value):
        return False
    return changes(value) > 2 * len(_JOINTS.findall(value)) + 2 and bool(_DIGIT.search(value))


def spelled(value: str) -> str:
    """The value with letters of other languages as letters, where they are written out in ASCII."""
    return _WRITTEN_OUT.sub("e", value) if "\\" in value or "&" in value or "%" in value else value


def is_path(value: str) -> bool:
    """Whether this is a path and no key that begins with a slash."""
    return bool(_PATH.fullmatch(value)) and not (_KEY_OF_BASE64.fullmatch(value) and _random_part(value))


def plain(value: str) -> bool:
    """Whether words such as `the password is …` would go on so without giving a password away."""
    return not _MIXED.match(value) or bool(_CODING.match(value))


def basic(value: str) -> bool:
    """Whether this is the base64 of user:password, padded or not."""
    try:
        return b":" in base64.b64decode(value.rstrip("=") + "=" * (-len(value.rstrip("=")) % 4), validate=True)[1:]
    except ValueError:
        return False


def random(value: str) -> bool:
    """Whether this is long and takes so many turns that nobody calls anything so."""
    return len(value) >= _TOKEN and changes(value) * 6 >= len(value) and not _WORDY.fullmatch(value)


def signed(value: str) -> bool:
    """Whether this is full of signs that no expression of a program has so near each other."""
    return (
        _SHUFFLED <= len(value) < _LONGEST
        and len(set(_SIGN.findall(value))) >= _MANY
        and bool(_DIGIT.search(value) and _LETTER.search(value))
        and changes(value) * 3 >= len(value)
        and not _OPERATOR.search(value)
    )


def changes(value: str) -> int:
    """How often letters, digits and signs take turns, and small letters with capitals that begin no word."""
    kinds = [_kind_of(char) for char in value]
    return sum(a != b and (a, b) != ("A", "a") for a, b in itertools.pairwise(kinds))


def scrambled(piece: str) -> bool:
    """Whether this may be the rest of a token: letters and digits in no order that words have."""
    longest = max(_PARTS.split(piece), key=len)
    return len(longest) >= _PIECE and not _HARMLESS.fullmatch(longest) and not _CASED_WORDS.fullmatch(longest)


def _kind_of(char: str) -> str:
    if char.isdigit():
        return "0"
    if not char.isalpha():
        return "-" if char in "-_./" else "!"
    return "A" if char.isupper() else "a"


def _random_part(path: str) -> bool:
    """Whether what stands between the slashes is chance rather than names."""
    turns, letters = sum(map(changes, path.split("/"))), path.replace("/", "")
    return turns * 5 >= len(letters) and any(map(str.isupper, letters)) and any(map(str.islower, letters))


def _signed(rest: str) -> bool:
    """Letters and signs without a digit: signs that words have between or behind them don't count."""
    inner = rest[1:].rstrip(".,;:!?*)")
    signs = _SIGN.findall(inner)
    if not signs or not _LETTER.search(rest):
        return False
    return bool(_RARE_SIGN.search(inner)) or len(set(signs)) > 1 or changes(rest) > _FEW


def _hidden_password(rest: str, *, digit: bool, letter: bool, quoted: bool, shouted: bool) -> bool:
    if shouted and letter:
        return not _EXAMPLE.fullmatch(rest)
    if "|" in rest and _VALIDATION.fullmatch(rest):
        return False
    if digit:
        broken = any(char in rest for char in "./:_")
        return (quoted or not (broken and _of_words(rest))) and (letter or len(rest) >= _KEYED_DIGITS)
    return quoted and bool(_SYMBOL.search(rest)) and letter and len(rest) >= _KEYED_DIGITS


def _shuffled(text: str) -> bool:
    """Letters only, but long and in no order that words have, or padded as base64 is; a prefix may stand before."""
    text, padded = text.rstrip("="), text.endswith("=")
    text = max(_JOINT.split(text), key=len)
    if len(text) < _SHUFFLED or not text.isalpha():
        return False
    ups = sum(a.islower() and b.isupper() for a, b in itertools.pairwise(text))
    return padded or ups * 5 >= len(text) or text.islower()
