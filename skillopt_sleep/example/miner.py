"""Simulate the miner: what the person corrected, and the checks they ran themselves, each with the lesson's name.

A lesson is named by the terms that the words name, so the same terms have the same name in whatever words they come;
one that asks for care and names no terms, by the words that ask for it.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from skillopt_sleep.example.shown import read_sessions
from skillopt_sleep.mining.rules import wished_checks
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
    """Return an entry for every request that was corrected and for every check that the person ran."""
    tasks: list[Mapping[str, object]] = []
    for session in read_sessions(prompt):
        for request in _requests(session["turns"]):
            tasks += _entries(session["session"], request)
    return json.dumps({"tasks": tasks})


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


def _entries(session: str, request: _Request) -> Iterator[Mapping[str, object]]:
    base: dict[str, object] = {"session": session, "ask": request.turn["turn"], "prompt": request.turn["text"]}
    if request.corrections:
        yield {**base, **_correction(request.corrections)}
    for number, command in request.checks:
        yield base | {
            "deeds": [number],
            "checks": [{"op": "contains", "arg": command}],
            "lesson": f"Run {command} before you say that it is done",
        }


def _correction(corrections: Sequence[dict[str, Any]]) -> Mapping[str, object]:
    quotes = [turn["text"] for turn in corrections]
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
    return {
        "corrections": [{"turn": turn["turn"], "quote": turn["text"]} for turn in corrections],
        "checks": [{"op": check.op, "arg": check.arg} for check in wished_checks(wish)],
        "rubric": "It does what the person asked for: " + " ".join(quotes),
        "lesson": name,
        "lasts": "this time" if all_for_once(quotes) else "from now on",
        "takes_back": taken_back,
    }
