"""Keep a run in a folder: its manifest, the results of each stage, the answers, and what it paid.

Every answer is kept beside that folder, in answers.db, by its content: all trainings there share them. Going on with
a run means running it again from the start, so an interrupted run ends exactly like an uninterrupted one, and another
training pays only for what it asks for the first time.
"""

import hashlib
import os
import shutil
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import TypeVar

import msgspec

from skillopt_sleep.errors import ConfigError, NightLocked
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.codec import from_json, to_json
from skillopt_sleep.kit.files import locked, private_dir, write_atomic
from skillopt_sleep.protocols.models import Calls, SpendTally
from skillopt_sleep.records import Completion, Prompt
from skillopt_sleep.stores.calls import CallStore
from skillopt_sleep.trainer.attempts import FinishedAttempt, Job
from skillopt_sleep.trainer.manifest import Manifest, conflicts

CONFIG = "config.json"
CALLS = "calls.db"
ANSWERS = "answers.db"
SUMMARY = "summary.json"
HISTORY = "history.json"
BEST = "best_skill.md"
CURRENT = "current_skill.md"
_RESULTS = ("steps", "epochs", "end", "skills", "answers", SUMMARY, HISTORY, BEST, CURRENT)
Kind = TypeVar("Kind")


class RunAnswers:
    """The answers of all trainings; `used` counts those that this run's folder paid for and has used since."""

    def __init__(self, every: Calls, paid: Calls) -> None:
        self._every = every
        self._paid = paid  # its keys only: the answers are in the other one
        self._keys: set[str] = set()

    @property
    def used(self) -> int:
        """Return how many answers were used of those that this folder paid for."""
        return len(self._keys)

    def get(self, key: str) -> Completion | None:
        """Return the stored answer, or None."""
        answer = self._every.get(key)
        if answer is not None and self._paid.get(key) is not None:
            self._keys.add(key)
        return answer

    def draws(self) -> "RunAnswers":
        """Return all answers: a training has no nights."""
        return self

    def put(self, key: str, completion: Completion) -> None:
        """Store an answer before it is used."""
        self._every.put(key, completion)
        self._paid.put(key, Completion(text=""))
        self._keys.add(key)


class RunFolder:
    """The open folder of a run: `store` has what it spent, `calls` all answers; `write` saves a stage's result."""

    def __init__(self, path: Path, store: CallStore, calls: Calls) -> None:
        self.path = path
        self.store = store
        self.calls = RunAnswers(calls, store.calls)

    def write_replies(self, folder: str, replies: Sequence[tuple[Prompt, str]]) -> None:
        """Write the optimizer's raw replies of a step or epoch, each named after its purpose and its question."""
        named = {f"{prompt.purpose} {_digest(prompt.text)}": text for prompt, text in replies}
        if named:
            texts = [f"# {name}\n\n{text}\n" for name, text in sorted(named.items())]
            self.write(f"{folder}/replies.md", "\n".join(texts))

    def write(self, name: str, value: object) -> None:
        """Write a text as it is, anything else as JSON; not synced to disk, as a run that goes on writes it again."""
        path = self.path / name
        private_dir(path.parent)
        data = value.encode() if isinstance(value, str) else to_json(value, pretty=True)
        write_atomic(path, data, durable=False)


class AnswerFiles:
    """The answers on val and test, a file for each skill: `answers/val-<start of its SHA-256>.json`."""

    def __init__(self, folder: RunFolder) -> None:
        self._folder = folder
        self._rows: dict[str, list[dict[str, object]]] = {}

    def tell(self, made: Sequence[tuple[Job, FinishedAttempt]]) -> None:
        """Write the answers that are new."""
        changed: set[str] = set()
        for job, attempted in made:
            if job.stage in {"val", "test"}:
                name = f"answers/{job.stage}-{job.sha[:12]}.json"
                self._rows.setdefault(name, []).append(attempt_row(job, attempted))
                changed.add(name)
        for name in sorted(changed):
            self._folder.write(name, self._rows[name])


