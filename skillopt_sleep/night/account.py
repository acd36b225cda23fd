"""Account for every file and session of a history, in numbers that add up.

Each file counts once: it holds a session that is used, a session left out for a reason, the same session as another
file, or tasks written by hand.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePath
from typing import NamedTuple

from skillopt_sleep.agents import PROMPT_LISTS, TITLES, half_read
from skillopt_sleep.night.reading import Surveyed, left_for_later
from skillopt_sleep.night.survey import HarvestRules, Survey
from skillopt_sleep.protocols.stores import Index
from skillopt_sleep.records import BY_HAND, Heard, IndexedSession, LeftOut, Session, SessionLine

WORDS = {
    LeftOut.UNREADABLE: "can't be read",
    LeftOut.SUBAGENT: "a sub-agent's session: its prompts were written by an agent",
    LeftOut.OWN_REPLAY: "a replay made by skillopt-sleep itself",
    LeftOut.HEADLESS: "started by a program, not a person",
    LeftOut.NO_USER_TURN: "nothing new was typed in it (a copy, no message, or in records of unknown kinds)",
    LeftOut.OTHER_PROJECT: "of another project than the one asked for",
    LeftOut.EXCLUDED: "its project is excluded",
    LeftOut.ACTIVE: "still active: its last record is less than ten minutes old",
    LeftOut.OLDER: "older than the first night looks back",
    LeftOut.LATER: "left for a later night: the newest come first",
}
DAMAGED = "damaged, or of kinds that aren't known: nothing that was typed in it can be read"


def in_words(reason: LeftOut, read: Heard | Session | None) -> str:
    """Return why a session is left out; one that can't be read isn't one in which nobody typed."""
    is_spoiled = reason is LeftOut.NO_USER_TURN and read is not None and (read.gaps.damaged or read.gaps.half_read)
    return DAMAGED if is_spoiled else WORDS[reason]


class ProjectCounts(NamedTuple):
    """One project of one source; `files` counts all of its files, used or not."""

    source: str
    project: str
    files: int = 0
    sessions: int = 0
    prompts: int = 0


class Damage(NamedTuple):
    """Unreadable lines in the sessions of one source."""

    source: str
    lines: int
    sessions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """The totals: each file is that of a session used or `skipped`, or one of the `doubles` or `task_files`.

    `shared` sessions stand in a file with others. Of those skipped as NO_USER_TURN, `copies` only repeat another
    session's prompts, of which `copied` counts all, and `spoiled` are damaged or half read. Of the used ones no later
    night will read the `older`, and the next night's budget doesn't reach the `later`. `remembered` counts sessions
    whose file is gone.
    """

    sessions: tuple[Surveyed, ...]
    skipped: Mapping[LeftOut, int]
    copies: int
    copied: int
    doubles: int
    shared: int = 0
    task_files: int
    tasks: int
    rows: tuple[ProjectCounts, ...]
    damage: tuple[Damage, ...]
    older: int
    later: int
    remembered: int
    spoiled: int
    half_read: tuple[str, ...] = ()

    @property
    def files(self) -> int:
        """The number of files."""
        sessions = len(self.sessions) + sum(self.skipped.values()) - self.shared
        return sessions + self.doubles + self.task_files

    @property
    def read(self) -> int:
        """The number of used sessions that an earlier night has read."""
        return sum(1 for session in self.sessions if session.night)

    @property
    def prompts(self) -> int:
        """The number of prompts typed in the used sessions."""
        return sum(row.prompts for row in self.rows)

    @property
    def mined(self) -> int:
        """The number of used sessions that may hold a lesson."""
        return sum(1 for session in self.sessions if session.heard.is_mined)

    @property
    def projects(self) -> tuple[ProjectCounts, ...]:
        """Each project with a used session once, with what was found of all its agents, by their titles."""
        found: dict[str, ProjectCounts] = {}
        for row in self.rows:
            if row.sessions:
                known = found.get(row.project, ProjectCounts("", row.project))
                agents = ", ".join(filter(None, (known.source, TITLES.get(row.source, row.source))))
                counts = (known.files + row.files, known.sessions + row.sessions, known.prompts + row.prompts)
                found[row.project] = ProjectCounts(agents, row.project, *counts)
        return tuple(found.values())

    @property
    def damaged(self) -> int:
        """The number of unreadable lines in all sessions."""
        return sum(damage.lines for damage in self.damage)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionHistory:
    """A survey, and the rules it was made with.

    `files` holds the paths of each source. Sessions that ended before `horizon` are too old for the first night.
    """

    survey: Survey
    rules: HarvestRules
    files: Mapping[str, frozenset[str]]
    horizon: datetime

    @classmethod
    def of(
        cls, survey: Survey, index: Index, rules: HarvestRules, *, sources: Iterable[str], horizon: datetime
    ) -> "SessionHistory":
        """Combine a survey with the files that the index knows of these sources, but no list of prompts."""
        files: dict[str, frozenset[str]] = {}
        for source in sources:
            files[source] = frozenset(
                path for path in index.stamps(source) if PurePath(path).name not in PROMPT_LISTS
            )
        return cls(survey=survey, rules=rules, files=files, horizon=horizon)

    @property
    def lines(self) -> list[SessionLine]:
        """Every session, newest first."""
        return [held.line for held in self.survey.held.values()]

    @property
    def held(self) -> Mapping[str, IndexedSession]:
        """The index entry of every session, by id."""
        return self.survey.held

    def why(self, line: SessionLine) -> LeftOut | None:
        """Return why a session is left out, None if it is used."""
        return self.survey.left_out.get(line.id)

    def current(self) -> dict[str, SessionLine]:
        """Return the session each file counts for, by path: an unreadable one, else the one that ended last.

        A further conversation of a file has its number behind the path. A session that no night has read and whose
        file is gone, or holds another one now, counts by its id.
        """
        by_path: dict[str, SessionLine] = {}
        for line in self.lines:
            path = self.held[line.id].path
            if path not in self.files[line.source]:
                continue
            _, mark, number = line.id.rpartition("#")
            if line.left_out is LeftOut.UNREADABLE:
                by_path[path] = line
            elif mark and number.isdecimal():
                by_path[f"{path}#{number}"] = line
            else:
                by_path.setdefault(path, line)
        of_files = {line.id for line in by_path.values()}
        unread = {line.id: line for line in self.lines if not self.held[line.id].night}
        return by_path | {name: line for name, line in unread.items() if name not in of_files}


def account(history: SessionHistory) -> Account:
    """Add up where every file and session of a history went."""
    survey = history.survey
    by_path = history.current()
    current = by_path.values()
    ids = {line.id for line in current}
    used: list[Surveyed] = []
    unread: list[Surveyed] = []
    for session in survey.sessions:
        if session.id in ids:
            used.append(session)
            if not session.night:
                unread.append(session)
    young = [session for session in unread if session.ended >= history.horizon]
    gone = by_path.keys() & history.held.keys()
    doubles = 0
    for source, paths in history.files.items():
        if source != BY_HAND:
            doubles += len(paths - by_path.keys())
    return Account(
        sessions=tuple(used),
        skipped=Counter(reason for line in current if (reason := history.why(line)) is not None),
        copies=len(ids.intersection(survey.copies)),
        copied=survey.copied,
        doubles=doubles,
        shared=len(by_path.keys() - gone - set().union(*history.files.values())),
        task_files=len(history.files.get(BY_HAND, frozenset()) - by_path.keys()),
        tasks=len(survey.reviewed),
        rows=_rows(used, current),
        damage=_damage(current, history.held),
        older=len(unread) - len(young),
        later=len(left_for_later(young, history.rules.reach)),
        remembered=len(history.held) - len(current) + len(gone),
        spoiled=_spoiled(history, current),
        half_read=half_read(
            (line.source, heard.gaps.half_read) for line in current if (heard := history.held[line.id].heard)
        ),
    )


def _spoiled(history: SessionHistory, lines: Iterable[SessionLine]) -> int:
    """Count the damaged and half-read sessions of which nothing typed can be read."""
    count = 0
    for line in lines:
        heard = history.held[line.id].heard
        if line.id not in history.survey.copies and heard and (heard.gaps.damaged or heard.gaps.half_read):
            count += history.why(line) is LeftOut.NO_USER_TURN
    return count


def _rows(used: Sequence[Surveyed], lines: Iterable[SessionLine]) -> tuple[ProjectCounts, ...]:
    """Return a row for every project of every source: all of a project together, and first where most was typed."""
    # A session's project, rather than its line's, is right if the repository has moved since.
    projects = {session.id: session.project for session in used}
    files: Counter[tuple[str, str]] = Counter()
    for line in lines:
        if line.left_out is not LeftOut.UNREADABLE:
            files[line.source, projects.get(line.id, line.project)] += 1
    sessions: defaultdict[tuple[str, str], list[Surveyed]] = defaultdict(list)
    for session in used:
        sessions[session.source, session.project].append(session)
    rows: list[ProjectCounts] = []
    for (source, project), count in files.items():
        of_project = sessions[source, project]
        prompts = sum(len(session.heard.typed) for session in of_project)
        rows.append(ProjectCounts(source, project, count, len(of_project), prompts))
    most: Counter[str] = Counter()
    for row in rows:
        most[row.project] += row.prompts
    return tuple(sorted(rows, key=lambda row: (-most[row.project], row.project, -row.prompts, row.source)))


def _damage(lines: Iterable[SessionLine], held: Mapping[str, IndexedSession]) -> tuple[Damage, ...]:
    by_source: dict[str, Damage] = {}
    for line in lines:
        heard = held[line.id].heard
        damaged = heard.gaps.damaged if heard else 0
        if damaged:
            known = by_source.get(line.source, Damage(line.source, 0, 0))
            by_source[line.source] = Damage(line.source, known.lines + damaged, known.sessions + 1)
    return tuple(sorted(by_source.values(), key=lambda damage: damage.source))
