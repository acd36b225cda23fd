"""Judge a value: whether it is a secret, given what it is called and how it is told.

The nearer the words around it come to saying "this is the password", the less it has to look like one.
`Kaffee_Napoli7` might be a variable, `harbor11064` a ticket and `pK9(hLrC` a call, so they are hidden only right
behind a label, and the more they look like something else, only if the words before announce a password.
"""

import base64
import itertools
import re

from skillopt_sleep.kit.secrets import shapes
from skillopt_sleep.kit.secrets.names import UNSPACED
from skillopt_sleep.kit.secrets.shapes import DIGIT, LETTER, SIGN

# The parts that are filled in later: f"{user}:{password}", "$TOKEN", "<token>", "{{ secret }}", "%(key)s".
_FILLED_IN = re.compile(
    r"\[redacted:[^\]]*\]?|\$?\{[^}]*\}*|\$\([^)]*\)?|\$\w+|%\(\w*\)s|%[sdr]\b|<[^>]*>|\[[^\]]*\]"
)
_MAY_BE_FILLED_IN = re.compile(r"[$%{<\[]")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_BARE_TOKEN = re.compile(r"[\w.~+/=:@%-]+")
_LONG_RUN = re.compile(r"[A-Za-z0-9+/=%]{20}")
# Letters of other languages in a file of ASCII: Contrase\u00f1a, &ntilde;, %C3%B1, Has\xc5\x82o.
_WRITTEN_OUT = re.compile(
    r"\\+u(?:\{[0-9A-Fa-f]{2,6}\}|(?!00[0-7])[0-9A-Fa-f]{4})|\\+x[89a-fA-F][0-9A-Fa-f]|\\+[23][0-7]{2}|&#x?[0-9A-Fa-f]{2,6};?|&[A-Za-z]{2,8};"
    r"|(?:%[C-Fc-f][0-9A-Fa-f](?:%[89ABab][0-9A-Fa-f]){1,3})"
)
_LETTER_AND_DIGIT = re.compile(r"(?=[^\d\s]{0,64}\d)(?=[^a-zA-Z\s]{0,64}[a-zA-Z])\S{6}")
_ENCODING = re.compile(r"(?i:base|sha|md|utf|argon|pbkdf|ascii|rfc|v)-?\d")
_CODE = re.compile(r"->|[{}\[\]|]|\\[dswnb_]|\(\?|\.\w{2,5}[#?]")
_OTHER_SCRIPT = re.compile(rf"[{UNSPACED}\u0590-\u0eff]")
_RARE_SIGN = re.compile(r"[!#$%^*~§]")
_PASSWORD_SIGN = re.compile(r"[!@#$%^&*?~]")
_TOKEN_PARTS = re.compile(r"[/+.]")
# What a manual or a form writes in a secret's place: your-token, changeme, required, xxxx, ****.
_EXAMPLE = re.compile(
    r"(?i:(?:your|my|the|some|example|sample|dummy|fake|placeholder|change|replace|insert|redacted|todo|none|null|true"
    r"|false|undefined|required|string|secret|password|pass|token|xx+)(?:[-_ ]?[a-z]+)*|[x*.•-]+)"
)
# Rules of a form: required|min:8|confirmed.
_VALIDATION = re.compile(r"(?:[a-zA-Z_]+(?::[\w,.-]*)?\|)+[a-zA-Z_]+(?::[\w,.-]*)?")

