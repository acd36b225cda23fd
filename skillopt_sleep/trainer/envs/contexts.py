"""Read the context of a question: a text, or the documents that it is made of, as HotpotQA has them."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

from skillopt_sleep.trainer.envs.rows import Row, as_text, optional

DOCUMENT = "[DOC]"
_SENTENCES = "sentences"


class Context(NamedTuple):
    """A context as one text, and the documents of it that the answer rests on, if the dataset says which."""

    text: str
    needed: tuple[str, ...] = ()


def context_of(row: Row) -> Context:
    """Return a row's context, with [DOC] before each document; raise ValueError if it has an unknown form."""
    raw: Any = row.get("context")
    if not raw or isinstance(raw, str):
        return Context(optional(row, "context", "text"))
    documents = _documents(raw)
    needed = _titles(row.get("supporting_facts"))
    texts = tuple(f"{DOCUMENT} {title}\n{text}" if title else f"{DOCUMENT} {text}" for title, text in documents)
    wanted = tuple(text for (title, _), text in zip(documents, texts, strict=True) if title and title in needed)
    return Context("\n\n".join(texts), wanted)


def shortened(context: str, most: int) -> str:
    """Return the first `most` characters of a text, 0 for all; of several documents those that fit completely."""
    if not most or len(context) <= most:
        return context
    end = context.rfind(DOCUMENT, 1, most)
    return context[: end if end > 0 else most].rstrip()


def _documents(raw: object) -> list[tuple[str, str]]:
    """Return title and text of each document: of HotpotQA's lists, of columns as in Parquet, or of plain texts."""
    if isinstance(raw, Mapping):
        columns = cast("Mapping[str, Any]", raw)
        titles: Any = columns.get("title")
        texts: Any = columns.get(_SENTENCES)
        if isinstance(titles, list) and isinstance(texts, list):
            pairs = zip(cast("list[object]", titles), cast("list[object]", texts), strict=False)
            if len(cast("list[object]", titles)) == len(cast("list[object]", texts)):
                return [(as_text(title), _joined(text)) for title, text in pairs]
    elif isinstance(raw, Sequence):
        return [_document(document) for document in cast("Sequence[object]", raw)]
    raise ValueError("its 'context' is neither a text, nor a list of texts, nor of [title, sentences] as in HotpotQA")


def _document(raw: object) -> tuple[str, str]:
    if isinstance(raw, str):
        return "", raw.strip()
    if isinstance(raw, Sequence):
        match list(cast("Sequence[object]", raw)):
            case [str(title), text]:
                return title.strip(), _joined(text)
            case _:
                pass
    raise ValueError("a document of its 'context' is neither a text nor [title, sentences]")


def _joined(sentences: object) -> str:
    """Join sentences, each of which begins with the space that stands before it."""
    if isinstance(sentences, str):
        return sentences.strip()
    if not isinstance(sentences, Sequence) or not all(
        isinstance(one, str) for one in cast("list[object]", sentences)
    ):
        raise ValueError("the sentences of a document of its 'context' are no texts")
    return "".join(cast("Sequence[str]", sentences)).strip()


def _titles(facts: object) -> frozenset[str]:
    """Return the titles of the documents that support the answer."""
    if isinstance(facts, Mapping):
        facts = cast("Mapping[str, object]", facts).get("title")
        return frozenset(cast("Sequence[str]", facts or ()))
    titles: set[str] = set()
    for fact in cast("Sequence[Sequence[Any]]", facts or ()):
        titles.add(str(fact[0]))
    return frozenset(titles)
