"""Word the optimizer's prompts for a training, or as its user wants them."""

import difflib
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import cast

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.prompts import slots, template
from skillopt_sleep.records import Metric
from skillopt_sleep.trainer.env import kind_of

# The prompts, each with the slot without which it asks the optimizer to learn from nothing.
SHOWN = {
    "reflect": "trajectories",
    "reflect_deep": "causes",
    "diagnose": "trajectories",
    "aggregate": "patches",
    "budget": "edits",
    "select": "edits",
    "rewrite": "suggestions",
    "rewrite_full": "trajectories",
    "slow_update": "compared",
    "meta_skill": "compared",
}
NAMES = tuple(SHOWN)
# What skillrl 1.0.0 calls its prompts.
SKILLRL_PROMPTS = {
    "analyst_error": "reflect",
    "analyst_success": "reflect",
    "merge_failure": "aggregate",
    "merge_success": "aggregate",
    "merge_final": "aggregate",
    "ranking": "select",
}
TASK = "{{task}}"  # a sentence on what the items are and how they are graded
_GRADES = {
    Metric.HARD: "An item counts as right or wrong, and the score is the share that is right.",
    Metric.SOFT: "An item is graded from 0 to 1, and the score is the mean.",
    Metric.MIXED: "An item counts as right or wrong and is graded from 0 to 1, and the score is a mean of both.",
}
_NO_LINKS = re.compile(r", no links(?: that aren't there now)?(?=,)")


@cache
def words(name: str) -> str:
    """Return the prompt of this name as a training asks it."""
    return (files("skillopt_sleep.trainer") / "prompts" / f"{name}.md").read_text(encoding="utf-8")


def about(env: object, metric: Metric) -> str:
    """Say what an environment's items are, if it has such a `task`, and how they are graded."""
    return f"{getattr(env, 'task', '')}\n{_GRADES[metric]}".strip()


def check_overrides(overrides: Mapping[str, str]) -> None:
    """Raise ConfigError for an unknown prompt or slot, and for a prompt that shows nothing to learn from."""
    for name, text in overrides.items():
        if name not in NAMES:
            near = difflib.get_close_matches(name, NAMES, n=1)
            remedy = f"known here: {', '.join(NAMES)}"
            if near:
                remedy = f"did you mean {near[0]!r}?"
            if name in SKILLRL_PROMPTS:
                remedy = f"it is called {SKILLRL_PROMPTS[name]!r} here"
            raise ConfigError(f"there is no prompt called {name!r}", remedy=remedy)
        if not isinstance(cast("object", text), str):
            raise ConfigError(f"the prompt {name} is {kind_of(text)}, not a text", remedy="pass its text")
        known = slots(words(name)) | {"task"}
        for slot in sorted(slots(text) - known):
            raise ConfigError(
                f"the prompt {name} has no slot {{{{{slot}}}}}", remedy=f"known here: {', '.join(sorted(known))}"
            )
        if SHOWN[name] not in slots(text):
            slot = f"{{{{{SHOWN[name]}}}}}"
            raise ConfigError(
                f"the prompt {name} would not show the optimizer {slot}, what it has to work with",
                remedy=f"put {slot} where it belongs; all slots: {', '.join(sorted(known))}",
            )


def left_out(overrides: Mapping[str, str]) -> Iterator[str]:
    """Yield, in words, which slots of the usual prompt a prompt of the user's own doesn't have."""
    for name, text in overrides.items():
        missing = sorted(slots(words(name)) - slots(text) - {"task"})
        if missing:
            names = ", ".join(f"{{{{{slot}}}}}" for slot in missing)
            yield f"the prompt {name} has no slot {names}, so the optimizer isn't shown what stands there"


def wording(overrides: Mapping[str, str], *, task: str = "", allow_urls: bool = False) -> Callable[[str], str]:
    """Return what finds a prompt by name: in the user's words, else in ours, with a sentence on the task."""
    known: dict[str, str] = {}
    for name in NAMES:
        usual = words(name)
        if allow_urls:
            usual = _NO_LINKS.sub("", usual)
        known[name] = (overrides.get(name) or usual).replace(TASK, task)

    def prompt(name: str) -> str:
        return known.get(name) or template(name)

    return prompt
