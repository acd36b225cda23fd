"""Why one session is used or left out: the rule that decided, its evidence, and what each prompt was taken for."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import PurePath

import msgspec

from skillopt_sleep.cli.account import History, TypedTurn, typed_turns
from skillopt_sleep.cli.harvest_shown import WORDS
from skillopt_sleep.cli.tasks_shown import WIDTH, ago, counted, home_path
from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.exclude import is_excluded
from skillopt_sleep.kit.markdown import one_line, spelled
from skillopt_sleep.records import LeftOut, Origin, Session, SessionLine
from skillopt_sleep.settings import Settings, find_paths, seconds
from skillopt_sleep.wiring.projects import KnownProjects

_CANDIDATES = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """One session: `reason` is why it is left out, `because` its evidence in words, `night` what becomes of it."""

    session: Session
    project: str
    file: str
    doubles: tuple[str, ...]
    reason: LeftOut | None
    because: str
    night: str
    turns: tuple[TypedTurn, ...]

    def data(self) -> dict[str, object]:
        """The explanation for programs."""
        one = self.session
        return {
            "id": one.id,
            "source": one.source,
            "project": self.project,
            "cwd": one.cwd,
            "file": self.file,
            "doubles": self.doubles,
            "started": one.started,
            "ended": one.ended,
            "used": self.reason is None,
            "left_out": self.reason,
            "because": self.because,
            "night": self.night,
            "damaged": one.damaged,
            "turns": [turn._asdict() for turn in self.turns],
        }


def find(history: History, name: str) -> SessionLine:
    """The session of this id, or the only one that has this in its id, else in its file's path.

    Raises ConfigError naming the candidates where there is none or several.
    """
    exact = [line for line in history.lines if name in {line.id, _own(line.id)}]
    found = exact or [line for line in history.lines if name in line.id]
    found = found or [line for line in history.lines if name in history.held[line.id].path]
    if not found:
        other = {path for paths in history.files.values() for path in paths if name in path}
        found = [line for line in history.lines if any(_own(line.id) in PurePath(path).stem for path in other)]
    if not found:
        raise ConfigError(f"no session has {name!r} in its id or file", remedy="see: skillopt-sleep harvest --json")
    if len(found) > 1:
        more = ", …" if len(found) > _CANDIDATES else ""
        some = ", ".join(line.id for line in found[:_CANDIDATES])
        raise ConfigError(f"{len(found)} sessions have {name!r} in their id or file: {some}{more}")
    return found[0]


def explain(history: History, line: SessionLine, stored: Session, settings: Settings) -> Explanation:
    """Everything that is known of why a session is used or not."""
    used = history.used.get(line.id)
    copy = line.id in history.found.copies
    reason = history.why(line)
    held = history.held[line.id]
    others = history.files[line.source] - {held.path}
    project = used.project if used else stored.project
    return Explanation(
        session=stored,
        project=project,
        file=held.path if held.path in history.files[line.source] else "",
        doubles=tuple(sorted(path for path in others if _own(line.id) in PurePath(path).stem)),
        reason=reason,
        because=_copied_from(history, stored) if copy else _because(history, line, stored, reason, settings),
        night=_night(history, line, reason, settings),
        turns=typed_turns(stored, used or (msgspec.structs.replace(stored, turns=()) if copy else stored)),
    )


def explained(one: Explanation, *, now: datetime) -> Iterator[str]:
    """The explanation for people, in lines."""
    session = one.session
    yield f"{spelled(session.id)}: {'used' if one.reason is None else f'left out ({one.reason})'}"
    yield f"  {one_line(one.because, limit=1_000)}"
    yield ""
    yield f"file     {spelled(one.file) or 'gone'}"
    for path in one.doubles:
        yield f"double   {spelled(path)}"
    if one.reason is LeftOut.UNREADABLE:
        return
    yield f"project  {spelled(one.project) or 'none'}"
    if one.project != session.project:
        yield f"         it was {spelled(session.project)}, which is gone: the repository moved"
    if session.cwd != session.project:
        yield f"folder   {spelled(session.cwd)}"
    started, ended = session.started.astimezone(), session.ended.astimezone()
    until = f"{ended:%H:%M}" if ended.date() == started.date() else f"{ended:%d %b %Y %H:%M}"
    yield f"time     {started:%d %b %Y %H:%M} – {until}, {ago(session.ended, now)}"
    yield f"night    {one.night}"
    if session.damaged:
        yield f"damage   {counted(session.damaged, 'line')} of no use, passed over"
    if one.turns:
        yield ""
        yield "turn  taken for            what was typed"
    for typed in one.turns:
        taken = f"{typed.taken_for} of {typed.of}" if typed.of is not None else typed.taken_for
        start = f"{'' if typed.turn is None else typed.turn:>4}  {taken:19}  "
        yield start + one_line(typed.text, limit=WIDTH - len(start))


def _own(name: str) -> str:
    """The agent's own name for a session."""
    return name.partition(":")[2]


