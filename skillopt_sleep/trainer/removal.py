"""Try a trained skill without the learned rules that show nothing on train, by the gate that the training uses."""

from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.records import Document
from skillopt_sleep.trainer.gate import no_worse
from skillopt_sleep.trainer.parts import Held, Parts, State
from skillopt_sleep.trainer.rules import learned_rules
from skillopt_sleep.trainer.summary import TAKEN, Gated, History, Rules
from skillopt_sleep.trainer.worth import measured, without

FILE = "rules.json"


class Removal(NamedTuple):
    """The state afterwards, whose skill may be shorter, and what is known of its learned rules."""

    state: State
    learned: Rules


def lighten(parts: Parts, state: State, initial: Held, history: History) -> Removal:
    """Take the rules that show nothing out of the current skill, on which val is asked next."""
    document = state.current.document
    rules = learned_rules(history.steps, document, initial.document)
    if not parts.config.optimizer.removal or not rules:
        return Removal(state, Rules())
    found = measured(parts, document, rules)
    shorter = without(document, found.useless)
    is_shorter = shorter is not None and shorter.text != document.text
    if shorter is not None and is_shorter:
        state = state.moved(shorter, step=state.current.standing.step, origin="removal", val=None)
        parts.keep(shorter, state.versions)
    learned = Rules(skill=document.sha, rules=found.worth(removed=is_shorter))
    parts.folder.write(FILE, learned)
    return Removal(state, learned)


def remove(parts: Parts, state: State, initial: Held, history: History) -> Removal:
    """Take the rules that show nothing out of the best skill, if the gate finds it no worse without them."""
    document = state.best.document
    rules = learned_rules(history.steps, document, initial.document)
    if not parts.config.optimizer.removal or not rules:
        return Removal(state, Rules())
    found = measured(parts, document, rules)
    shorter = without(document, found.useless)
    gated = None
    if shorter is not None and shorter.text != document.text:
        state, gated = _judged(parts, state, initial, shorter)
    is_removed = gated is not None and gated.action in TAKEN
    learned = Rules(skill=document.sha, rules=found.worth(removed=is_removed), gated=gated)
    parts.folder.write(FILE, learned)
    return Removal(state, learned)


def _judged(parts: Parts, state: State, initial: Held, shorter: Document) -> tuple[State, Gated]:
    """Let val decide on the shorter skill: if it is no worse, it becomes the best, and current if the best was."""
    best = state.best
    gated, trial = no_worse(parts, shorter, than=best.document)
    parts.folder.write("removal/candidate.md", shorter.text)
    parts.folder.write("removal/trial.json", trial)
    state = replace(state, tried=state.tried | {shorter.sha})
    if gated.action not in TAKEN:
        return state, gated
    moved = state.moved(shorter, step=best.standing.step, origin="removal", val=trial.after)
    held = moved.current
    if shorter.sha == initial.document.sha:
        held = initial
    parts.keep(shorter, moved.versions)
    if state.current.standing.sha == best.standing.sha:
        state = replace(state, current=held)
    return replace(state, best=held, versions=moved.versions), gated
