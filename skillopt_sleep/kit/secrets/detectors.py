"""Tokens that the detectors of the library detect-secrets know and ours don't."""

import functools
import importlib
import re
from collections.abc import Iterator

from skillopt_sleep.kit.secrets.spans import Span

# Each detector we use: its module, its class, and texts of which each of its matches contains one. Left out are those
# that fire on ordinary text (entropy, keyword, IP address, `key: <44 characters>`), those whose patterns take
# quadratic time on a hostile text (JWT, OpenAI, npm), those that would hide more than the secret or less (basic auth,
# private key), and those that know no token but ours.
_DETECTORS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("aws", "AWSKeyDetector", ("A3T", "ABIA", "ACCA", "AKIA", "ASIA")),
    ("azure_storage_key", "AzureStorageKeyDetector", ("AccountKey=",)),
    ("cloudant", "CloudantDetector", ("cloudant", "CLOUDANT")),
    ("ibm_cos_hmac", "IbmCosHmacDetector", ("cos", "COS")),
    ("softlayer", "SoftlayerDetector", ("softlayer", "SOFTLAYER")),
)
_NEEDLE = re.compile("|".join(needle for _, _, needles in _DETECTORS for needle in needles))
_SHORTEST_VALUE = 20  # a group this long is the value behind a name; a shorter one is a part of the token


def library_tokens(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the tokens in text[start:end] that stand as whole words."""
    if not _NEEDLE.search(text, start, end):
        return
    part = text[start:end]
    for index, (_, _, needles) in enumerate(_DETECTORS):
        if any(needle in part for needle in needles):
            for kind, pattern in _patterns(index):
                for match in pattern.finditer(part):
                    first, last = _token_in(match)
                    if not part[first - 1 : first].isalnum() and not part[last : last + 1].isalnum():
                        yield start + first, start + last, kind


def _token_in(match: re.Match[str]) -> tuple[int, int]:
    """Return the span of the value if the pattern captures one behind a name, else of the whole match."""
    if match.re.groups == 1 and len(match[1] or "") >= _SHORTEST_VALUE:
        return match.span(1)
    return match.span()


def load_detectors() -> None:
    """Load the library's detectors now, so that the processes this one forks needn't each load them."""
    for index in range(len(_DETECTORS)):
        _patterns(index)


@functools.cache
def _patterns(index: int) -> tuple[tuple[str, re.Pattern[str]], ...]:
    # Importing detect-secrets takes 0.2 s, so it is imported for the first text that may need it.
    module, name, _ = _DETECTORS[index]
    detector = getattr(importlib.import_module(f"detect_secrets.plugins.{module}"), name)
    return tuple((module.replace("_", "-"), pattern) for pattern in detector.denylist)
