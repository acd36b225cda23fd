"""What people type, by pool and language, out of `phrases/<pool>/<language>.txt`, with slots filled in and typos made.

A section `[wish name]` holds requests (`? `) and the corrections that teach one standing wish (`! `); neighbouring
wishes share words and differ in meaning. The other sections hold a phrase a line:

oneoff               corrects the request before it, and teaches nothing that lasts
stopped              corrects what was stopped or refused, without a word of disagreement
midturn-correction   corrects, typed while the agent works
midturn              adds to the request, typed while the agent works
lookalike            corrects nothing, whatever its words look like
request              asks for something
"""

import random
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

POOLS = ("dev", "held-out")
LANGUAGES = ("en", "de", "fr", "es", "pt", "ru", "zh", "ja")
SPACED = frozenset({"en", "de", "fr", "es", "pt", "ru"})
TYPOS = 0.25

_FOLDER = Path(__file__).parent / "phrases"
_SLOT = re.compile(r"\{(\w+)\}")
_LONG_WORD = re.compile(r"\b[^\W\d_]{6,}\b")
_WORDS = [
    "billing",
    "cart",
    "search",
    "invoice",
    "tenant",
    "webhook",
    "avatar",
    "coupon",
    "ledger",
    "report",
    "session",
    "upload",
    "widget",
    "catalog",
    "feed",
]
_FUNCTIONS = [
    "parse_row()",
    "load_config()",
    "mergeUsers()",
    "sendMail()",
    "to_slug()",
    "flush_queue()",
    "buildIndex()",
    "retry_once()",
]
_FILES = [
    "src/app.py",
    "lib/auth.ts",
    "core/cache.go",
    "views/list.tsx",
    "cli/main.py",
    "api/routes.py",
    "jobs/sync.rb",
    "util/date.ts",
]
_LIBRARIES = ["dayjs", "lodash", "zod", "sonner", "httpx", "pydantic", "swr", "nanoid"]


class Wish(NamedTuple):
    """One standing wish: how it is run into, and how the person says it."""

    name: str
    asks: tuple[str, ...]
    corrections: tuple[str, ...]


class Phrases(NamedTuple):
    """What is typed in one language; `wishes` stand in pairs that share words."""

    language: str
    wishes: tuple[Wish, ...]
    others: Mapping[str, tuple[str, ...]]


@cache
def phrases(pool: str, language: str) -> Phrases:
    """The phrases of a pool in a language."""
    wishes: list[Wish] = []
    others: dict[str, list[str]] = {}
    for name, lines in sections(_FOLDER / pool / f"{language}.txt"):
        if name.startswith("wish "):
            asks = tuple(line[2:] for line in lines if line.startswith("? "))
            said = tuple(line[2:] for line in lines if line.startswith("! "))
            wishes.append(Wish(name.removeprefix("wish "), asks, said))
        else:
            others[name] = lines
    return Phrases(language, tuple(wishes), {name: tuple(lines) for name, lines in others.items()})


@cache
def named(pool: str, name: str) -> Mapping[str, tuple[str, ...]]:
    """The sections of another file of a pool."""
    return {title: tuple(lines) for title, lines in sections(_FOLDER / pool / f"{name}.txt")}


def sections(path: Path) -> list[tuple[str, list[str]]]:
    """A file's sections in order, each with its lines; a written \\n is a line's end within a phrase."""
    found: list[tuple[str, list[str]]] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("[") and line.endswith("]"):
            found.append((line[1:-1], []))
        elif line:
            found[-1][1].append(line.replace("\\n", "\n"))
    return found


class Speaker:
    """Types phrases of one language; `fresh` forgets what it spoke of before."""

    def __init__(self, chance: random.Random, language: str) -> None:
        self._chance = chance
        self._language = language
        self._slots: dict[str, str] = {}

    def fresh(self) -> None:
        """Speak of other files and functions from now on."""
        one, other = self._chance.sample(_FUNCTIONS, 2)
        small, large = sorted(self._chance.sample(range(2, 60), 2))
        self._slots = {
            "word": self._chance.choice(_WORDS),
            "fn": one,
            "fn2": other,
            "file": self._chance.choice(_FILES),
            "lib": self._chance.choice(_LIBRARIES),
            "n": str(small),
            "m": str(large),
        }

    def say(self, phrase: str) -> str:
        """The phrase as typed."""
        text = _SLOT.sub(lambda slot: self._slots.get(slot[1], slot[0]), phrase)
        if self._language in SPACED and self._chance.random() < TYPOS:
            return self._hurried(text)
        return text

    def pick(self, phrases: Sequence[str]) -> str:
        """Any of these, as typed."""
        return self.say(self._chance.choice(phrases))

    def _hurried(self, text: str) -> str:
        match self._chance.randrange(5):
            case 0:
                return text.lower()
            case 1:
                return text.replace("'", "").rstrip(".!?") or text
            case 2:
                return text[:1].upper() + text[1:]
            case 3:
                return text.rstrip(".") + self._chance.choice(("!!", "...", " :)", " pls", "\n"))
            case _:
                words = list(_LONG_WORD.finditer(text))
                if not words:
                    return text
                at = self._chance.choice(words).start() + 2
                return text[:at] + text[at + 1] + text[at] + text[at + 2 :]
