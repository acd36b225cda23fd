"""Where every file and session of a history ended, as numbers that add up.

Every file is in one place: it holds a session that is used, or one that is left out for a reason, or the same session
as another file, or tasks written by hand.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from skillopt_sleep.mining.asks import Take, asks, takes
from skillopt_sleep.night.harvest import Harvest, HarvestRules, why_left_out
from skillopt_sleep.records import BY_HAND, LeftOut, Session, SessionLine
from skillopt_sleep.stores.index import Held, SqliteIndex


class Row(NamedTuple):
    """One project of one source; `files` are all of its files whatever became of them."""

    source: str
    project: str
    files: int = 0
    sessions: int = 0
    requests: int = 0
    corrected: int = 0


class Damage(NamedTuple):
    """Lines of no use in the sessions of one source."""

    source: str
    lines: int
    sessions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """The sum: `files` are the sessions used, all that was `skipped`, `doubles` and `task_files` together.

    Of those skipped for want of a user turn `copies` hold nothing but prompts of another session; `copied` counts all
    prompts that stand in two. `read` and `older` are the used sessions that no later night reads. `remembered`
    sessions were used by a night and have no file any more; they are nowhere else in the sum. `prompts` is all that
    was typed in the used sessions: requests, corrections and small talk.
    """

    files: int
    sessions: tuple[Session, ...]
    skipped: Mapping[LeftOut, int]
    copies: int
    copied: int
    doubles: int
    task_files: int
    tasks: int
    rows: tuple[Row, ...]
    prompts: Mapping[Take, int]
    damage: tuple[Damage, ...]
    read: int
    older: int
    remembered: int

    @property
    def requests(self) -> int:
        """What people asked for."""
        return sum(row.requests for row in self.rows)

    @property
    def corrected(self) -> int:
        """The requests that they had to correct."""
        return sum(row.corrected for row in self.rows)

    @property
    def damaged(self) -> int:
        """Lines of no use in all sessions."""
        return sum(damage.lines for damage in self.damage)


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """What was found, what the index knows of it, and the rules it was looked at with.

    `used` are the sessions found and `held` where every session stands, by its id; `files` are the paths of each
    source; sessions that ended before the `horizon` are older than the first night looks back.
    """

    found: Harvest
    used: Mapping[str, Session]
    rules: HarvestRules
    lines: Sequence[SessionLine]
    held: Mapping[str, Held]
    files: Mapping[str, frozenset[str]]
    horizon: datetime

    @classmethod
    def of(
        cls, found: Harvest, index: SqliteIndex, rules: HarvestRules, *, sources: Iterable[str], horizon: datetime
    ) -> "History":
        """Ask the index."""
        files = {source: frozenset(index.stamps(source)) for source in sources}
        held = index.held()
        return cls(
            found=found,
            used={session.id: session for session in found.sessions},
            rules=rules,
            lines=[line for line in index.lines(unread=False) if line.source in files and line.id in held],
            held=held,
            files=files,
            horizon=horizon,
        )

    def why(self, line: SessionLine) -> LeftOut | None:
        """Why a session is left out; None where it is used."""
        if line.id in self.used:
            return None
        if line.id in self.found.copies:
            return LeftOut.NO_USER_TURN
        return why_left_out(line, self.rules)

    def standing(self) -> dict[str, SessionLine]:
        """The session that each file holds, by its path: that it can't be read, else the one that ended last."""
        found: dict[str, SessionLine] = {}
        for line in self.lines:
            path = self.held[line.id].path
            if path in self.files[line.source] and (line.left_out is LeftOut.UNREADABLE or path not in found):
                found[path] = line
        return found


def account(history: History) -> Account:
    """Add up where every file and session ended."""
    found, held = history.found, history.held
    standing = history.standing()
    here = {line.id for line in standing.values()}
    used = tuple(session for session in found.sessions if session.id in here)
    reasons = {line.id: history.why(line) for line in standing.values()}
    empty = sum(len(paths - standing.keys()) for source, paths in history.files.items() if source != BY_HAND)
    unread = [session for session in used if not held[session.id].night]
    return Account(
        files=sum(map(len, history.files.values())),
        sessions=used,
        skipped=Counter(why for why in reasons.values() if why is not None),
        copies=len(here.intersection(found.copies)),
        copied=found.copied,
        doubles=empty,
        task_files=len(history.files.get(BY_HAND, frozenset()) - standing.keys()),
        tasks=len(found.reviewed),
        rows=_rows(used, standing.values()),
        prompts=Counter(take for session in used for _, take in takes(session)),
        damage=_damage(standing.values(), held),
        read=len(used) - len(unread),
        older=sum(session.ended < history.horizon for session in unread),
        remembered=len(history.lines) - len(standing),
    )


def _rows(used: Sequence[Session], lines: Iterable[SessionLine]) -> tuple[Row, ...]:
    """A row for every project of every source, those with the most requests first."""
    moved = {session.id: session.project for session in used}
    files = Counter((line.source, moved.get(line.id, line.project)) for line in lines if _has_project(line))
    sessions: defaultdict[tuple[str, str], list[Session]] = defaultdict(list)
    for session in used:
        sessions[session.source, session.project].append(session)
    rows: list[Row] = []
    for (source, project), count in files.items():
        inside = sessions[source, project]
        made = [ask for session in inside for ask in asks(session)]
        corrected = sum(1 for ask in made if ask.corrections)
        rows.append(Row(source, project, count, len(inside), len(made), corrected))
    return tuple(sorted(rows, key=lambda row: (-row.requests, -row.sessions, row.source, row.project)))


def _has_project(line: SessionLine) -> bool:
    return line.left_out is not LeftOut.UNREADABLE


def _damage(lines: Iterable[SessionLine], held: Mapping[str, Held]) -> tuple[Damage, ...]:
    broken: defaultdict[str, list[int]] = defaultdict(list)
    for line in lines:
        if held[line.id].damaged:
            broken[line.source].append(held[line.id].damaged)
    return tuple(Damage(source, sum(counts), len(counts)) for source, counts in sorted(broken.items()))


class TypedTurn(NamedTuple):
    """What a person typed and what it was taken for: a Take, or a copy, which counts in another session.

    `turn` is its index, None for a copy; `of` is the request that a correction belongs to.
    """

    turn: int | None
    taken_for: str
    of: int | None
    text: str


def typed_turns(stored: Session, used: Session) -> tuple[TypedTurn, ...]:
    """The typed turns of a session as its file has them, numbered as in what is used of it."""
    owner = {turn: ask.turn for ask in asks(used) for turn in ask.corrections}
    kept = {used.turns[turn].id for turn, _ in takes(used)}
    rest = takes(used)
    found: list[TypedTurn] = []
    for index, _ in takes(stored):
        said = stored.turns[index]
        if said.id in kept:
            turn, take = next(rest)
            found.append(TypedTurn(turn, take.value, owner.get(turn), said.text))
        else:
            found.append(TypedTurn(None, "copy", None, said.text))
    return tuple(found)
