"""Questions about a folder of office documents, answered with read-only tools; reads OfficeQA's own table."""

import re
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import ClassVar, cast

from skillopt_sleep.kit.markdown import fence
from skillopt_sleep.protocols import Backend
from skillopt_sleep.trainer.env import Item, Result
from skillopt_sleep.trainer.envs.asking import ask
from skillopt_sleep.trainer.envs.datasets import AtLeastOne, DataEnv, row_id
from skillopt_sleep.trainer.envs.library import TOOLS, Library
from skillopt_sleep.trainer.envs.question_answering import why_wrong
from skillopt_sleep.trainer.envs.rows import Row, optional, read_rows, text_of, texts_of
from skillopt_sleep.trainer.scorers import exact_match, final_answer, same_numbers, token_f1

FORM = f"""\
You can look into a folder of documents. One call of a tool at a time, as JSON between <tool> and </tool>:
{TOOLS}
What it says stands in your next turn. When you know the answer, give it by itself, without a sentence around it,
between <answer> and </answer>."""
DOCUMENTS = "documents"
REPLY_CHARS = 4_000

_MOVE = re.compile(r"<(tool|answer)>(.*?)</\1>", re.DOTALL | re.IGNORECASE)


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

    def data_files(self, place: Path) -> list[Path]:
        """Return the files that hold questions, without the documents."""
        return [path for path in super().data_files(place) if DOCUMENTS not in path.relative_to(self.place).parts]

    def read(self, path: Path) -> Sequence[Item]:
        """Read the questions of one file."""
        return self.converted(read_rows(path), lambda number, row: self._item(row, row_id(path, number)), where=path)

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

    def _item(self, row: Row, otherwise: str) -> Item:
        question = text_of(row, "question")
        sources: list[str] = []
        for text in texts_of(row.get("source_files")):
            sources += filter(None, re.split(r"[\n,]\s*", text))
        return Item(
            id=optional(row, "uid", "id") or otherwise,
            text=question,
            kind=optional(row, "category", "difficulty", "task_type"),
            data={
                "question": question,
                "answers": list(texts_of(row.get("answers"))) or [text_of(row, "answer", "ground_truth")],
                "sources": sources,
                "library": self.library_digest,
            },
        )

    @cached_property
    def library_digest(self) -> str:
        """Return the digest of the library."""
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
    return Result(hard=float(right), soft=token_f1(answer, accepted), response=reply, why=why, turns=tuple(turns))
