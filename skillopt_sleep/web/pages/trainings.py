"""The pages of trainings: those below a folder, started, stopped and followed, each drawn as `train plot` does."""

import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import IO, NamedTuple, cast
from urllib.parse import quote

from msgspec.structs import replace
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.files import is_locked
from skillopt_sleep.kit.words import counted
from skillopt_sleep.settings import Settings
from skillopt_sleep.trainer import TrainerConfig, load_config
from skillopt_sleep.trainer.manifest import without_secrets
from skillopt_sleep.trainer.plot import page
from skillopt_sleep.trainer.run import SUMMARY, check_resumable, read_kept, read_manifest
from skillopt_sleep.trainer.runs import Run, find, read
from skillopt_sleep.trainer.summary import Summary
from skillopt_sleep.web.site import Page, done, field, paged, settings_of, show, whole_page
from skillopt_sleep.wiring.training import NO_FLAGS, check_consent, in_force

AT_ONCE = 50
CONFIGS = 20  # configurations that are listed
_MOST = 2_000  # folders that are looked at
_AGAIN_SECONDS = 10
_RUN_LOCK = "run.lock"
_HEAD_BYTES = 16_384
RUNNING, ENDING = "running", "ending"
_GOODBYE_SECONDS = 10.0
_MOST_SAID = 4_000  # characters of what a training said at last


class Started:
    """The process of a training, the file that holds what it says, and whether it was told to stop."""

    def __init__(self, process: "subprocess.Popen[bytes]", said: IO[bytes]) -> None:
        self.process = process
        self.is_stopping = False
        self._said = said

    @property
    def is_running(self) -> bool:
        """Tell whether it hasn't ended yet."""
        return self.process.poll() is None

    def failure(self) -> str:
        """Return what it said at last if it ended with an error, else ""."""
        if self.is_running or self.is_stopping or not self.process.returncode:
            return ""
        end = self._said.seek(0, 2)
        self._said.seek(max(end - _MOST_SAID, 0))
        return self._said.read().decode(errors="replace").strip()


class StartedTrainings:
    """The trainings that were started in this dashboard, by the file of their configuration."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._started: dict[Path, Started] = {}

    def start(self, config: Path) -> bool:
        """Start the training of this file, or let it go on; False if it is running already."""
        with self._lock:
            known = self._started.get(config)
            if known and known.is_running:
                return False
            said = tempfile.TemporaryFile()  # noqa: SIM115 - it is read as long as the dashboard runs
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "skillopt_sleep", "train", str(config), "--quiet"],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=said,
                cwd=config.parent,
                start_new_session=True,  # Ctrl-C in the terminal of the dashboard is for that alone
            )
            self._started[config] = Started(process, said)
            return True

    def of(self, config: Path) -> Started | None:
        """Return the process of this file's training, None if none was started here."""
        return self._started.get(config)

    def stop(self, config: Path) -> bool:
        """Let a training end after the calls in flight; False if it isn't running."""
        known = self._started.get(config)
        if known is None or not known.is_running or known.is_stopping:
            return False
        known.is_stopping = True
        known.process.send_signal(signal.SIGINT)
        return True

    def end_all(self) -> None:
        """Stop every training, as the dashboard ends; what takes too long is killed, and keeps what it has paid."""
        running = [known.process for known in self._started.values() if known.is_running]
        for process in running:
            process.send_signal(signal.SIGINT)
        for process in running:
            try:
                process.wait(timeout=_GOODBYE_SECONDS)
            except subprocess.TimeoutExpired:
                process.terminate()


class Offer(NamedTuple):
    """What can be done with the configuration of a training: how that is, its button ("" for none), and what it does.

    One with a `problem` can't start; `said` is what a failed training said at last.
    """

    state: str = ""
    act: str = ""
    does: str = ""
    problem: str = ""
    said: str = ""

    @property
    def runs(self) -> bool:
        """Tell whether the training runs, so that the page is to be kept up to date."""
        return self.state.startswith((RUNNING, ENDING))


def _files(folder: Path) -> Iterator[Path]:
    """Yield the files in a folder that look like the configuration of a training."""
    try:
        files = sorted(path for path in folder.glob("*.toml") if path.is_file())
    except OSError:
        return
    yield from islice((path for path in files if b"[env" in path.read_bytes()[:_HEAD_BYTES]), CONFIGS)


