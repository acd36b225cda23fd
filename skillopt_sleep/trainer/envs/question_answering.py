"""Question answering over a text, scored by SQuAD's exact match and F1; reads the files of SQuAD, HotpotQA, MRQA."""

import itertools
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, cast

from skillopt_sleep.kit.markdown import fence
from skillopt_sleep.protocols import Backend
from skillopt_sleep.trainer.env import Item, Result
from skillopt_sleep.trainer.envs.asking import ANSWER_FORM, ask, with_source
from skillopt_sleep.trainer.envs.contexts import context_of, shortened
from skillopt_sleep.trainer.envs.datasets import Count, DataEnv, row_id
from skillopt_sleep.trainer.envs.rows import (
    SUFFIXES,
    Row,
    form_of,
    kind_of_row,
    optional,
    read_rows,
    text_of,
    texts_of,
)
from skillopt_sleep.trainer.envs.searchqa import SUFFIX, is_searchqas, searchqa_rows
from skillopt_sleep.trainer.envs.worked import is_worked
from skillopt_sleep.trainer.scorers import exact_match, final_answer, normalized, token_f1

FORM = f"{ANSWER_FORM} Where the text does not say it, leave nothing between them."
# How much of a text the optimizer is shown; the target is shown up to `context_chars`.
SHOWN_CHARS = 1_500


class QuestionAnswering(DataEnv, frozen=True, kw_only=True, dict=True):
    """Rows with `question`, `context` and `answers`; SQuAD's articles, and HotpotQA's, MRQA's and SearchQA's files.

    The first `context_chars` of a context are used, 0 for all; one made of several documents ([DOC] before each) is
    cut between documents.
    """

    name: ClassVar[str] = "question_answering"
    suffixes: ClassVar[frozenset[str]] = SUFFIXES | {SUFFIX}

    context_chars: Count = 6_000

    @property
    def remarks(self) -> tuple[str, ...]:
        """Say also how many contexts were cut."""
        if not self._cut:
            return super().remarks
        lost = sum(self._cut)
        some = "1 context is" if len(self._cut) == 1 else f"{len(self._cut):,} contexts are"
        said = f"{some} longer than env.context_chars = {self.context_chars:,} and were cut"
        if lost:
            said += f"; {lost:,} of them lost a document that the answer rests on (0 cuts none)"
        return (*super().remarks, said)

    @cached_property
    def _cut(self) -> list[bool]:
        """Hold of each context that was cut whether it lost a document that the answer rests on."""
        return []

    def read(self, path: Path) -> Sequence[Item]:
        """Read the questions of one file."""
        rows = self._rows(path)
        for inner, questions_of in (("paragraphs", _of_article), ("qas", _of_paragraph)):
            if rows and inner in rows[0]:
                groups = self.converted(rows, lambda _, row, of=questions_of: of(row), where=path)
                rows = tuple(itertools.chain.from_iterable(groups))
        return self.converted(rows, lambda number, row: self._item(row, row_id(path, number)), where=path)

    def data_files(self, place: Path) -> list[Path]:
        """Return the files that may hold questions; of other texts only those in SearchQA's form."""
        found = super().data_files(place)
        return [path for path in found if path == self.place or path.suffix != SUFFIX or is_searchqas(path)]

    def _rows(self, path: Path) -> Sequence[Row]:
        if form_of(path) != SUFFIX:
            return read_rows(path)
        rows = searchqa_rows(path)
        asked = [row for row in rows if row["question"]]
        if len(asked) < len(rows):
            self.remark(f"lines without a question, left out of {path.name}: {len(rows) - len(asked):,}")
        return asked

    def rollout_one(self, item: Item, skill: str, target: Backend, *, sample: int) -> Result:
        """Ask for one answer; hard is exact match, soft is F1."""
        context = item.data["context"]
        request = f"{fence(context)}\n\n{item.data['question']}" if context else item.data["question"]
        reply = ask(target, request, skill=skill, form=FORM, sample=sample)
        answer = final_answer(reply)
        accepted = cast("list[str]", item.data["answers"])
        return Result(
            hard=exact_match(answer, accepted),
            soft=token_f1(answer, accepted),
            response=reply,
            why=with_source(why_wrong(answer, accepted), reply),
        )

    def _item(self, row: Row, otherwise: str) -> Item:
        question = text_of(row, "question")
        whole = context_of(row)
        context = shortened(whole.text, self.context_chars)
        if context != whole.text:
            self._cut.append(not all(document in context for document in whole.needed))
        return Item(
            id=optional(row, "id", "_id", "qid", "uid", "question_id", "key") or otherwise,
            text=f"{context[:SHOWN_CHARS]}\n\n{question}".strip(),
            kind=kind_of_row(row, "task_type", "category", "type"),
            data={"question": question, "context": context, "answers": _accepted(row)},
        )


def why_wrong(answer: str, accepted: Sequence[str]) -> str:
    """Say what is wrong with an answer without revealing the right one; "" if it is right."""
    if exact_match(answer, accepted):
        return ""
    if not any(map(normalized, accepted)):
        return "it answers what the text does not say"
    if not normalized(answer):
        return "it gives no answer, and the text has one"
    if not token_f1(answer, accepted):
        return "the answer is wrong"
    longest = max(len(normalized(text).split()) for text in accepted)
    if len(normalized(answer).split()) > longest:
        return "the answer has words of the right one, but is not it: it says too much"
    return "the answer has words of the right one, but is not it: some are missing"


def _accepted(row: Row) -> list[str]:
    """Return the accepted answers; [""] if the text has no answer, as in SQuAD 2.0's script."""
    raw: Any = row.get("answers")
    if isinstance(raw, Mapping):
        raw = cast("Mapping[str, Any]", raw).get("text")
    texts = texts_of(raw if raw is not None else row.get("answer"))
    if not any(texts) and not row.get("is_impossible") and raw != []:
        raise ValueError("it has no 'answers'")
    if any(map(is_worked, texts)):
        raise ValueError(
            'its answer is a whole calculation (… #### 5): env.name = "word_problems" compares the number'
        )
    return [text for text in texts if normalized(text)] or [""]


def _of_article(article: Row) -> list[Row]:
    """Convert the questions of a SQuAD article to rows; raise ValueError if it doesn't have SQuAD's format."""
    rows: list[Row] = []
    for paragraph in _objects(article, "paragraphs", of="the article"):
        rows += _of_paragraph(paragraph)
    return rows


def _of_paragraph(paragraph: Row) -> list[Row]:
    """Convert the questions of a paragraph to rows: one of a SQuAD article, or a line of MRQA."""
    rows: list[Row] = []
    for question in _objects(paragraph, "qas", of="a paragraph"):
        context = text_of(paragraph, "context")
        rows.append({**question, "context": context, "answers": question.get("answers", ())})
    return rows


def _objects(row: Row, name: str, *, of: str) -> list[Row]:
    inner: Any = row.get(name)
    if isinstance(inner, list) and all(isinstance(element, Mapping) for element in cast("list[object]", inner)):
        return cast("list[Row]", inner)
    raise ValueError(f"{of} has no list of objects called {name!r}")
