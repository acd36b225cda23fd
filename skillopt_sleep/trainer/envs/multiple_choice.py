"""Multiple choice, with each item's choices shuffled so that a preference for A doesn't look like knowledge."""

import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from skillopt_sleep.protocols import Backend
from skillopt_sleep.trainer.env import Item, Result
from skillopt_sleep.trainer.envs.asking import ask, with_source
from skillopt_sleep.trainer.envs.choices import FEWEST, LABELS, asked_of, is_arcs, is_mmlus, mmlu_columns
from skillopt_sleep.trainer.envs.datasets import DataEnv, row_id, stem_of
from skillopt_sleep.trainer.envs.rows import Row, kind_of_row, optional, read_rows
from skillopt_sleep.trainer.scorers import chosen, final_answer

FORM = "Think as long as you need to. Then give the letter of your choice alone between <answer> and </answer>."
# The first of these that a row has is its kind; in ARC's table the category is the split.
_KINDS = ("theorem_type", "subject", "Subject", "task_type", "High-level domain")
_CATEGORIES = ("category", "Category")
_OF_SPLIT = re.compile(r"_(?:test|val|dev|train)$")
# A choice that refers to others by their place ("all of the above") makes no sense in another order.
_OF_OTHERS = re.compile(
    r"\b(?i:all|any|both|none|neither|either)\b.{0,30}\b(?i:above|below|these|those)\b"
    r"|\b[A-H]\)? (?:and|or|nor) \(?[A-H]\b"
)


class MultipleChoice(DataEnv, frozen=True, kw_only=True, dict=True):
    """Rows with a question, its choices and the right one, in the forms that `choices.py` lists.

    With `shuffle` the order of an item's choices depends on `shuffle_seed` and its id only. Choices that a file lists
    with the right one first are always shuffled.
    """

    name: ClassVar[str] = "multiple_choice"

    shuffle: bool = True
    shuffle_seed: int = 42

    def read(self, path: Path) -> Sequence[Item]:
        """Read the questions of one file."""
        rows = read_rows(path, columns=mmlu_columns)
        return self.converted(rows, lambda number, row: self._item(row, path, number), where=path)

    def rollout_one(self, item: Item, skill: str, target: Backend, *, sample: int) -> Result:
        """Ask for one choice; hard and soft are 1 if it is the right one, or has the same text."""
        reply = ask(target, item.text, skill=skill, form=FORM, sample=sample)
        choices = item.data["choices"]
        choice = chosen(final_answer(reply), choices)
        grade = float(choices.get(choice) == choices[item.data["right"]])
        why = ""
        if not choice:
            why = "it names none of the choices"
        elif not grade:
            why = f"{choice} is not the right choice"
        return Result(hard=grade, soft=grade, response=reply, why=with_source(why, reply))

    def _item(self, row: Row, path: Path, number: int) -> Item:
        name = optional(row, "id", "uid", "question_id", "Record ID", "questionID") or row_id(path, number)
        asked = asked_of(row)
        texts = _complete(asked.choices)
        if asked.first and not self.shuffle:
            raise ValueError("its right choice would always be A: set env.shuffle = true")
        order = list(range(len(texts)))
        if asked.first or (self.shuffle and not any(_OF_OTHERS.search(text) for text in texts)):
            random.Random(f"{self.shuffle_seed}:{name}").shuffle(order)  # noqa: S311 - an order, not a secret
        choices: dict[str, str] = {}
        lines: list[str] = []
        for label, place in zip(LABELS, order, strict=False):
            choices[label] = texts[place]
            lines.append(f"{label}) {texts[place]}")
        shown = "\n".join(lines)
        return Item(
            id=name,
            text=f"{asked.question}\n\n{shown}",
            kind=_kind(row, path),
            data={"choices": choices, "right": LABELS[order.index(asked.right)]},
        )


def _kind(row: Row, path: Path) -> str:
    """Return a row's kind; MMLU's files are named for theirs, such as `anatomy_test.csv`."""
    if is_mmlus(row):
        return _OF_SPLIT.sub("", stem_of(path))
    return kind_of_row(row, *_KINDS, *(() if is_arcs(row) else _CATEGORIES))


def _complete(choices: Sequence[str]) -> list[str]:
    """Return the choices; raise ValueError if there are too few or too many, or one of them is empty."""
    texts = [text.strip() for text in choices]
    if len(texts) < FEWEST or not all(texts) or len(texts) > len(LABELS):
        raise ValueError("it needs two to 26 'choices', each with a text")
    return texts
