"""The pages of trainings: those below a folder, each drawn as `runs plot` draws it, also several over one another."""

from collections.abc import Iterator
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.records import Record
from skillopt_sleep.trainer.found import Run, find, read, reason_of
from skillopt_sleep.trainer.plot import page, page_of_several
from skillopt_sleep.web.alone import alone
from skillopt_sleep.web.site import Page, show

_MOST = 200
_AGAIN_SECONDS = 10


class Training(Record, frozen=True, kw_only=True):
    """A training in the list, by its path; it `is_drawn` once it has a step."""

    name: str
    path: str
    is_drawn: bool
    says: str
    state: str
    score: str = ""


class Trainings(Record, frozen=True, kw_only=True):
    """The trainings below a folder; `problem` says why there are none to list."""

    folder: str
    problem: str
    rows: tuple[Training, ...]
    more: bool


def trainings(folder: Path) -> Trainings:
    """Return the trainings in a folder and up to three folders below it."""
    try:
        found = list(_some(folder)) if folder.is_dir() else []
        problem = "" if folder.is_dir() else f"There is no folder {folder}."
    except OSError as error:
        found, problem = [], f"{error.filename or folder}: {error.strerror or error}"
    rows = tuple(_row(path, folder) for path in found[:_MOST])
    return Trainings(folder=str(folder), problem=problem, rows=rows, more=len(found) > _MOST)


def _some(folder: Path) -> Iterator[Path]:
    for number, path in enumerate(find(folder)):
        if number > _MOST:
            return
        yield path


def _row(path: Path, folder: Path) -> Training:
    name = str(path.relative_to(folder)) if path != folder else path.name
    try:
        run = read(path)
    except (ConfigError, OSError) as error:
        return Training(name=name, path=str(path), is_drawn=False, says=reason_of(error, path), state="can't be read")
    model = run.manifest.models.get("target", "unknown model")
    return Training(
        name=name,
        path=str(path),
        is_drawn=bool(run.history and run.history.steps),
        says=f"{run.manifest.env}, {model}, gate {run.gate}, seed {run.seed}",
        state="finished" if run.summary else run.so_far(),
        score=_score(run),
    )


def _score(run: Run) -> str:
    """Return the best skill's score with its n and interval, "" if it isn't known."""
    if run.summary is None or run.summary.reported is None:
        return ""
    reported = run.summary.reported
    low, high = reported.interval
    return f"{reported.mean:.3f} ({100 * reported.level:.0f} % interval {low:.3f} to {high:.3f}, n={reported.n})"


def _list(request: Request) -> Response:
    wanted = request.query_params.get("folder", "")
    folder = Path(wanted).expanduser().absolute() if wanted else Path.cwd()
    return show(request, "trainings.html.j2", trainings(folder), title="Trainings")


def _runs(request: Request) -> Response:
    """Draw one training, or several over one another; a page of one that goes on is loaded again by itself."""
    folders = [Path(name) for name in request.query_params.getlist("run")]
    known = [path for path in folders if path.is_absolute() and list(find(path, 0)) == [path]]
    if not known or known != folders:
        raise HTTPException(404)
    going_on = any(read(path).summary is None for path in known)
    drawn = page(known[0]) if len(known) == 1 else page_of_several(known)
    return alone(drawn.encode(), again=_AGAIN_SECONDS if going_on else 0)


PAGE = Page("/trainings", "Trainings", (Route("/trainings", _list), Route("/trainings/runs", _runs)))
