"""The page of what waits for a decision, and the forms on it that take one."""

import re
from collections.abc import Callable

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from skillopt_sleep.deciding import decide
from skillopt_sleep.deciding.chosen import Chosen, named
from skillopt_sleep.deciding.decide import reword, test_again
from skillopt_sleep.deciding.read import look_at, rules_to_decide, rules_waiting, shown_of
from skillopt_sleep.deciding.undo import take_back, undoable
from skillopt_sleep.errors import ConfigError, SleepError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.words import home_path
from skillopt_sleep.pages.blocks import Link
from skillopt_sleep.proposals.plan import MergeNeeded, Plan
from skillopt_sleep.reporters.recurrence import each_rule
from skillopt_sleep.reporters.rule_page import more, whole
from skillopt_sleep.settings import length
from skillopt_sleep.stores.bank import OPEN
from skillopt_sleep.web.card import card_of, decided_line, every_decision, notice_of, state_shown
from skillopt_sleep.web.changes import agreed_to, diffs, merge_digest, unsaid
from skillopt_sleep.web.site import (
    Page,
    StoreAndJournal,
    field,
    paged,
    settings_of,
    show,
    show_blocks,
    skipped_in,
    store_and_journal,
)

_OK = 200
_CONFLICT = 409
_SEE_OTHER = 303
DECIDED = "/inbox/decided"
AT_ONCE = 20
LAST = 5  # decisions that are listed below what waits
_BACK = re.compile(rf"/documents/[0-9a-f]{{12}}|{DECIDED}")
Act = Callable[[Request, StoreAndJournal, str], str]


class Stale(ConfigError):
    """Something is not any more as the person saw it."""


def _inbox(
    request: Request,
    kept: StoreAndJournal,
    name: str = "",
    *,
    skipped: int | None = None,
    trouble: tuple[SleepError, ...] = (),
) -> Response:
    """Show what waits, with the proposal of this name as a card, else the first rule.

    The list has what comes after so many rules, or the part with the card.
    """
    did, now = request.query_params.get("did", "") if request.method == "GET" else "", utc_now()
    rules = rules_to_decide(kept.store)
    names = [proposal.id for proposal in rules]
    here = name or (names[0] if names else "")
    seen = look_at(kept.store, kept.journal, here) if here else None
    if name and seen is None:
        return RedirectResponse("/inbox", status_code=_SEE_OTHER)
    at = names.index(here) if here in names else -1
    if skipped is None:
        skipped = max(at, 0) // AT_ONCE * AT_ONCE
    decided = [one for one in every_decision(kept.store, now=now) if one.proposal.id not in {did, here}]
    seen_again = [one for one in kept.store.recurrences().values() if one.since.times and not one.fewer]
    again = [one for one in seen_again if one.proposal != here]
    return show(
        request,
        "inbox.html.j2",
        title=f"{seen.waiting.rule.text} · Inbox" if seen else "Inbox",
        status=_CONFLICT if trouble else _OK,
        lines=paged(request, rules, skipped=skipped, at_once=AT_ONCE, path="/inbox"),
        shown=here,
        card=card_of(seen, now=now) if seen else None,
        number=at + 1,
        previous=names[at - 1] if at > 0 else "",
        next=names[at + 1] if 0 <= at < len(names) - 1 else "",
        put_off=len(kept.store.bank.postponed(now)),
        notice=notice_of(kept.store, did, now=now) if did else None,
        again=[*each_rule(again, most=LAST)],
        decided=[decided_line(one, now=now) for one in decided[:LAST]],
        trouble=(*kept.damaged, *trouble),
    )


def _page(request: Request) -> Response:
    with store_and_journal(request) as kept:
        return _inbox(request, kept, skipped=skipped_in(request) if "skip" in request.query_params else None)


def _one(request: Request) -> Response:
    with store_and_journal(request) as kept:
        try:
            return _inbox(request, kept, request.path_params["name"])
        except ConfigError as error:
            raise HTTPException(404) from error


def _known(request: Request) -> Response:
    """Show all that is known of a rule: every quote, both answers as long as they are, and the statistics."""
    with store_and_journal(request) as kept:
        try:
            seen = look_at(kept.store, kept.journal, request.path_params["name"])
        except ConfigError as error:
            raise HTTPException(404) from error
    if seen is None:
        raise HTTPException(404)
    rule, known = seen.waiting.rule, more(seen.waiting.proposal, seen.waiting.whole)
    trail = Link(rule.id, f"/inbox/{rule.id}")
    return show_blocks(
        request, whole(rule, known), title=f"{rule.text} · Inbox", heading="All that is known", trail=trail
    )


def _decided(request: Request) -> Response:
    did, now = request.query_params.get("did", ""), utc_now()
    with store_and_journal(request) as kept:
        every = paged(request, every_decision(kept.store, now=now), at_once=AT_ONCE)
        lines = every.each(lambda one: decided_line(one, now=now))
        notice = notice_of(kept.store, did, now=now) if did else None
    return show(request, "decided.html.j2", title="Decided · Inbox", lines=lines, notice=notice)


