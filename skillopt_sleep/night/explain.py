"""Explain why one session is used or left out, and what each of its prompts was taken for."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePath
from typing import NamedTuple

from skillopt_sleep.agents import half_read
from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.words import ago, counted, home_path, span, when
from skillopt_sleep.mining.requests import Take, takes
from skillopt_sleep.mining.spans import own_words
from skillopt_sleep.night.account import WORDS, SessionHistory, in_words
from skillopt_sleep.night.reading import read_by_rules
from skillopt_sleep.night.survey import QUIET
from skillopt_sleep.protocols.stores import Index
from skillopt_sleep.records import LeftOut, Origin, Session, SessionLine

_CANDIDATES = 4
_IN_SECONDS = 120  # shorter times are shown in seconds


class TypedTurn(NamedTuple):
    """A typed prompt and what the rules take it for, or "copy" if it counts in another session.

    `turn` is its index, None for a copy; `of` is the index of the request that a correction belongs to. `own` are the
    person's own words of a text of which they pasted a part, else None.
    """

    turn: int | None
    taken_for: str
    of: int | None
    text: str
    own: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """The reasons why one session is used or not.

    `part` is the session without what it copied, `gone` when its file was missed. `reason` is None for
    a session in use, `because` says why in words, and `night` which night read or will read it.
    """

    session: Session
    part: Session
    project: str
    file: str
    doubles: tuple[str, ...]
    reason: LeftOut | None
    because: str
    night: str
    turns: tuple[TypedTurn, ...]
    gone: datetime | None = None

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
            "damaged": session.gaps.damaged,
            "turns": [turn._asdict() for turn in self.turns],
        }

    def facts(self, now: datetime) -> Iterator[tuple[str, str]]:
        """Yield where and when the session took place, each with its label."""
        session = self.session
        yield "File", self.file or (f"gone since {span(self.gone, self.gone, now)}" if self.gone else "gone")
        for path in self.doubles:
            yield "Second file", path
        if self.reason is LeftOut.UNREADABLE:
            return
        yield "Project", self.project or "none"
        if self.project != session.project:
            yield "Was at", f"{session.project}, until the repository moved"
        if session.cwd != session.project:
            yield "Folder", session.cwd
        yield "Ended", f"{when(session.ended, now)}, {ago(session.ended, now)}"
        for line in half_read([(session.source, session.gaps.half_read)]):
            yield "Unread", line
        if session.gaps.damaged:
            yield "Damage", f"{counted(session.gaps.damaged, 'unreadable line')}, skipped"

    @property
    def fate(self) -> str:
        """Say whether the session is used, or for which reason it is left out."""
        gaps = self.session.gaps
        if self.reason is None:
            return "used"
        if self.reason is LeftOut.NO_USER_TURN and (gaps.damaged or gaps.half_read):
            return f"left out ({'damaged' if gaps.damaged else 'half read'})"
        return f"left out ({self.reason})"


def find(history: SessionHistory, name: str) -> SessionLine:
    """Return the session with this id, or the only one that contains the name in its id, else in its file's path.

    Raises ConfigError, with candidates, if there is none or more than one.
    """
    matches = [line for line in history.lines if name in {line.id, _agent_id(line.id)}]
    matches = matches or [line for line in history.lines if name in line.id] or _by_file(history, name)
    if not matches:
        raise ConfigError(f"no session has {name!r} in its id or file", remedy="see: skillopt-sleep harvest --json")
    if len(matches) > 1:
        ids = ", ".join(line.id for line in matches[:_CANDIDATES])
        more = ", …" if len(matches) > _CANDIDATES else ""
        raise ConfigError(
            f"{len(matches)} sessions have {name!r} in their id or file: {ids}{more}", remedy="type more of the id"
        )
    return matches[0]


def _by_file(history: SessionHistory, name: str) -> list[SessionLine]:
    """Return the sessions with this in their file's path, else those with a second file that has it in its path."""
    matches = [line for line in history.lines if name in history.held[line.id].path]
    if matches:
        return matches
    stems: set[str] = set()
    for paths in history.files.values():
        for path in paths:
            if name in path:
                stems.add(PurePath(path).stem)
    return [line for line in history.lines if any(_agent_id(line.id) in stem for stem in stems)]


