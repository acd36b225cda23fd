"""Questions about a page, answered from its OCR text and scored by ANLS; reads DocVQA's own files.

Only text is sent, so questions that need the picture (a signature, a colour) can't be answered.
"""

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, cast

import msgspec

from skillopt_sleep.trainer.envs.choices import Asked
from skillopt_sleep.trainer.envs.dataset import Dataset
from skillopt_sleep.trainer.envs.datasets import Count
from skillopt_sleep.trainer.envs.reading import Row, optional, text_of

OCR_FOLDERS = ("ocr_results", "ocr", "spdocvqa_ocr")


class DocumentQA(Dataset, frozen=True, kw_only=True, dict=True):
    """Rows with `question`, `answers` and the page's text: in `text`, or in the OCR result named like their `image`.

    `ocr` is the folder of OCR results (DocVQA's, Textract's, or plain .txt), "" to look beside the file. The first
    `context_chars` of a page are used, 0 for all.
    """

    name: ClassVar[str] = "document_qa"
    path_options: ClassVar[frozenset[str]] = frozenset({"path", "ocr"})

    ocr: str = ""
    context_chars: Count = 12_000
    score: str = "anls"

    @property
    def beside(self) -> Collection[str]:
        """Return the folders of OCR results."""
        return {*OCR_FOLDERS, Path(self.ocr).name}

    def asked(self, row: Row, path: Path) -> Asked:
        """Return a question with the text of its page."""
        found = super().asked(row, path)
        if not any(found.answers):
            raise ValueError("it has no 'answers': leave out a split without public answers")
        page = found.context or optional(row, "ocr") or self._page(text_of(row, "image", "image_path"), path.parent)
        return found._replace(context=page)

    def _page(self, image: str, folder: Path) -> str:
        places = [Path(self.ocr).expanduser()] if self.ocr else [folder / name for name in OCR_FOLDERS]
        stem = Path(image).stem
        for path in (place / f"{stem}{suffix}" for place in places for suffix in (".json", ".txt")):
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
