"""Say if a finished run that was gone through again has another result: something changed that isn't seen."""

from contextlib import suppress
from pathlib import Path

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.records import Note
from skillopt_sleep.trainer.manifest import Manifest, horizon_of
from skillopt_sleep.trainer.run import SUMMARY, read_kept, read_manifest
from skillopt_sleep.trainer.summary import Summary


def result_before(path: Path, now: Manifest) -> Summary | None:
    """Return the result of the finished run in this folder, None if there is none or epochs were added to it."""
    with suppress(ConfigError):  # what can't be read is written anew
        before = read_manifest(path)
        has_as_many = before.config["train"]["epochs"] == now.config["train"]["epochs"]
        if has_as_many and horizon_of(before) == horizon_of(now):
            return read_kept(path / SUMMARY, Summary)
    return None


def other_result(before: Summary | None, after: Summary) -> tuple[Note, ...]:
    """Return a note if the same run had another result before, unless one of the two was ended early."""
    if before is None or before.stopped or after.stopped or _result(before) == _result(after):
        return ()
    return (
        Note(
            stage="resume",
            summary="this run had another result before, with the same settings: something changed that isn't seen, "
            "such as a value that was given in Python, an imported file, or this program's version",
            remedy="give the class of the environment or model another `version` when what it does changes",
            expected=True,
        ),
    )


def _result(summary: Summary) -> tuple[object, ...]:
    return summary.initial, summary.best, summary.final, summary.actions, summary.best_skill
