"""One prompt, one answer: text only, no tools and no files."""

from skillopt_sleep.errors import CallFailed
from skillopt_sleep.prompts import fill
from skillopt_sleep.protocols import Backend
from skillopt_sleep.records import Document, Prompt, Purpose, Task, Trajectory


class SingleShot:
    """Asks the target once, with the document in its prompt; it never sees the reference."""

    def __init__(self, target: Backend) -> None:
        self._target = target

    def run(self, task: Task, document: Document, *, sample: int) -> Trajectory:
        """One attempt; a failed call is a failure, not an empty answer."""
        text = fill("rollout", document=document.text.strip() or "(none)", context=task.context, request=task.prompt)
        prompt = Prompt(purpose=Purpose.ROLLOUT, text=text, sample=sample, asker=task.id, project=task.project)
        try:
            completion = self._target.complete(prompt)
        except CallFailed as error:
            return Trajectory(failure=f"{error.kind}: {error.message}", text_only=True)
        return Trajectory(response=completion.text, usage=completion.usage, text_only=True)