def attempt_row(job: Job, attempted: FinishedAttempt) -> dict[str, object]:
    """Return an attempt as the run's files show it; grades are null if it couldn't be scored."""
    score, result = attempted.rollout.score, attempted.result
    return {
        "id": job.item.id,
        "kind": job.item.kind,
        "sample": job.sample,
        "hard": score.hard if score else None,
        "soft": score.soft if score else None,
        "why": result.why,
        "failure": result.failure,
        "response": result.response,
        "turns": result.turns,
    }


@contextmanager
def open_run(path: Path, started_with: Manifest, *, clock: Callable[[], datetime]) -> Generator[RunFolder]:
    """Start a run in this folder, or continue the one that is there.

    Raises ConfigError if a foreign file would be overwritten, if the run was started with something else and has a
    result, naming the difference, or if its answers are gone; NightLocked if another process is using the folder.
    """
    check_resumable(path, started_with)
    with lock_folder(path), closing(CallStore(path / CALLS, clock)) as store, open_answers(path, clock) as calls:
        for name in _RESULTS:
            result = path / name
            if result.is_dir() and not result.is_symlink():
                shutil.rmtree(result)
            else:
                result.unlink(missing_ok=True)
        write_atomic(path / CONFIG, to_json(started_with, pretty=True))
        yield RunFolder(path, store, calls)


@contextmanager
def open_answers(path: Path, clock: Callable[[], datetime]) -> Generator[Calls]:
    """Open the answers of all trainings beside this folder; the first to open them makes the file, others wait."""
    file = path.absolute().parent / ANSWERS
    private_dir(path)
    with locked(file.with_name(f"{ANSWERS}.lock"), TimeoutError, seconds=-1):
        store = CallStore(file, clock)
    with closing(store):
        yield store.calls


@contextmanager
def lock_folder(path: Path) -> Generator[None]:
    """Lock the folder: limits hold only if one process counts. Raise NightLocked if another process has it."""
    taken = NightLocked(f"another training is running in {path}", remedy="wait until it ends")
    with locked(private_dir(path) / "run.lock", lambda: taken):
        yield


def read_manifest(path: Path) -> Manifest:
    """Read what the run in this folder was started with; raise ConfigError if there is none or it is unreadable."""
    manifest = read_kept(path / CONFIG, Manifest, remedy="train in another folder")
    if manifest is None:
        raise ConfigError(f"{path} holds no run", remedy="name the folder of a training")
    return manifest


def read_kept(
    path: Path, kind: type[Kind], *, remedy: str = "train again with its configuration: it is written anew"
) -> Kind | None:
    """Read a file that a run wrote, None if it doesn't exist yet; raise ConfigError if it can't be read."""
    try:
        return from_json(path.read_bytes(), kind)
    except FileNotFoundError:
        return None
    except (msgspec.ValidationError, msgspec.DecodeError) as error:
        raise ConfigError(f"{path}: {error}", remedy=remedy) from error


def read_paid(path: Path) -> SpendTally | None:
    """Return what was paid for in this folder so far, to train or to score skills; None if nothing was asked yet.

    Raises StoreError if the file of its calls can't be read.
    """
    if not (path / CALLS).exists():
        return None
    with closing(CallStore(path / CALLS, utc_now)) as store:
        return store.ledger.spent()


def check_resumable(path: Path, started_with: Manifest) -> None:
    """Raise ConfigError if a training with this manifest can be neither started in this folder nor continued."""
    if not (path / CONFIG).exists():
        for name in _RESULTS:
            if os.path.lexists(path / name):
                raise ConfigError(
                    f"{path} holds no run, but {name}, which a run would overwrite",
                    remedy="name another train.folder",
                )
        return
    changed = conflicts(read_manifest(path), started_with)
    if changed and any(os.path.lexists(path / name) for name in _RESULTS):
        raise ConfigError(
            f"the run in {path} was started with something else: {'; '.join(changed)}",
            remedy="name another train.folder: what asks the same as before isn't paid for again",
        )
    file = path.absolute().parent / ANSWERS
    if (path / CALLS).exists() and not file.exists():
        raise ConfigError(
            f"{file} is gone, which holds the answers that the run in {path} has had",
            remedy="put it back; to pay for all answers again, name another train.folder",
        )


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()[:8]
