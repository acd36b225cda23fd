"""Explain why one session is used or left out, and what each of its prompts was taken for."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePath

from msgspec.structs import replace

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.exclude import is_excluded
from skillopt_sleep.kit.words import counted, home_path
from skillopt_sleep.night.account import WORDS, History, TypedTurn, in_words, typed_turns
from skillopt_sleep.night.heard import Surveyed, hear
from skillopt_sleep.records import LeftOut, Origin, Session, SessionLine
from skillopt_sleep.settings import Settings, find_paths, seconds
from skillopt_sleep.wiring.projects import KnownProjects

_CANDIDATES = 4
_IN_SECONDS = 120  # shorter times are shown in seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """The reasons why one session is used or not.

    `reason` is None for a session in use, `because` says why in words, and `night` which night read or will read it.
    """

    session: Session
    project: str
    file: str
    doubles: tuple[str, ...]
    reason: LeftOut | None
    because: str
    night: str
    turns: tuple[TypedTurn, ...]

    def data(self) -> dict[str, object]:
        """Return the explanation as data."""
        session = self.session
        return {
            "id": session.id,
            "source": session.source,
            "project": self.project,
            "cwd": session.cwd,
            "file": self.file,
            "doubles": self.doubles,
            "started": session.started,
            "ended": session.ended,
            "used": self.reason is None,
            "left_out": self.reason,
            "because": self.because,
            "night": self.night,
            "damaged": session.damaged,
            "turns": [turn._asdict() for turn in self.turns],
        }


def find(history: History, name: str) -> SessionLine:
    """Return the session with this id, or the only one that contains the name in its id, else in its file's path.

    Raises ConfigError, with candidates, if there is none or more than one.
    """
    matches = _by_id(history, name) or _by_file(history, name)
    if not matches:
        raise ConfigError(f"no session has {name!r} in its id or file", remedy="see: skillopt-sleep harvest --json")
    if len(matches) > 1:
        ids = ", ".join(line.id for line in matches[:_CANDIDATES])
        more = ", …" if len(matches) > _CANDIDATES else ""
        raise ConfigError(
            f"{len(matches)} sessions have {name!r} in their id or file: {ids}{more}", remedy="type more of the id"
        )
    return matches[0]


def _by_id(history: History, name: str) -> list[SessionLine]:
    """Return the sessions with exactly this id, else those that contain it in their id."""
    exact = [line for line in history.lines if name in {line.id, _agent_id(line.id)}]
    return exact or [line for line in history.lines if name in line.id]


def _by_file(history: History, name: str) -> list[SessionLine]:
    """Return the sessions with this in their file's path, else those with a second file that has it in its path."""
    matches = [line for line in history.lines if name in history.held[line.id].path]
    if matches:
        return matches
    stems: set[str] = set()
    for paths in history.files.values():
        for path in paths:
            if name in path:
                stems.add(PurePath(path).stem)
    return [line for line in history.lines if _is_in_any(_agent_id(line.id), stems)]


def _is_in_any(name: str, stems: Iterable[str]) -> bool:
    return any(name in stem for stem in stems)


def explain(history: History, line: SessionLine, stored: Session, settings: Settings) -> Explanation:
    """Collect why a session is used or left out; `stored` is the session as its file has it."""
    project, heard = stored.project, hear(stored)
    for session in history.survey.sessions:
        if session.id == line.id:
            project, heard = session.project, session.heard
    if line.id in history.survey.copies:
        heard = replace(heard, turns=())  # a copy of which nothing counts
    reason = history.why(line)
    path = history.held[line.id].path
    paths = history.files[line.source]
    return Explanation(
        session=stored,
        project=project,
        file=path if path in paths else "",
        doubles=tuple(sorted(_doubles(line, path, paths))),
        reason=reason,
        because=_because(history, line, stored, reason, settings),
        night=_night(history, line, reason, settings),
        turns=typed_turns(stored, heard),
    )


def _doubles(line: SessionLine, path: str, paths: Iterable[str]) -> Iterator[str]:
    """Yield the other files that have the session's id in their name."""
    for other in paths:
        if other != path and _agent_id(line.id) in PurePath(other).stem:
            yield other


def _agent_id(session_id: str) -> str:
    """Return the id that the agent itself gave a session."""
    return session_id.partition(":")[2]


def _because(history: History, line: SessionLine, stored: Session, reason: LeftOut | None, settings: Settings) -> str:
    """Return the rule that decided, and what it was applied to."""
    if line.id in history.survey.copies:
        return _copied_from(history, stored)
    match reason:
        case None if line.left_out is LeftOut.HEADLESS:
            return "started by a program, and those are included (--include-headless or harvest.include_headless)"
        case None:
            return "a person typed in it, it has ended, and nothing excludes it"
        case LeftOut.UNREADABLE:
            return " ".join(turn.text for turn in stored.turns)
        case LeftOut.OWN_REPLAY:
            return f"{WORDS[reason]}: its folder is in {home_path(history.rules.own_roots[0])}"
        case LeftOut.HEADLESS:
            return _headless(stored)
        case LeftOut.EXCLUDED:
            return _excluded_by(line, settings)
        case LeftOut.ACTIVE:
            age = _duration((history.rules.now - line.ended).total_seconds())
            quiet = _duration(seconds(settings.harvest.quiet))
            return f"still active: its last record is {age} old, and it must be quiet for {quiet} (harvest.quiet)"
        case LeftOut.SUBAGENT | LeftOut.NO_USER_TURN | LeftOut.OTHER_PROJECT | LeftOut.OLDER | LeftOut.LATER:
            return in_words(reason, stored)


def _headless(stored: Session) -> str:
    entrypoint = f" (entrypoint {stored.entrypoint})" if stored.entrypoint else ""
    return f"started by a program{entrypoint}, not a person; --include-headless includes it"


def _excluded_by(line: SessionLine, settings: Settings) -> str:
    for pattern in settings.projects.exclude:
        if is_excluded(line.project, [pattern]) or is_excluded(line.cwd, [pattern]):
            return f"its project is excluded by {pattern!r} in projects.exclude"
    try:
        project = KnownProjects(find_paths().projects)(line.project)
    except ConfigError as error:
        return f"its project is excluded until its settings can be read: {error.message}"
    if project.enabled:
        return ".skillopt-sleep/project.toml of its project excludes this folder"
    return ".skillopt-sleep/project.toml of its project excludes the whole project"


def _copied_from(history: History, stored: Session) -> str:
    marks = {turn.id for turn in stored.turns if turn.origin is Origin.USER} | {hear(stored).opening}
    origins = [session.id for session in history.survey.sessions if _has_any(session, marks - {""})]
    return f"a copy: everything typed in it is also in {', '.join(origins[:_CANDIDATES]) or 'an earlier session'}"


def _has_any(session: Surveyed, marks: set[str]) -> bool:
    return session.heard.opening in marks or any(turn.id in marks for turn in session.heard.turns)


def _night(history: History, line: SessionLine, reason: LeftOut | None, settings: Settings) -> str:
    night = history.held[line.id].night
    if night:
        return f"read by {night}"
    if reason is not None:
        return "unread"
    if line.ended < history.horizon:
        return f"unread, and too old for the first night (harvest.lookback, {settings.harvest.lookback})"
    return "unread: the next night reads it"


def _duration(length: float) -> str:
    """Return a number of seconds in words."""
    if abs(length) < _IN_SECONDS:
        return counted(round(length), "second")
    return counted(round(length / 60), "minute")
