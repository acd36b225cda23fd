"""Question answering over a text: SQuAD's exact match and F1; SQuAD's own files, SearchQA's, or rows like them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, cast

from skillopt_sleep.kit.markdown import fence
from skillopt_sleep.protocols import Backend
from skillopt_sleep.trainer.env import Item, Result
from skillopt_sleep.trainer.envs.asking import ANSWER_FORM, ask, told
from skillopt_sleep.trainer.envs.datasets import Count, DataEnv, made_of, row_id
from skillopt_sleep.trainer.envs.rows import Row, optional, read_rows, text_of, texts_of
from skillopt_sleep.trainer.scorers import exact_match, final_answer, normalized, token_f1

FORM = f"{ANSWER_FORM} Where the text does not say it, leave nothing between them."
# What the optimizer is shown of a text; the target is shown all that `context_chars` leaves.
SHOWN_CHARS = 1_500


class QuestionAnswering(DataEnv, frozen=True, kw_only=True, dict=True):
    """Rows with `question`, `context` and `answers`, or SQuAD's articles.

    Of a context `context_chars` are kept, 0 is all; one of several documents ([DOC] before each) is cut between two.
    """

    name: ClassVar[str] = "question_answering"

    context_chars: Count = 6_000

    def read(self, path: Path) -> Sequence[Item]:
        """The questions of one file."""
        rows = read_rows(path)
        if rows and "paragraphs" in rows[0]:
            articles = made_of(rows, lambda _, article: _questions(article), where=str(path))
            rows = tuple(question for article in articles for question in article)
        return made_of(rows, lambda number, row: self._item(row, row_id(path, number)), where=str(path))

    def rollout_one(self, item: Item, skill: str, target: Backend, *, sample: int) -> Result:
        """One answer; hard is exact match, soft F1."""
        context = item.data["context"]
        request = f"{fence(context)}\n\n{item.data['question']}" if context else item.data["question"]
        reply = ask(target, request, skill=skill, form=FORM, sample=sample)
        answer, accepted = final_answer(reply), cast("list[str]", item.data["answers"])
        return Result(
            hard=exact_match(answer, accepted),
            soft=token_f1(answer, accepted),
            response=reply,
            why=told(why_wrong(answer, accepted), reply),
        )

    def _item(self, row: Row, otherwise: str) -> Item:
        question = text_of(row, "question")
        context = kept(optional(row, "context", "text"), self.context_chars)
        return Item(
            id=optional(row, "id", "uid", "question_id", "key") or otherwise,
            text=f"{context[:SHOWN_CHARS]}\n\n{question}".strip(),
            kind=optional(row, "task_type", "category", "type"),
            data={"question": question, "context": context, "answers": _accepted(row)},
        )


def kept(context: str, most: int) -> str:
    """So many characters of a text, 0 all; of several documents the first that fit whole."""
    if not most or len(context) <= most:
        return context
    end = context.rfind("[DOC]", 1, most)
    return context[: end if end > 0 else most].rstrip()


def why_wrong(answer: str, accepted: Sequence[str]) -> str:
    """What is wrong with an answer, in words that don't tell the right one; "" where nothing is."""
    if exact_match(answer, accepted):
        return ""
    if not any(normalized(one) for one in accepted):
        return "it answers what the text does not say"
    if not normalized(answer):
        return "it gives no answer, and the text has one"
    if not token_f1(answer, accepted):
        return "the answer is wrong"
    longest = max(len(normalized(one).split()) for one in accepted)
    more = len(normalized(answer).split()) > longest
    return (
        f"the answer has words of the right one, but is not it: {'it says too much' if more else 'some are missing'}"
    )


def _accepted(row: Row) -> list[str]:
    """The accepted answers; nothing to find is the one answer "", as SQuAD 2.0's script has it."""
    raw: Any = row.get("answers")
    if isinstance(raw, Mapping):
        raw = cast("Mapping[str, Any]", raw).get("text")
    texts = texts_of(raw if raw is not None else row.get("answer"))
    if not any(texts) and not row.get("is_impossible") and raw != []:
        raise ValueError("it has no 'answers'")
    return [one for one in texts if normalized(one)] or [""]


def _questions(article: Row) -> list[Row]:
    """SQuAD: the questions of an article's paragraphs, as rows; ValueError names the paragraph that isn't SQuAD's."""
    return [
        {**asked, "context": text_of(paragraph, "context"), "answers": asked.get("answers", ())}
        for paragraph in _objects(article, "paragraphs", of="the article")
        for asked in _objects(paragraph, "qas", of="a paragraph")
    ]


def _objects(row: Row, name: str, *, of: str) -> list[Row]:
    inner: Any = row.get(name)
    if not isinstance(inner, list) or not all(isinstance(one, Mapping) for one in cast("list[object]", inner)):
        raise ValueError(f"{of} has no list of objects called {name!r}")
    return cast("list[Row]", inner)
