"""What a grading prompt shows, and replies to it, for models that tests script."""

import re
from collections.abc import Callable
from typing import Any

_ITEM_OR_FENCED = re.compile(
    r"^# Item \d+$|^As in item (?P<like>\d+)\.$|^(?P<words>## The person's own words\n)?(?P<ticks>`{3,})\n(?P<text>.*?)\n(?P=ticks)$",
    re.DOTALL | re.MULTILINE,
)


def shown_items(prompt: str) -> list[list[str]]:
    """What is fenced in each item of this prompt, but for the person's words: the request, the demand, the answers."""
    items: list[list[str]] = []
    for found in _ITEM_OR_FENCED.finditer(prompt):
        if found["like"] is not None:
            items[-1].append(items[int(found["like"]) - 1][1])
        elif found["ticks"] is None:
            items.append([])
        elif found["words"] is None:
            items[-1].append(found["text"])
    return items


def judged(prompt: str, grade: Callable[[str, str], object], *, missing: str = "so") -> dict[str, Any]:
    """The reply that grades each answer by its demand and itself."""
    pairs = [(demand, answer) for _, demand, *answers in shown_items(prompt) for answer in answers]
    grades = [
        {"answer": number, "missing": missing, "score": grade(demand, answer)}
        for number, (demand, answer) in enumerate(pairs, start=1)
    ]
    return {"grades": grades}
