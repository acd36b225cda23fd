"""Read a question from a row in the forms in which datasets are published, each a few lines."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast

import regex

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.trainer.envs.choices import DOCUMENT, FAMILIES, Asked, choice_of
from skillopt_sleep.trainer.envs.reading import Row, as_text, kind_of_row, optional, text_of, texts_of

_QUESTION = ("question", "query", "problem", "Question")
_ANSWERS = ("answers", "answer", "final_answer", "completion", "output", "target", "ideal", "response", "Answer")
_CONTEXTS = ("context", "text", "passage", "paragraph", "article", "Body")
_IDS = ("id", "_id", "qid", "uid", "question_id", "QuestionId", "questionId", "questionID", "Record ID")
_KINDS = ("question_types", "task_type", "type", "subject", "category", "Category", "High-level domain")
_ENDING = re.compile(r"^####\s*(\S.*?)\s*\Z", re.MULTILINE)
_BOX = regex.compile(r"\\boxed(\{(?:[^{}]|(?1))*\})")
_COLUMNS = "name its columns in env.columns"
_SWE = "it asks for a change of a whole repository, as SWE-bench does, which isn't supported"
_CODE = 'it is a program to write: env.name = "code_tasks" runs its tests'


def questions(rows: Sequence[Row], *, where: str) -> Iterator[Row]:
    """Yield a row for each question: SQuAD's articles and MRQA's paragraphs hold several; MRQA's header is none."""
    for row in rows:
        if list(row) == ["header"]:
            continue
        paragraphs: object = [row] if "qas" in row else row.get("paragraphs")
        inner: Any = row.get("qa")
        if isinstance(inner, Mapping):  # FinQA
            fields = cast("Row", inner)
            yield {**row, **fields, "answer": fields.get("answer") or fields.get("exe_ans")}
            continue
        if "qas" not in row and "paragraphs" not in row:
            yield row
            continue
        for paragraph in _objects(paragraphs, where):
            for question in _objects(paragraph.get("qas"), where):
                yield {**question, "context": paragraph.get("context"), "answers": question.get("answers", ())}


def asked(row: Row) -> Asked:
    """Return what a row asks; raise ValueError if it has none of the known forms."""
    found = next(recipe for is_one, recipe in RECIPES if is_one(row))(row)
    kinds = () if "AnswerKey" in row else _KINDS  # in ARC's table the category is the split
    return found._replace(id=optional(row, *_IDS), kind=kind_of_row(row, *kinds))


def _plain(row: Row) -> Asked:
    """Read a question and its answers under any of the usual names."""
    context, needed = context_of(row)
    answers = _accepted(row)
    if "label" in row:  # MultiRC: it may say that the answer is wrong
        raise ValueError(f"it has an answer and a 'label', which may say that it is wrong: {_COLUMNS}")
    ends = [_ENDING.search(text) for text in answers]
    if answers and all(ends):  # GSM8K
        numbers = tuple(end[1] for end in ends if end)
        return Asked(text_of(row, *_QUESTION), numbers, score="number", context=context)
    question = optional(row, *_QUESTION, "prompt", "instruction", "input")
    if not question:
        raise _unnamed(row, _QUESTION)
    score = "number" if any(isinstance(row.get(name), int | float) for name in _ANSWERS) else "exact"
    return Asked(question, answers, score=score, context=context, needed=needed)


def _instruction(row: Row) -> Asked:
    """Read an instruction, perhaps with an input, and its output."""
    more = optional(row, "input")
    question = text_of(row, "instruction")
    context = optional(row, "context")  # Alpaca's text has the answer in it
    return Asked(f"{question}\n\n{more}" if more else question, _accepted(row), context=context)


def _chat(row: Row) -> Asked:
    """Read a conversation, whose last message is the answer."""
    messages = row.get("messages", row.get("conversations", row.get("input")))
    said = [
        (str(one.get("role", one.get("from", ""))), as_text(one.get("content", one.get("value"))))
        for one in _objects(messages, "its messages")
    ]
    if "ideal" in row:  # OpenAI's evals
        return Asked("\n\n".join(text for _, text in said), texts_of(row["ideal"]))
    if len(said) < 2 or said[-1][0] not in {"assistant", "gpt", "model"}:  # noqa: PLR2004 - a question and an answer
        raise ValueError("its messages don't end with an answer of the assistant")
    return Asked("\n\n".join(text for _, text in said[:-1]), (said[-1][1],))


def _trivia(row: Row) -> Asked:
    """Read TriviaQA, in which an answer has aliases."""
    answer = cast("Mapping[str, Any]", row.get("Answer", row.get("answer")))
    names = ("Value", "value", "Aliases", "aliases", "NormalizedAliases", "normalized_aliases")
    texts = [text for name in names for text in texts_of(answer.get(name))]
    return Asked(text_of(row, "Question", "question"), tuple(dict.fromkeys(filter(None, texts))))


def _math(row: Row) -> Asked:
    """Read MATH, whose answer stands in the last box of its solution."""
    boxes = list(_BOX.finditer(text_of(row, "solution")))
    if not boxes:
        raise ValueError("its 'solution' has no \\boxed{answer}")
    return Asked(text_of(row, "problem"), (boxes[-1][1][1:-1].strip(),), score="number")


