"""Multiple choice, with each item's choices shuffled so that a preference for A doesn't look like knowledge."""

import random
import re
import string
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, cast

from skillopt_sleep.protocols import Backend
from skillopt_sleep.trainer.env import Item, Result
from skillopt_sleep.trainer.envs.asking import ask, with_source
from skillopt_sleep.trainer.envs.datasets import DataEnv, items_of, row_id
from skillopt_sleep.trainer.envs.rows import Row, as_text, optional, text_of, texts_of
from skillopt_sleep.trainer.scorers import chosen, final_answer

FORM = "Think as long as you need to. Then give the letter of your choice alone between <answer> and </answer>."
LABELS = string.ascii_uppercase
FEWEST = 2

# A choice that refers to others by their place ("all of the above") makes no sense in another order.
_OF_OTHERS = re.compile(
    r"\b(?i:all|any|both|none|neither|either)\b.{0,30}\b(?i:above|below|these|those)\b"
    r"|\b[A-H]\)? (?:and|or|nor) \(?[A-H]\b"
)


class MultipleChoice(DataEnv, frozen=True, kw_only=True, dict=True):
    """Rows with `question`, `choices` and the answer, as in LiveMathematicianBench, ARC, CommonsenseQA and MMLU.

    With `shuffle` the order of an item's choices depends on `shuffle_seed` and its id only.
    """

    name: ClassVar[str] = "multiple_choice"

    shuffle: bool = True
    shuffle_seed: int = 42

    def read(self, path: Path) -> Sequence[Item]:
        """Read the questions of one file."""
        return items_of(path, lambda number, row: self._item(row, row_id(path, number)))

    def rollout_one(self, item: Item, skill: str, target: Backend, *, sample: int) -> Result:
        """Ask for one choice; hard and soft are 1 if it is the right one."""
        reply = ask(target, item.text, skill=skill, form=FORM, sample=sample)
        choice = chosen(final_answer(reply), item.data["choices"])
        grade = float(choice == item.data["right"])
        why = ""
        if not choice:
            why = "it names none of the choices"
        elif not grade:
            why = f"{choice} is not the right choice"
        return Result(hard=grade, soft=grade, response=reply, why=with_source(why, reply))

    def _item(self, row: Row, otherwise: str) -> Item:
        inner: Any = row.get("mcq") or row.get("question")
        fields = row
        if isinstance(inner, Mapping):
            fields = {**row, **cast("Row", inner)}
        question = text_of(fields, "stem", "question", "Question")
        name = optional(row, "id", "uid", "question_id") or otherwise
        labels, texts = _choices(fields)
        right = _right(fields, labels, texts)
        order = list(range(len(texts)))
        if self.shuffle and not any(_OF_OTHERS.search(text) for text in texts):
            random.Random(f"{self.shuffle_seed}:{name}").shuffle(order)  # noqa: S311 - an order, not a secret
        choices: dict[str, str] = {}
        lines: list[str] = []
        for label, place in zip(LABELS, order, strict=False):
            choices[label] = texts[place]
            lines.append(f"{label}) {texts[place]}")
        shown = "\n".join(lines)
        kinds = texts_of(row.get("theorem_type")) or texts_of(row.get("subject") or row.get("Subject"))
        return Item(
            id=name,
            text=f"{question}\n\n{shown}",
            kind=kinds[0] if kinds else optional(row, "task_type", "category"),
            data={"choices": choices, "right": LABELS[order.index(right)]},
        )


def _choices(row: Row) -> tuple[list[str], list[str]]:
    """Return the labels, if the row has any, and the texts of the choices, from any of the usual formats."""
    labels, texts = _raw_choices(row)
    texts = ["" if text is None else as_text(text) for text in texts]
    labels = list(map(_plain_label, labels))
    if len(texts) < FEWEST or not all(texts) or len(texts) > len(LABELS):
        raise ValueError("it needs two to 26 'choices', each with a text")
    if not all(labels) or len(labels) != len(texts):
        labels = []
    return labels, texts


