"""Multiple choice, each item's choices in an order of its own: that a model likes A must not look like knowledge."""

import random
import re
import string
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, cast

from skillopt_sleep.protocols import Backend
from skillopt_sleep.trainer.env import Item, Result
from skillopt_sleep.trainer.envs.asking import ask, told
from skillopt_sleep.trainer.envs.datasets import DataEnv, items_of, row_id
from skillopt_sleep.trainer.envs.rows import Row, as_text, optional, text_of, texts_of
from skillopt_sleep.trainer.scorers import chosen, final_answer

FORM = "Think as long as you need to. Then give the letter of your choice alone between <answer> and </answer>."
LABELS = string.ascii_uppercase
FEWEST = 2

# What speaks of the other choices by their place loses its sense elsewhere.
_OF_OTHERS = re.compile(
    r"\b(?i:all|any|both|none|neither|either)\b.{0,30}\b(?i:above|below|these|those)\b"
    r"|\b[A-H]\)? (?:and|or|nor) \(?[A-H]\b"
)


class MultipleChoice(DataEnv, frozen=True, kw_only=True, dict=True):
    """Rows with `question`, `choices` and the right one, as in LiveMathematicianBench, ARC, CommonsenseQA and MMLU.

    With `shuffle` the choices of an item are in an order that only `shuffle_seed` and its id decide.
    """

    name: ClassVar[str] = "multiple_choice"

    shuffle: bool = True
    shuffle_seed: int = 42

    def read(self, path: Path) -> Sequence[Item]:
        """The questions of one file."""
        return items_of(path, lambda number, row: self._item(row, row_id(path, number)))

    def rollout_one(self, item: Item, skill: str, target: Backend, *, sample: int) -> Result:
        """One choice; hard and soft are 1 where it is the right one."""
        reply = ask(target, item.text, skill=skill, form=FORM, sample=sample)
        choice = chosen(final_answer(reply), item.data["choices"])
        grade = float(choice == item.data["right"])
        why = "" if grade else f"{choice} is not the right choice" if choice else "it names none of the choices"
        return Result(hard=grade, soft=grade, response=reply, why=told(why, reply))

    def _item(self, row: Row, otherwise: str) -> Item:
        inner: Any = row.get("mcq") or row.get("question")
        asked: Row = {**row, **cast("Row", inner)} if isinstance(inner, Mapping) else row
        question = text_of(
            {"question": asked.get("stem"), **asked} if "stem" in asked else asked, "stem", "question", "Question"
        )
        name = optional(row, "id", "uid", "question_id") or otherwise
        labels, texts = _choices(asked)
        right = _right(asked, labels, texts)
        order = list(range(len(texts)))
        if self.shuffle and not any(_OF_OTHERS.search(text) for text in texts):
            random.Random(f"{self.shuffle_seed}:{name}").shuffle(order)  # noqa: S311 - an order, not a secret
        choices = {LABELS[place]: texts[old] for place, old in enumerate(order)}
        shown = "\n".join(f"{label}) {text}" for label, text in choices.items())
        kinds = texts_of(row.get("theorem_type")) or texts_of(row.get("subject") or row.get("Subject"))
        return Item(
            id=name,
            text=f"{question}\n\n{shown}",
            kind=kinds[0] if kinds else optional(row, "task_type", "category"),
            data={"choices": choices, "right": LABELS[order.index(right)]},
        )


def _choices(row: Row) -> tuple[list[str], list[str]]:
    """The labels, if the row gives any, and the texts of the choices, in whichever of the usual forms they are."""
    raw: Any = row.get("choices", row.get("options"))
    if isinstance(raw, Mapping) and "text" in raw:
        both = cast("Mapping[str, Any]", raw)
        labels, texts = list(texts_of(both.get("label"))), list(texts_of(both["text"]))
    elif isinstance(raw, Mapping):
        labels, texts = zip(*sorted(cast("Mapping[str, Any]", raw).items()), strict=True)
    elif isinstance(raw, str | None):
        columns = [(label, optional(row, label, label.lower())) for label in LABELS[:10]]
        labels, texts = [label for label, text in columns if text], [text for _, text in columns if text]
        labels, texts = (labels, texts) if texts else ([], list(texts_of(raw)))
    elif not isinstance(raw, Sequence):
        labels, texts = [], []
    else:
        listed = cast("Sequence[Any]", raw)
        each: list[Any] = [one if isinstance(one, Mapping) else {"text": one} for one in listed]
        labels, texts = (
            [str(one.get("label") or "") for one in each],
            [one.get("text", one.get("content", "")) for one in each],
        )
    texts = ["" if text is None else as_text(text) for text in texts]
    labels = [str(label).strip().upper().rstrip(".):") for label in labels]
    if len(texts) < FEWEST or not all(texts) or len(texts) > len(LABELS):
        raise ValueError("it needs two to 26 'choices', each with a text")
    return (labels if all(labels) and len(labels) == len(texts) else []), texts


def _right(row: Row, labels: Sequence[str], texts: Sequence[str]) -> int:
    """Which choice is right: named by its label, by its place from 0, or by its text.

    ValueError where it is named by none, or a text can be read in two ways that lead to two choices.
    """
    raw: Any = next(
        (row[key] for key in ("correct_choice", "answerKey", "answer", "Answer", "label") if key in row), None
    )
    if isinstance(raw, Mapping):
        raw = cast("Mapping[str, Any]", raw).get("label") or cast("Mapping[str, Any]", raw).get("text")
    said = str(raw if raw is not None else "").strip()
    label, listed = said.upper().rstrip(".):"), row.get("choices", row.get("options"))
    letters = labels or list(LABELS[: len(texts)])
    place = int(said) if said.isdecimal() and int(said) < len(texts) else None
    named = letters.index(label) if label in letters else place
    by_text = list(texts).index(said) if list(texts).count(said) == 1 else None
    found = by_text if named is None else named
    if found is None:
        raise ValueError(f"its answer {said!r} is none of the choices")
    # A number beside choices in words is a place, as in MMLU's own files; a label that the row gives is one.
    sure = label in labels or (isinstance(raw, int) and not _numbers(listed))
    if by_text is not None and by_text != found and not sure:
        one, other = (letters[found], letters[by_text]) if said.isdecimal() else (str(found), str(by_text))
        raise ValueError(
            f"its answer {said!r} names the choice {texts[found]!r} and is the text of another: "
            f"write {one} for {texts[found]!r}, or {other} for {texts[by_text]!r}"
        )
    return found


def _numbers(choices: object) -> bool:
    return isinstance(choices, list) and any(isinstance(one, int | float) for one in cast("list[object]", choices))
