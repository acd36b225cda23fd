"""Simulate the miner: what the person corrected, and the checks they ran themselves, each with the lesson's name.

A lesson is named by the terms that the words name, so the same terms have the same name in whatever words they come;
one that asks for care and names no terms, by the words that ask for it.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from skillopt_sleep.mining.wishes import is_correction, last_wish
from skillopt_sleep.mining.words import all_for_once

# The lines of mining/session_text.py.
_SESSION = re.compile(r"^session S\d+ of .*$", re.MULTILINE)
_TURN = re.compile(
    r"^(person|agent)(?: behind /\S+)?(?:: (.*(?:\n    \| .*)*)| pasted .*)((?:\n  .*)*)", re.MULTILINE
)
_DEED = re.compile(r"^  (D\d+) person (.*)$", re.MULTILINE)
_CALL = re.compile(r"^  agent (?:ran|used [^:]*): (.*)$", re.MULTILINE)

_STOPPED = ("rejected", "stopped")
_CHECKED = "checked with: "
_ALWAYS = re.compile(r"\balways ([^,.;!?\n]+)", re.IGNORECASE)
_CARE = re.compile(r"\b(be (?:more )?careful\b[^,.;!?\n]*)", re.IGNORECASE)


class ShownTurn(NamedTuple):
    """A turn as a prompt shows it: its words, what the agent ran, and the person's deeds after it by their marks."""

    by: str
    text: str
    ran: tuple[str, ...]
    deeds: dict[str, str]


class _Request(NamedTuple):
    """A request, what was said to correct it, and the checks that the person ran, by their marks."""

    text: str
    corrections: list[str]
    checks: dict[str, str]


def read_sessions(prompt: str) -> list[list[ShownTurn]]:
    """Return the turns of each session of a mining prompt, by "person" or "agent"."""
    _, *sessions = _SESSION.split(prompt.split("\n# Sessions\n", 1)[1])
    return [[_read_turn(turn) for turn in _TURN.finditer(session)] for session in sessions]


def _read_turn(turn: re.Match[str]) -> ShownTurn:
    by, text, after = turn.groups(default="")
    return ShownTurn(by, text.replace("\n    | ", "\n"), tuple(_CALL.findall(after)), dict(_DEED.findall(after)))


def mine(prompt: str) -> dict[str, Any]:
    """Return one entry for each lesson, with the quotes of every request that was corrected or checked."""
    lessons: dict[tuple[str, str], dict[str, Any]] = {}
    for turns in read_sessions(prompt):
        for request in _requests(turns):
            for entry in _entries(request):
                known = lessons.setdefault((entry["lesson"], entry["lasts"]), entry | {"quotes": []})
                known["quotes"] += entry["quotes"]
    return {"lessons": list(lessons.values())}


def _requests(turns: Sequence[ShownTurn]) -> list[_Request]:
    """Take every typed turn that corrects, or directly follows a stop, as a correction of the request before it."""
    requests: list[_Request] = []
    stopped = False
    for turn in turns:
        if turn.by == "person" and turn.text:
            if requests and (stopped or is_correction(turn.text)):
                requests[-1].corrections.append(turn.text)
            else:
                requests.append(_Request(turn.text, [], {}))
        stopped = False
        for mark, deed in turn.deeds.items():
            stopped = stopped or deed.startswith(_STOPPED)
            if requests and deed.startswith(_CHECKED):
                requests[-1].checks[mark] = deed.removeprefix(_CHECKED)
    return requests


def _entries(request: _Request) -> Iterator[dict[str, Any]]:
    """Yield each lesson that a request shows, with its quotes and the marks of its deeds."""
    if request.corrections:
        yield _correction(request.corrections)
    for mark, command in request.checks.items():
        yield {"lesson": f"Run {command} before you say that it is done", "quotes": [mark], "lasts": "from now on"}


def _correction(quotes: Sequence[str]) -> dict[str, Any]:
    wish = last_wish(quotes)
    name = " ".join(quotes)
    taken_back = ""
    if care := _CARE.search(name):
        name = care[1].capitalize()
    if wish.want and wish.avoid:
        name = f"Use {wish.want[0]}, never {wish.avoid[0]}"
        taken_back = f"Use {wish.avoid[0]}, never {wish.want[0]}"
    elif wish.want:
        always = _ALWAYS.search(name)
        name = always[1].capitalize() if always else f"Use {wish.want[0]}"
    elif wish.avoid:
        name = f"Never use {wish.avoid[0]}"
    if wish.at_most and (wish.want or wish.avoid):
        name = f"{name}, in at most {wish.at_most} characters"
    lasts = "this time" if all_for_once(quotes) else "from now on"
    return {"lesson": name, "quotes": quotes, "lasts": lasts, "takes_back": taken_back}
