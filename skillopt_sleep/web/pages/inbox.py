"""The page of what waits for a decision, and the forms on it that take one."""

import re
from collections.abc import Callable

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from skillopt_sleep.deciding import decide
from skillopt_sleep.deciding.chosen import Chosen, named
from skillopt_sleep.deciding.happened import Event
from skillopt_sleep.deciding.read import look_at, rules_waiting
from skillopt_sleep.deciding.reword import reword, test_again
from skillopt_sleep.deciding.shown import shown_of
from skillopt_sleep.deciding.undo import take_back, undoable
from skillopt_sleep.errors import ConfigError, SleepError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.proposals.plan import MergeNeeded, Plan
from skillopt_sleep.records import Record
from skillopt_sleep.settings import length
from skillopt_sleep.stores.bank import OPEN
from skillopt_sleep.web.desk import Desk, desk_of, field
from skillopt_sleep.web.merge import agreed_to, merge_of
from skillopt_sleep.web.paging import Stretch, skipped_in, stretch
from skillopt_sleep.web.site import Page, settings_of, show
from skillopt_sleep.web.waiting import Inbox, inbox
from skillopt_sleep.web.ways import DecidedLine, Notice, decided_lines, notice_of, state_shown

_CONFLICT = 409
_SEE_OTHER = 303
DECIDED = "/inbox/decided"
AT_ONCE = 20
_BACK = re.compile(rf"/documents/[0-9a-f]{{12}}|{DECIDED}")
Act = Callable[[Request, Desk, str], str]


class Stale(ConfigError):
    """Something is not any more as the person saw it."""


class DecidedRules(Record, frozen=True, kw_only=True):
    """Some of what was decided, newest first, and what just happened."""

    lines: tuple[DecidedLine, ...]
    stretch: Stretch
    notice: Notice | None


def _page(request: Request) -> Response:
    with desk_of(request) as desk:
        view = inbox(desk, did=request.query_params.get("did", ""))
    return _shown(request, view)


def _one(request: Request) -> Response:
    name = request.path_params["name"]
    with desk_of(request) as desk:
        try:
            view = inbox(desk, name, did=request.query_params.get("did", ""))
        except ConfigError as error:
            raise HTTPException(404) from error
    if view.card is None:
        return RedirectResponse("/inbox", status_code=_SEE_OTHER)
    return _shown(request, view)


def _decided(request: Request) -> Response:
    did, now = request.query_params.get("did", ""), utc_now()
    with desk_of(request) as desk:
        lines = decided_lines(desk.store, now=now)
        part = stretch(len(lines), skipped=skipped_in(request), at_once=AT_ONCE)
        notice = notice_of(desk.store, did, now=now) if did else None
    view = DecidedRules(lines=tuple(lines[part.rows]), stretch=part, notice=notice)
    return show(request, "decided.html.j2", view, title="Decided · Inbox")


def _decide(request: Request) -> Response:
    """Take the decision that a form asks for; show the page as it is now if it can't be taken."""
    name, act = request.path_params["name"], _ACTS.get(request.path_params["verb"])
    if act is None:
        raise HTTPException(404)
    with desk_of(request) as desk:
        try:
            onward = act(request, desk, name)
        except MergeNeeded as error:
            view = merge_of(error, shown=field(request, "shown"), back=field(request, "back"))
            return show(request, "merge.html.j2", view, title="Look before it is written")
        except SleepError as error:
            return _shown(request, _after(desk, name, error), status=_CONFLICT)
    return RedirectResponse(onward, status_code=_SEE_OTHER)


def _after(desk: Desk, name: str, error: SleepError) -> Inbox:
    """Return the page as it is now, and why nothing was decided."""
    try:
        return inbox(desk, name, trouble=(error,))
    except ConfigError:
        return inbox(desk, trouble=(error,))


def _adopt(request: Request, desk: Desk, name: str) -> str:
    _refuse_stale(request, desk, name)
    for one in named(desk.store, name):
        _adopt_one(request, desk, one)
    return f"/inbox?did={name}"


