"""Explain where a task comes from, from the bank and the reports of past nights."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from skillopt_sleep.cli.text import block
from skillopt_sleep.deciding.tasks import short_ids
from skillopt_sleep.kit.markdown import one_line, visible
from skillopt_sleep.kit.redact import clip
from skillopt_sleep.kit.words import WIDTH, ago, counted, home_path
from skillopt_sleep.records import Evidence, NightReport, Split, Task, signs
from skillopt_sleep.reporters.used import uses
from skillopt_sleep.reporters.words import SPLITS
from skillopt_sleep.stores.bank import Banked

EXCERPT_CHARS = 600
MOST_RELATED = 8
ORDINALS = {1: "1st", 2: "2nd", 3: "3rd"}


def explain(entry: Banked, entries: Sequence[Banked], reports: Sequence[NightReport], *, now: datetime) -> str:
    """Return everything known about a task's origin, in paragraphs; `entries` is the whole bank."""
    task = entry.task
    related = _related(entry, entries)
    paragraphs = (
        f"{visible(task.id)}  {one_line(task.prompt, limit=WIDTH - len(task.id) - 2)}",
        _origin(entry, now=now),
        _words(task),
        _answers(task),
        _lesson(task, related, short_ids(entries)),
        _split(entry, related, entries),
        _nights(entry, related, reports),
        _by_hand(entry, now=now),
    )
    return "\n\n".join(filter(None, paragraphs))


def _related(entry: Banked, entries: Sequence[Banked]) -> list[Banked]:
    """Return the other tasks of the same lesson."""
    lesson = entry.task.lesson
    if not lesson:
        return []
    return [other for other in entries if other.task.lesson == lesson and other is not entry]


def _origin(entry: Banked, *, now: datetime) -> str:
    task = entry.task
    source, _, name = task.session.partition(":")
    when = f"{task.at.astimezone():%d %b %Y} ({ago(task.at, now)})"
    project = home_path(task.project) if task.project else "every project (your own)"
    if name.startswith("#"):
        origin = f"added by hand, as of {when}"
    elif task.session == f"{source}:{name}" and "#" in name:
        origin = f"from your tasks file {visible(name.rpartition('#')[0])}, as of {when}"
    else:
        origin = f"found in a session with {visible(source)} on {when}\n  session {visible(name)}"
    return f"{origin}\n  project {project}"


def _words(task: Task) -> str:
    """Return what the person said and did that made this a task."""
    return "\n".join(_sign(piece, task) for piece in signs(task.evidence, task.deeds))


def _sign(piece: Evidence, task: Task) -> str:
    place = "in" if piece.deed is None else "after"
    session = "" if piece.session == task.session else f" of {visible(piece.session)}"
    start = f"you {piece.verb} {place} turn {piece.turn}{session}"
    return f"{start}:\n{block(f'«{piece.quote}»')}" if piece.quote else start


def _answers(task: Task) -> str:
    paragraphs: list[str] = []
    if task.rejected:
        paragraphs.append(f"the answer before that:\n{block(clip(task.rejected, EXCERPT_CHARS))}")
    if task.accepted:
        paragraphs.append(f"the answer you accepted:\n{block(clip(task.accepted, EXCERPT_CHARS))}")
    return "\n\n".join(paragraphs)


def _lesson(task: Task, related: Sequence[Banked], short: Mapping[str, str]) -> str:
    """Return the lesson, as the model worded it, and the other tasks of the same recurring request."""
    lines: list[str] = []
    if task.wording:
        lines.append(f"the lesson, in the model's words:\n    {one_line(task.wording, limit=WIDTH - 4)}")
    if not related:
        lines.append("no other request like it is known")
        return "\n".join(lines)
    lines.append(f"it came up again in {counted(len(related), 'other task')}:")
    for other in related[:MOST_RELATED]:
        split = SPLITS[other.task.split] if other.task.split else "-"
        if other.dropped:
            split = "drop"
        start = f"    {visible(short[other.task.id]):8}  {split:9}  "
        lines.append(start + one_line(other.task.prompt, limit=WIDTH - len(start)))
    if len(related) > MOST_RELATED:
        lines.append(f"    and {len(related) - MOST_RELATED} more")
    return "\n".join(lines)


