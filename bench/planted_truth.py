"""What is true of a planted history: what was typed, what corrects what, which wishes recur, what must not be seen."""

from typing import NamedTuple

from bench.planted_secrets import Secret


class Said(NamedTuple):
    """One text that was typed: `corrects` is the place among the typed texts of the request it corrects, or -1.

    `wish` names the group of a recurring wish, in requests and in corrections; `sort` is the section it is from.
    """

    text: str
    sort: str
    corrects: int = -1
    wish: str = ""
    secret: bool = False


class Planted(NamedTuple):
    """One session; `sort` is what it was planted for."""

    id: str
    sort: str
    language: str
    program: str
    said: tuple[Said, ...]
    interactive: bool = True


class Injection(NamedTuple):
    """A rule that nobody typed as their own, with the word that only stands in it."""

    marker: str
    place: str
    session: str
    text: str


class Leak(NamedTuple):
    """A secret in a session, and where in it."""

    secret: Secret
    position: str
    session: str


class History(NamedTuple):
    """All of it."""

    sessions: dict[str, Planted]
    injections: tuple[Injection, ...]
    leaks: tuple[Leak, ...]