def _adopt_one(request: Request, desk: Desk, one: Chosen) -> None:
    def act(agreed: Plan | None) -> None:
        decide.adopt(desk.store, desk.journal, one, agreed=agreed, told=_unsaid)

    agreed_to(field(request, "merge"), act)


def _reject(request: Request, desk: Desk, name: str) -> str:
    _refuse_stale(request, desk, name)
    for one in named(desk.store, name):
        decide.reject(desk.store, one, reason=field(request, "reason").strip())
    return f"/inbox?did={name}"


def _later(request: Request, desk: Desk, name: str) -> str:
    """Put a proposal off, whole: to put off one of its rules would divide it."""
    _refuse_stale(request, desk, name)
    seen = look_at(desk.store, desk.journal, name)
    whole = seen.waiting.whole.id if seen and seen.waiting.divides else name
    for one in named(desk.store, whole):
        decide.snooze(desk.store, one, utc_now() + length(decide.LATER))
    return f"/inbox?did={whole}"


def _edit(request: Request, desk: Desk, name: str) -> str:
    _refuse_stale(request, desk, name)
    own = reword(desk.store, name, field(request, "words").strip("\n"), settings=settings_of(request)[0])
    if field(request, "test"):
        test_again(desk.store, own.id)
    return f"/inbox/{own.id}?did={own.id}"


def _test(request: Request, desk: Desk, name: str) -> str:
    _known(request, desk, name)
    test_again(desk.store, name)
    return f"/inbox/{name}?did={name}"


def _undo(request: Request, desk: Desk, name: str) -> str:
    _known(request, desk, name)

    def act(agreed: Plan | None) -> None:
        take_back(desk.store, desk.journal, undoable(desk.store, desk.journal, name), agreed=agreed, told=_unsaid)

    agreed_to(field(request, "merge"), act)
    back = field(request, "back")
    return f"{back if _BACK.fullmatch(back) else '/inbox'}?did={name}"


def _wait(request: Request, desk: Desk, name: str) -> str:
    decide.wait_again(desk.store, desk.journal, _known(request, desk, name))
    return f"/inbox/{name}?did={name}"


def _wake(request: Request, desk: Desk, name: str) -> str:
    decide.snooze(desk.store, _known(request, desk, name), None)
    return f"/inbox/{name}?did={name}"


def _refuse_stale(request: Request, desk: Desk, name: str) -> None:
    """Raise Stale if a rule isn't any more as it was on the page with this form."""
    seen = look_at(desk.store, desk.journal, name)
    if seen is None or seen.decided.state not in OPEN:
        raise Stale(f"{name} was decided on in the meantime", remedy="this is how it is now; nothing else was done")
    if shown_of(seen.waiting) != field(request, "shown"):
        raise Stale(
            f"{name} isn't any more as it was shown to you, so nothing was done",
            remedy="this is how it is now: look at it again, and decide",
        )


def _known(request: Request, desk: Desk, name: str) -> Chosen:
    """Return a proposal whose decision is still the one that was shown; raise Stale if it isn't."""
    (one, *_) = named(desk.store, name)
    if one.name != name or state_shown(one.decided) != field(request, "shown"):
        raise Stale(f"{name} was decided on in the meantime", remedy="this is how it is now; nothing else was done")
    return one


def _unsaid(_event: Event) -> None:
    """Leave unsaid what happened: the next page says it as the store knows it."""


def _shown(request: Request, view: Inbox, *, status: int = 200) -> Response:
    title = f"{view.card.rule.text} · Inbox" if view.card else "Inbox"
    return show(request, "inbox.html.j2", view, title=title, status=status)


_ACTS: dict[str, Act] = {
    "adopt": _adopt,
    "reject": _reject,
    "later": _later,
    "edit": _edit,
    "test": _test,
    "undo": _undo,
    "wait": _wait,
    "wake": _wake,
}
PAGE = Page(
    "/inbox",
    "Inbox",
    (
        Route("/inbox", _page),
        Route(DECIDED, _decided),
        Route("/inbox/{name}", _one),
        Route("/inbox/{name}/{verb}", _decide, methods=["POST"]),
    ),
    waiting=rules_waiting,
)
