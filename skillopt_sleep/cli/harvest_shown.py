"""Show the account of a harvest: the totals, the projects, and where the other files went."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from skillopt_sleep.cli.console import BOLD, DIM, GOOD, Column, Part, say, say_table
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.kit.words import counted, home_path
from skillopt_sleep.night.account import CORRECTION, DAMAGED, REQUEST, SMALL_TALK, WORDS, Account
from skillopt_sleep.records import LeftOut, NightReport, Note, Session
from skillopt_sleep.settings import HarvestSettings

_NOTES = 5
_NIGHTS = 30
_PROJECTS = 20
_NOTHING = (
    "No sessions were found. Claude Code's are expected in ~/.claude/projects (or under "
    "CLAUDE_CONFIG_DIR), Codex's in ~/.codex/sessions (or under CODEX_HOME)."
)


def show_account(total: Account, settings: HarvestSettings) -> None:
    """Print the totals, a table of projects, the files that were left out, and remarks."""
    if not total.files:
        say(_NOTHING)
        return
    read = f"{counted(total.files, 'file')} → {counted(len(total.sessions), 'session')}"
    requests = f" → {counted(total.requests, 'request')}"
    say((f"{read}{requests}", BOLD), (f", {total.corrected} of them corrected" if total.corrected else "", BOLD))
    if total.sessions:
        say()
        _show_projects(total)
    left_out = _left_out(total, settings)
    if left_out:
        say()
        say(_left_out_heading(total, sum(count for count, _, _ in left_out)))
        rows = [[str(count), words, (name, DIM)] for count, name, words in left_out]
        say_table([Column("", right=True), Column("", wrapped=True), Column("", from_width=80)], rows, indent=2)
    remarks = list(_remarks(total, settings))
    if remarks:
        say()
    for remark in remarks:
        say(remark)


def _show_projects(total: Account) -> None:
    rows: list[list[Part]] = []
    used = {row.project for row in total.rows if row.sessions}
    unused_files, unused_projects = 0, set[str]()
    for row in total.rows:
        if row.project not in used:
            unused_files += row.files
            unused_projects.add(row.project)
        if not row.sessions:
            continue
        corrected = (str(row.corrected), GOOD if row.corrected else "")
        folder = home_path(row.project) or "(no folder)"
        rows.append([folder, corrected, str(row.requests), str(row.sessions), str(row.files), (row.source, DIM)])
    columns = [
        Column("project", cut=True),
        Column("corrected", right=True),
        Column("requests", right=True),
        Column("sessions", right=True),
        Column("files", right=True, from_width=70),
        Column("source", from_width=80),
    ]
    say_table(columns, rows[:_PROJECTS])
    if len(rows) > _PROJECTS:
        say((f"and {counted(len(rows) - _PROJECTS, 'more project')}", DIM))
    if unused_files:
        projects = counted(len(unused_projects), "other project")
        say((f"{counted(unused_files, 'file')} in {projects} {_were(unused_files)} not used", DIM))


def _were(count: int) -> str:
    return "was" if count == 1 else "were"


def _left_out_heading(total: Account, files: int) -> str:
    if total.sessions:
        return f"The other {counted(files, 'file')}:"
    if total.files == 1:
        return "The file was left out:"
    return f"All {counted(total.files, 'file')} were left out:"


def _left_out(total: Account, settings: HarvestSettings) -> list[tuple[int, str, str]]:
    """Return the count, name and words of each reason for leaving files out, the largest count first."""
    rows: list[tuple[int, str, str]] = []
    for reason, count in total.skipped.items():
        words = WORDS[reason]
        if reason is LeftOut.NO_USER_TURN:
            count -= total.spoiled  # noqa: PLW2901 - these have a row of their own
        elif reason is LeftOut.ACTIVE:
            words = f"{words} ({settings.quiet})"
        elif reason is LeftOut.HEADLESS:
            words = f"{words} (--include-headless)"
        rows.append((count, reason.value, words))
    rows.append((total.spoiled, "damaged", DAMAGED))
    rows.append((total.doubles, "doubles", "a second file of the same session; the longer one counts"))
    rows.append((total.task_files, "tasks files", f"{counted(total.tasks, 'task')} written by hand"))
    shown = [row for row in rows if row[0]]
    return sorted(shown, key=lambda row: (-row[0], row[1]))


def _remarks(total: Account, settings: HarvestSettings) -> Iterator[str]:
    typed = sum(total.prompts.values())
    if typed:
        yield f"{counted(typed, 'prompt')} typed: {_kinds(total)}."
    if total.shared:
        yield f"Files that hold several conversations gave {counted(total.shared, 'session')} more."
    if total.copied:
        yield f"Repeated in copies and counted once: {counted(total.copied, 'prompt')}."
    for damage in total.damage:
        sessions = counted(damage.sessions, "session")
        yield f"Skipped: {counted(damage.lines, 'damaged line')} in {sessions} of {damage.source}."
    for line in total.half_read:
        yield f"{line}."
    if total.remembered:
        yield f"Still known, though the file is gone: {counted(total.remembered, 'session')}."
    if total.sessions:
        yield _next_night(total, settings)
        yield "Corrections are counted here by rules, which miss some; the model of a night finds more."
    if total.later:
        yield f"Its budget doesn't reach {counted(total.later, 'older session')}: for later nights."
    yield "To see why one is used or left out: skillopt-sleep harvest --why SESSION"


def _kinds(total: Account) -> str:
    kinds: list[str] = []
    for take in (REQUEST, CORRECTION):
        count = total.prompts.get(take, 0)
        if count:
            kinds.append(counted(count, take))
    small_talk = total.prompts.get(SMALL_TALK, 0)
    if small_talk:
        kinds.append(f"{small_talk} small talk")
    return ", ".join(kinds)


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


def in_repositories(reports: Iterable[NightReport]) -> str:
    """Say what of the last night's sessions can be judged in their repositories, or that a night finds it out."""
    for report in islice(reports, _NIGHTS):
        if report.calibrations.sessions:
            return f"In the night of {report.night}, {report.calibrations.in_words}."
    return "What a command or a check in the repository can judge is found out by a night, and stands in its report."


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
        "requests": total.requests,
        "corrected": total.corrected,
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
