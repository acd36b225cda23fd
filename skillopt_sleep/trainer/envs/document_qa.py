"""Questions about a page, by the text that was read from it: ANLS; DocVQA's own files with their OCR results.

Only text is sent: a question that needs the picture (a signature, a colour) can't be answered here.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, cast

import msgspec

from skillopt_sleep.kit.markdown import fence
from skillopt_sleep.protocols import Backend
from skillopt_sleep.trainer.env import Item, Result
from skillopt_sleep.trainer.envs.asking import ANSWER_FORM, ask, told
from skillopt_sleep.trainer.envs.datasets import Count, DataEnv, items_of, row_id
from skillopt_sleep.trainer.envs.rows import Row, optional, text_of, texts_of
from skillopt_sleep.trainer.scorers import anls, final_answer

FORM = f"{ANSWER_FORM} Use the words of the page, as they are written there."
# Rounding must not make a perfect answer fail.
PERFECT = 0.999
SHOWN_CHARS = 1_500
OCR_FOLDERS = ("ocr_results", "ocr", "spdocvqa_ocr")


class DocumentQA(DataEnv, frozen=True, kw_only=True, dict=True):
    """Rows with `question`, `answers` and the page's text: in `text`, or in the OCR result named like their `image`.

    `ocr` is the folder of OCR results (as DocVQA has them, by Textract, or plain .txt); beside the file if empty. Of
    a page `context_chars` are kept, 0 is all.
    """

    name: ClassVar[str] = "document_qa"
    path_options: ClassVar[frozenset[str]] = frozenset({"path", "ocr"})

    ocr: str = ""
    context_chars: Count = 12_000

    def read(self, path: Path) -> Sequence[Item]:
        """The questions of one file, each with the text of its page."""
        return items_of(path, lambda number, row: self._item(row, row_id(path, number), path.parent))

    def rollout_one(self, item: Item, skill: str, target: Backend, *, sample: int) -> Result:
        """One answer; soft is ANLS, hard 1 where that is 1."""
        request = f"{fence(item.data['page'])}\n\n{item.data['question']}"
        reply = ask(target, request, skill=skill, form=FORM, sample=sample)
        answer, accepted = final_answer(reply), cast("list[str]", item.data["answers"])
        soft = anls(answer, accepted)
        return Result(
            hard=float(soft >= PERFECT), soft=soft, response=reply, why=told(_why_wrong(answer, soft), reply)
        )

    def _item(self, row: Row, otherwise: str, folder: Path) -> Item:
        question = text_of(row, "question")
        answers = [one for one in texts_of(row.get("answers", row.get("answer"))) if one]
        if not answers:
            raise ValueError("it has no 'answers': leave out a split whose answers are not public")
        page = optional(row, "text", "context", "ocr") or self._page(text_of(row, "image", "image_path"), folder)
        page = page[: self.context_chars or None]
        kinds = texts_of(row.get("question_types"))
        return Item(
            id=optional(row, "id", "questionId", "question_id") or otherwise,
            text=f"{page[:SHOWN_CHARS]}\n\n{question}",
            kind=kinds[0] if kinds else optional(row, "task_type", "category"),
            data={"question": question, "page": page, "answers": answers},
        )

    def _page(self, image: str, folder: Path) -> str:
        places = [Path(self.ocr).expanduser()] if self.ocr else [folder / name for name in OCR_FOLDERS]
        stem = Path(image).stem
        for path in (place / f"{stem}{suffix}" for place in places for suffix in (".json", ".txt")):
            if path.is_file():
                return page_text(path)
        raise ValueError(f"no text of the page {stem} is in {' or '.join(map(str, places))}: set env.ocr")


def page_text(path: Path) -> str:
    """The lines of an OCR result, in its order; ValueError where it has none."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        if path.suffix == ".json":
            text = "\n".join(_lines(msgspec.json.decode(text)))
    except (OSError, ValueError, RecursionError) as error:
        raise ValueError(f"{path}: {error}") from error
    except (AttributeError, TypeError) as error:
        raise ValueError(f"{path} is no OCR result as DocVQA or Textract write it") from error
    if not text.strip():
        raise ValueError(f"{path} holds no text")
    return text.strip()


def _lines(found: Any) -> Iterator[str]:
    """The lines of DocVQA's results (recognitionResults), their successors' (readResults) and Textract's (LINE)."""
    if not isinstance(found, Mapping):
        return
    fields = cast("Mapping[str, Any]", found)
    result: Any = fields.get("analyzeResult") or fields
    for page in result.get("recognitionResults") or result.get("readResults") or ():
        yield from (str(line.get("text", "")) for line in page.get("lines", ()))
    yield from (str(line.get("Text", "")) for line in fields.get("LINE", ()))


def _why_wrong(answer: str, soft: float) -> str:
    if soft >= PERFECT:
        return ""
    if not answer:
        return "it gives no answer"
    return f"the answer is {soft:.0%} like the right one, but not it" if soft else "the answer is wrong"
