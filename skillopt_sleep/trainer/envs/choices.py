"""Read a question with its choices and the right one, in the forms in which datasets are published, and show it."""

import random
import re
import string
from collections import ChainMap
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

from skillopt_sleep.trainer.envs.reading import (
    ANSWER,
    FEWEST,
    LABELS,
    QUESTION,
    Row,
    as_text,
    optional,
    text_of,
    texts_of,
)

# Columns that hold a choice each, and how the row says which is right: PIQA, WinoGrande, SIQA.
FAMILIES = (
    (("sol1", "sol2"), "01"),
    (("option1", "option2"), "12"),
    (("answerA", "answerB", "answerC"), "123"),
)

DOCUMENT = "[DOC]"  # before each of several texts of a context
_MARK = re.compile(r"(?:^|\s)\(([A-H1-8])\)\s")

# A choice that refers to others by their place ("all of the above") makes no sense in another order.
_OF_OTHERS = re.compile(
    r"\b(?i:all|any|both|none|neither|either)\b.{0,30}\b(?i:above|below|these|those)\b"
    r"|\b[A-H]\)? (?:and|or|nor) \(?[A-H]\b"
)


class Asked(NamedTuple):
    """A question with its accepted answers, or its choices and the place of the right one.

    `needed` are the documents of the context that the answer rests on, if the dataset says which. If the file lists
    the right choice first (`right_first`), its order may not be shown.
    """

    question: str
    answers: tuple[str, ...]
    score: str = "exact"
    context: str = ""
    needed: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    right: int = 0
    right_first: bool = False
    id: str = ""
    kind: str = ""

    def shortened(self, most: int) -> str:
        """Return the first `most` characters of the context, 0 for all; of several documents those that fit."""
        if not most or len(self.context) <= most:
            return self.context
        end = self.context.rfind(DOCUMENT, 1, most)
        return self.context[: end if end > 0 else most].rstrip()


def choice_of(row: Row) -> Asked:
    """Return what a row asks; raise ValueError if it has none of the known forms, or its answer is not clear."""
    if "Correct Answer" in row:  # GPQA
        wrong = [text_of(row, f"Incorrect Answer {number}") for number in (1, 2, 3)]
        return _choosing(text_of(row, "Question"), [text_of(row, "Correct Answer"), *wrong], 0, first=True)
    if "Best Answer" in row:  # TruthfulQA's table
        best = text_of(row, "Best Answer")
        wrong = [text.strip() for text in text_of(row, "Incorrect Answers").split(";") if text.strip()]
        return _choosing(text_of(row, "Question"), list(dict.fromkeys([best, *wrong])), 0, first=True)
    if isinstance(row.get("mc1_targets"), Mapping):  # TruthfulQA's questions with one right choice
        return _targets(row, row["mc1_targets"])
    if "endings" in row:  # HellaSwag
        texts = list(texts_of(row["endings"]))
        return _choosing(text_of(row, "ctx"), texts, _right(row, [], texts))
    if "AnswerKey" in row:  # ARC's table
        return _marked(row)
    inner: Any = row.get("mcq") or row.get(QUESTION)
    fields = row
    if isinstance(inner, Mapping):
        fields = cast("Row", ChainMap(dict(cast("Row", inner)), cast("dict[str, Any]", row)))
    question = text_of(fields, "stem", "question_stem", QUESTION, "Question", "query", "goal", "sentence")
    labels, texts = _choices(fields)
    return _choosing(question, texts, _right(fields, labels, texts))


def shuffled(found: Asked, *, seed: str) -> dict[str, Any]:
    """Return the question with its choices by letter, in an order that depends on the seed alone, and the right one.

    Choices that refer to others by their place stay where they are.
    """
    order = list(range(len(found.choices)))
    if found.right_first or not any(_OF_OTHERS.search(text) for text in found.choices):
        random.Random(seed).shuffle(order)  # noqa: S311 - an order, not a secret
    choices = {label: found.choices[place] for label, place in zip(LABELS, order, strict=False)}
    shown = "\n".join(f"{label}) {text}" for label, text in choices.items())
    right = LABELS[order.index(found.right)]
    question = f"{found.question}\n\n{shown}"
    return {"question": question, "choices": choices, "right": right, "answers": [choices[right]]}


def is_mmlus(row: Row) -> bool:
    """Tell whether a row has MMLU's columns and no other."""
    labels = LABELS[: len(row) - 2]
    return len(labels) >= FEWEST and list(row) == [QUESTION, *labels, ANSWER]


def _choosing(question: str, choices: Sequence[str], right: int, *, first: bool = False) -> Asked:
    return Asked(question, (choices[right],), score="choice", choices=tuple(choices), right=right, right_first=first)


def _targets(row: Row, targets: Mapping[str, Any]) -> Asked:
    """Read choices that are each marked as right (1) or wrong (0)."""
    if "choices" in targets:
        texts, marks = list(texts_of(targets["choices"])), list(targets.get("labels", ()))
    else:
        texts, marks = list(targets), list(targets.values())
    if marks.count(1) != 1 or len(marks) != len(texts):
        raise ValueError("its 'mc1_targets' has not one right choice")
    return _choosing(text_of(row, QUESTION), texts, marks.index(1), first=True)


