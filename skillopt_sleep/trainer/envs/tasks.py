"""Read tasks in this project's own format, the quickest way to a dataset of your own."""

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import msgspec
from msgspec.structs import replace

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.mining.tasks_file import read_tasks
from skillopt_sleep.prompts import fill
from skillopt_sleep.protocols import Backend
from skillopt_sleep.records import Prompt, Purpose, Rubric, Split, Task, Trajectory
from skillopt_sleep.replay.judges import ReferenceJudge
from skillopt_sleep.trainer.env import Item, Result
from skillopt_sleep.trainer.envs.datasets import DataEnv
from skillopt_sleep.trainer.envs.ratio import Items

# The time a task was written must not change the dataset.
NO_DAY = datetime(2000, 1, 1, tzinfo=UTC)


class Tasks(DataEnv, frozen=True, kw_only=True, dict=True):
    """JSONL or TOML as `tasks export` writes it: `prompt`, `reference` (exact, checks or rubric), perhaps `split`.

    The tasks are asked as in a night. A rubric needs a model to grade by it: with `graded_by_target` that is the
    target itself, otherwise tasks with a rubric are refused.
    """

    name: ClassVar[str] = "tasks"
    suffixes: ClassVar[frozenset[str]] = frozenset({".jsonl", ".toml"})

    graded_by_target: bool = False

    @property
    def calls_each(self) -> int:
        """Return the most calls of one attempt: the grade is one, too, if the target grades."""
        return 2 if self.graded_by_target else 1

    def assigned(self, split: Split) -> tuple[Item, ...]:
        """Assign every task to the split it names; if none names one, split them like any dataset."""
        if self.named_files or not self._by_split:
            return super().assigned(split)
        return self._by_split[split]

    @cached_property
    def _by_split(self) -> Items:
        """Return the tasks by the split they name; empty if none names one."""
        items = tuple(self.read_all(self.data_files(self.place)))
        if not any(item.data["split"] for item in items):
            return {}
        splits: dict[Split, list[Item]] = {split: [] for split in Split}
        for item in items:
            if not item.data["split"]:
                raise ConfigError(
                    f"{self.place}: '{item.id}' has no split, but other tasks do",
                    remedy="give every task a split, or none",
                )
            splits[Split(item.data["split"])].append(item)
        return {split: tuple(assigned) for split, assigned in splits.items()}

    def read(self, path: Path) -> Sequence[Item]:
        """Read the tasks of one file; raise ConfigError naming the entry that is unusable."""
        try:
            # The file's name identifies it, not its folder, so that a moved dataset stays the same.
            tasks = read_tasks(path, written=NO_DAY, session=path.name)
        except (OSError, ValueError) as error:
            raise ConfigError(f"{path}: {error}", remedy="fix the entry") from error
        return tuple(self._item(replace(task, project=""), path) for task in tasks)

    def rollout_one(self, item: Item, skill: str, target: Backend, *, sample: int) -> Result:
        """Ask for one answer, graded by the task's reference; raise ItemError if it can't be graded."""
        task = msgspec.convert(item.data["task"], Task)
        text = fill("rollout", document=skill.strip() or "(none)", context=task.context, request=task.prompt)
        reply = target.complete(Prompt(purpose=Purpose.ROLLOUT, text=text, sample=sample)).text
        score = ReferenceJudge(target).score(task, Trajectory(response=reply, text_only=True))
        return Result(hard=score.hard, soft=score.soft, response=reply, why=score.why)

    def _item(self, task: Task, path: Path) -> Item:
        if isinstance(task.reference, Rubric) and not self.graded_by_target:
            raise ConfigError(
                f"{path}: '{task.id}' has a rubric, but no model to grade by it",
                remedy="set env.graded_by_target to let the target grade, or write checks",
            )
        return Item(
            id=task.id,
            text=f"{task.context}\n\n{task.prompt}".strip(),
            kind=type(task.reference).__name__.lower(),
            data={"task": msgspec.to_builtins(task), "split": task.split or ""},
        )
