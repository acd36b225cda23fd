"""Show the judge's model a task and its answers."""

from collections.abc import Sequence

from skillopt_sleep.kit.markdown import fence
from skillopt_sleep.records import Rubric, Task

PASSES_FROM = 0.8  # the least grade that passes, which the judge is told


def item(number: int, task: Task, answers: Sequence[str]) -> str:
    """Show the task's request, its demand with the person's words, and these answers, in fences they can't close."""
    demand = task.reference.text if isinstance(task.reference, Rubric) else ""
    request = fence(f"{task.context}\n{task.prompt}".strip())
    lines = [f"# Item {number}", "## Request", request, "## Demand", fence(demand), *_words(task, demand)]
    for place, text in enumerate(answers, start=1):
        lines += [f"## Answer {place}", fence(text)]
    return "\n".join(lines)


def _words(task: Task, demand: str) -> list[str]:
    """Return the person's words that the demand doesn't quote already, as lines."""
    unsaid = [quote for quote in dict.fromkeys(task.quotes) if quote not in demand]
    if not unsaid:
        return []
    return ["## The person's own words", fence("\n".join(unsaid))]