def _plain_label(label: object) -> str:
    """Return a label in capitals, without its bracket or dot: "A" for "a)"."""
    return str(label).strip().upper().rstrip(".):")


def _raw_choices(row: Row) -> tuple[Sequence[Any], Sequence[Any]]:
    """Return the labels and texts of the choices as they are written."""
    raw: Any = row.get("choices", row.get("options"))
    if isinstance(raw, Mapping) and "text" in raw:
        lists = cast("Mapping[str, Any]", raw)
        return texts_of(lists.get("label")), texts_of(lists["text"])
    if isinstance(raw, Mapping):
        by_label = sorted(cast("Mapping[str, Any]", raw).items())
        ordered = dict(by_label)
        return list(ordered), list(ordered.values())
    if isinstance(raw, str | None):
        return _choices_in_columns(row) or ([], texts_of(raw))
    if isinstance(raw, Sequence):
        return _choices_in_list(cast("Sequence[Any]", raw))
    return [], []


def _choices_in_columns(row: Row) -> tuple[list[str], list[str]] | None:
    """Return the choices of a table that has one column for each, named A, B and so on."""
    labels: list[str] = []
    texts: list[str] = []
    for label in LABELS[:10]:
        text = optional(row, label, label.lower())
        if text:
            labels.append(label)
            texts.append(text)
    return (labels, texts) if texts else None


def _choices_in_list(choices: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Return the choices of a list of texts, or of objects with `text` or `content` and perhaps a `label`."""
    labels: list[Any] = []
    texts: list[Any] = []
    for choice in choices:
        if isinstance(choice, Mapping):
            fields = cast("Mapping[str, Any]", choice)
            labels.append(fields.get("label") or "")
            texts.append(fields.get("text", fields.get("content", "")))
        else:
            labels.append("")
            texts.append(choice)
    return labels, texts


def _right(row: Row, labels: Sequence[str], texts: Sequence[str]) -> int:
    """Return the place of the right choice, which the row names by its label, its place from 0, or its text.

    Raises ValueError if it names none, or if it can be read in two ways that mean different choices.
    """
    raw = _raw_answer(row)
    answer = "" if raw is None else str(raw).strip()
    label = _plain_label(answer)
    letters = labels or list(LABELS[: len(texts)])
    named: int | None = None
    if label in letters:
        named = letters.index(label)
    elif answer.isdecimal() and int(answer) < len(texts):
        named = int(answer)
    by_text = texts.index(answer) if texts.count(answer) == 1 else None
    right = by_text if named is None else named
    if right is None:
        raise ValueError(f"its answer {answer!r} is none of the choices")
    # A number is a place if the choices are words, as in MMLU's own files; and a label if the row has that label.
    is_place = isinstance(raw, int) and not _has_numbers(row.get("choices", row.get("options")))
    if by_text in (None, right) or label in labels or is_place:
        return right
    first, second = str(right), str(by_text)
    if answer.isdecimal():
        first, second = letters[right], letters[by_text]
    raise ValueError(
        f"its answer {answer!r} names the choice {texts[right]!r} and is the text of another: "
        f"write {first} for {texts[right]!r}, or {second} for {texts[by_text]!r}"
    )


def _raw_answer(row: Row) -> Any:
    """Return the right choice as the row writes it."""
    for key in ("correct_choice", "answerKey", "answer", "Answer", "label"):
        if key in row:
            raw: Any = row[key]
            if isinstance(raw, Mapping):
                fields = cast("Mapping[str, Any]", raw)
                return fields.get("label") or fields.get("text")
            return raw
    return None


def _has_numbers(choices: object) -> bool:
    if not isinstance(choices, list):
        return False
    return any(isinstance(choice, int | float) for choice in cast("list[object]", choices))
