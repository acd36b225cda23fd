"""A wish that comes back on another night, in other words, is one lesson, named once."""

import json
from pathlib import Path

import msgspec
import pytest

from skillopt_sleep.backends.replies import decoded
from skillopt_sleep.errors import CallFailed, FailureKind
from skillopt_sleep.example.model import SimulatedBackend
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.records import Completion, Prompt, Purpose
from tests.nights import Machine, Watcher, first_time

LONG, BULLETS, TABS = "no, that is much too long", "no - three bullets at most", "no, use tabs here, never spaces"
CALLED = {LONG: "Keep answers short", BULLETS: "Answer in three bullets", TABS: "Indent with tabs"}
SHORT = {"Keep answers short", "Answer in three bullets"}


class Naming:
    """A model that names lessons by what was said, and knows which of its names mean the same."""

    def __init__(self, inner: Backend) -> None:
        self.inner = inner

    def complete(self, prompt: Prompt) -> Completion:
        answer = self.inner.complete(prompt)
        if prompt.purpose is Purpose.MINE:
            lessons = json.loads(answer.text)["lessons"]
            said = json.dumps({"lessons": [one | {"lesson": CALLED[one["quotes"][0]]} for one in lessons]})
        elif prompt.purpose is Purpose.LESSONS:
            names = prompt.text.split("# Lessons\n```\n")[1].split("\n```")[0].splitlines()
            said = json.dumps(
                {
                    "same": [
                        [n for n, line in enumerate(names, start=1) if line.split(". ")[1].split(" «")[0] in SHORT]
                    ]
                }
            )
        else:
            return answer
        return decoded(prompt, msgspec.structs.replace(answer, text=said, structured=None))


def machine(folder: Path) -> Machine:
    return Machine(folder, model=Watcher(Naming(SimulatedBackend(forgets=0.0))))


def lessons(home: Machine) -> dict[str, set[str]]:
    """The clusters of each lesson's name."""
    store = home.store()
    tasks = store.bank.all_tasks()
    store.close()
    return {
        task.wanted.wording: {other.lesson for other in tasks if other.wanted.wording == task.wanted.wording}
        for task in tasks
    }


@pytest.mark.parametrize("per_call", [1, 5])
def test_other_words_on_another_night_go_on_with_the_lesson(tmp_path: Path, per_call: int) -> None:
    home = machine(tmp_path)
    home.had(0, 1, said=LONG)
    home.night(heuristic=False, sessions_per_call=per_call)
    home.had(2, said=BULLETS)
    home.had(3, said=TABS)
    home.night(heuristic=False, sessions_per_call=per_call)

    found = lessons(home)
    assert found.keys() == {"Keep answers short", "Indent with tabs"}
    assert [len(clusters) for clusters in found.values()] == [1, 1]
    assert found["Keep answers short"] != found["Indent with tabs"]
    shown = ["Keep answers short" in prompt.text for prompt in home.model.asked(Purpose.MINE)]
    assert shown == ([False, True, True, True] if per_call == 1 else [False, True])


def test_where_the_call_for_names_is_lost_the_persons_words_stand_for_an_unsure_one_and_the_night_tells_of_it(
    tmp_path: Path,
) -> None:
    home = machine(tmp_path)
    home.had(0, 1, said=LONG)
    home.night(heuristic=False)
    home.had(2, said=BULLETS)
    home.model.fails = first_time(CallFailed(FailureKind.REFUSED, "no"), Purpose.LESSONS)
    report = home.night(heuristic=False)

    assert lessons(home).keys() == {"Keep answers short", BULLETS}
    (note,) = report.errors
    assert "lessons" in note.summary
    assert note.summary.endswith(": no")
    assert sum(report.found.tasks.values()) == 1
