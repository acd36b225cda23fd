"""Word the optimizer's prompts for a training, or as its user wants them."""

import difflib
import re
from collections.abc import Callable, Iterator, Mapping
from typing import cast

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.prompts import slots, template
from skillopt_sleep.proposals.guard import LIMIT
from skillopt_sleep.trainer.env import kind_of

NAMES = (
    "reflect",
    "reflect_deep",
    "diagnose",
    "aggregate",
    "budget",
    "select",
    "rewrite",
    "rewrite_full",
    "slow_update",
    "meta_skill",
    "appendix",
)
# A night edits the instructions of a coding agent; a training has no nights, and any kind of agent.
_HERE = (
    ("a coding agent", "an agent"),
    ("for this project", "for this kind of request"),
    ("several nights", "several epochs"),
    ("some nights ago", "the epoch before"),
    ("nights ago", "epochs ago"),
    ("night by night", "step by step"),
    ("earlier nights", "earlier steps"),
    ("an earlier night", "an earlier step"),
    ("tonight's failures", "this step's failures"),
    ("to try tonight", "to try now"),
    ("to try together tonight", "to try together now"),
    ("fared tonight", "fared just now"),
)

_LONGEST = "at most {:,} characters each"
_NO_LINKS = re.compile(r", no links(?: that aren't there now)?(?=,)")


# A prompt without this slot asks the optimizer to learn from nothing.
SHOWN = {
    "reflect": "trajectories",
    "reflect_deep": "failures",
    "diagnose": "trajectories",
    "aggregate": "patches",
    "budget": "edits",
    "select": "edits",
    "rewrite": "suggestions",
    "rewrite_full": "trajectories",
    "slow_update": "compared",
    "meta_skill": "compared",
    "appendix": "appendix",
}


def words(name: str) -> str:
    """Return the prompt of this name in the words of a training."""
    text = template(name)
    for there, here in _HERE:
        text = text.replace(there, here)
    return text


def check_overrides(overrides: Mapping[str, str]) -> None:
    """Raise ConfigError for an unknown prompt or slot, and for a prompt that shows nothing to learn from."""
    for name, text in overrides.items():
        if name not in NAMES:
            near = difflib.get_close_matches(name, NAMES, n=1)
            remedy = f"known here: {', '.join(NAMES)}"
            if near:
                remedy = f"did you mean {near[0]!r}?"
            raise ConfigError(f"there is no prompt called {name!r}", remedy=remedy)
        if not isinstance(cast("object", text), str):
            raise ConfigError(f"the prompt {name} is {kind_of(text)}, not a text", remedy="pass its text")
        known = slots(template(name))
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
        missing = sorted(slots(template(name)) - slots(text))
        if missing:
            names = ", ".join(f"{{{{{slot}}}}}" for slot in missing)
            yield f"the prompt {name} has no slot {names}, so the optimizer isn't shown what stands there"


def wording(
    overrides: Mapping[str, str], *, allow_urls: bool = False, edit_chars: int = LIMIT
) -> Callable[[str], str]:
    """Return the function that finds a prompt by name: in the user's words, else in those of a training."""
    known: dict[str, str] = {}
    for name in NAMES:
        usual = words(name).replace(_LONGEST.format(LIMIT), _LONGEST.format(edit_chars))
        if allow_urls:
            usual = _NO_LINKS.sub("", usual)
        known[name] = overrides.get(name) or usual

    def prompt(name: str) -> str:
        return known.get(name) or template(name)

    return prompt
