"""Questions about a folder of office documents, looked into with read-only tools: OfficeQA's own table of them."""

import re
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import ClassVar, cast

from skillopt_sleep.kit.markdown import fence
from skillopt_sleep.protocols import Backend
from skillopt_sleep.trainer.env import Item, Result
from skillopt_sleep.trainer.envs.asking import ask
from skillopt_sleep.trainer.envs.datasets import AtLeastOne, DataEnv, items_of, row_id
from skillopt_sleep.trainer.envs.library import TOOLS, Library
from skillopt_sleep.trainer.envs.question_answering import why_wrong
from skillopt_sleep.trainer.envs.rows import Row, optional, text_of, texts_of
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

    It is the folder `documents` beside the questions where it is empty. An attempt has so many `turns`;
    `name_sources` tells the target which documents hold the answer.
    """

    name: ClassVar[str] = "office_documents"
    path_options: ClassVar[frozenset[str]] = frozenset({"path", "documents"})

    documents: str = ""
    turns: AtLeastOne = 24
    name_sources: bool = False

    @cached_property
    def library(self) -> Library:
        """The documents; ConfigError where there are none."""
        beside = self.place if self.place.is_dir() else self.place.parent
        return Library(Path(self.documents).expanduser() if self.documents else beside / DOCUMENTS)

    def data_files(self, place: Path) -> list[Path]:
        """The files of questions; documents are none."""
        return [path for path in super().data_files(place) if DOCUMENTS not in path.relative_to(self.place).parts]

    def read(self, path: Path) -> Sequence[Item]:
        """The questions of one file."""
        return items_of(path, lambda number, row: self._item(row, row_id(path, number)))

    def rollout_one(self, item: Item, skill: str, target: Backend, *, sample: int) -> Result:
        """One attempt of several turns; hard is exact match with the same numbers, soft F1."""
        turns: list[str] = []
        for turn in range(1, self.turns + 1):
            reply = ask(target, self._request(item, turns), skill=skill, form=FORM, sample=sample)
            kind, said = _move(reply)
            if kind == "answer":
                return _graded(item, reply, said, turns)
            seen = self.library.use(said) if kind == "tool" else "That was neither a <tool> nor an <answer>."
            turns.append(f"## Turn {turn}\n{reply[-REPLY_CHARS:].strip()}\n\n{fence(seen)}")
        return Result(why=f"it gave no answer within {self.turns} turns", turns=tuple(turns))

    def _request(self, item: Item, turns: Sequence[str]) -> str:
        left = self.turns - len(turns)
        last = "\n\nThis is your last turn: answer now." if left == 1 else ""
        sources = cast("list[str]", item.data["sources"])
        named = f"\n\nThe answer is in: {', '.join(sources)}" if self.name_sources and sources else ""
        return "\n\n".join([f"{item.data['question']}{named}", *turns, f"{left} turns are left.{last}"])

    def _item(self, row: Row, otherwise: str) -> Item:
        question = text_of(row, "question")
        return Item(
            id=optional(row, "uid", "id") or otherwise,
            text=question,
            kind=optional(row, "category", "difficulty", "task_type"),
            data={
                "question": question,
                "answers": list(texts_of(row.get("answers"))) or [text_of(row, "answer", "ground_truth")],
                "sources": [
                    one for text in texts_of(row.get("source_files")) for one in re.split(r"[\n,]\s*", text) if one
                ],
                "library": self.library_digest,
            },
        )

    @cached_property
    def library_digest(self) -> str:
        """What tells this library from another."""
        return self.library.digest()


def _move(reply: str) -> tuple[str, str]:
    """The last tool or answer of a reply, else an answer without its end."""
    moves = [(kind.lower(), said.strip()) for kind, said in _MOVE.findall(reply)]
    if moves:
        return moves[-1]
    return ("answer", final_answer(reply)) if "<answer>" in reply.lower() else ("", "")


def _graded(item: Item, reply: str, answer: str, turns: Sequence[str]) -> Result:
    accepted = cast("list[str]", item.data["answers"])
    # Without its point 1.5 is 15: words are compared as everywhere, numbers as numbers.
    right = any(exact_match(answer, [one]) and same_numbers(answer, one) for one in accepted)
    why = "" if right else why_wrong(answer, accepted) or "the number has its point in another place"
    return Result(hard=float(right), soft=token_f1(answer, accepted), response=reply, why=why, turns=tuple(turns))
