"""Word problems whose answer is one number, compared as a number; reads GSM8K's own files."""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from skillopt_sleep.protocols import Backend
from skillopt_sleep.trainer.env import Item, Result
from skillopt_sleep.trainer.envs.asking import ask, with_source
from skillopt_sleep.trainer.envs.datasets import DataEnv, row_id
from skillopt_sleep.trainer.envs.rows import Row, kind_of_row, optional, read_rows, text_of
from skillopt_sleep.trainer.envs.worked import ending_of
from skillopt_sleep.trainer.scorers import equal_numbers, final_answer, is_number

FORM = "Think as long as you need to. Then give the number alone between <answer> and </answer>."


class WordProblems(DataEnv, frozen=True, kw_only=True, dict=True):
    """Rows with `question` and `answer`: a number, or a calculation that ends with `#### 5` as in GSM8K."""

    name: ClassVar[str] = "word_problems"

    def read(self, path: Path) -> Sequence[Item]:
        """Read the problems of one file."""
        return self.converted(read_rows(path), lambda number, row: self._item(row, row_id(path, number)), where=path)

    def rollout_one(self, item: Item, skill: str, target: Backend, *, sample: int) -> Result:
        """Ask for one number; hard and soft are 1 if it equals the right one."""
        reply = ask(target, item.text, skill=skill, form=FORM, sample=sample)
        answer = final_answer(reply)
        grade = float(equal_numbers(answer, item.data["answer"]))
        why = ""
        if not is_number(answer):
            why = "the answer is not one number"
        elif not grade:
            why = f"{answer} is not the right number"
        return Result(hard=grade, soft=grade, response=reply, why=with_source(why, reply))

    def _item(self, row: Row, otherwise: str) -> Item:
        answer = ending_of(text_of(row, "answer", "final_answer"))
        if not is_number(answer):
            raise ValueError(f"its answer {answer[:80]!r} is not one number, and only numbers are compared")
        return Item(
            id=optional(row, "id", "_id", "uid", "question_id") or otherwise,
            text=text_of(row, "question", "problem"),
            kind=kind_of_row(row, "type", "category", "subject"),
            data={"answer": answer},
        )