def _of_table(row: Row) -> Asked:
    """Read FinQA or WikiTableQuestions, which ask about a table and perhaps the texts around it."""
    lines: Any = row["table"]
    if isinstance(lines, Mapping):
        named = cast("Row", lines)
        lines = [named.get("header"), *(named.get("rows") or ())]
    if not all(isinstance(line, list) for line in lines):
        raise ValueError(f"its 'table' is neither lists of cells, nor has a 'header' and 'rows' of them: {_COLUMNS}")
    table = [" | ".join(map(as_text, line)) for line in lines]
    parts = [*texts_of(row.get("pre_text")), *table, *texts_of(row.get("post_text"))]
    return _plain(row)._replace(context="\n".join(parts), score="number")


def _yes_or_no(row: Row) -> Asked:
    """Read BoolQ or StrategyQA: a question, perhaps about a passage, answered true or false."""
    answers = ("yes", "true") if row["answer"] else ("no", "false")
    return Asked(text_of(row, "question"), answers, context=context_of(row)[0])


def _refused(row: Row) -> Asked:
    raise ValueError(_SWE if "base_commit" in row or "FAIL_TO_PASS" in row else _CODE)


def _has_choices(row: Row) -> bool:
    inner: Any = row.get("question")
    names = {"choices", "options", "endings", "mc1_targets", "Correct Answer", "Best Answer", "AnswerKey", "mcq"}
    names |= {family[0] for family, _ in FAMILIES}
    is_inner = isinstance(inner, Mapping) and "choices" in cast("Row", inner)
    is_listed = isinstance(row.get("answers"), list) and isinstance(row.get("label"), int)  # ReClor
    return bool(names & set(row)) or is_inner or is_listed or {"A", "B"} <= set(row)


# The first form that a row has is the one that it is read in.
RECIPES: Sequence[tuple[Callable[[Row], bool], Callable[[Row], Asked]]] = (
    (lambda row: bool({"base_commit", "FAIL_TO_PASS", "entry_point", "test_list", "tests"} & set(row)), _refused),
    (_has_choices, lambda row: choice_of(row)._replace(context=optional(row, *_CONTEXTS))),
    (lambda row: isinstance(row.get("Answer", row.get("answer")), Mapping), _trivia),
    (lambda row: isinstance(row.get("table"), Mapping | list), _of_table),
    (lambda row: "problem" in row and "solution" in row and "answer" not in row, _math),
    (lambda row: "question" in row and isinstance(row.get("answer"), bool), _yes_or_no),
    (lambda row: any(isinstance(row.get(name), list) for name in ("messages", "conversations", "input")), _chat),
    (lambda row: "instruction" in row and bool({"output", "response"} & set(row)), _instruction),
    (lambda _: True, _plain),
)


def _accepted(row: Row) -> tuple[str, ...]:
    """Return the accepted answers; ("",) if the text has no answer, as in SQuAD 2.0's script."""
    name = next((name for name in _ANSWERS if row.get(name) is not None), "")
    raw: Any = row.get(name)
    if isinstance(raw, Mapping):
        raw = cast("Mapping[str, Any]", raw).get("text")
    texts = texts_of(raw)
    if not any(texts) and not row.get("is_impossible") and raw != []:
        raise ValueError("its answer is empty") if name else _unnamed(row, _ANSWERS[:6])
    return texts or ("",)


def _unnamed(row: Row, usual: Sequence[str]) -> ValueError:
    """Return the error for a row without any of the usual columns, with the remedy: to say which is which."""
    names = list(row)
    question = next((name for name in _QUESTION if name in row), names[0])
    example = f'env.columns = {{question = "{question}", answers = "{names[-1]}"}}'
    return ValueError(
        f"it has no {' or '.join(map(repr, usual))}; its columns are {', '.join(map(repr, names))}",
        f"say which is which, as in {example}",
    )


def context_of(row: Row) -> tuple[str, tuple[str, ...]]:
    """Return a row's context, with [DOC] before each document, and the documents that its answer rests on."""
    raw: Any = row.get("context")
    if not raw or isinstance(raw, str):
        return optional(row, *_CONTEXTS), ()
    documents = _documents(raw)
    facts: Any = row.get("supporting_facts") or ()
    is_columns = isinstance(facts, Mapping)
    titles: set[str] = set(cast("Any", facts)["title"] if is_columns else [fact[0] for fact in facts])
    texts = [f"{DOCUMENT} {title}\n{text}" if title else f"{DOCUMENT} {text}" for title, text in documents]
    needed = [text for (title, _), text in zip(documents, texts, strict=True) if title and title in titles]
    return "\n\n".join(texts), tuple(needed)


def _documents(raw: object) -> list[tuple[str, str]]:
    """Return title and text of each document: of HotpotQA's lists, of columns as in Parquet, or of plain texts."""
    found: list[tuple[str, str]] = []
    try:
        if isinstance(raw, Mapping):
            columns = cast("Mapping[str, Any]", raw)
            pairs = zip(columns["title"], columns["sentences"], strict=True)
            return [(as_text(title), _joined(text)) for title, text in pairs]
        for document in cast("Sequence[Any]", raw):
            title, text = ("", document) if isinstance(document, str) else document
            found.append((str(title).strip(), _joined(text)))
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(
            "its 'context' is neither a text, nor a list of texts, nor of [title, sentences] as in HotpotQA"
        ) from error
    return found


def _joined(sentences: object) -> str:
    """Join sentences, each of which begins with the space that stands before it."""
    return sentences.strip() if isinstance(sentences, str) else "".join(cast("Sequence[str]", sentences)).strip()


def _objects(value: object, where: str) -> list[Row]:
    if isinstance(value, list) and all(isinstance(element, Mapping) for element in cast("list[object]", value)):
        return cast("list[Row]", value)
    raise ConfigError(f"{where}: there is no list of objects where one belongs", remedy="fix the file")
