"""Attempt each task in the way that shows most for least: in words if words can show it, else in a sealed copy."""

from skillopt_sleep.protocols import Executor
from skillopt_sleep.records import Document, Task, Trajectory


class Either:
    """Asks for words first; only what they can't show is done in a copy of the repository."""

    def __init__(self, words: Executor, copy: Executor) -> None:
        self._words = words
        self._copy = copy

    @property
    def text_only(self) -> bool:
        """Return False: some attempts have tools."""
        return False

    def reaches(self, task: Task) -> bool:
        """Return whether one of the two can show what the task is about."""
        return self._words.reaches(task) or self._copy.reaches(task)

    def run(self, task: Task, document: Document, *, sample: int) -> Trajectory:
        """Make one attempt in words if they can show it, else in a copy."""
        executor = self._words if self._words.reaches(task) else self._copy
        return executor.run(task, document, sample=sample)