def offer(path: Path, process: Started | None, settings: Settings) -> Offer:
    """Return what can be done with a configuration; its training has a process if it was started here.

    What the command refuses isn't offered: a training without consent to its model, or whose folder holds another.
    """
    said = process.failure() if process else ""
    try:
        config = load_config(path)
        folder = path.parent / config.train.folder
        if process and process.is_running:
            if process.is_stopping:
                return Offer(ENDING)
            return Offer(RUNNING, "Stop", "after the calls in flight; what was paid for is kept")
        if is_locked(folder / _RUN_LOCK):
            return Offer(f"{RUNNING}, started elsewhere", said=said)
        act, does = "Start", "asks the model that the file names"
        if list(find(folder, 0)):
            act, does = "Go on", "nothing is paid for twice"
            check_resumable(folder, replace(read_manifest(folder), config=without_secrets(config)))
            summary = read_kept(folder / SUMMARY, Summary)
            if summary and not summary.stopped:
                return Offer("finished", said=said)
        check_consent(config, settings, in_force(config, settings, NO_FLAGS, path=path), NO_FLAGS, path=path)
    except ConfigError as error:
        return Offer("can't be started", problem=f"{error.message} → {error.remedy}", said=said)
    return Offer(_limits(config), act, does, said=said)


def _limits(config: TrainerConfig) -> str:
    """Say what a training may spend at most."""
    limits = config.limits
    parts = [counted(int(limits.calls), "call")] if limits.calls else []
    parts += [f"${limits.usd:,.2f}"] if limits.usd else []
    return f"at most {' and '.join(parts)}" if parts else "no limit on calls or dollars"


class Trained(NamedTuple):
    """A training in the list, by its path; it `is_drawn` once it has a step."""

    path: Path
    says: str
    state: str
    score: str = ""
    is_drawn: bool = False


def trained(path: Path) -> Trained:
    """Return how the training in a folder went."""
    try:
        run = read(path)
    except ConfigError as error:
        return Trained(path, error.message, "can't be read")
    says = f"{run.manifest.env}, {run.manifest.models.get('target', 'unknown model')}"
    is_drawn = bool(run.history and run.history.steps)
    return Trained(path, says, run.state(), _score(run), is_drawn=is_drawn)


def _score(run: Run) -> str:
    """Return the best skill's score with its n and interval, "" if it isn't known."""
    reported = run.reported
    if reported is None:
        return ""
    low, high = reported.interval
    return f"{reported.mean:.3f} ({100 * reported.level:.0f} % interval {low:.3f} to {high:.3f}, n={reported.n})"


def _list(request: Request) -> Response:
    """Show the trainings in a folder and up to three folders below it, and the files in it to start one."""
    wanted = request.query_params.get("folder", "")
    folder = Path(wanted).expanduser().absolute() if wanted else Path.cwd()
    try:
        found = list(islice(find(folder), _MOST)) if folder.is_dir() else []
        problem = "" if folder.is_dir() else f"There is no folder {folder}."
    except OSError as error:
        found, problem = [], f"{error.filename or folder}: {error.strerror or error}"
    settings, _ = settings_of(request)
    offers = [(path, offer(path, _started(request).of(path), settings)) for path in _files(folder)]
    return show(
        request,
        "trainings.html.j2",
        title="Trainings",
        folder=folder,
        missing=problem,
        rows=paged(request, found, at_once=AT_ONCE).each(trained),
        offers=offers,
        runs=any(one.runs for _, one in offers),
    )


def _started(request: Request) -> StartedTrainings:
    return cast("StartedTrainings", request.app.state.started)


def _start_or_stop(request: Request) -> Response:
    """Start or stop the training of a file; only of one that the page of its folder lists."""
    path, started = Path(field(request, "config")), _started(request)
    if not path.is_absolute() or path not in set(_files(path.parent)):
        raise HTTPException(404)
    if request.path_params["verb"] == "start":
        message = offer(path, started.of(path), settings_of(request)[0]).problem
        if not message:
            known = started.start(path)
            message = f"Started {path.name}." if known else f"{path.name} is running already."
    else:
        known = started.stop(path)
        message = f"{path.name} ends after the calls in flight." if known else f"{path.name} isn't running."
    return done(request, f"/trainings?folder={quote(str(path.parent))}", message)


def _run(request: Request) -> Response:
    """Draw one training; a page of one that goes on is loaded again by itself."""
    path = Path(request.query_params.get("run", ""))
    if not path.is_absolute() or list(find(path, 0)) != [path]:
        raise HTTPException(404)
    return whole_page(page(path).encode(), again=0 if read(path).summary else _AGAIN_SECONDS)


PAGE = Page(
    "/trainings",
    "Trainings",
    (
        Route("/trainings", _list),
        Route("/trainings/runs", _run),
        Route("/trainings/{verb:str}", _start_or_stop, methods=["POST"]),
    ),
)
