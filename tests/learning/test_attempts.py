"""A night's crew makes the engine's attempts."""

from skillopt_sleep.learning.attempts import CrewAttempts
from tests.builders import a_document, a_task
from tests.fakes import FakeExecutor, FakeJudge, FakeMeter
from tests.nights import a_crew


def test_each_job_is_attempted_and_graded_in_order() -> None:
    executor = FakeExecutor(lambda task, document, sample: f"{task.id} {sample}")
    attempts = CrewAttempts(a_crew(executor=executor, judge=FakeJudge(1.0), meter=FakeMeter(left=7)))
    task, document = a_task(), a_document()

    made = attempts.make([(task, document, 0), (task, document, 1)], label="rollout")

    assert [(one.sample, one.trajectory.response, one.score and one.score.hard) for one in made] == [
        (0, "t1 0", 1.0),
        (1, "t1 1", 1.0),
    ]
    assert attempts.left() == 7
