"""Names of secrets in code and configuration, and what kind of value they have: `db_password`, `apiKey`, `creds`."""

import re

from skillopt_sleep.kit.secrets import password_words as words


def _alone(word: bytes) -> bytes:
    """Return the pattern of a short word that must stand alone, and not within base64."""
    return rb"(?<![a-z0-9+/])%b(?=[^a-z0-9+/])" % word


# A name from where it begins, in lower case. Of `AWS_SECRET_ACCESS_KEY` it is the last word: what stands before it in
# the identifier is its prefix.
NAME = re.compile(
    rb"(?P<password>passw(?:or)?d|passphrase|passcode|pass|pwd|%b)\d{0,2}(?![a-z])"
    rb"|(?P<header>(?:authorization|bearer)(?![a-z])|basic(?=[ ]))"
    rb"|(?P<foreign>%b|%b)"
    rb"|(?P<pair>creds|credentials?)(?![a-z_-])"
    rb"|(?P<holder>(?:pat|cred|(?:recovery|backup)[_-]?codes?|[ht]?otp[_-]?seed|jwt|dsn|cookie|connection[_-]?string|salt)"
    rb"(?![a-z_-]))"
    rb"|(?:secret|token|credentials?|key|auth|sig(?:nature)?)(?:[_-]?(?:key(?:[_-]?base)?|value|string|text|b64|base64|hex))?"
    rb"\d{0,2}(?![a-z])" % (_alone(b"pw"), _alone(b"mdp"), words.ascii_labels().pattern)
)

# Prefixes that make a key no secret (cache_key), and those that make it a certain one (api_key).
_HARMLESS_KEYS = re.compile(
    rb"public|pub|cache|primary|foreign|sort|partition|idempotency|object|s3|hot|mon|tur|don|dedup|index|lookup|map(?!i)"
    rb"|group|issue|project"
)
_SECRET_KEYS = re.compile(
    rb"api|access|secret|auth|priv|sign|crypt|account|master|client|service|licen|admin|deploy|hook|hmac|aes|jwt"
    rb"|storage|shared|subscription|consumer|app|ssh|token"
)
# Prefixes with which `pass` and `pw` name a password: DB_PASS, sshpass.
_PASS_PREFIXES = re.compile(
    rb"(?:[a-z_]*_)?(?:ssh|db|my|user|admin|root|pg|sql|mail|smtp|ftp|ldap|vnc|key|store|http|app|git|sudo)"
)
# The word before a name in a sentence: `the API key`.
_OWNER = re.compile(
    rb"\b(?:api|access|secret|sign(?:ing)?|encryption|account|master|client|service|licen[sc]e|admin|deploy|application"
    rb"|app|private|subscription|storage|openai) \Z"
)
_IDENTIFIER = b"abcdefghijklmnopqrstuvwxyz0123456789_-"
_WEAK_NAMES = (b"key", b"auth", b"sig")  # these name a secret only with the right prefix
_LONG_VALUES = (b"jwt", b"dsn", b"cookie", b"connection", b"salt")  # and these one that is long


def prefix_of(before: bytes, name: bytes) -> bytes:
    """Return what the identifier has before the name, or whose key it is: `aws_secret_`, `client.api.`, `api `."""
    prefix = before[len(before.rstrip(_IDENTIFIER)) :]
    if prefix or not name.startswith(_WEAK_NAMES):
        return prefix
    owner = _OWNER.search(before)
    if owner:
        return owner[0]
    return before[len(before.rstrip(_IDENTIFIER + b".")) :]


def kind_of(name: re.Match[bytes], prefix: bytes, *, camel_case: bool) -> str:
    """Return the rule that judges the value: `password`, `secret`, `key` (a weaker one), or "" for none."""
    if name["password"] in {b"pass", b"pw"} and not _PASS_PREFIXES.fullmatch(prefix):
        return _kind_of_pass(prefix, camel_case=camel_case)
    if name["holder"]:
        return _kind_of_holder(name["holder"], prefix, camel_case=camel_case)
    if name["password"] or prefix == b"rediscli_":
        return "password"
    if not name[0].startswith(_WEAK_NAMES):
        return "secret"
    if _HARMLESS_KEYS.search(prefix):
        return ""
    if _SECRET_KEYS.search(prefix):
        return "secret"
    return "key"


def _kind_of_holder(name: bytes, prefix: bytes, *, camel_case: bool) -> str:
    """Return the kind of a short name, which is no part of a word such as compat or basalt."""
    if prefix[-1:].isalpha() and not camel_case:
        return ""
    return "key" if name.startswith(_LONG_VALUES) else "secret"


def _kind_of_pass(prefix: bytes, *, camel_case: bool) -> str:
    """Return the kind of a name that ends in pass or pw: bypass and compass aren't names of passwords."""
    if camel_case or prefix[-1:] in {b"_", b"-"}:
        return "password"
    if prefix:
        return ""
    return "secret"
