"""Questions about documents: on the OCR text of a page (DocVQA), or on a folder searched with tools (OfficeQA).

Only text is sent, so questions that need a picture (a signature, a colour) can't be answered.
"""

import hashlib
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from fnmatch import fnmatch
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any, ClassVar, Literal, cast

import msgspec
import regex

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.markdown import fence
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.trainer.env import Item, Result
from skillopt_sleep.trainer.envs.choices import Asked
from skillopt_sleep.trainer.envs.dataset import Dataset, ask
from skillopt_sleep.trainer.envs.datasets import AtLeastOne, Count, DataEnv
from skillopt_sleep.trainer.envs.reading import Row, optional, text_of, texts_of
from skillopt_sleep.trainer.scorers import (
    exact_match,
    final_answer,
    same_numbers,
    token_f1,
    why_wrong,
    with_right_answer,
)

OCR_FOLDERS = ("ocr_results", "ocr", "spdocvqa_ocr")
FORM = """\
You can look into a folder of documents. One call of a tool at a time, as JSON between <tool> and </tool>:
- {"tool": "glob", "pattern": "**/*1941*"} lists the documents whose path has this form
- {"tool": "grep", "pattern": "total receipts", "files": "*.txt"} finds lines by a regular expression
- {"tool": "read", "file": "report.txt", "line": 1} shows the lines from this one on
What it says stands in your next turn. When you know the answer, give it by itself, without a sentence around it,
between <answer> and </answer>."""
DOCUMENTS = "documents"
REPLY_CHARS = 4_000
SHOWN_CHARS = 6_000
LINE_CHARS = 500
REGEX_SECONDS = 1.0
TEXTS = frozenset({".txt", ".md", ".csv", ".tsv", ".json", ".jsonl", ".html", ".xml", ".log"})
CUT = "(cut here: narrow the pattern or the files, or read on from a later line)"
_MOVE = re.compile(r"<(tool|answer)>(.*?)</\1>", re.DOTALL | re.IGNORECASE)


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
        return {*OCR_FOLDERS, *_inside(self.place, self.ocr)}

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


def _inside(place: Path, folder: str) -> Collection[str]:
    """Return the name of a folder if it is inside of this place."""
    path = Path(folder).expanduser().resolve()
    return (path.name,) if folder and place.resolve() in path.parents else ()


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


