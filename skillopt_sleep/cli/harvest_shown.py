"""Show the account of a harvest, and why one session is used or left out."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from skillopt_sleep.cli.blocks import say_blocks
from skillopt_sleep.cli.console import say
from skillopt_sleep.kit.markdown import one_line, spelled
from skillopt_sleep.kit.words import WIDTH, counted, home_path
from skillopt_sleep.night.account import DAMAGED, WORDS, Account
from skillopt_sleep.night.explain import Explanation, TypedTurn
from skillopt_sleep.pages.blocks import Block, Item, Items, Sentence, Table
from skillopt_sleep.records import LeftOut, Note, Session
from skillopt_sleep.settings import HarvestSettings

_NOTES = 5
_PASTED = "(a text you pasted, of which no rule comes)"
_PROJECTS = 20
_NOTHING = (
    "No sessions were found. Claude Code's are expected in ~/.claude/projects (or under "
    "CLAUDE_CONFIG_DIR), Codex's in ~/.codex/sessions (or under CODEX_HOME)."
)
_ALL_PURGED = (
    "No session is left but what you purged, which isn't read again. To read one after all: "
    "skillopt-sleep run --session ID"
)


def show_account(
    total: Account, settings: HarvestSettings, *, purged: bool = False, deleted: tuple[int, int] = (0, 0)
) -> None:
    """Print the totals, a table of projects, the files that were left out, and remarks.

    `deleted` has the number of sessions whose files the agents deleted, and of the lessons that came up in them.
    """
    if not total.files:
        say(_ALL_PURGED if purged else _NOTHING)
        return
    read = f"{counted(total.files, 'file')} → {counted(len(total.sessions), 'session')}"
    blocks: list[Block] = [Sentence(f"{read} → {counted(total.prompts, 'prompt')}", "lead")]
    rows: list[tuple[str, ...]] = []
    for row in total.projects[:_PROJECTS]:
        counts = map(str, (row.prompts, row.sessions, row.files))
        rows.append((home_path(row.project) or "(no folder)", *counts, row.source))
    if rows:
        titles = ("project", "prompts", "sessions", "files", "agents")
        blocks.append(Table(titles, tuple(rows), right=(1, 2, 3)))
    if total.projects[_PROJECTS:]:
        blocks.append(Sentence(f"and {counted(len(total.projects) - _PROJECTS, 'more project')}", "soft"))
    left_out = _left_out(total)
    if left_out:
        files = counted(sum(count for count, _, _ in left_out), "file")
        listed = Items(tuple(Item(f"{count} {name}: {words}") for count, name, words in left_out))
        blocks += [Sentence(f"Left out, {files}:"), listed]
    sessions, lessons = deleted
    if sessions:
        kept = f"{counted(lessons, 'lesson')} of {counted(sessions, 'deleted session')}"
        blocks.append(Sentence(f"Your agents delete old files. {kept} {'is' if lessons == 1 else 'are'} kept here."))
    say_blocks([*blocks, *map(Sentence, _remarks(total, settings))])


def _left_out(total: Account) -> list[tuple[int, str, str]]:
    """Return the count, name and words of each reason for leaving files out, the largest count first."""
    rows: list[tuple[int, str, str]] = []
    for reason, count in total.skipped.items():
        words = WORDS[reason]
        if reason is LeftOut.NO_USER_TURN:
            count -= total.spoiled  # noqa: PLW2901 - these have a row of their own
        elif reason is LeftOut.HEADLESS:
            words = f"{words} (--include-headless)"
        rows.append((count, reason.value, words))
    rows.append((total.spoiled, "damaged", DAMAGED))
    rows.append((total.doubles, "doubles", "a second file of the same session; the longer one counts"))
    rows.append((total.task_files, "tasks files", f"{counted(total.tasks, 'task')} written by hand"))
    shown = [row for row in rows if row[0]]
    return sorted(shown, key=lambda row: (-row[0], row[1]))


def _remarks(total: Account, settings: HarvestSettings) -> Iterator[str]:
    for damage in total.damage:
        sessions = counted(damage.sessions, "session")
        yield f"Skipped: {counted(damage.lines, 'damaged line')} in {sessions} of {damage.source}."
    for line in total.half_read:
        yield f"{line}."
    if total.sessions:
        yield _next_night(total, settings)
        if total.mined < len(total.sessions):
            yield f"{total.mined} of them may hold a lesson; no model reads the others."
    if total.later:
        yield f"Its budget doesn't reach {counted(total.later, 'older session')}: for later nights."
    yield "To see why one is used or left out: skillopt-sleep harvest --why SESSION"


def _next_night(total: Account, settings: HarvestSettings) -> str:
    count = len(total.sessions)
    reasons: list[str] = []
    if total.read:
        reasons.append(f"{total.read} already read")
    if total.older:
        reasons.append(f"{total.older} older than {settings.lookback}")
    but = f" ({', '.join(reasons)})" if reasons else ""
    reads = count - total.read - total.older - total.later
    return f"The next night reads {reads} of the {counted(count, 'session')}{but}."


def noted(notes: Sequence[Note]) -> Iterator[str]:
    """Yield the first few problems, each with its remedy."""
    for note in notes[:_NOTES]:
        yield f"{one_line(note.summary, limit=400)}\n  → {one_line(note.remedy, limit=400)}"
    if len(notes) > _NOTES:
        yield f"… and {len(notes) - _NOTES} more like these"


def account_data(total: Account, sessions: Sequence[Session], notes: Sequence[Note]) -> dict[str, object]:
    """Return the account as data, with the sessions used and the problems."""
    return {
        "files": total.files,
        "sessions": [_session(session) for session in sessions],
        "skipped": {why.value: total.skipped[why] for why in LeftOut if why in total.skipped},
        "doubles": total.doubles,
        "task_files": total.task_files,
        "copies": total.copies,
        "copied_prompts": total.copied,
        "damaged": total.damaged,
        "half_read": total.half_read,
        "remembered": total.remembered,
        "prompts": total.prompts,
        "may_hold_a_lesson": total.mined,
        "account": [row._asdict() for row in total.rows],
        "errors": [note.summary for note in notes],
    }


def _session(session: Session) -> dict[str, object]:
    return {
        "id": session.id,
        "source": session.source,
        "project": session.project,
        "cwd": session.cwd,
        "started": session.started,
        "turns": [{"role": turn.role, "origin": turn.origin, "text": turn.text} for turn in session.turns],
        "tools": len(session.tools),
        "errors": sum(event.error for event in session.tools),
    }


def explained(explanation: Explanation, *, now: datetime) -> Iterator[str]:
    """Yield the explanation as lines for people."""
    yield f"{spelled(explanation.session.id)}: {explanation.fate}"
    yield f"  {one_line(explanation.because, limit=1_000)}"
    yield ""
    for label, value in explanation.facts(now):
        yield f"{label.lower():13}{spelled(value)}"
    if explanation.reason is not LeftOut.UNREADABLE:
        yield f"{'night':13}{explanation.night}"
    if explanation.turns:
        yield ""
        yield "turn  taken for            what was typed"
    for typed in explanation.turns:
        yield _turn_line(typed)


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
