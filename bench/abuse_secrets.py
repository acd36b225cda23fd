"""Secrets where transcripts hold them, passwords in prose of many languages, and lines that hold neither, redacted."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from bench.benign_files import benign_files
from skillopt_sleep.kit.redact import redact

RUN = 8
CORPUS = Path(__file__).parent / "abuse_corpus"


class Placed(msgspec.Struct, frozen=True):
    """A secret of a kind in a carrier: the text in pieces, of which every second one is the secret, or a part of it."""

    kind: str
    carrier: str
    text: list[str]


class Spoken(msgspec.Struct, frozen=True):
    """A password in a sentence of a language: what is before it, the password, and what is after it."""

    language: str
    text: list[str]


PLACED = msgspec.json.Decoder(Placed).decode_lines((CORPUS / "secrets.jsonl").read_bytes())
SPOKEN = msgspec.json.Decoder(Spoken).decode_lines((CORPUS / "passwords.jsonl").read_bytes())
LABELS = (CORPUS / "benign.txt").read_text(encoding="utf-8").removesuffix("\n").split("\n")


class Shares(NamedTuple):
    """How many were as they should be, of how many, by a name each."""

    hits: Mapping[str, int]
    of: Mapping[str, int]

    @property
    def share(self) -> float:
        """The share of all."""
        return sum(self.hits.values()) / sum(self.of.values())


class Redacted(NamedTuple):
    """Secrets hidden by kind and by carrier, passwords hidden by language, and benign lines that were altered."""

    by_kind: Shares
    by_carrier: Shares
    prose: Shares
    labels: Sequence[str]
    labels_of: int
    lines: Sequence[str]
    lines_of: int


def redacted(step: int = 1, *, of_this_machine: int = 250_000) -> Redacted:
    """Redact all of the corpus, or one case of so many, and so many lines of this machine's files."""
    found = [(case.kind, case.carrier, _is_hidden(case.text)) for case in PLACED[::step]]
    said = [(case.language, _is_hidden(case.text)) for case in SPOKEN[::step]]
    labels = LABELS[::step]
    altered = [line for line in labels if redact(line) != line]
    lines = [line for path in benign_files(of_this_machine) for line in _lines(path)]
    return Redacted(
        by_kind=_shares((kind, hit) for kind, _, hit in found),
        by_carrier=_shares((carrier, hit) for _, carrier, hit in found),
        prose=_shares(said),
        labels=altered,
        labels_of=len(labels),
        lines=[line for line in lines if redact(line) != line],
        lines_of=len(lines),
    )


def _is_hidden(text: Sequence[str]) -> bool:
    """Whether no run of eight characters of a secret piece is left."""
    left = redact("".join(text))
    return not any(part[at : at + RUN] in left for part in text[1::2] for at in range(max(len(part) - RUN, 0) + 1))


def _shares(found: Iterable[tuple[str, bool]]) -> Shares:
    hits: defaultdict[str, int] = defaultdict(int)
    of: defaultdict[str, int] = defaultdict(int)
    for name, hit in found:
        hits[name] += hit
        of[name] += 1
    return Shares(hits, of)


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8", errors="replace").splitlines()
