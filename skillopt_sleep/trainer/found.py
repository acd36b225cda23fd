"""Find trainings and read them from their folders."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.words import counted

if TYPE_CHECKING:
    from skillopt_sleep.trainer import Summary
    from skillopt_sleep.trainer.manifest import Manifest
    from skillopt_sleep.trainer.run import Paid, Spending
    from skillopt_sleep.trainer.summary import History

DEPTH = 3


class Run(NamedTuple):
    """A training as its folder holds it; what isn't written yet is None."""

    folder: Path
    manifest: "Manifest"
    summary: "Summary | None"
    history: "History | None"
    spending: "Spending | None"

    @property
    def gate(self) -> str:
        """The rule by which val decides."""
        return self.manifest.config["evaluation"]["gate"]

    @property
    def seed(self) -> int:
        """What its batches are shuffled with."""
        return self.manifest.config["train"]["seed"]

    @property
    def paid(self) -> "Paid | None":
        """What was paid in its folder, None if that isn't written yet."""
        return self.spending.paid if self.spending else None

    @property
    def ended(self) -> str:
        """What ended it before it was finished, "" if nothing did or that isn't known."""
        return self.spending.ended if self.spending else ""

    def so_far(self) -> str:
        """Say how far an unfinished training is, and what ended it."""
        steps = "no step yet"
        if self.history:
            steps = f"{counted(len(self.history.steps), 'step')} so far"
        return f"not finished: {steps}; {self.ended}" if self.ended else f"not finished: {steps}"

    def row(self, *, with_steps: bool = True) -> dict[str, Any]:
        """Return the training as data."""
        steps = len(self.history.steps) if with_steps and self.history else None
        return {
            "folder": str(self.folder),
            "gate": self.gate,
            "seed": self.seed,
            "started_with": self.manifest,
            "steps": steps,
            "paid": self._paid(),
            "ended": self.ended,
            "summary": self.summary,
        }

    def _paid(self) -> dict[str, Any] | None:
        """Return what was paid in its folder as data, with the number of all calls."""
        from msgspec import to_builtins

        return self.paid and {"calls": self.paid.calls, **to_builtins(self.paid)}


def find(folder: Path, depth: int = DEPTH) -> Iterator[Path]:
    """Yield the folders of trainings in this folder or below it, also of one whose answers are gone."""
    from skillopt_sleep.trainer.run import CALLS, CONFIG, HISTORY

    if (folder / CONFIG).is_file() and any((folder / name).is_file() for name in (CALLS, HISTORY)):
        yield folder
    elif depth and folder.is_dir():
        for inner in sorted(folder.iterdir()):
            if inner.is_dir() and not inner.is_symlink():
                yield from find(inner, depth - 1)


def read(path: Path) -> Run:
    """Return the training in a folder; ConfigError if there is none."""
    from skillopt_sleep.trainer.run import HISTORY, SUMMARY, read_kept, read_manifest, read_spending
    from skillopt_sleep.trainer.summary import History, Summary

    return Run(
        folder=path,
        manifest=read_manifest(path),
        summary=read_kept(path / SUMMARY, Summary),
        history=read_kept(path / HISTORY, History),
        spending=read_spending(path),
    )


def reason_of(error: ConfigError | OSError, path: Path) -> str:
    """Return in words why a training can't be read."""
    if isinstance(error, ConfigError):
        return error.message
    return f"{error.filename or path}: {error.strerror or error}"
