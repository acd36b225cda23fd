"""Say where a rule comes from: the person's words, what was tried, and their decision."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.proposals import live
from skillopt_sleep.proposals.rules import places, standing, units
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
    quotes_and_deeds,
    signs,
)
from skillopt_sleep.stores.bank import ADOPTED, OPEN, Decided


class Origin(Record, frozen=True, kw_only=True):
    """The origin of one rule: the proposal's own data, and what holds of this rule alone.

    `edit` is what brings it, `line` its place in the file, if it was looked for there. `said` is all that the person
    said and did for its lessons, oldest first, in so many `sessions` from `first` to `last`.
    `solved`, the means and `n` are those of the rule `alone`, else of all rules of its proposal together.
    """

    rule: str
    edit: Edit
    line: int | None = None
    proposal: str
    version: int
    state: str
    decided: str
    reason: str
    night: str
    documents: tuple[str, ...]
    paths: tuple[str, ...]
    read_by: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()
    proof: Proof
    label: str = ""
    lessons: tuple[str, ...]
    wordings: tuple[str, ...]
    said: tuple[Evidence, ...]
    sessions: int
    first: datetime | None = None
    last: datetime | None = None
    alone: bool
    solved: Solved | None
    before: float | None
    after: float | None
    n: int


class Managed(NamedTuple):
    """One line of our part of a file, and where it comes from if that is known."""

    number: int
    line: str
    origin: Origin | None


def origins(proposals: Iterable[Decided], lessons: Iterable[Lesson], *, of: str = "") -> Iterator[Origin]:
    """Yield where each rule comes from that was ever proposed, oldest first; only those `of` one lesson, if named."""
    named = {lesson.id: lesson for lesson in lessons}
    for entry in proposals:
        for edit in entry.proposal.edits:
            if edit.op is not EditOp.DELETE and (not of or of in _lessons(edit, entry.proposal)):
                yield _origin(entry, edit, named)


def managed_lines(path: Path, known: Sequence[Origin]) -> list[Managed]:
    """Return the lines of a file that are ours by our markers or their words; raise ConfigError without the file.

    Of several proposals with a line, an adopted one of this file counts before any other, and the later one before
    the earlier.
    """
    real = path.resolve()
    if not real.is_file():
        raise ConfigError(f"{path} isn't a file", remedy="all files with adopted rules: skillopt-sleep blame")
    document, data = live.load(real, root=real.parent, name=str(path))
    here = frozenset(name for name in {name for one in known for name in one.paths} if Path(name).resolve() == real)
    texts, marked = live.marked(real, data or b"")
    by_words = _by_words(texts, document.body, [one for one in known if _rank(one, here) >= (True, True, False)])
    lines: list[Managed] = []
    for number, text in enumerate(texts):
        if not text.strip() or (number not in marked and number not in by_words):
            continue
        origin = (_of_line(text, here, known) if number in marked else None) or by_words.get(number)
        if origin is not None:
            origin = replace(origin, line=number + 1, rule=text.strip())
        lines.append(Managed(number + 1, text.strip(), origin))
    return lines


def _by_words(texts: Sequence[str], body: str, adopted: Sequence[Origin]) -> dict[int, Origin]:
    """Return the lines, numbered from 0, of adopted rules that don't stand between our markers as adopted."""
    found: dict[int, Origin] = {}
    for origin in adopted:
        for rule in units(origin.edit.content):
            for place in places(rule, texts) if not standing(body, rule) else ():
                if place.alone:
                    found |= dict.fromkeys(range(place.first, place.last + 1), origin)
    return found


def adopted_files(known: Sequence[Origin]) -> list[Path]:
    """Return the files that hold adopted rules, each once."""
    paths: dict[str, None] = {}
    for origin in known:
        if origin.state == ADOPTED:
            paths |= dict.fromkeys(origin.paths)
    return [Path(name) for name in paths if Path(name).is_file()]


def _of_line(line: str, here: frozenset[str], known: Sequence[Origin]) -> Origin | None:
    best: Origin | None = None
    for origin in known:
        held = {_folded(one) for one in origin.edit.content.split("\n")}
        if _folded(line) in held and (best is None or _rank(origin, here) >= _rank(best, here)):
            best = origin
    return best


def _rank(origin: Origin, here: frozenset[str]) -> tuple[bool, bool, bool]:
    return origin.state == ADOPTED, not here.isdisjoint(origin.paths), origin.state in OPEN


def _folded(line: str) -> str:
    return " ".join(line.split()).casefold()


def _lessons(edit: Edit, proposal: Proposal) -> tuple[str, ...]:
    """Return the ids of the lessons of a rule: its own, else those of its proposal."""
    return edit.lessons or proposal.lessons


def _origin(entry: Decided, edit: Edit, lessons: Mapping[str, Lesson]) -> Origin:
    proposal = entry.proposal
    ids = _lessons(edit, proposal)
    known = [lessons[name] for name in ids if name in lessons]
    said = signs(*quotes_and_deeds(known)) if known else proposal.signs
    trial: EditEffect | Proposal = proposal
    for effect in proposal.effects:
        if effect.edit.key == edit.key and effect.n:
            trial = effect
    return Origin(
        rule=edit.content.strip(),
        edit=edit,
        proposal=proposal.id,
        version=proposal.version,
        state=entry.state,
        decided=entry.decided,
        reason=entry.reason,
        night=proposal.night,
        documents=tuple(file.document for file in proposal.files),
        paths=proposal.paths,
        read_by=proposal.read_by,
        projects=proposal.projects,
        proof=proposal.proof,
        label=proposal.label,
        lessons=ids,
        wordings=tuple(lesson.wording for lesson in known),
        said=said,
        first=min((lesson.first for lesson in known), default=None),
        last=max((lesson.last for lesson in known), default=None),
        sessions=len({piece.session for piece in said}),
        alone=trial is not proposal or len(proposal.edits) == 1,
        solved=trial.solved,
        before=trial.before,
        after=trial.after,
        n=trial.n,
    )
