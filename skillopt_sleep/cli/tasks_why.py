"""Where a task comes from, told from the bank and from the nights' reports."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime

from skillopt_sleep.cli.tasks_shown import WIDTH, ago, block, counted, home_path, short_ids
from skillopt_sleep.kit.markdown import one_line, visible
from skillopt_sleep.kit.redact import clip
from skillopt_sleep.mining.split import EVERY_TEST
from skillopt_sleep.records import Evidence, NightReport, Split, StepOutcome, Task
from skillopt_sleep.stores.bank import Banked

EXCERPT_CHARS = 600
MATES = 8


def explain(entry: Banked, entries: Sequence[Banked], reports: Sequence[NightReport], *, now: datetime) -> str:
    """Everything that is known of a task's origin, in paragraphs."""
    task = entry.task
    mates = _mates(entry, entries)
    parts = (
        f"{visible(task.id)}  {one_line(task.prompt, limit=WIDTH - len(task.id) - 2)}",
        _origin(entry, now=now),
        _words(task),
        _answers(task),
        _cluster(task, mates, short_ids(entries)),
        _side(entry, mates, entries),
        _nights(entry, mates, reports),
        _by_hand(entry, now=now),
    )
    return "\n\n".join(part for part in parts if part)


def _mates(entry: Banked, entries: Sequence[Banked]) -> list[Banked]:
    """The other tasks of its cluster."""
    cluster = entry.task.cluster
    return [other for other in entries if cluster and other.task.cluster == cluster and other is not entry]


def _origin(entry: Banked, *, now: datetime) -> str:
    task = entry.task
    source, _, name = task.session.partition(":")
    when = f"{task.at.astimezone():%d %b %Y} ({ago(task.at, now)})"
    where = home_path(task.project) if task.project else "every project (your own skill)"
    if name.startswith("#"):
        origin = f"added by hand, as of {when}"
    elif task.session == f"{source}:{name}" and "#" in name:
        origin = f"from your tasks file {visible(name.rpartition('#')[0])}, as of {when}"
    else:
        origin = f"found in a session with {visible(source)} on {when}\n  session {visible(name)}"
    return f"{origin}\n  project {where}"


def _words(task: Task) -> str:
    """What the person said and did that makes it a task."""
    lines = [_quote(said, task) for said in task.evidence]
    if task.signals:
        lines.append(f"what you did: {', '.join(signal.replace('_', ' ') for signal in task.signals)}")
    return "\n".join(lines)


def _quote(said: Evidence, task: Task) -> str:
    elsewhere = "" if said.session == task.session else f" of {visible(said.session)}"
    return f"you said in turn {said.turn}{elsewhere}:\n{block(f'«{said.quote}»')}"


def _answers(task: Task) -> str:
    answers = ("the answer you corrected", task.rejected), ("the answer you went on from", task.accepted)
    return "\n\n".join(f"{name}:\n{block(clip(text, EXCERPT_CHARS))}" for name, text in answers if text)


def _cluster(task: Task, mates: Sequence[Banked], short: dict[str, str]) -> str:
    named = [f"the model calls the lesson\n    {one_line(task.lesson, limit=WIDTH - 4)}"]
    lines = named if task.lesson else []
    if not mates:
        return "\n".join((*lines, "no other request like it is known"))
    lines += [f"the same again in {counted(len(mates), 'other task')}:"]
    for other in mates[:MATES]:
        one = other.task
        start = f"    {visible(short[one.id]):8}  {'drop' if other.dropped else one.split or '-':5}  "
        lines.append(start + one_line(one.prompt, limit=WIDTH - len(start)))
    if len(mates) > MATES:
        lines.append(f"    and {len(mates) - MATES} more")
    return "\n".join(lines)


def _side(entry: Banked, mates: Sequence[Banked], entries: Sequence[Banked]) -> str:
    """The side and the reason, as far as the bank can tell."""
    task = entry.task
    if task.split is None:
        return "side: none yet, the next night gives it one"
    use = {
        Split.TRAIN: "nights learn from it",
        Split.VAL: "changes are tested with it, never learned from it",
        Split.TEST: "it is only reported, never learned from and never used to decide",
    }[task.split]
    if entry.earlier and entry.earlier[-1].split not in {None, task.split}:
        reason = "you put it there"
    elif shared := [
        other.task
        for other in entries
        if other.task.session == task.session and other is not entry and other not in mates
    ]:
        reason = f"a session is on one side only, and {visible(shared[0].id)} comes from the same one"
    else:
        order = dict.fromkeys(e.task.session for e in sorted((entry, *mates), key=lambda e: (e.task.at, e.task.id)))
        place = list(order).index(task.session) + 1
        reason = (
            f"it is occurrence {place} of {len(order)}; the first trains, the next is val, then in turn, "
            f"and every {EVERY_TEST}th is test, unless you or its session's other tasks put it elsewhere"
        )
    return f"side: {task.split}, so {use};\n{block(reason, indent='  ')}"


def _nights(entry: Banked, mates: Sequence[Banked], reports: Sequence[NightReport]) -> str:
    lines = [
        f"    {report.night}  {visible(done.document.id)}: {said}"
        for report in reports
        for done in report.documents
        for said in _uses(entry.task, done)
    ]
    if lines:
        return "\n".join(("nights that used it:", *lines))
    met = any(entry.task.session in done.sessions.ids for report in reports for done in report.documents)
    if not (entry.night or met):
        return "no night yet"
    banked = f"banked by night {entry.night}; " if entry.night else ""
    if not met:
        return f"{banked}no document was worked on with it yet"
    alone = entry.task.split is Split.TRAIN and all(other.task.split is Split.TRAIN for other in mates)
    return f"{banked}no answer to it was scored yet" + ("\n  its lesson waits for a second session" if alone else "")


def _uses(task: Task, done: StepOutcome) -> Iterator[str]:
    """What the step on a document made of the task."""
    pairs = [pair for pair in done.trial.pairs if pair.task == task.id]
    taught = [applied for applied in done.tried.edits if task.id in applied.edit.tasks]
    for (before, after), times in Counter((pair.before, pair.after) for pair in pairs).items():
        often = f", {times} times" if times > 1 else ""
        yield f"tested a change, {before:.2f} → {after:.2f}{often}"
    for applied in taught:
        words = one_line(applied.edit.content or applied.edit.target, limit=WIDTH - 6)
        yield f"led to an edit ({applied.fate}, verdict: {done.verdict.decision})\n      {words}"
    if not pairs and not taught and task.id in done.later.scores:
        yield f"was asked without a change: {done.later.scores[task.id]:.2f}"
    if task.split is Split.TEST and done.test.n and task.session in done.sessions.ids:
        yield "was a test of an accepted change"


def _by_hand(entry: Banked, *, now: datetime) -> str:
    """What a person did to it, and when."""
    lines: list[str] = []
    if entry.edited and entry.earlier:
        lines.append(f"you edited it {ago(entry.edited, now)}; later nights keep your version")
        if entry.earlier[0].prompt != entry.task.prompt:
            lines.append(f"  at first it asked: {one_line(entry.earlier[0].prompt, limit=WIDTH - 21)}")
    elif entry.edited:
        lines.append(f"you added it {ago(entry.edited, now)}")
    if entry.waits:
        lines.append("the next night takes it up")
    if entry.pinned:
        lines.append(f"you pinned it {ago(entry.pinned, now)}: it is part of every night of its project")
    if entry.dropped:
        lines.append(f"you dropped it {ago(entry.dropped, now)}: it is never used")
    return "\n".join(lines) or "you never edited, pinned or dropped it"