_METHOD = (
    r"(?:base|sha|md|utf|argon|pbkdf|ascii|rfc|aes|rsa|des|oauth|ntlm|tls|ssl|pkcs|iso|ipv|bcrypt|scrypt|crc|hmac|hs|rs|es"
    r"|ed|secp|wpa|https?|fido|u2f|k8|i18|l10|a11|x50|x86_|h26|amd|arm|win|latin|cp|python|postgres|mysql|v\d?|api|keepass)"
)
_HARMLESS = re.compile(
    # A method or standard: SHA-256, base64-encoded, v1.2.3.
    rf"(?i:{_METHOD}(?:[-_]?\d{{1,5}}(?:[a-z]{{1,5}}\d?)?)?(?![a-z])(?:[-_/.:][a-z0-9]{{1,12}}){{0,4}})"
    # A date, time, range or size; a number with a word; a ticket.
    r"|\d{1,4}(?:[-–—.,:/~x+]+\d{0,4})*[^\W\d_]{0,4}(?:[-–][^\W\d_]+)?"
    r"|\d{1,4}[-–]?[A-Z]?[^\W\d_A-Z]{1,24}|[A-Z]{2,10}-\d{1,6}"
    # An address, a mailbox, a call, rules of a form.
    r"|[a-zA-Z][a-zA-Z0-9+.-]*://.*|[\w.+-]+@[\w-]+\.(?:[\w-]+\.)*[A-Za-z]{2,12}|[\w.-]+\(.*"
    r"|(?:[\w-]+(?::[\w,.-]*)?\|)+[\w-]+(?::[\w,.-]*)?"
    # What is hidden already, code, a constant, a field with a number, a heading, an entity, a flag.
    r"|[*xX•.·●_-]+|1password|[a-z][a-z_]{2,}\d*=[^@?!*^~]*|[A-Z][A-Z_]{2,}=.*|0[xX][0-9A-Fa-f]+|[A-Z][A-Z0-9]*_[A-Z0-9_]+|.*\*{3}.*|@.*|(?:type|step|level|field|column|line|page|value|valor|valeur|wert)\d{1,3}|\$?\w+(?:->|::)\w+.*|#\w+|&\w+;?.*|:\w+|--?[a-zA-Z][\w-]*(?:=.*)?"
    # Keys that are pressed together: Ctrl+Alt+F2.
    r"|[A-Z][a-z]+(?:\+(?:[A-Z][a-z]*|F?\d{1,2}))+"
)
_BEGINS_WITH_METHOD = re.compile(rf"(?i){_METHOD}(?![a-z])")
_VARIABLE = re.compile(r"\$[A-Za-z_{(\[]\w*(?:[^\w].*)?$|[{<\[].*|%\(?\w+\)?[%s]?$|%\{.*|.*\[redacted:")
_JOINED_NAMES = re.compile(r"[\w-]+(?:\.[\w-]+)+|[\w.-]+(?:/[\w.#?=-]*)+")
_NAME_LIKE_PASSWORD = re.compile(r"(?:[A-Z][a-z]{2,15}[_.]){1,2}(?:[A-Z][a-z]{2,15}\d{1,4}|\d{2,4})")

_SHORTEST_TOLD = 6
_LONGEST_TOLD = 128
_SHORTEST_PASSWORD = 4
_SHORTEST_SECRET = 6
_LONG_PASSWORD = 6  # a password of digits only, or of letters and a sign, has at least as many characters
_SHORTEST_REST = 4
_FEW_TURNS = 2  # a word with a number behind it has no more


def is_secret(kind: str, value: str, *, quoted: bool, shouted: bool) -> bool:
    """Tell whether a value assigned to the name of a secret is one.

    `kind` is what the name promises: password, secret or key. `shouted` is a shell's `NAME=value`.
    """
    rest = _FILLED_IN.sub("", value) if _MAY_BE_FILLED_IN.search(value) else value
    if kind == "password":
        return _is_assigned_password(with_plain_letters(rest), quoted=quoted, shouted=shouted)
    if not DIGIT.search(rest):
        return shapes.is_shuffled(rest)
    if not _is_one_word(rest, shortest=_SHORTEST_SECRET) or not LETTER.search(rest):
        return False
    may_be_bare = quoted or shouted or _BARE_TOKEN.fullmatch(rest) or shapes.is_full_of_signs(value)
    if not may_be_bare or shapes.WORDS.fullmatch(rest):
        return False
    return kind == "secret" or bool(_LONG_RUN.search(rest) and not _UUID.fullmatch(rest))


def _is_assigned_password(value: str, *, quoted: bool, shouted: bool) -> bool:
    has_digit, has_letter = bool(DIGIT.search(value)), bool(LETTER.search(value))
    if not (has_digit or quoted or shouted) or not _is_one_word(value, shortest=_SHORTEST_PASSWORD):
        return False
    if shouted and has_letter:
        return not _EXAMPLE.fullmatch(value)
    if "|" in value and _VALIDATION.fullmatch(value):
        return False
    is_long = len(value) >= _LONG_PASSWORD
    if not has_digit:
        return quoted and has_letter and is_long and _PASSWORD_SIGN.search(value) is not None
    if not quoted and _has_joint(value) and shapes.is_made_of_words(value):
        return False
    return has_letter or is_long


def _is_one_word(value: str, *, shortest: int) -> bool:
    """Tell whether this is one printable word of at least so many characters, and no path."""
    return len(value) >= shortest and value.isprintable() and " " not in value and not shapes.is_path(value)


