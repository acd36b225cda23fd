"""Show the judge's model a task and its answers."""

from collections.abc import Sequence

from skillopt_sleep.kit.markdown import fence
from skillopt_sleep.records import Rubric, Task


def item(number: int, task: Task, answers: Sequence[str]) -> str:
    """Show the task's request and demand and these answers, each in a fence that it can't close."""
    demand = task.reference.text if isinstance(task.reference, Rubric) else ""
    shown = "\n".join(f"## Answer {place}\n{fence(text)}" for place, text in enumerate(answers, start=1))
    request = fence(f"{task.context}\n{task.prompt}".strip())
    return f"# Item {number}\n## Request\n{request}\n## Demand\n{fence(demand)}\n{shown}"
