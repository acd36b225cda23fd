"""Say where a rule comes from: the person's words, what was tried, and their decision."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.proposals import live
from skillopt_sleep.proposals.rules import find_rule, places, units
from skillopt_sleep.records import (
    Edit,
    EditEffect,
    EditOp,
    Evidence,
    Lesson,
    Proof,
    Proposal,
    Record,
    Solved,
    TrialResult,
    quotes_and_deeds,
    signs,
)
from skillopt_sleep.stores.bank import ADOPTED, OPEN, Decided


class ProposedIn(Record, frozen=True, kw_only=True):
    """The proposal that brought a rule, what became of it and why, what proves it, and its files.

    `read_by` are the agents that read one of the files, `projects` those in which the rule was said.
    """

    proposal: str
    night: str
    state: str
    decided: str
    reason: str
    proof: Proof
    label: str
    documents: tuple[str, ...]
    paths: tuple[str, ...]
    read_by: tuple[str, ...]
    projects: tuple[str, ...]


class RuleLessons(Record, frozen=True, kw_only=True):
    """The lessons of a rule, and all that the person said and did for them, oldest first, in so many `sessions`."""

    lessons: tuple[str, ...]
    wordings: tuple[str, ...]
    said: tuple[Evidence, ...]
    sessions: int
    first: datetime | None = None
    last: datetime | None = None


class RuleResult(Record, frozen=True, kw_only=True):
    """What the trial of a rule `alone` measured, else that of all rules of its proposal together."""

    alone: bool
    solved: Solved | None
    before: float | None
    after: float | None
    n: int


class RuleOrigin(Record, frozen=True, kw_only=True):
    """The origin of one rule: `edit` is what brings it, `line` its place in the file, if it was looked for there."""

    rule: str
    edit: Edit
    line: int | None = None
    proposed: ProposedIn
    asked: RuleLessons
    tested: RuleResult


class Managed(NamedTuple):
    """One line of our part of a file, and where it comes from if that is known."""

    number: int
    line: str
    origin: RuleOrigin | None


def origins(proposals: Iterable[Decided], lessons: Iterable[Lesson], *, of: str = "") -> Iterator[RuleOrigin]:
    """Yield where each rule comes from that was ever proposed, oldest first; only those `of` one lesson, if named."""
    named = {lesson.id: lesson for lesson in lessons}
    for entry in proposals:
        for edit in entry.proposal.edits:
            if edit.op is not EditOp.DELETE and (not of or of in _lessons(edit, entry.proposal)):
                yield _origin(entry, edit, named)


def managed_lines(path: Path, known: Sequence[RuleOrigin]) -> list[Managed]:
    """Return the lines of a file that are ours by our markers or their words; raise ConfigError without the file.

    Of several proposals with a line, an adopted one of this file counts before any other, and the later one before
    the earlier.
    """
    real = path.resolve()
    if not real.is_file():
        raise ConfigError(f"{path} isn't a file", remedy="all files with adopted rules: skillopt-sleep why")
    document, data = live.load(real, root=real.parent, name=str(path))
    named: set[str] = set()
    for one in known:
        named.update(one.proposed.paths)
    here = frozenset(name for name in named if Path(name).resolve() == real)
    texts, marked = live.marked(real, data or b"")
    by_lines: dict[str, RuleOrigin] = {}
    for origin in sorted(known, key=lambda one: _rank(one, here)):
        by_lines |= dict.fromkeys(map(_folded, origin.edit.content.split("\n")), origin)
    by_words = _by_words(texts, document.body, [one for one in known if _rank(one, here) >= (True, True, False)])
    lines: list[Managed] = []
    for number, text in enumerate(texts):
        if not text.strip() or (number not in marked and number not in by_words):
            continue
        origin = by_words.get(number)
        if number in marked:
            origin = by_lines.get(_folded(text), origin)
        if origin is not None:
            origin = replace(origin, line=number + 1, rule=text.strip())
        lines.append(Managed(number + 1, text.strip(), origin))
    return lines


def _by_words(texts: Sequence[str], body: str, adopted: Sequence[RuleOrigin]) -> dict[int, RuleOrigin]:
    """Return the lines, numbered from 0, of adopted rules that don't stand between our markers as adopted."""
    found: dict[int, RuleOrigin] = {}
    for origin in adopted:
        for rule in units(origin.edit.content):
            for place in places(rule, texts) if not find_rule(body, rule) else ():
                if place.alone:
                    found |= dict.fromkeys(range(place.first, place.last + 1), origin)
    return found


def adopted_files(known: Sequence[RuleOrigin]) -> list[Path]:
    """Return the files that hold adopted rules, each once."""
    paths: dict[str, None] = {}
    for origin in known:
        if origin.proposed.state == ADOPTED:
            paths |= dict.fromkeys(origin.proposed.paths)
    return [Path(name) for name in paths if Path(name).is_file()]


def _rank(origin: RuleOrigin, here: frozenset[str]) -> tuple[bool, bool, bool]:
    return origin.proposed.state == ADOPTED, not here.isdisjoint(origin.proposed.paths), origin.proposed.state in OPEN


def _folded(line: str) -> str:
    return " ".join(line.split()).casefold()


def _lessons(edit: Edit, proposal: Proposal) -> tuple[str, ...]:
    """Return the ids of the lessons of a rule: its own, else those of its proposal."""
    return edit.lessons or proposal.lessons


def _origin(entry: Decided, edit: Edit, lessons: Mapping[str, Lesson]) -> RuleOrigin:
    proposal = entry.proposal
    ids = _lessons(edit, proposal)
    known = [lessons[name] for name in ids if name in lessons]
    said = signs(*quotes_and_deeds(known)) if known else proposal.signs
    alone = len(proposal.edits) == 1
    trial: EditEffect | TrialResult = proposal.tested
    for effect in proposal.tested.effects:
        if effect.edit.key == edit.key and effect.n:
            trial, alone = effect, True
    return RuleOrigin(
        rule=edit.content.strip(),
        edit=edit,
        proposed=ProposedIn(
            proposal=proposal.id,
            night=proposal.night,
            state=entry.state,
            decided=entry.decided,
            reason=entry.reason,
            proof=proposal.proof,
            label=proposal.label,
            documents=tuple(file.document for file in proposal.files),
            paths=proposal.paths,
            read_by=proposal.read_by,
            projects=proposal.projects,
        ),
        asked=RuleLessons(
            lessons=ids,
            wordings=tuple(lesson.wording for lesson in known),
            said=said,
            sessions=len({piece.session for piece in said}),
            first=min((lesson.first for lesson in known), default=None),
            last=max((lesson.last for lesson in known), default=None),
        ),
        tested=RuleResult(
            alone=alone,
            solved=trial.solved,
            before=trial.before,
            after=trial.after,
            n=trial.n,
        ),
    )
