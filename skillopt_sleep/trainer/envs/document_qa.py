"""Questions about a page, answered from its OCR text and scored by ANLS; reads DocVQA's own files.

Only text is sent, so questions that need the picture (a signature, a colour) can't be answered.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, cast

import msgspec

from skillopt_sleep.kit.markdown import fence
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.trainer.env import Item, Result
from skillopt_sleep.trainer.envs.dataset import ANSWER_FORM, ask, with_source
from skillopt_sleep.trainer.envs.datasets import Count, DataEnv
from skillopt_sleep.trainer.envs.reading import Row, optional, text_of, texts_of
from skillopt_sleep.trainer.scorers import anls, final_answer

FORM = f"{ANSWER_FORM} Use the words of the page, as they are written there."
# A little below 1, so that rounding can't make a perfect answer fail.
PERFECT = 0.999
SHOWN_CHARS = 1_500
OCR_FOLDERS = ("ocr_results", "ocr", "spdocvqa_ocr")


class DocumentQA(DataEnv, frozen=True, kw_only=True, dict=True):
    """Rows with `question`, `answers` and the page's text: in `text`, or in the OCR result named like their `image`.

    `ocr` is the folder of OCR results (DocVQA's, Textract's, or plain .txt), "" to look beside the file. The first
    `context_chars` of a page are used, 0 for all.
    """

    name: ClassVar[str] = "document_qa"
    path_options: ClassVar[frozenset[str]] = frozenset({"path", "ocr"})

    ocr: str = ""
    context_chars: Count = 12_000

    def is_beside(self, entry: Path) -> bool:
        """Return whether an entry is the folder of OCR results that is used."""
        if self.ocr:
            return entry.resolve() == Path(self.ocr).expanduser().resolve()
        return entry.name in OCR_FOLDERS

    def rollout_one(self, item: Item, skill: str, target: Backend, *, sample: int) -> Result:
        """Ask for one answer; soft is its ANLS, hard is 1 if that is 1."""
        request = f"{fence(item.data['page'])}\n\n{item.data['question']}"
        reply = ask(target, request, skill=skill, form=FORM, sample=sample)
        answer = final_answer(reply)
        soft = anls(answer, cast("list[str]", item.data["answers"]))
        why = with_source(_why_wrong(answer, soft), reply)
        return Result(hard=float(soft >= PERFECT), soft=soft, response=reply, why=why)

    def item(self, row: Row, name: str, path: Path) -> Item:
        """Return a question with the text of its page."""
        question = text_of(row, "question")
        answers = [text for text in texts_of(row.get("answers", row.get("answer"))) if text]
        if not answers:
            raise ValueError("it has no 'answers': leave out a split without public answers")
        page = optional(row, "text", "context", "ocr") or self._page(text_of(row, "image", "image_path"), path.parent)
        page = page[: self.context_chars or None]
        kinds = texts_of(row.get("question_types"))
        return Item(
            id=optional(row, "id", "questionId", "question_id") or name,
            text=f"{page[:SHOWN_CHARS]}\n\n{question}",
            kind=kinds[0] if kinds else optional(row, "task_type", "category"),
            data={"question": question, "page": page, "answers": answers},
        )

    def _page(self, image: str, folder: Path) -> str:
        places = [folder / name for name in OCR_FOLDERS]
        if self.ocr:
            places = [Path(self.ocr).expanduser()]
        stem = Path(image).stem
        for place in places:
            for suffix in (".json", ".txt"):
                path = place / f"{stem}{suffix}"
                if path.is_file():
                    return page_text(path)
        raise ValueError(f"the text of the page {stem} is not in {' or '.join(map(str, places))}: set env.ocr")


def page_text(path: Path) -> str:
    """Return the lines of an OCR result, in its order; raise ValueError if it has none."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        if path.suffix == ".json":
            text = "\n".join(_lines(msgspec.json.decode(text)))
    except (OSError, ValueError, RecursionError) as error:
        raise ValueError(f"{path}: {error}") from error
    except (AttributeError, TypeError) as error:
        raise ValueError(f"{path} is not an OCR result of DocVQA or Textract") from error
    if not text.strip():
        raise ValueError(f"{path} holds no text")
    return text.strip()


def _lines(content: Any) -> Iterator[str]:
    """Yield the lines of a DocVQA result (recognitionResults, or readResults in newer ones) or Textract's (LINE)."""
    if not isinstance(content, Mapping):
        return
    fields = cast("Mapping[str, Any]", content)
    result: Any = fields.get("analyzeResult") or fields
    for page in result.get("recognitionResults") or result.get("readResults") or ():
        for line in page.get("lines", ()):
            yield str(line.get("text", ""))
    for line in fields.get("LINE", ()):
        yield str(line.get("Text", ""))


def _why_wrong(answer: str, soft: float) -> str:
    if soft >= PERFECT:
        return ""
    if not answer:
        return "it gives no answer"
    if not soft:
        return "the answer is wrong"
    return f"the answer is {soft:.0%} like the right one, but not it"