def explain(
    history: SessionHistory,
    line: SessionLine,
    index: Index,
    excluded_by: Callable[[SessionLine], str],
) -> Explanation:
    """Collect why a session is used or left out; `excluded_by` says which setting excludes one."""
    (stored,) = index.sessions([line.id])
    project, own_part = stored.project, stored
    for session in history.survey.sessions:
        if session.id == line.id:
            project, own_part = session.project, session.part or stored
    reason = history.why(line)
    path = history.held[line.id].path
    others = [other for other in history.files[line.source] if other != path]
    gone = index.gone()
    return Explanation(
        session=stored,
        part=own_part,
        project=project,
        file="" if line.id in gone else path,
        doubles=tuple(sorted(other for other in others if _agent_id(line.id) in PurePath(other).stem)),
        reason=reason,
        because=_because(history, line, stored, reason, excluded_by),
        night=_night(history, line, reason),
        turns=typed_turns(stored, None if line.id in history.survey.copies else own_part),
        gone=gone.get(line.id),
    )


def typed_turns(stored: Session, used: Session | None) -> tuple[TypedTurn, ...]:
    """Return all prompts typed in a stored session, numbered as in the part of it that is `used`, if any is."""
    remaining: list[TypedTurn] = []
    ids: set[str] = set()
    request: int | None = None
    if used is not None:
        for number, take in takes(used):
            if take is Take.REQUEST:
                request = number
            turn = used.turns[number]
            ids.add(turn.id)
            remaining.append(TypedTurn(number, take, request if take is Take.CORRECTION else None, turn.text))
    prompts = [turn for turn in stored.turns if turn.origin is Origin.USER]
    copied = len(prompts) - len(remaining)
    typed: list[TypedTurn] = []
    for number, prompt in enumerate(prompts):
        words = own_words(prompt.text, prompt.pasted).strip()
        own = None if words == prompt.text.strip() else words
        # Of prompts without an id the first ones are the copies.
        if prompt.id in ids and (prompt.id or number >= copied):
            typed.append(remaining.pop(0)._replace(own=own))
        else:
            typed.append(TypedTurn(None, "copy", None, prompt.text, own))
    return tuple(typed)


def _agent_id(session_id: str) -> str:
    """Return the id that the agent itself gave a session."""
    return session_id.partition(":")[2]


def _because(
    history: SessionHistory,
    line: SessionLine,
    stored: Session,
    reason: LeftOut | None,
    excluded_by: Callable[[SessionLine], str],
) -> str:
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
            entrypoint = f" (entrypoint {stored.entrypoint})" if stored.entrypoint else ""
            return f"started by a program{entrypoint}, not a person; --include-headless includes it"
        case LeftOut.EXCLUDED:
            return excluded_by(line)
        case LeftOut.ACTIVE:
            age = _duration((history.rules.now - line.ended).total_seconds())
            quiet = _duration(QUIET.total_seconds())
            return f"still active: its last record is {age} old, and it must be quiet for {quiet}"
        case LeftOut.SUBAGENT | LeftOut.NO_USER_TURN | LeftOut.OTHER_PROJECT | LeftOut.OLDER | LeftOut.LATER:
            return in_words(reason, stored)


def _copied_from(history: SessionHistory, stored: Session) -> str:
    marks = {turn.id for turn in stored.turns if turn.origin is Origin.USER} | {read_by_rules(stored).opening}
    origins: list[str] = []
    for session in history.survey.sessions:
        own = {session.heard.opening, *session.heard.typed}
        if own & marks - {""}:
            origins.append(session.id)
    return f"a copy: everything typed in it is also in {', '.join(origins[:_CANDIDATES]) or 'an earlier session'}"


def _night(history: SessionHistory, line: SessionLine, reason: LeftOut | None) -> str:
    night = history.held[line.id].night
    if night:
        return f"read by {night}"
    if reason is not None:
        return "unread"
    if line.ended < history.horizon:
        return "unread, and too old for the first night (harvest.lookback)"
    return "unread: the next night reads it"


def _duration(length: float) -> str:
    """Return a number of seconds in words."""
    if abs(length) < _IN_SECONDS:
        return counted(round(length), "second")
    return counted(round(length / 60), "minute")