def _decide(request: Request) -> Response:
    """Take the decision that a form asks for; show the page as it is now if it can't be taken."""
    name, act = request.path_params["name"], _ACTS.get(request.path_params["verb"])
    if act is None:
        raise HTTPException(404)
    with store_and_journal(request) as kept:
        try:
            onward = act(request, kept, name)
        except MergeNeeded as error:
            return _merge(request, error)
        except SleepError as error:
            return _after(request, kept, name, error)
    return RedirectResponse(onward, status_code=_SEE_OTHER)


def _merge(request: Request, error: MergeNeeded) -> Response:
    """Show the files that a person edited by hand and how they would change, to be agreed to."""
    return show(
        request,
        "merge.html.j2",
        title="Look before it is written",
        proposal=error.proposal,
        edited=list(map(home_path, error.plan.edited)),
        files=diffs(error.plan.changing),
        digest=merge_digest(error.plan),
        shown=field(request, "shown"),
        back=field(request, "back"),
    )


def _after(request: Request, kept: StoreAndJournal, name: str, error: SleepError) -> Response:
    """Show the page as it is now, and why nothing was decided."""
    try:
        known = look_at(kept.store, kept.journal, name)
    except ConfigError:
        known = None
    return _inbox(request, kept, name if known else "", trouble=(error,))


def _adopt(request: Request, kept: StoreAndJournal, name: str) -> str:
    _refuse_stale(request, kept, name)
    for one in named(kept.store, name):
        _adopt_one(request, kept, one)
    return f"/inbox?did={name}"


def _adopt_one(request: Request, kept: StoreAndJournal, one: Chosen) -> None:
    def act(agreed: Plan | None) -> None:
        decide.adopt(kept.store, kept.journal, one, agreed=agreed, on_event=unsaid)

    agreed_to(field(request, "merge"), act)


def _reject(request: Request, kept: StoreAndJournal, name: str) -> str:
    _refuse_stale(request, kept, name)
    for one in named(kept.store, name):
        decide.reject(kept.store, one, reason=field(request, "reason").strip())
    return f"/inbox?did={name}"


def _later(request: Request, kept: StoreAndJournal, name: str) -> str:
    """Put a proposal off, whole: to put off one of its rules would divide it."""
    _refuse_stale(request, kept, name)
    seen = look_at(kept.store, kept.journal, name)
    whole = seen.waiting.whole.id if seen and seen.waiting.divides else name
    for one in named(kept.store, whole):
        decide.postpone(kept.store, one, utc_now() + length(decide.LATER))
    return f"/inbox?did={whole}"


def _edit(request: Request, kept: StoreAndJournal, name: str) -> str:
    _refuse_stale(request, kept, name)
    own = reword(kept.store, name, field(request, "words").strip("\n"), settings=settings_of(request)[0])
    if field(request, "test"):
        test_again(kept.store, own.id)
    return f"/inbox/{own.id}?did={own.id}"


def _test(request: Request, kept: StoreAndJournal, name: str) -> str:
    _unchanged(request, kept, name)
    test_again(kept.store, name)
    return f"/inbox/{name}?did={name}"


def _undo(request: Request, kept: StoreAndJournal, name: str) -> str:
    _unchanged(request, kept, name)

    def act(agreed: Plan | None) -> None:
        take_back(kept.store, kept.journal, undoable(kept.store, kept.journal, name), agreed=agreed, on_event=unsaid)

    agreed_to(field(request, "merge"), act)
    back = field(request, "back")
    return f"{back if _BACK.fullmatch(back) else '/inbox'}?did={name}"


def _wait(request: Request, kept: StoreAndJournal, name: str) -> str:
    decide.wait_again(kept.store, kept.journal, _unchanged(request, kept, name))
    return f"/inbox/{name}?did={name}"


def _wake(request: Request, kept: StoreAndJournal, name: str) -> str:
    decide.postpone(kept.store, _unchanged(request, kept, name), None)
    return f"/inbox/{name}?did={name}"


def _refuse_stale(request: Request, kept: StoreAndJournal, name: str) -> None:
    """Raise Stale if a rule isn't any more as it was on the page with this form."""
    seen = look_at(kept.store, kept.journal, name)
    if seen is None or seen.decided.state not in OPEN:
        raise Stale(f"{name} was decided on in the meantime", remedy="this is how it is now; nothing else was done")
    if shown_of(seen.waiting) != field(request, "shown"):
        raise Stale(
            f"{name} isn't any more as it was shown to you, so nothing was done",
            remedy="this is how it is now: look at it again, and decide",
        )


def _unchanged(request: Request, kept: StoreAndJournal, name: str) -> Chosen:
    """Return a proposal whose decision is still the one that was shown; raise Stale if it isn't."""
    (one, *_) = named(kept.store, name)
    if one.name != name or state_shown(one.decided) != field(request, "shown"):
        raise Stale(f"{name} was decided on in the meantime", remedy="this is how it is now; nothing else was done")
    return one


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
        Route("/inbox/{name}/all", _known),
        Route("/inbox/{name}/{verb}", _decide, methods=["POST"]),
    ),
    waiting=rules_waiting,
)
