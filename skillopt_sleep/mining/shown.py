"""Show sessions to the model miner."""

import json
from collections import defaultdict
from collections.abc import Mapping

from skillopt_sleep.mining.requests import pasted_words
from skillopt_sleep.mining.signals import signals
from skillopt_sleep.mining.spans import own_words
from skillopt_sleep.records import Origin, Session, Turn

TURN_CHARS = 2_000


def shown_sessions(labels: Mapping[str, Session]) -> str:
    """Return the sessions as JSON: every turn with its index and origin, and what was done after it.

    Of a typed turn only the person's own words are shown.
    """
    sessions = [{"session": label, "turns": _shown_turns(session)} for label, session in labels.items()]
    return json.dumps(sessions, ensure_ascii=False, indent=1)


def _shown_turns(session: Session) -> list[dict[str, object]]:
    done: dict[int, list[str]] = defaultdict(list)
    for signal in signals(session):
        done[signal.turn].append(f"{signal.kind}: {signal.what}" if signal.what else signal.kind)
    turns: list[dict[str, object]] = []
    for index, turn in enumerate(session.turns):
        shown = _shown_turn(index, turn)
        if index in done:
            shown["then"] = done[index]
        turns.append(shown)
    return turns


def _shown_turn(index: int, turn: Turn) -> dict[str, object]:
    if turn.origin is not Origin.USER:
        return {"turn": index, "origin": turn.origin, "text": turn.text[:TURN_CHARS]}
    shown: dict[str, object] = {"turn": index, "origin": turn.origin, "text": own_words(turn.text)[:TURN_CHARS]}
    pasted = len(pasted_words(turn.text))
    if pasted:
        shown["pasted"] = f"{pasted} characters, not shown"
    return shown