def _has_joint(value: str) -> bool:
    return any(char in value for char in "./:_")


def is_told_password(value: str) -> bool:
    """Tell whether this is a password behind words that announce one: `Passwort: …`, `the password is …`."""
    rest = with_plain_letters(value)
    if not _SHORTEST_TOLD <= len(rest) <= _LONGEST_TOLD or not rest.isprintable() or " " in rest:
        return False
    if is_harmless(rest) or _OTHER_SCRIPT.search(rest):
        return False
    if not DIGIT.search(rest):
        return _has_signs_of_password(rest)
    if not LETTER.search(rest):
        return rest.isdigit() or bool(SIGN.search(rest.strip("+=%#?!*~"), 1))
    return not (_has_joint(rest) and shapes.is_made_of_words(rest))


def _has_signs_of_password(value: str) -> bool:
    """Tell whether letters without a digit have signs in them other than those between or behind words."""
    inner = value[1:].rstrip(".,;:!?*)")
    signs = SIGN.findall(inner)
    if not signs or not LETTER.search(value):
        return False
    return bool(_RARE_SIGN.search(inner)) or len(set(signs)) > 1 or shapes.count_turns(value) > _FEW_TURNS


def is_nearby_password(value: str) -> bool:
    """Tell whether this is a password although it only stands near a word for one."""
    if not is_told_password(value) or value.isdigit() or _CODE.search(value):
        return False
    if not DIGIT.search(value):
        return True
    if shapes.is_made_of_words(value):
        return False
    return bool(SIGN.search(value, 1)) or shapes.count_turns(value) > _FEW_TURNS


def is_plain(value: str) -> bool:
    """Tell whether the rest of a sentence such as `the password is …` gives no password away."""
    return not _LETTER_AND_DIGIT.match(value) or bool(_ENCODING.match(value))


def is_basic_credentials(value: str) -> bool:
    """Tell whether this is the base64 of `user:password`, padded or not."""
    unpadded = value.rstrip("=")
    try:
        return b":" in base64.b64decode(unpadded + "=" * (-len(unpadded) % 4), validate=True)[1:]
    except ValueError:
        return False


def is_scrambled(piece: str) -> bool:
    """Tell whether this may be the rest of a token: letters and digits in no order that words have."""
    longest = max(_TOKEN_PARTS.split(piece), key=len)
    if len(longest) < _SHORTEST_REST:
        return False
    return not _HARMLESS.fullmatch(longest) and not shapes.CASED_WORDS.fullmatch(longest)


def with_plain_letters(value: str) -> str:
    r"""Return the value with an e for each letter beyond ASCII that is written out, as \u00f1 or &ntilde; is."""
    if "\\" in value or "&" in value or "%" in value:
        return _WRITTEN_OUT.sub("e", value)
    return value


def is_harmless(value: str) -> bool:
    """Tell whether the value is a method, a date, an address, a rule, a variable, an example or the like."""
    if _HARMLESS.fullmatch(value) or _VARIABLE.match(value) or _EXAMPLE.fullmatch(value):
        return True
    is_place = _JOINED_NAMES.fullmatch(value) or shapes.is_path(value)
    return bool(is_place) and not shapes.is_joined_by_chance(value)


def is_name_like_password(value: str) -> bool:
    """Tell whether this is a password as people make them of names: Summer_1984, Monkey.Island7."""
    return bool(_NAME_LIKE_PASSWORD.fullmatch(value)) and not _BEGINS_WITH_METHOD.match(value)