class Call(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A model's call of a tool."""

    tool: Literal["glob", "grep", "read"]
    pattern: str = ""
    files: str = "*"
    file: str = ""
    line: int = 1


class Library:
    """The text files below a folder, listed when it is opened; links that lead out of it are left out."""

    def __init__(self, folder: Path) -> None:
        """List the folder; raise ConfigError if it has no document."""
        root = folder.resolve()
        self._paths: dict[str, Path] = {}
        for path in sorted(root.rglob("*")):
            is_text = path.suffix.lower() in TEXTS and path.is_file()
            if is_text and path.resolve().is_relative_to(root):
                self._paths[path.relative_to(root).as_posix()] = path
        if not self._paths:
            raise ConfigError(
                f"{folder} holds no text document", remedy=f"add files of type {', '.join(sorted(TEXTS))}"
            )

    def digest(self) -> str:
        """Hash all names and contents, so that a change of the library makes another dataset."""
        whole = hashlib.blake2b(digest_size=16)
        for name, path in self._paths.items():
            data = path.read_bytes()
            whole.update(f"{len(name)}:{name}{len(data)}:".encode())
            whole.update(data)
        return whole.hexdigest()

    def use(self, text: str) -> str:
        """Run a tool call written as JSON and return its output; problems are reported in words, never raised."""
        shown = ""
        try:
            for line in self._output(msgspec.json.decode(text, type=Call)):
                if len(shown) + len(line) > SHOWN_CHARS:
                    return f"{shown}{CUT}"
                shown += f"{line}\n"
        except TimeoutError:
            return "The pattern takes too long: make it simpler."
        except (msgspec.DecodeError, regex.error, ValueError, RecursionError) as error:
            return f"That can't be done: {error}"
        return shown.rstrip("\n") or "Nothing matches."

    def _output(self, call: Call) -> Iterator[str]:
        """Yield the lines of a tool's output."""
        if call.tool == "glob":
            yield from self._like(call.pattern)
        elif call.tool == "grep":
            pattern = regex.compile(call.pattern, regex.IGNORECASE)
            for name in self._like(call.files):
                for number, line in enumerate(self._lines(name), 1):
                    if pattern.search(line, timeout=REGEX_SECONDS):
                        yield f"{name}:{number}: {line[:LINE_CHARS]}"
        elif (name := PurePosixPath(call.file).as_posix()) in self._paths:
            lines = self._lines(name)
            yield f"{name} has {len(lines)} lines."
            for number, line in enumerate(lines[max(call.line, 1) - 1 :], max(call.line, 1)):
                yield f"{number}: {line[:LINE_CHARS]}"
        else:
            yield f"There is no document {name!r}: find its path with glob."

    def _like(self, pattern: str) -> list[str]:
        """List the documents whose path, or the end of it, matches this glob pattern; "" matches all."""
        form = pattern.removeprefix("**/") or "*"
        return [name for name in self._paths if fnmatch(name, form) or fnmatch(name, f"*/{form}")]

    def _lines(self, name: str) -> list[str]:
        return self._paths[name].read_text(encoding="utf-8", errors="replace").splitlines()


class OfficeDocuments(DataEnv, frozen=True, kw_only=True, dict=True):
    """Rows with `question`, `answer` and, if known, `source_files`; `documents` is the folder they are about.

    If `documents` is "", it is the folder of that name beside the questions. An attempt has at most `turns` turns;
    with `name_sources` the target is told which documents hold the answer.
    """

    name: ClassVar[str] = "office_documents"
    path_options: ClassVar[frozenset[str]] = frozenset({"path", "documents"})

    documents: str = ""
    turns: AtLeastOne = 24
    name_sources: bool = False

    @property
    def calls_each(self) -> int:
        """Return the most calls of one attempt: one for each turn."""
        return self.turns

    @cached_property
    def library(self) -> Library:
        """Open the documents; raise ConfigError if there are none."""
        if self.documents:
            return Library(Path(self.documents).expanduser())
        beside = self.place if self.place.is_dir() else self.place.parent
        return Library(beside / DOCUMENTS)

    @property
    def beside(self) -> Collection[str]:
        """Return the folder of the documents."""
        return _inside(self.place, self.documents) if self.documents else (DOCUMENTS,)

    def rollout_one(self, item: Item, skill: str, target: Backend, *, sample: int) -> Result:
        """Attempt the question in several turns; hard is exact match with the same numbers, soft is F1."""
        turns: list[str] = []
        for turn in range(1, self.turns + 1):
            reply = ask(target, self._request(item, turns), skill=skill, form=FORM, sample=sample)
            kind, content = _move(reply)
            if kind == "answer":
                return _graded(item, reply, content, turns)
            output = "That was neither a <tool> nor an <answer>."
            if kind == "tool":
                output = self.library.use(content)
            turns.append(f"## Turn {turn}\n{reply[-REPLY_CHARS:].strip()}\n\n{fence(output)}")
        return Result(why=f"it gave no answer within {self.turns} turns", turns=tuple(turns))

    def _request(self, item: Item, turns: Sequence[str]) -> str:
        sources = cast("list[str]", item.data["sources"])
        parts: list[str] = [item.data["question"]]
        if self.name_sources and sources:
            parts.append(f"The answer is in: {', '.join(sources)}")
        parts += turns
        remaining = self.turns - len(turns)
        parts.append(f"{remaining} turns are left.")
        if remaining == 1:
            parts.append("This is your last turn: answer now.")
        return "\n\n".join(parts)

    def item(self, row: Row, name: str, path: Path) -> Item:
        """Return a question with the digest of the documents that it is about."""
        del path
        question = text_of(row, "question")
        sources: list[str] = []
        for text in texts_of(row.get("source_files")):
            sources += filter(None, re.split(r"[\n,]\s*", text))
        return Item(
            id=optional(row, "uid", "id") or name,
            text=question,
            kind=optional(row, "category", "difficulty", "task_type"),
            data={
                "question": question,
                "answers": list(texts_of(row.get("answers"))) or [text_of(row, "answer", "ground_truth")],
                "sources": sources,
                "library": self._digest,
            },
        )

    @cached_property
    def _digest(self) -> str:
        return self.library.digest()


def _move(reply: str) -> tuple[str, str]:
    """Return the kind ("tool", "answer" or "") and content of a reply's last tag, or of an unclosed <answer>."""
    tags = _MOVE.findall(reply)
    if tags:
        kind, content = tags[-1]
        return kind.lower(), content.strip()
    if "<answer>" in reply.lower():
        return "answer", final_answer(reply)
    return "", ""


def _graded(item: Item, reply: str, answer: str, turns: Sequence[str]) -> Result:
    accepted = cast("list[str]", item.data["answers"])
    # Exact match ignores punctuation, so 1.5 equals 15: numbers are compared as numbers too.
    right = any(exact_match(answer, [text]) and same_numbers(answer, text) for text in accepted)
    why = ""
    if not right:
        why = why_wrong(answer, accepted) or "the number has its point in another place"
        why = with_right_answer(why, accepted)
    return Result(hard=float(right), soft=token_f1(answer, accepted), response=reply, why=why, turns=tuple(turns))
