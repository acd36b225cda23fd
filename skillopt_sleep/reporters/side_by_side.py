"""Write attempts.md: what the agent did in sealed copies of a repository, without a change and with it."""

from collections.abc import Callable, Iterator
from pathlib import Path

from skillopt_sleep.kit.files import write_atomic
from skillopt_sleep.kit.markdown import fence
from skillopt_sleep.records import NightReport, Proposal, Split
from skillopt_sleep.reporters.acted import Acted
from skillopt_sleep.reporters.attempts import Attempted, AttemptedTask, AttemptedTasks, attempted_tasks
from skillopt_sleep.reporters.escaping import code, show, spanned
from skillopt_sleep.reporters.telling import most_telling

NAME = "attempts.md"
_SIDES = {
    Split.TRAIN: "to learn from",
    Split.VAL: "to decide with",
    Split.TEST: "kept back",
}
_HEAD = """# What the agent did in sealed copies, night of {night}

Each request below was done once more in a throw-away copy of its repository: without the change, and with the one
that was tried on it last. Of several attempts the last one stands here; all are in `rollouts.jsonl`.
"""


class SideBySideReporter:
    """Write both arms of each request that was tried in a sealed copy; no file if none was."""

    def write(self, report: NightReport, folder: Path) -> Path | None:
        """Write attempts.md and return its path, or None if there is nothing to tell."""
        path = folder / NAME
        documents = attempted_tasks(report.documents, folder)
        told = [text for name, tasks in documents.items() for text in _of_document(name, tasks)]
        if not told:
            return None
        write_atomic(path, "\n".join([_HEAD.format(night=report.night), *told]).encode())
        return path


def did(proposal: Proposal, report: NightReport, folder: Path) -> str:
    """Say in a line what the agent did at the most telling request, without the rule and with it; "" if in words."""
    task = most_telling(proposal, report.documents, folder)
    if task is None or task.before is None or task.after is None:
        return ""
    before, after = task.before.acted, task.after.acted
    if before is None or after is None:
        return ""
    arms = f"without: {spanned(before.in_short())} · with: {spanned(after.in_short())}"
    return f"Asked «{show(task.request, 80)}» in a sealed copy: {arms}."


def _of_document(name: str, tasks: AttemptedTasks) -> Iterator[str]:
    acted = [task for task in tasks.listed if _is_acted(task.before) or _is_acted(task.after)]
    if not acted:
        return
    yield f"## {code(name)}\n"
    for task in acted:
        yield from _of_task(task)
    if tasks.left_out:
        yield f"{tasks.left_out} more requests are in `rollouts.jsonl` alone.\n"


def _of_task(task: AttemptedTask) -> Iterator[str]:
    """Yield a table with both arms beside each other, and below it all that is kept of each."""
    side = f", {_SIDES[task.side]}" if task.side else ""
    yield f"### «{show(task.request)}» ({code(task.task)}{side})\n"
    yield "| | without the change | with the change |\n|---|---|---|"
    for label, cell in _ROWS.items():
        cells = [_cell(attempt, cell) for attempt in (task.before, task.after)]
        if any(cells):
            yield f"| {label} | {' | '.join(text or '–' for text in cells)} |"
    yield ""
    for title, attempt in (("Without the change", task.before), ("With the change", task.after)):
        if attempt is not None and attempt.acted is not None:
            yield f"{title}:\n\n{fence(chr(10).join(attempt.acted.in_full()))}\n"


def _is_acted(attempt: Attempted | None) -> bool:
    return attempt is not None and attempt.acted is not None


def _cell(attempt: Attempted | None, cell: Callable[[Attempted, Acted], str]) -> str:
    if attempt is None:
        return "not tried"
    if attempt.acted is None:
        return show(attempt.problem or "no attempt in a sealed copy", 200)
    return cell(attempt, attempt.acted)


def _as_asked(attempt: Attempted, _acted: Acted) -> str:
    if attempt.hard is None:
        return f"not graded: {show(attempt.problem, 200)}" if attempt.problem else "not graded"
    if attempt.hard == 1:
        return "yes"
    return f"no: {show(attempt.why, 200)}" if attempt.why else "no"


def _ran(_attempt: Attempted, acted: Acted) -> str:
    ran = [f"{code(one.text)} ({one.how})" for one in acted.commands]
    if acted.more_commands:
        ran.insert(0, f"{acted.more_commands} before")
    return ", ".join(ran) or "nothing"


def _changed(_attempt: Attempted, acted: Acted) -> str:
    changed = [code(path) for path in acted.files]
    if acted.more_files:
        changed.append(f"{acted.more_files} more")
    return ", ".join(changed) or "nothing"


def _check(_attempt: Attempted, acted: Acted) -> str:
    return show(acted.check, 200)


def _turns(_attempt: Attempted, acted: Acted) -> str:
    return str(acted.turns) if acted.turns else ""


def _said(_attempt: Attempted, acted: Acted) -> str:
    return show(acted.said, 200) or "nothing"


def _made(attempt: Attempted, _acted: Acted) -> str:
    lost = f", {attempt.unscored} of them not graded" if attempt.unscored else ""
    return f"{attempt.made}{lost}" if attempt.made > 1 else ""


_ROWS: dict[str, Callable[[Attempted, Acted], str]] = {
    "as you asked": _as_asked,
    "ran": _ran,
    "changed": _changed,
    "the check": _check,
    "turns": _turns,
    "said": _said,
    "attempts": _made,
}
