"""The pages of what nights learned: each lesson with its evidence, its rules, its tasks, and what became of it."""

from collections import Counter
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from skillopt_sleep.deciding.stored import opened_to_read
from skillopt_sleep.deciding.tasks import find, mark, reworded, write
from skillopt_sleep.errors import ConfigError, SleepError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.kit.redact import redact
from skillopt_sleep.records import Lesson as Learned, PlaceKind, Split, Task, said_or_done
from skillopt_sleep.reporters.words import USES
from skillopt_sleep.stores.bank import Banked, TaskMark
from skillopt_sleep.stores.sqlite import SqliteStore
from skillopt_sleep.web.lesson import (
    OWN,
    STATUSES,
    lesson_page,
    often,
    statuses,
    task_shown,
    tasks_shown,
)
from skillopt_sleep.web.site import Page, done, field, paged, settings_of, show, store_of

_OK = 200
_CONFLICT = 409
_NOW = "nothing was done; this is how it is now"
AT_ONCE = 50
_ORDER = tuple(STATUSES)
Act = Callable[[Request, SqliteStore, Banked], str]


def _list(request: Request) -> Response:
    """Show the lessons with the asked words and state: those whose rules wait first, the latest of a state first."""
    now, words = utc_now(), request.query_params.get("words", "")[:200]
    state = request.query_params.get("state", "")
    with store_of(request) as store:
        every = store.lessons.every()
        status = statuses(store, every, now=now)
        own = len(store.bank.entries(lesson=""))
    counts = Counter(status.values())
    found = [
        lesson
        for lesson in every
        if (state not in STATUSES or state == status[lesson.id]) and _matches(lesson, words)
    ]
    found.sort(key=lambda lesson: (_ORDER.index(status[lesson.id]), -lesson.last.timestamp()))
    part = paged(request, found, at_once=AT_ONCE)
    return show(
        request,
        "lessons.html.j2",
        title="Lessons",
        rows=part.each(lambda lesson: (lesson, _last_sign(lesson), _facts(lesson, status[lesson.id], now=now))),
        words=words,
        state=state,
        states=[(name, said, counts[name]) for name, said in STATUSES.items() if counts[name]],
        own=own,
    )


def _matches(lesson: Learned, words: str) -> bool:
    text = f"{lesson.wording} {lesson.project} {' '.join(piece.quote for piece in lesson.quotes)}".casefold()
    return all(word in text for word in words.casefold().split())


def _facts(lesson: Learned, status: str, *, now: datetime) -> str:
    project = "every project" if lesson.holds.kind is PlaceKind.PERSON else Path(lesson.project).name
    return f"{STATUSES[status]} · {often(lesson, now=now)} · {project}"


def _last_sign(lesson: Learned) -> str:
    """Return what the person said last of a lesson, else what they did."""
    last = max(lesson.signs, key=lambda piece: (piece.deed is None, piece.at or lesson.first), default=None)
    return said_or_done(last, one_line(redact(last.quote))) if last else ""


def _one(request: Request) -> Response:
    with store_of(request) as store:
        return _shown(request, store)


def _shown(request: Request, store: SqliteStore, trouble: tuple[SleepError, ...] = ()) -> Response:
    page = lesson_page(request, store, request.path_params["lesson"], now=utc_now())
    if page is None:
        raise HTTPException(404)
    return show(
        request,
        "lesson.html.j2",
        title=f"{page.wording} · Lessons",
        status=_CONFLICT if trouble else _OK,
        lesson=page,
        uses=USES,
        trouble=trouble,
    )


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
            return _shown(request, store, (error,))
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
            mark(store, [entry.task.id for entry in entries], TaskMark.DROPPED, undo=verb == "restore")
        except SleepError as error:
            return _shown(request, store, (error,))
    message = "Its tasks are used again." if verb == "restore" else "Its tasks are dropped, and not used any more."
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
    message = "Your version is kept."
    if edited.changed_side:
        message += f" It is now {_use(own)}"
        message += f", and the rest of its session with it: {', '.join(edited.moved)}." if edited.moved else "."
    return message


def _use(task: Task) -> str:
    return USES[task.split] if task.split else "without a side"


def _marking(wanted: TaskMark, message: str, *, undo: bool) -> Act:
    def act(_request: Request, store: SqliteStore, entry: Banked) -> str:
        mark(store, [entry.task.id], wanted, undo=undo)
        return message

    return act


_ACTS: dict[str, Act] = {
    "edit": _edit,
    "drop": _marking(TaskMark.DROPPED, "Dropped: it is not used. Restore it below.", undo=False),
    "restore": _marking(TaskMark.DROPPED, "Restored: it is used again.", undo=True),
    "pin": _marking(TaskMark.PINNED, "Pinned: it is always used.", undo=False),
    "unpin": _marking(TaskMark.PINNED, "Unpinned.", undo=True),
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