def _split(entry: Banked, related: Sequence[Banked], entries: Sequence[Banked]) -> str:
    """Return the split and, as far as the bank can tell, the reason for it."""
    task = entry.task
    if task.split is None:
        return "not used yet: what for is decided when its lesson comes up in a second session"
    use = {
        Split.TRAIN: "used to learn from",
        Split.VAL: "used to test changes, and never to learn from",
        Split.TEST: "only reported: never learned from, and nothing is decided by it",
    }[task.split]
    reason = block(_reason_of_split(entry, related, entries), indent="  ")
    return f"{use}\n{reason}"


def _reason_of_split(entry: Banked, related: Sequence[Banked], entries: Sequence[Banked]) -> str:
    task = entry.task
    if entry.earlier and entry.earlier[-1].split not in {None, task.split}:
        return "you put it there"
    for other in entries:
        if other.task.session == task.session and other is not entry and other not in related:
            return f"a session is in one split only, and {visible(other.task.id)} comes from the same one"
    occurrences = sorted((entry, *related), key=lambda banked: (banked.task.at, banked.task.id))
    sessions = list(dict.fromkeys(banked.task.session for banked in occurrences))
    number = sessions.index(task.session) + 1
    place = f"{ORDINALS.get(number, f'{number}th')} of {counted(len(sessions), 'session')} in which it came up"
    return f"{place}; sessions take turns, unless you or another task of the same session decided otherwise"


def _nights(entry: Banked, related: Sequence[Banked], reports: Sequence[NightReport]) -> str:
    """Return which nights used the task and for what, or how far it has come."""
    lines: list[str] = []
    for report in reports:
        for step in report.documents:
            for use in uses(entry.task, step):
                lines.append(f"    {report.night}  {visible(step.document.id)}: {use}")
    if lines:
        return "\n".join(["nights that used it:", *lines])
    return _not_used(entry, related, reports)


def _not_used(entry: Banked, related: Sequence[Banked], reports: Sequence[NightReport]) -> str:
    """Return how far a task has come that no night has used yet."""
    steps = [step for report in reports for step in report.documents]
    was_read = any(entry.task.session in step.sessions.ids for step in steps)
    if not entry.night and not was_read:
        return "no night yet"
    origin = f"found by night {entry.night}; " if entry.night else ""
    if not was_read:
        return f"{origin}no document was worked on with it yet"
    if entry.task.needs_repository:
        return f"{origin}it needs the repository, and waits for a replay that has it"
    text = f"{origin}no answer to it was scored yet"
    if all(banked.task.split in {None, Split.TRAIN} for banked in (entry, *related)):
        text += "\n  its lesson waits for a second session"
    return text


def _by_hand(entry: Banked, *, now: datetime) -> str:
    """Return what a person did to the task, and when."""
    lines: list[str] = []
    if entry.edited and entry.earlier:
        lines.append(f"you edited it {ago(entry.edited, now)}; later nights keep your version")
        if entry.earlier[0].prompt != entry.task.prompt:
            lines.append(f"  before, it asked: {one_line(entry.earlier[0].prompt, limit=WIDTH - 21)}")
    elif entry.edited:
        lines.append(f"you added it {ago(entry.edited, now)}")
    if entry.waits:
        lines.append("the next night uses it")
    if entry.pinned:
        lines.append(f"you pinned it {ago(entry.pinned, now)}: every night of its project uses it")
    if entry.dropped:
        lines.append(f"you dropped it {ago(entry.dropped, now)}: it is never used")
    return "\n".join(lines) or "you have not edited, pinned or dropped it"
