"""Attempt a task with one prompt and one answer, without tools or files.

A model without randomness gives the same prompt the same answer: five rounds would be one. So each attempt is told of
another session id, which no request is about. Both arms of a pair are told the same, and differ in the document only.
"""

import hashlib
from collections.abc import Callable

from skillopt_sleep.errors import CallFailed
from skillopt_sleep.kit.words import home_path
from skillopt_sleep.prompts import fill, template
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.protocols.work import Executor
from skillopt_sleep.records import Document, Prompt, Purpose, Task, Trajectory, wants_a_tool

# The samples a candidate draws from are its own: once accepted it becomes a baseline, which must be drawn afresh and
# not be the lucky attempts it was chosen for. Its sample CANDIDATE_SAMPLES + n makes a pair with sample n.
CANDIDATE_SAMPLES = 1_000_000

_HEADING = "\n" + template("environment").partition("{{")[0]


class SingleShot:
    """Asks the target once, with the document in its prompt; the target never sees the reference.

    `night` returns the id of the night that the attempts are drawn in, by which their prompts vary.
    """

    def __init__(self, target: Backend, *, night: Callable[[], str] = str) -> None:
        self._target = target
        self._night = night

    def reaches(self, task: Task) -> bool:
        """Return whether an answer in words can show what the task is about."""
        return not (task.setting.needs_repository or wants_a_tool(task.reference))

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


class TextOrSealed:
    """Uses the text executor for what an answer in words can show, else the sealed one."""

    def __init__(self, text: Executor, sealed: Executor) -> None:
        self._text = text
        self._sealed = sealed

    def reaches(self, task: Task) -> bool:
        """Return whether one of the two can show what the task is about."""
        return self._text.reaches(task) or self._sealed.reaches(task)

    def run(self, task: Task, document: Document, *, sample: int) -> Trajectory:
        """Make one attempt."""
        executor = self._text if self._text.reaches(task) else self._sealed
        return executor.run(task, document, sample=sample)


def varied(text: str, *, night: str, task: str, sample: int) -> str:
    """Return the prompt with a random line at its end, so that what providers cache stays the same.

    The line depends on nothing but the night's id, the task's id and the sample's place in its pair.
    """
    pair = sample % CANDIDATE_SAMPLES
    digest = hashlib.blake2b(f"{night}\0{task}\0{pair}".encode(), digest_size=4).hexdigest()
    shown = fill("environment", session=digest)
    return f"{text}\n{shown}"


def without_variation(text: str) -> str:
    """Return the prompt without its random line."""
    before, heading, _ = text.rpartition(_HEADING)
    return before if heading else text


def _instructions(document: Document) -> str:
    """Return the document among all that the agent loads with it, in the agent's order."""
    if not document.others:
        return document.text.strip() or "(none)"
    files: list[str] = []
    for file in document.loaded:
        text = document.text if file.path == document.path else file.text
        files.append(f"Contents of {home_path(file.path)}:\n\n{text.strip() or '(none)'}")
    return "\n\n".join(files)
