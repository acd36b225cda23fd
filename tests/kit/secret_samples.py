"""Samples of secrets: what tokens of known vendors look like, where they stand, and whether one was left to see.

A format is written with fields, as in `ghp_{a36}`: how many characters of which alphabet are random. No sample stands in
the file beside this one, so no scanner takes it for a leak; the same random generator gives the same samples.
"""

import base64
import json
import random
import re
import string
import urllib.parse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

CASES: dict[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
_ALPHABETS = {
    "a": string.ascii_letters + string.digits,
    "b": string.ascii_letters + string.digits + "+/",
    "c": string.ascii_lowercase,
    "d": string.digits,
    "h": "0123456789abcdef",
    "i": "234567ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "l": string.ascii_lowercase + string.digits,
    "s": string.ascii_letters,
    "t": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
    "U": string.ascii_uppercase + string.digits,
    "w": string.ascii_letters + string.digits + "-_",
}
_FIELD = re.compile(r"\{([a-zA-Z])(\d*)\}")
_SHOWN = 8  # so many random characters in a row are a leak

# Tokens that tell by themselves what they are.
SHAPES: dict[str, list[str]] = CASES["shapes"]

# Tokens that only their name makes secrets.
NAMED: dict[str, str] = CASES["named"]

BARE: dict[str, str] = CASES["bare"]

# ¤ is the vendor in lower case, ¢ with a capital, £ in capitals.
ASSIGNED: dict[str, str] = CASES["assigned"]
_ENCODED = {"a Kubernetes secret": lambda token: base64.b64encode(token.encode()).decode()}


@dataclass(frozen=True, slots=True)
class Sample:
    """A secret, and those parts of it that are random."""

    kind: str
    text: str
    random: tuple[str, ...]

    @property
    def runs(self) -> list[str]:
        """Runs of its random characters, of which none may be left to see."""
        return [part[at : at + _SHOWN] for part in self.random for at in range(max(len(part) - _SHOWN + 1, 1))]

    def leaks_into(self, clean: str) -> bool:
        """Whether a run of its random characters is left to see."""
        return any(run in clean for run in self.runs)


def a_sample(kind: str, shape: str, chance: random.Random) -> Sample:
    """A token of this shape, different each time."""
    parts: list[str] = []

    def filled(field: re.Match[str]) -> str:
        if field[1] == "u":
            parts.append(str(UUID(int=chance.getrandbits(128), version=4)))
        else:
            parts.append("".join(chance.choices(_ALPHABETS[field[1]], k=int(field[2]))))
        return parts[-1]

    text = _FIELD.sub(filled, shape)
    return Sample(kind, text, tuple(part for part in parts if len(part) >= _SHOWN) or (max(parts, key=len),))


def samples(kind: str, chance: random.Random, count: int = 3) -> list[Sample]:
    """So many of a kind, of each of its shapes at least one."""
    shapes = SHAPES.get(kind) or (NAMED[kind],)
    return [a_sample(kind, shapes[number % len(shapes)], chance) for number in range(max(count, len(shapes)))]


def carried(sample: Sample, carrier: str) -> tuple[str, Sample]:
    """The sample in a carrier, and what of it must not be seen there."""
    encode: Callable[[str], str] = _ENCODED.get(carrier, str)
    token = encode(sample.text)
    shown = sample if token == sample.text else Sample(sample.kind, token, (token,))
    vendor = sample.kind.partition("-")[0]
    names = {"¤": vendor, "¢": vendor.capitalize(), "£": vendor.upper(), "§": token}
    template = BARE.get(carrier) or ASSIGNED[carrier]
    return re.sub("[¤¢£§]", lambda slot: names[slot[0]], template), shown


def percent_encoded(text: str) -> str:
    """As it stands in a URL."""
    return urllib.parse.quote(text, safe="")