def _marked(row: Row) -> Asked:
    """Read choices that stand in the question: `Which? (A) ice (B) iron`."""
    text = text_of(row, QUESTION)
    marks = list(_MARK.finditer(text))
    starts = [place for place, mark in enumerate(marks) if mark[1] in "A1"]
    if not starts:
        raise ValueError("its 'question' has no choices such as (A) and (B)")
    marks = marks[starts[-1] :]
    labels = [mark[1] for mark in marks]
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    texts = [text[mark.end() : end].strip() for mark, end in zip(marks, ends, strict=True)]
    if "".join(labels) not in {LABELS[: len(labels)], string.digits[1 : len(labels) + 1]}:
        raise ValueError(f"the choices in its 'question' are marked {', '.join(labels)}, not in order")
    answer = text_of(row, "AnswerKey")
    if answer not in labels:
        raise ValueError(f"its answer {answer!r} is none of the choices {', '.join(labels)}")
    return _choosing(text[: marks[0].start()].strip(), texts, labels.index(answer))


def _choices(row: Row) -> tuple[Sequence[str], Sequence[str]]:
    """Return the labels, if the row has one for each, and the texts of the choices, from any of the usual formats."""
    labels, texts = _raw_choices(row)
    texts = ["" if text is None else as_text(text) for text in texts]
    labels = list(map(_plain_label, labels))
    if len(texts) < FEWEST or not all(texts) or len(texts) > len(LABELS):
        raise ValueError("it needs two to 26 'choices', each with a text")
    return (labels if all(labels) and len(labels) == len(texts) else ()), texts


def _plain_label(label: object) -> str:
    """Return a label in capitals, without its bracket or dot: "A" for "a)"."""
    return str(label).strip().upper().rstrip(".):")


def _raw_choices(row: Row) -> tuple[Sequence[Any], Sequence[Any]]:
    """Return the labels and texts of the choices as they are written."""
    for family, labels in FAMILIES:
        if family[0] in row:
            return labels, [row.get(name) for name in family]
    raw: Any = row.get("choices", row.get("options", row.get("answers")))
    if isinstance(raw, Mapping):
        lists = cast("Mapping[str, Any]", raw)
        if "text" in lists:
            return texts_of(lists.get("label")), texts_of(lists["text"])
        return sorted(lists), [lists[label] for label in sorted(lists)]
    if not isinstance(raw, list | tuple):
        return _choices_in_columns(row) or ((), texts_of(raw))
    fields = [cast("Row", one) if isinstance(one, Mapping) else {"text": one} for one in cast("Sequence[Any]", raw)]
    return [one.get("label") or "" for one in fields], [one.get("text", one.get("content")) for one in fields]


def _choices_in_columns(row: Row) -> tuple[Sequence[str], Sequence[str]] | None:
    """Return the choices of a table that has one column for each, named A, B and so on."""
    found = {label: optional(row, label, label.lower()) for label in LABELS[:10]}
    labels = [label for label, text in found.items() if text]
    if labels != list(found)[: len(labels)]:
        raise ValueError(f"a choice before {labels[-1]} is empty")
    return (labels, [found[label] for label in labels]) if labels else None


def _right(row: Row, labels: Sequence[str], texts: Sequence[str]) -> int:
    """Return the place of the right choice, which the row names by its label, its place from 0, or its text.

    Raises ValueError if it names none, or if it can be read in two ways that mean different choices.
    """
    raw = _raw_answer(row)
    answer = "" if raw is None else str(raw).strip()
    label = _plain_label(answer)
    if label in labels:
        return labels.index(label)
    places = {texts.index(answer)} if texts.count(answer) == 1 else set[int]()
    numbers = any(isinstance(choice, int | float) for choice in row.get("choices", row.get("options")) or ())
    if label in LABELS[: len(texts)] and not labels:
        places.add(LABELS.index(label))
    elif answer.isdecimal() and int(answer) < len(texts):
        # A number is a place if the choices are words, as in MMLU's own files.
        places = {int(answer)} if isinstance(raw, int) and not numbers else {*places, int(answer)}
    if not places:
        raise ValueError(f"its answer {answer!r} is none of the choices, or several")
    if len(places) > 1:
        shown = " or ".join(repr(texts[place]) for place in sorted(places))
        name = "number of the right one, from 0" if label in LABELS else "letter of the right one"
        raise ValueError(f"its answer {answer!r} may mean {shown}: write the {name}")
    return places.pop()


def _raw_answer(row: Row) -> object:
    """Return the right choice as the row writes it."""
    for key in ("correct_choice", "answerKey", "answer", "Answer", "label", "correct", "correct_option"):
        if key in row:
            raw: object = row[key]
            fields = cast("Row", raw) if isinstance(raw, Mapping) else {"text": raw}
            return fields.get("label") or fields.get("text")
    return None
