"""Tasks with this project's own references, one JSON object a line: the quickest way to a dataset of your own."""

from collections.abc import Sequence
from datetime import UTC, datetime
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
from skillopt_sleep.trainer.envs.datasets import DataEnv, Items

# A task is no part of a day here: when it was written must not change the dataset.
NO_DAY = datetime(2000, 1, 1, tzinfo=UTC)


class Tasks(DataEnv, frozen=True, kw_only=True, dict=True):
    """JSONL or TOML as `tasks export` writes it: `prompt`, `reference` (exact, checks or rubric), perhaps `split`.

    The tasks are asked as a night asks them. A rubric needs a model to grade: with `graded_by_target` it is the
    target itself, else such a task is refused.
    """

    name: ClassVar[str] = "tasks"
    suffixes: ClassVar[frozenset[str]] = frozenset({".jsonl", ".toml"})

    graded_by_target: bool = False

    def assigned(self) -> Items:
        """Every task on the side it names, if one does; else as any dataset."""
        items = () if self.named_files() else tuple(self.read_all(self.data_files(self.place)))
        sides = {item.id: Split(item.data["split"]) for item in items if item.data["split"]}
        if not sides:
            return super().assigned()
        for item in items:
            if item.id not in sides:
                raise ConfigError(
                    f"{self.place}: '{item.id}' has no split, others do", remedy="give it to all or none"
                )
        return {split: tuple(item for item in items if sides[item.id] is split) for split in Split}

    def read(self, path: Path) -> Sequence[Item]:
        """The tasks of one file; ConfigError names the entry that can't be used."""
        try:
            # Its name and not its place stands for the file, so that a moved dataset is the same one.
            tasks = read_tasks(path, written=NO_DAY, session=path.name)
        except (OSError, ValueError) as error:
            raise ConfigError(f"{path}: {error}", remedy="mend the entry") from error
        return tuple(self._item(replace(task, project=""), path) for task in tasks)

    def rollout_one(self, item: Item, skill: str, target: Backend, *, sample: int) -> Result:
        """One answer, graded by the task's reference; ItemError where it can't be graded."""
        task = msgspec.convert(item.data["task"], Task)
        text = fill("rollout", document=skill.strip() or "(none)", context=task.context, request=task.prompt)
        reply = target.complete(Prompt(purpose=Purpose.ROLLOUT, text=text, sample=sample)).text
        score = ReferenceJudge(target).score(task, Trajectory(response=reply, text_only=True))
        return Result(hard=score.hard, soft=score.soft, response=reply, why=score.why)

    def _item(self, task: Task, path: Path) -> Item:
        if isinstance(task.reference, Rubric) and not self.graded_by_target:
            raise ConfigError(
                f"{path}: '{task.id}' has a rubric, and no model to grade by it",
                remedy="set env.graded_by_target to let the target grade, or write checks",
            )
        return Item(
            id=task.id,
            text=f"{task.context}\n\n{task.prompt}".strip(),
            kind=type(task.reference).__name__.lower(),
            data={"task": msgspec.to_builtins(task), "split": task.split or ""},
        )
