"""Secrets where transcripts hold them, passwords in prose of many languages, and lines that hold neither, redacted."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from skillopt_sleep.kit.redact import redact
from tests.benchmarks.abuse_corpus.secrets import BENIGN_LABELS, benign_files, placed, prose
from tests.benchmarks.reduced import size

RUN = 8


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


def redacted() -> Redacted:
    """Redact all of it."""
    found = [(kind, carrier, is_hidden(text, parts)) for kind, carrier, text, parts in placed(per=size(36, 1))]
    said = [(language, is_hidden(text, [value])) for language, _, text, value in prose(per=size(8, 1))]
    altered = [line for line in BENIGN_LABELS if redact(line) != line]
    lines = [line for path in benign_files(size(250_000, 500)) for line in _lines(Path(path))]
    return Redacted(
        by_kind=_shares((kind, hit) for kind, _, hit in found),
        by_carrier=_shares((carrier, hit) for _, carrier, hit in found),
        prose=_shares(said),
        labels=altered,
        labels_of=len(BENIGN_LABELS),
        lines=[line for line in lines if redact(line) != line],
        lines_of=len(lines),
    )


def is_hidden(text: str, parts: Iterable[str]) -> bool:
    """Whether no run of eight characters of a part is left."""
    left = redact(text)
    return not any(part[at : at + RUN] in left for part in parts for at in range(max(len(part) - RUN, 0) + 1))


def _shares(found: Iterable[tuple[str, bool]]) -> Shares:
    hits: defaultdict[str, int] = defaultdict(int)
    of: defaultdict[str, int] = defaultdict(int)
    for name, hit in found:
        hits[name] += hit
        of[name] += 1
    return Shares(hits, of)


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8", errors="replace").splitlines()
