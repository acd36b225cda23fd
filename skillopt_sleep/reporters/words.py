"""Plain words for what the program calls by short names: purposes of calls, stages of a night, splits."""

from collections.abc import Collection, Iterable

from skillopt_sleep.agents import AGENTS
from skillopt_sleep.records import Purpose, Split, model_names

PURPOSES = {
    Purpose.PREFLIGHT: "a first call to see that it answers",
    Purpose.MINE: "finding corrections",
    Purpose.LESSONS: "wording the lessons",
    Purpose.CONTROLS: "writing answers that test the judge",
    Purpose.PROVE: "checking the quotes",
    Purpose.ROLLOUT: "attempts",
    Purpose.JUDGE: "grading",
    Purpose.REFLECT: "learning from failures",
    Purpose.DIAGNOSE: "finding causes",
    Purpose.REFLECT_DEEP: "learning from causes",
    Purpose.AGGREGATE: "merging edits",
    Purpose.BUDGET: "how many edits to try",
    Purpose.SELECT: "choosing edits",
    Purpose.FIT: "fitting edits to the project",
    Purpose.REWRITE: "rewriting the rules",
    Purpose.REWRITE_FULL: "rewriting the document",
    Purpose.AUGMENT: "more requests like these",
    Purpose.SLOW_UPDATE: "looking back",
    Purpose.META_SKILL: "the optimizer's own notes",
    Purpose.APPENDIX: "notes on how to use a skill",
}
_PURPOSES = {purpose.value: words for purpose, words in PURPOSES.items()}
STAGES = {"trial": "trying edits", "screen": "a first look at edits", "guard": "asking other lessons"}
GRADE = "grade "
FRESH = "fresh round "
LABELS = {"known answers": "answers that test the judge"}
SPLITS = {Split.TRAIN: "learn", Split.VAL: "decide", Split.TEST: "kept back"}
USES = {Split.TRAIN: "to learn from", Split.VAL: "to decide with", Split.TEST: "kept back"}
SET_A_PRICE = """skillopt-sleep config set prices.models.{} "[0.20, 0.60]" (with your dollars per million tokens)"""


def purpose_words(purpose: str) -> str:
    """Return what calls of this purpose are for; a purpose that isn't known stays as it is."""
    return _PURPOSES.get(purpose, purpose)


def stage_words(label: str) -> str:
    """Return the label of a stage, as in "rollout shop-api/CLAUDE.md", in words."""
    if label.startswith(GRADE):
        return f"grading, {stage_words(label.removeprefix(GRADE))}"
    if label.startswith(FRESH):
        return f"asking once more: {label.removeprefix(FRESH)}"
    if label in LABELS:
        return LABELS[label]
    name, blank, rest = label.partition(" ")
    words = STAGES.get(name) or purpose_words(name)
    return f"{words}{':' if blank and words != name else ''}{blank}{rest}"


def unpriced(models: Iterable[str], set_by_now: Collection[str]) -> str:
    """Say that no price was known for these models, and how to set one of those that have none by now."""
    named = tuple(dict.fromkeys(models))
    text = f"No price was known for {', '.join(named)}."
    keys = [key for key in map(model_names, named) if key not in AGENTS and key not in set_by_now]
    return f"{text} Set it: {SET_A_PRICE.format(keys[0])}" if keys else text
