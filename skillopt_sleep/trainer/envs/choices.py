"""Read a question with its choices and the right one, in the forms in which datasets are published."""

import re
import string
from collections import ChainMap
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

from skillopt_sleep.trainer.envs.reading import Row, as_text, optional, text_of, texts_of

LABELS = string.ascii_uppercase
FEWEST = 2
# The columns of a table of MMLU's, which has no header.
QUESTION, ANSWER = "question", "answer"

# Columns that hold a choice each, and how the row says which is right: PIQA, WinoGrande, SIQA.
FAMILIES = (
    (("sol1", "sol2"), "01"),
    (("option1", "option2"), "12"),
    (("answerA", "answerB", "answerC"), "123"),
)

_MARK = re.compile(r"(?:^|\s)\(([A-H1-8])\)\s")


class Choice(NamedTuple):
    """A question, the texts of its choices and the place of the right one.

    If the file lists the right choice `first`, its order may not be shown.
    """

    question: str
    choices: Sequence[str]
    right: int
    first: bool = False


def choice_of(row: Row) -> Choice:
    """Return what a row asks; raise ValueError if it has none of the known forms, or its answer is not clear."""
    if "Correct Answer" in row:  # GPQA
        wrong = [text_of(row, f"Incorrect Answer {number}") for number in (1, 2, 3)]
        return Choice(text_of(row, "Question"), [text_of(row, "Correct Answer"), *wrong], 0, first=True)
    if "Best Answer" in row:  # TruthfulQA's table
        return _truthful(row)
    if isinstance(row.get("mc1_targets"), Mapping):  # TruthfulQA's questions with one right choice
        return _targets(row, row["mc1_targets"])
    if "endings" in row:  # HellaSwag
        texts = list(texts_of(row["endings"]))
        return Choice(text_of(row, "ctx"), texts, _right(row, [], texts))
    if is_arcs(row):
        return _marked(row)
    inner: Any = row.get("mcq") or row.get(QUESTION)
    fields = row
    if isinstance(inner, Mapping):
        fields = cast("Row", ChainMap(dict(cast("Row", inner)), cast("dict[str, Any]", row)))
    question = text_of(fields, "stem", "question_stem", QUESTION, "Question", "query", "goal", "sentence")
    labels, texts = _choices(fields)
    return Choice(question, texts, _right(fields, labels, texts))


def mmlu_columns(first: Sequence[str]) -> Sequence[str]:
    """Return the names of the columns if this first line of a table is a question, its choices and a letter."""
    labels = LABELS[: max(len(first) - 2, 0)]
    is_header = any(cell.strip().lower() in {QUESTION, ANSWER} for cell in first)
    if is_header or len(labels) < FEWEST or first[-1].strip().upper() not in set(labels):
        return ()
    return (QUESTION, *labels, ANSWER)


def is_mmlus(row: Row) -> bool:
    """Tell whether a row has MMLU's columns and no other."""
    names = list(row)
    return names == [QUESTION, *LABELS[: len(names) - 2], ANSWER]


def is_arcs(row: Row) -> bool:
    """Tell whether a row is one of ARC's table, in which the choices stand in the question."""
    return "AnswerKey" in row


def _truthful(row: Row) -> Choice:
    best = text_of(row, "Best Answer")
    wrong = [text.strip() for text in text_of(row, "Incorrect Answers").split(";") if text.strip()]
    return Choice(text_of(row, "Question"), list(dict.fromkeys([best, *wrong])), 0, first=True)


def _targets(row: Row, targets: Mapping[str, Any]) -> Choice:
    """Read choices that are each marked as right (1) or wrong (0)."""
    if "choices" in targets:
        texts, marks = list(texts_of(targets["choices"])), list(targets.get("labels", ()))
    else:
        texts, marks = list(targets), list(targets.values())
    if marks.count(1) != 1 or len(marks) != len(texts):
        raise ValueError("its 'mc1_targets' has not one right choice")
    return Choice(text_of(row, QUESTION), texts, marks.index(1), first=True)


def _marked(row: Row) -> Choice:
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
    return Choice(text[: marks[0].start()].strip(), texts, labels.index(answer))


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
    for family, labels in FAMILIES:
        if family[0] in row:
            return list(labels), [row.get(name) for name in family]
    raw: Any = row.get("choices", row.get("options", row.get("answers")))
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
    found = {label: optional(row, label, label.lower()) for label in LABELS[:10]}
    labels = [label for label, text in found.items() if text]
    if labels != list(found)[: len(labels)]:
        empty = next(label for label, text in found.items() if not text)
        raise ValueError(f"its choice {empty} is empty, but {labels[-1]} is not")
    return (labels, [found[label] for label in labels]) if labels else None


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
    for key in ("correct_choice", "answerKey", "answer", "Answer", "label", "correct", "correct_option"):
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
