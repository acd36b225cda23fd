"""Read back what a mining prompt shows, as a model does: for the simulated model and for the miners of benchmarks."""

import re
from typing import Any

_SESSION = re.compile(r"session (S\d+) of ")
_TURN = re.compile(r"(person|agent)(?: behind /\S+)?(?:: (.*)| pasted .*)", re.DOTALL)
_FURTHER = "    | "
_DEED = re.compile(r"  D(\d+) person (.*)")
_AGENT = re.compile(r"  agent (?:ran|used [^:]*): (.*)")
_ORIGINS = {"person": "user", "agent": "assistant"}


def read_sessions(prompt: str) -> list[dict[str, Any]]:
    """Return the sessions of a mining prompt: each with its label and its turns.

    A turn has its number among those shown, origin and text; `then` is what the person did after it, with `deeds` as
    its numbers, and `ran` is what the agent did.
    """
    sessions: list[dict[str, Any]] = []
    turns: list[dict[str, Any]] = []
    for line in prompt.split("\n# Sessions\n", 1)[1].split("\n"):
        if session := _SESSION.match(line):
            turns = []
            sessions.append({"session": session[1], "turns": turns})
        elif turn := _TURN.fullmatch(line):
            made: dict[str, Any] = {
                "turn": len(turns),
                "origin": _ORIGINS[turn[1]],
                "text": turn[2] or "",
                "then": [],
                "deeds": [],
                "ran": [],
            }
            turns.append(made)
        elif turns:
            _read_further(line, turns[-1])
    return sessions


def _read_further(line: str, turn: dict[str, Any]) -> None:
    """Add a line that follows a turn's first."""
    if line.startswith(_FURTHER):
        turn["text"] += "\n" + line.removeprefix(_FURTHER)
    elif deed := _DEED.fullmatch(line):
        turn["then"].append(deed[2])
        turn["deeds"].append(int(deed[1]))
    elif call := _AGENT.fullmatch(line):
        turn["ran"].append(call[1])
