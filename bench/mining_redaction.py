"""What redaction hides of made-up secrets, and what it alters of lines without any."""

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from pydoc_data.topics import topics
from typing import NamedTuple

from bench.mining_measures import Share, Shares, shares
from bench.planted_carriers import carried
from bench.planted_secrets import KINDS, secret
from bench.planted_words import named
from bench.reduced import size
from skillopt_sleep.kit.redact import redact

ALONE = size(30, 1)  # of each kind
CARRIED = size(6, 1)  # of each kind, each in every carrier that suits it
CODE, DOCS = size((9_000, 2_500), (90, 25))

# No sources of ours or of anyone's: the library's own, without its tests and what was put in for others.
_LEFT_OUT = frozenset({"test", "tests", "idlelib", "site-packages", "__pycache__", "turtledemo"})


class Hiding(NamedTuple):
    """How redaction fared with secrets: shares of which nothing is left."""

    alone: Share
    carried: Share
    alone_by_kind: Shares
    carried_by_kind: Shares
    by_sort: Shares
    misses: Mapping[str, Sequence[str]]


class Benign(NamedTuple):
    """How many lines were altered that hold no secret."""

    library: Share
    prose: Share
    misses: tuple[str, ...]

    @property
    def altered(self) -> Share:
        """Of both together."""
        return Share(self.library.hits + self.prose.hits, self.library.of + self.prose.of)


def hiding(pool: str) -> Hiding:
    """Redact secrets of every kind, alone and in carriers."""
    chance = random.Random(f"secrets {pool}")
    alone: list[tuple[str, bool]] = []
    inside: list[tuple[str, str, bool]] = []
    misses: dict[str, list[str]] = defaultdict(list)
    for kind in KINDS:
        for _ in range(ALONE):
            hidden = secret(kind, chance)
            left = redact(hidden.text)
            alone.append((kind, not hidden.remains(left)))
            if hidden.remains(left):
                misses[f"alone: {kind}"].append(f"{hidden.text[:120]!r} → {left[:120]!r}")
        for turn in range(CARRIED):
            hidden = secret(kind, chance)
            for sort, text in carried(hidden, pool, turn=turn):
                left = redact(text)
                inside.append((kind, sort, not hidden.remains(left)))
                if hidden.remains(left):
                    misses[f"{sort}: {kind}"].append(f"{text[:140]!r} → {left[:140]!r}")
    return Hiding(
        Share(sum(hit for _, hit in alone), len(alone)),
        Share(sum(hit for *_, hit in inside), len(inside)),
        shares(alone),
        shares((kind, hit) for kind, _, hit in inside),
        shares((sort, hit) for _, sort, hit in inside),
        misses,
    )


def benign(pool: str) -> Benign:
    """Redact lines of Python's library and documentation, and prose about secrets that holds none."""
    chance = random.Random(f"benign {pool}")
    lines = [*chance.sample(_code(), CODE), *chance.sample(_docs(), DOCS)]
    prose = named(pool, "benign")["lines"]
    altered = [line for line in lines if redact(line) != line]
    wrong = [line for line in prose if redact(line) != line]
    shown = tuple(f"{line.strip()[:140]!r} → {redact(line).strip()[:140]!r}" for line in (*altered, *wrong))
    return Benign(Share(len(altered), len(lines)), Share(len(wrong), len(prose)), shown)


def _code() -> list[str]:
    library = Path(random.__file__).parent
    files = sorted(
        path for path in library.rglob("*.py") if not _LEFT_OUT.intersection(path.relative_to(library).parts)
    )
    return _distinct(line for path in files for line in path.read_text("utf-8", "replace").splitlines())


def _docs() -> list[str]:
    return _distinct(line for name in sorted(topics) for line in topics[name].splitlines())


def _distinct(lines: Iterator[str]) -> list[str]:
    return list(dict.fromkeys(line for line in lines if line.strip()))
