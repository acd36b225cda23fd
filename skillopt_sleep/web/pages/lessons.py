"""The pages of what nights learned: each lesson with its evidence, its rules, its tasks, and what became of it."""

import re
from collections.abc import Callable

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from skillopt_sleep.deciding.stored import opened_to_read
from skillopt_sleep.deciding.tasks import find, mark, reworded, write
from skillopt_sleep.errors import ConfigError, SleepError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.records import Split, Task
from skillopt_sleep.reporters.words import USES
from skillopt_sleep.stores.bank import Banked, Mark
from skillopt_sleep.stores.sqlite import SqliteStore
from skillopt_sleep.web.desk import field
from skillopt_sleep.web.forms import done
from skillopt_sleep.web.learned import OWN, Asked, Lesson, lesson_page, lessons_page, task_shown, tasks_shown
from skillopt_sleep.web.site import Page, settings_of, show, store_of
from skillopt_sleep.web.standing import STANDINGS

_CONFLICT = 409
_NOW = "nothing was done; this is how it is now"
_NUMBER = re.compile(r"[0-9]{1,6}")
Act = Callable[[Request, SqliteStore, Banked], str]


def _list(request: Request) -> Response:
    asked = _asked(request)
    with store_of(request) as store:
        view = lessons_page(store, asked, now=utc_now())
    return show(request, "lessons.html.j2", view, title="Lessons")


def _asked(request: Request) -> Asked:
    state, skipped = request.query_params.get("state", ""), request.query_params.get("before", "")
    return Asked(
        words=request.query_params.get("words", "")[:200],
        state=state if state in STANDINGS else "",
        skipped=int(skipped) if _NUMBER.fullmatch(skipped) else 0,
    )


def _one(request: Request) -> Response:
    with store_of(request) as store:
        return _shown(request, lesson_page(store, request.path_params["lesson"], now=utc_now()))


def _shown(request: Request, view: Lesson | None, *, status: int = 200) -> Response:
    if view is None:
        raise HTTPException(404)
    return show(request, "lesson.html.j2", view, title=f"{view.wording} · Lessons", status=status)


def _change(request: Request) -> Response:
    """Change a task as a form asks for; show the lesson as it is now if that can't be done."""
    lesson, act = request.path_params["lesson"], _ACTS.get(request.path_params["verb"])
    if act is None:
        raise HTTPException(404)
    with opened_to_read(settings_of(request)[0]) as store:
        try:
            entry = find(store.bank.entries(lesson="" if lesson == OWN else lesson), request.path_params["task"])
            if task_shown(entry) != field(request, "shown"):
                raise ConfigError(
                    f"{entry.task.id} was changed in the meantime, so nothing was done",
                    remedy="this is how it is now",
                )
            message = act(request, store, entry)
        except SleepError as error:
            return _shown(request, lesson_page(store, lesson, now=utc_now(), trouble=error), status=_CONFLICT)
    return done(request, f"/lessons/{lesson}", message)


def _change_all(request: Request) -> Response:
    """Stop or begin to use all tasks of a lesson."""
    lesson, verb = request.path_params["lesson"], request.path_params["verb"]
    if verb not in {"drop", "restore"}:
        raise HTTPException(404)
    with opened_to_read(settings_of(request)[0]) as store:
        entries = store.bank.entries(lesson=lesson)
        try:
            if not entries or tasks_shown(entries) != field(request, "shown"):
                raise ConfigError("its tasks were changed in the meantime", remedy=_NOW)
            mark(store, [entry.task.id for entry in entries], Mark.DROPPED, undo=verb == "restore")
        except SleepError as error:
            return _shown(request, lesson_page(store, lesson, now=utc_now(), trouble=error), status=_CONFLICT)
    message = (
        "Its tasks are used again." if verb == "restore" else "Nights don't use it any more: its tasks are dropped."
    )
    return done(request, f"/lessons/{lesson}", message)


def _edit(request: Request, store: SqliteStore, entry: Banked) -> str:
    prompt = field(request, "prompt").strip()
    if not prompt:
        raise ConfigError("the request is empty", remedy="give a request, or drop the task")
    side = field(request, "side")
    split = Split(side) if side in set(Split) else None
    own = reworded(entry.task, prompt=prompt, context=field(request, "context").strip(), split=split)
    edited = write(store, entry, own, among=store.bank.entries())
    if not edited.is_changed:
        return "Nothing was changed."
    message = "Later nights keep your version."
    if edited.changed_side:
        message += f" It is now {_use(own)}"
        message += f", and the rest of its session with it: {', '.join(edited.moved)}." if edited.moved else "."
    return message


def _use(task: Task) -> str:
    return USES[task.split] if task.split else "without a side"


def _marking(wanted: Mark, message: str, *, undo: bool) -> Act:
    def act(_request: Request, store: SqliteStore, entry: Banked) -> str:
        mark(store, [entry.task.id], wanted, undo=undo)
        return message

    return act


_ACTS: dict[str, Act] = {
    "edit": _edit,
    "drop": _marking(Mark.DROPPED, "Dropped: no night uses it. Restore it below.", undo=False),
    "restore": _marking(Mark.DROPPED, "Restored: nights use it again.", undo=True),
    "pin": _marking(Mark.PINNED, "Pinned: every night of its project uses it.", undo=False),
    "unpin": _marking(Mark.PINNED, "Unpinned.", undo=True),
}
PAGE = Page(
    "/lessons",
    "Lessons",
    (
        Route("/lessons", _list),
        Route("/lessons/{lesson}", _one),
        Route("/lessons/{lesson}/{verb}", _change_all, methods=["POST"]),
        Route("/lessons/{lesson}/tasks/{task}/{verb}", _change, methods=["POST"]),
    ),
)
