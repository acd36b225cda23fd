"""Recognize values that aren't secret: methods, standards, dates, versions, addresses, rules and examples."""

import re

from skillopt_sleep.kit.secrets import shapes

# What a manual or a form writes in a secret's place: your-token, changeme, required, xxxx, ****.
EXAMPLE = re.compile(
    r"(?i:(?:your|my|the|some|example|sample|dummy|fake|placeholder|change|replace|insert|redacted|todo|none|null|true"
    r"|false|undefined|required|string|secret|password|pass|token|xx+)(?:[-_ ]?[a-z]+)*|[x*.•-]+)"
)
# Rules of a form: required|min:8|confirmed.
VALIDATION = re.compile(r"(?:[a-zA-Z_]+(?::[\w,.-]*)?\|)+[a-zA-Z_]+(?::[\w,.-]*)?")

_METHOD = (
    r"(?:base|sha|md|utf|argon|pbkdf|ascii|rfc|aes|rsa|des|oauth|ntlm|tls|ssl|pkcs|iso|ipv|bcrypt|scrypt|crc|hmac|hs|rs|es"
    r"|ed|secp|wpa|https?|fido|u2f|k8|i18|l10|a11|x50|x86_|h26|amd|arm|win|latin|cp|python|postgres|mysql|v\d?|api|keepass)"
)
HARMLESS = re.compile(
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


def is_harmless(value: str) -> bool:
    """Tell whether the value is a method, a date, an address, a rule, a variable, an example or the like."""
    if HARMLESS.fullmatch(value) or _VARIABLE.match(value) or EXAMPLE.fullmatch(value):
        return True
    is_place = _JOINED_NAMES.fullmatch(value) or shapes.is_path(value)
    return bool(is_place) and not shapes.is_joined_by_chance(value)


def is_name_like_password(value: str) -> bool:
    """Tell whether this is a password as people make them of names: Summer_1984, Monkey.Island7."""
    return bool(_NAME_LIKE_PASSWORD.fullmatch(value)) and not _BEGINS_WITH_METHOD.match(value)
