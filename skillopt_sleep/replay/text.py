"""Attempt a task with one prompt and one answer, without tools or files."""

from collections.abc import Callable

from skillopt_sleep.errors import CallFailed
from skillopt_sleep.kit.words import home_path
from skillopt_sleep.prompts import fill
from skillopt_sleep.protocols import Backend
from skillopt_sleep.records import Document, Prompt, Purpose, Task, Trajectory, wants_a_tool
from skillopt_sleep.replay.variation import varied


class SingleShot:
    """Asks the target once, with the document in its prompt; the target never sees the reference.

    `night` returns the id of the night that the attempts are drawn in, by which their prompts vary.
    """

    def __init__(self, target: Backend, *, night: Callable[[], str] = str) -> None:
        self._target = target
        self._night = night

    @property
    def text_only(self) -> bool:
        """Return True: it answers in words."""
        return True

    def reaches(self, task: Task) -> bool:
        """Return whether an answer in words can show what the task is about."""
        return not (task.needs_repository or wants_a_tool(task.reference))

    def run(self, task: Task, document: Document, *, sample: int) -> Trajectory:
        """Make one attempt; a failed call is reported as a failure, not as an empty answer."""
        instructions = _instructions(document.tried_in(task.project))
        text = fill("rollout", document=instructions, context=task.context, request=task.prompt)
        text = varied(text, night=self._night(), task=task.id, sample=sample)
        prompt = Prompt(purpose=Purpose.ROLLOUT, text=text, sample=sample, asker=task.id, project=task.project)
        try:
            completion = self._target.complete(prompt)
        except CallFailed as error:
            return Trajectory(failure=f"{error.kind}: {error.message}", text_only=True)
        return Trajectory(response=completion.text, usage=completion.usage, text_only=True, model=completion.model)


def _instructions(document: Document) -> str:
    """Return the document among all that the agent loads with it, in the agent's order."""
    if not document.others:
        return document.text.strip() or "(none)"
    files: list[str] = []
    for file in document.loaded:
        text = document.text if file.path == document.path else file.text
        files.append(f"Contents of {home_path(file.path)}:\n\n{text.strip() or '(none)'}")
    return "\n\n".join(files)
