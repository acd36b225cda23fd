"""The account of a harvest on a page: the sum, where it comes from, and where the other files went."""

from collections.abc import Iterator, Sequence

from skillopt_sleep.cli.account import Account
from skillopt_sleep.cli.tasks_shown import counted, home_path
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.mining.asks import Take
from skillopt_sleep.records import LeftOut, Note, Session
from skillopt_sleep.settings import HarvestSettings

WORDS = {
    LeftOut.UNREADABLE: "it can't be read",
    LeftOut.SUBAGENT: "a sub-agent's: an agent wrote its prompts",
    LeftOut.OWN_REPLAY: "an attempt of skillopt-sleep itself",
    LeftOut.HEADLESS: "a program started it, not a person (--include-headless)",
    LeftOut.NO_USER_TURN: "nobody typed anything in it",
    LeftOut.EXCLUDED: "its project is excluded",
    LeftOut.ACTIVE: "still going on: it hasn't been quiet for long enough",
    LeftOut.OLDER: "it ended before the first night looks back",
}
_PATH_WIDTH = 29
_NOTES = 5
_NOTHING = (
    "No sessions were found: Claude Code's are looked for in ~/.claude/projects, or below\n"
    "CLAUDE_CONFIG_DIR, Codex's in ~/.codex/sessions, or below CODEX_HOME."
)


def account_lines(total: Account, settings: HarvestSettings) -> Iterator[str]:
    """The sum, where it comes from, and where the other files went."""
    if not total.files:
        yield _NOTHING
        return
    found = f"{counted(total.files, 'file')} → {counted(len(total.sessions), 'session')}"
    corrected = f", {total.corrected} of them corrected" if total.corrected else ""
    yield f"{found} → {counted(total.requests, 'request')}{corrected}"
    if total.sessions:
        yield ""
        yield from _table(total)
    if others := list(_others(total, settings)):
        yield ""
        count = counted(total.files - len(total.sessions), "file")
        whole = "the file" if total.files == 1 else f"all {count}"
        yield f"The other {count}:" if total.sessions else f"Because of {whole}:"
        yield from (f"{count:5}  {name:13} {words}" for count, name, words in others)
    if rest := list(_remarks(total, settings)):
        yield ""
        yield from rest


def _table(total: Account) -> Iterator[str]:
    yield "files  sessions  requests  corrected  source       project"
    for row in total.rows:
        if row.sessions:
            numbers = f"{row.files:5} {row.sessions:9} {row.requests:9} {row.corrected:10}"
            where = home_path(row.project) or "(no folder)"
            where = where if len(where) <= _PATH_WIDTH else f"…{where[1 - _PATH_WIDTH :]}"
            yield f"{numbers}  {row.source:11}  {where}"
    if rest := [row for row in total.rows if not row.sessions]:
        projects = counted(len({row.project for row in rest}), "more project")
        yield f"{sum(row.files for row in rest):5}{' ' * 31}{projects}, nothing of it used"


def _others(total: Account, settings: HarvestSettings) -> Iterator[tuple[int, str, str]]:
    """Every reason with its count and its words, the largest first."""
    found = [
        (count - (total.copies if why is LeftOut.NO_USER_TURN else 0), why.value, WORDS[why])
        for why, count in total.skipped.items()
    ]
    found = [
        (count, name, f"{words} ({settings.quiet})" if name == LeftOut.ACTIVE else words)
        for count, name, words in found
    ]
    found.append((total.copies, "copies", "a fork that adds nothing to the session it was made from"))
    found.append((total.doubles, "doubles", "a second file of a session; the longer one counts"))
    found.append((total.task_files, "tasks files", f"{counted(total.tasks, 'task')} written by hand"))
    yield from sorted((item for item in found if item[0]), key=lambda item: (-item[0], item[1]))


def _remarks(total: Account, settings: HarvestSettings) -> Iterator[str]:
    if count := sum(total.prompts.values()):
        small = total.prompts[Take.SMALL_TALK]
        takes = [
            counted(total.prompts[take], take) for take in (Take.REQUEST, Take.CORRECTION) if total.prompts[take]
        ]
        words = ", ".join([*takes, *([f"{small} of small talk"] if small else [])])
        yield f"{counted(count, 'prompt')} typed: {words}."
    if total.copied:
        yield f"Counted once although a fork copied them: {counted(total.copied, 'prompt')}."
    for damage in total.damage:
        sessions = counted(damage.sessions, "session")
        yield f"Passed over: {counted(damage.lines, 'damaged line')} in {sessions} of {damage.source}."
    if total.remembered:
        yield f"Known from earlier nights, their files gone: {counted(total.remembered, 'session')}."
    if total.sessions:
        new = len(total.sessions) - total.read - total.older
        known = [f"{total.read} read before"] if total.read else []
        known += [f"{total.older} older than {settings.lookback}"] if total.older else []
        but = f" ({', '.join(known)})" if known else ""
        yield f"The next night reads {new} of the {counted(len(total.sessions), 'session')}{but}."
    yield "To see why one is in or out: skillopt-sleep harvest --why SESSION"


def noted(notes: Sequence[Note]) -> Iterator[str]:
    """What went wrong and what to do, so much of it as is read."""
    for note in notes[:_NOTES]:
        yield f"{one_line(note.summary, limit=400)}\n  → {one_line(note.remedy, limit=400)}"
    if len(notes) > _NOTES:
        yield f"… and {len(notes) - _NOTES} more like these"


def account_data(total: Account, notes: Sequence[Note]) -> dict[str, object]:
    """The account for programs, with every session used and what went wrong."""
    return {
        "files": total.files,
        "sessions": [_shown(session) for session in total.sessions],
        "skipped": {why.value: total.skipped[why] for why in LeftOut if why in total.skipped},
        "doubles": total.doubles,
        "task_files": total.task_files,
        "copies": total.copies,
        "copied_prompts": total.copied,
        "damaged": total.damaged,
        "remembered": total.remembered,
        "requests": total.requests,
        "corrected": total.corrected,
        "account": [row._asdict() for row in total.rows],
        "errors": [note.summary for note in notes],
    }


def _shown(session: Session) -> dict[str, object]:
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
