"""Passwords as people write of them in many languages and hand them to programs; `§` is the password's place."""

import json
import random
import string
from pathlib import Path
from typing import Any

CASES: dict[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))

_SIGNS = "!#$%*+-=?@^_~&"

# What a person says or writes down of a password.
PROSE: dict[str, list[str]] = CASES["prose"]

# Labels of a password, each with `: §`, `= "§"` and as a key of JSON.
LABELS: list[str] = CASES["labels"]

# How programs are handed a password.
COMMANDS: list[str] = CASES["commands"]

# Command lines that look like these, and hand over no password.
HARMLESS_COMMANDS: list[str] = CASES["harmless_commands"]

# Of each language: a label, the word for "required", and what programs and their documentation say of a password; the
# forms in which such a label stands; and languages in letters of ASCII.
BENIGN_LANGUAGES: dict[str, list[str]] = CASES["benign_languages"]
BENIGN_FORMS: list[str] = CASES["benign_forms"]
ESCAPED: list[str] = CASES["escaped"]


def a_password(chance: random.Random) -> str:
    """Letters with a digit or a sign, as a person or a generator makes one up."""
    kind = chance.randrange(5)
    if kind == 0:
        word = chance.choice(("Sommer", "Winter", "Berlin", "dragon", "Monkey", "welcome", "Geheim", "letmein"))
        return f"{word}{chance.randrange(10, 2030)}{chance.choice('!#*?$')}"
    signs = _SIGNS if kind > 1 else ""
    letters = string.ascii_letters + string.digits + signs
    while True:
        inner = "".join(chance.choices(letters, k=chance.randrange(8, 17)))
        text = f"{chance.choice(string.ascii_letters)}{inner}{chance.choice(string.ascii_letters + string.digits)}"
        if sum(char.isdigit() for char in text) >= 1:
            return text


def spoken(chance: random.Random) -> list[tuple[str, str, str]]:
    """A language, a text and the password in it, one for each phrase."""
    found = [(language, phrase, a_password(chance)) for language, phrases in PROSE.items() for phrase in phrases]
    return [(language, phrase.replace("§", password), password) for language, phrase, password in found]


def benign_lines() -> list[str]:
    """Lines that name a password and hold none, each once."""
    lines = [
        form.replace("¤", label).replace("¢", label.lower()).replace("§", said[0])
        for label, said in BENIGN_LANGUAGES.items()
        for form in BENIGN_FORMS
    ]
    lines += [sentence for said in BENIGN_LANGUAGES.values() for sentence in said[1:]]
    return list(dict.fromkeys([*lines, *ESCAPED]))
