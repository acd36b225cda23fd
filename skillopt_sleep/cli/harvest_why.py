"""Print why one session is used or left out, and what each of its prompts was taken for."""

from collections.abc import Iterator
from datetime import datetime

from skillopt_sleep.agents import half_read
from skillopt_sleep.kit.markdown import one_line, spelled
from skillopt_sleep.kit.words import WIDTH, ago, counted
from skillopt_sleep.night.account import TypedTurn
from skillopt_sleep.records import LeftOut, Session
from skillopt_sleep.wiring.explain import Explanation

_PASTED = "(a text you pasted, which founds no rule)"


def explained(explanation: Explanation, *, now: datetime) -> Iterator[str]:
    """Yield the explanation as lines for people."""
    fate = f"left out ({explanation.reason})" if explanation.reason else "used"
    session = explanation.session
    if explanation.reason is LeftOut.NO_USER_TURN and (session.damaged or session.half_read):
        fate = "left out (damaged)" if session.damaged else "left out (half read)"
    yield f"{spelled(explanation.session.id)}: {fate}"
    yield f"  {one_line(explanation.because, limit=1_000)}"
    yield ""
    yield f"file     {spelled(explanation.file) or 'deleted'}"
    for path in explanation.doubles:
        yield f"double   {spelled(path)}"
    if explanation.reason is not LeftOut.UNREADABLE:
        yield from _details(explanation, now)


def _details(explanation: Explanation, now: datetime) -> Iterator[str]:
    """Yield where and when the session took place, which night reads it, and its prompts."""
    session = explanation.session
    yield f"project  {spelled(explanation.project) or 'none'}"
    if explanation.project != session.project:
        yield f"         was {spelled(session.project)}, until the repository moved"
    if session.cwd != session.project:
        yield f"folder   {spelled(session.cwd)}"
    yield f"time     {_period(session)}, {ago(session.ended, now)}"
    yield f"night    {explanation.night}"
    for line in half_read([(session.source, session.half_read)]):
        yield f"unread   {line}"
    if session.damaged:
        yield f"damage   {counted(session.damaged, 'unreadable line')}, skipped"
    if explanation.turns:
        yield ""
        yield "turn  taken for            what was typed"
    for typed in explanation.turns:
        yield _turn_line(typed)


def _period(session: Session) -> str:
    """Return when a session started and ended, in local time."""
    started, ended = session.started.astimezone(), session.ended.astimezone()
    until = f"{ended:%H:%M}" if ended.date() == started.date() else f"{ended:%d %b %Y %H:%M}"
    return f"{started:%d %b %Y %H:%M} – {until}"


def _turn_line(typed: TypedTurn) -> str:
    turn = "" if typed.turn is None else str(typed.turn)
    taken_for = typed.taken_for if typed.of is None else f"{typed.taken_for} of {typed.of}"
    start = f"{turn:>4}  {taken_for:19}  "
    room = WIDTH - len(start)
    if typed.own is None:
        return start + one_line(typed.text, limit=room)
    if not typed.own:
        return start + _PASTED
    return f"{start}{one_line(typed.own, limit=room)}\n{' ' * len(start)}{_PASTED}"
