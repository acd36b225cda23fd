"""Attempt a task with one prompt and one answer, without tools or files."""

from skillopt_sleep.errors import CallFailed
from skillopt_sleep.prompts import fill
from skillopt_sleep.protocols import Backend
from skillopt_sleep.records import Document, Prompt, Purpose, Task, Trajectory


class SingleShot:
    """Asks the target once, with the document in its prompt; the target never sees the reference."""

    def __init__(self, target: Backend) -> None:
        self._target = target

    @property
    def text_only(self) -> bool:
        """Return True: it answers in words."""
        return True

    def run(self, task: Task, document: Document, *, sample: int) -> Trajectory:
        """Make one attempt; a failed call is reported as a failure, not as an empty answer."""
        text = fill("rollout", document=document.text.strip() or "(none)", context=task.context, request=task.prompt)
        prompt = Prompt(purpose=Purpose.ROLLOUT, text=text, sample=sample, asker=task.id, project=task.project)
        try:
            completion = self._target.complete(prompt)
        except CallFailed as error:
            return Trajectory(failure=f"{error.kind}: {error.message}", text_only=True)
        return Trajectory(response=completion.text, usage=completion.usage, text_only=True)