_CAPITALIZED = r"[A-Z][a-z]{2,15}"
_JOINED = re.compile(
    rf"(?P<first>{_CAPITALIZED})(?P<sign>[-_.+&@#!*$%~^=])(?P<second>{_CAPITALIZED})?(?P<number>[0-9]{{0,6}})[!?#*$%&]?"
)
_NUMBERED = re.compile(r"[A-Za-z][a-z]{3,20}(?!(?:19|20)[0-9]{2}$)[0-9]{4,8}")
_GROUPS = re.compile(r"[a-z0-9]{4}(?:-[a-z0-9]{4}){2,5}")
_DIGIT = re.compile(r"[0-9]")
_LETTER = re.compile(r"[A-Za-z]")
_VOWEL = re.compile(r"[aeiouy]")
# A piece of a name: words with small or capital letters, an acronym at either end, and a number.
_PIECE_OF_NAME = re.compile(
    r"[A-Z]{0,6}[a-z]*(?:[A-Z][a-z]{1,24})*[A-Z]{0,4}[0-9]{0,4}|[A-Za-z]?[0-9]+[A-Za-z]{0,2}|[0-9]{1,2}[A-Z]?[a-z]{3,}"
    r"|(?:[A-Z][a-z]{2,24}[0-9]{0,3}){1,4}"
)
_PIECE = re.compile(r"[A-Za-z0-9]+")
_LETTERS_OF_BOTH_CASES_AND_DIGIT = re.compile(r"(?=[^A-Z]*[A-Z])(?=[^a-z]*[a-z])(?=[^0-9]*[0-9])")
_SOMETHING_ELSE = re.compile(
    r"[\[{<$%(/.]|~/|[A-Za-z]:[\\/]|[A-Za-z][\w-]{2,}=|.*(?:\[redacted:|://|->|::|=>|&&|\|\||\(\)|\*{3}|…|\.\.\.)"
)
_PLACE = re.compile(r"[a-z]{2,}(?:\.[a-z]{2,})+\.\w+")  # where a value is found: `settings.form.password1Field`
_BRACKETS = ("()", "[]", "{}")
# What is pressed together, and what stands where a value is to be filled in.
_KEYS_AND_SLOTS = """
    ctrl control alt shift cmd command option opt win windows meta super strg umschalt enter tab esc escape maj
    your my the some example sample dummy fake placeholder change replace insert todo none null true false string
    required optional field user username email login type key value"""
_NO_NAMES = frozenset(_KEYS_AND_SLOTS.split())
_LONG_NUMBER = 4
_NUMBER = 3
_SHORTEST = 8
_SHORTEST_PIECE = 4


def is_password_shape(value: str, *, announced: bool) -> bool:
    """Tell whether a value right behind its label is a password; `announced` if words say that one is next."""
    value = with_plain_letters(value)
    if _is_joined(value, announced=announced) or _is_jumbled(value) or _is_grouped(value, announced=announced):
        return True
    return bool(_NUMBERED.fullmatch(value)) and not is_harmless(value)


def _is_joined(value: str, *, announced: bool) -> bool:
    """Tell whether a sign joins words, or a word and a number: `Kaffee+Katze`, `Kaffee.Katze12`, `Kaffee_123`."""
    parts = _JOINED.fullmatch(value)
    if not parts:
        return False
    if parts["first"].lower() in _NO_NAMES or (parts["second"] or "").lower() in _NO_NAMES:
        return False
    digits = len(parts["number"])
    is_sign_of_names = parts["sign"] in "-_."
    if not parts["second"]:
        few_digits = announced or not is_sign_of_names
        return digits >= (_NUMBER if few_digits else _LONG_NUMBER)
    if not is_sign_of_names:
        return True
    if digits:
        return announced or digits > 1
    return announced and parts["sign"] == "_"


def _is_grouped(value: str, *, announced: bool) -> bool:
    """Tell whether these are groups of four, of which one or two aren't words: `v1bv-y9ci-0jr1`."""
    if not _GROUPS.fullmatch(value) or value.replace("-", "").isdigit():
        return False
    odd_groups = 0
    for group in value.split("-"):
        if not group.isalpha() or not _VOWEL.search(group):
            odd_groups += 1
    return odd_groups > (0 if announced else 1)


def _is_jumbled(value: str) -> bool:
    """Tell whether letters, digits and signs stand in an order that neither names nor code have."""
    if len(value) < _SHORTEST or not value.isascii() or not _DIGIT.search(value):
        return False
    if _SOMETHING_ELSE.match(value) or _PLACE.fullmatch(value):
        return False
    if _LETTERS_OF_BOTH_CASES_AND_DIGIT.match(value) and _has_piece_of_no_name(value):
        return True
    if not _LETTER.search(value) or not _has_odd_bracket(value):
        return False
    turns = sum(_kind_of(a) != _kind_of(b) for a, b in itertools.pairwise(value))
    return turns * 5 >= len(value) * 3


def _has_piece_of_no_name(value: str) -> bool:
    pieces = _PIECE.findall(value)
    return any(len(piece) >= _SHORTEST_PIECE and not _PIECE_OF_NAME.fullmatch(piece) for piece in pieces)


def _has_odd_bracket(value: str) -> bool:
    return any(value.count(opening) != value.count(closing) for opening, closing in _BRACKETS)


def _kind_of(char: str) -> str:
    if char.isdigit():
        return "0"
    if not char.isalpha():
        return "!"
    return "A" if char.isupper() else "a"
