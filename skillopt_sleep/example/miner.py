"""Simulate the miner: what the person corrected, and the checks they ran themselves, each with the lesson's name.

A lesson is named by the terms that the words name, so the same terms have the same name in whatever words they come;
one that asks for care and names no terms, by the words that ask for it.
"""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from skillopt_sleep.example.shown import read_sessions
from skillopt_sleep.mining.wishes import is_correction, last_wish
from skillopt_sleep.mining.words import all_for_once

_STOPPED = ("rejected", "stopped")
_CHECKED = "checked with: "
_ALWAYS = re.compile(r"\balways ([^,.;!?\n]+)", re.IGNORECASE)
_CARE = re.compile(r"\b(be (?:more )?careful\b[^,.;!?\n]*)", re.IGNORECASE)


class _Request(NamedTuple):
    """A typed turn that asks for something, the typed turns that correct it, and the checks that the person ran."""

    turn: dict[str, Any]
    corrections: list[dict[str, Any]]
    checks: list[tuple[int, str]]


def mine(prompt: str) -> str:
    """Return one entry for each lesson, with the quotes of every request that was corrected or checked."""
    lessons: dict[tuple[str, str], dict[str, object]] = {}
    quotes: dict[tuple[str, str], list[str]] = {}
    for session in read_sessions(prompt):
        for request in _requests(session["turns"]):
            for entry, said in _entries(request):
                key = str(entry["lesson"]), str(entry["lasts"])
                quotes.setdefault(key, []).extend(said)
                lessons[key] = entry | {"quotes": quotes[key]}
    return json.dumps({"lessons": list(lessons.values())})


def _requests(turns: Sequence[dict[str, Any]]) -> list[_Request]:
    """Take every typed turn that corrects, or follows a stop, as a correction of the request before it."""
    requests: list[_Request] = []
    stopped = False
    for turn in turns:
        if turn["origin"] == "user" and turn["text"]:
            if requests and (stopped or is_correction(turn["text"], request=requests[-1].turn["text"])):
                requests[-1].corrections.append(turn)
            else:
                requests.append(_Request(turn, [], []))
            stopped = False
        for number, deed in zip(turn["deeds"], turn["then"], strict=True):
            stopped = stopped or deed.startswith(_STOPPED)
            if requests and deed.startswith(_CHECKED):
                requests[-1].checks.append((number, deed.removeprefix(_CHECKED)))
    return requests


def _entries(request: _Request) -> Iterator[tuple[dict[str, object], list[str]]]:
    """Yield each lesson that a request shows, with its quotes and the marks of its deeds."""
    if request.corrections:
        quotes = [turn["text"] for turn in request.corrections]
        yield _correction(quotes), quotes
    for number, command in request.checks:
        name = f"Run {command} before you say that it is done"
        yield {"lesson": name, "lasts": "from now on", "takes_back": ""}, [f"D{number}"]


def _correction(quotes: Sequence[str]) -> dict[str, object]:
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
    return {"lesson": name, "lasts": "this time" if all_for_once(quotes) else "from now on", "takes_back": taken_back}