def _because(history: History, line: SessionLine, stored: Session, reason: LeftOut | None, settings: Settings) -> str:
    """The rule that decided and its evidence."""
    match reason:
        case None if line.left_out is LeftOut.HEADLESS:
            return "a program started it, and those are read too (--include-headless, harvest.include_headless)"
        case None:
            return "a person typed in it, it has ended, and nothing excludes it"
        case LeftOut.UNREADABLE:
            return " ".join(turn.text for turn in stored.turns)
        case LeftOut.OWN_REPLAY:
            return f"{WORDS[reason]}: its folder lies in {home_path(history.rules.own_roots[0])}"
        case LeftOut.HEADLESS:
            said = f" (entrypoint {stored.entrypoint})" if stored.entrypoint else ""
            return f"a program started it{said}, not a person; --include-headless reads it"
        case LeftOut.EXCLUDED:
            return _excluded_by(line, settings)
        case LeftOut.ACTIVE:
            last = _length((history.rules.now - line.ended).total_seconds())
            quiet = _length(seconds(settings.harvest.quiet))
            return f"still going on: its last record is {last} old, it must be quiet for {quiet} (harvest.quiet)"
        case LeftOut.SUBAGENT | LeftOut.NO_USER_TURN | LeftOut.OLDER:
            return WORDS[reason]


def _excluded_by(line: SessionLine, settings: Settings) -> str:
    for pattern in settings.projects.exclude:
        if any(is_excluded(place, [pattern]) for place in (line.project, line.cwd)):
            return f"its project is excluded by {pattern!r} in projects.exclude"
    try:
        own = KnownProjects(find_paths().projects)(line.project)
    except ConfigError as error:
        return f"its project is excluded as long as its settings can't be read: {error.message}"
    what = "its folder" if own.enabled else "itself"
    return f"its project excludes {what}, in .skillopt-sleep/project.toml"


def _copied_from(history: History, stored: Session) -> str:
    names = {turn.id for turn in stored.turns if turn.origin is Origin.USER and turn.id}
    origins = [
        session.id for session in history.found.sessions if any(turn.id in names for turn in session.turns if turn.id)
    ]
    return f"a fork: all that was typed in it stands in {_listed(origins) or 'an earlier session'} too"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:_CANDIDATES])


def _night(history: History, line: SessionLine, reason: LeftOut | None, settings: Settings) -> str:
    night = history.held[line.id].night
    if night:
        return f"{night} read it"
    if reason is not None:
        return "unread"
    if line.ended < history.horizon:
        return f"unread, and older than the first night looks back (harvest.lookback, {settings.harvest.lookback})"
    return "unread: the next night reads it"


def _length(lasting: float) -> str:
    """A length of time in words."""
    if abs(lasting) < timedelta(minutes=2).total_seconds():
        return counted(round(lasting), "second")
    return counted(round(lasting / 60), "minute")
