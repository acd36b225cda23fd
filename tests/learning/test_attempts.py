"""A night's crew makes the engine's attempts."""

from skillopt_sleep.learning.attempts import BLOCK, CrewAttempts, block, in_pairs
from skillopt_sleep.learning.confirm import FRESH
from tests.builders import a_document, a_task
from tests.fakes import FakeExecutor, FakeJudge
from tests.nights import a_crew


def test_each_job_is_attempted_and_graded_in_order() -> None:
    executor = FakeExecutor(lambda task, document, sample: f"{task.id} {sample}")
    attempts = CrewAttempts(a_crew(executor=executor, judge=FakeJudge(1.0)))
    task, document = a_task(), a_document()

    made = attempts.make([(task, document, 0), (task, document, 1)], label="rollout")

    assert [(one.sample, one.trajectory.response, one.score and one.score.hard) for one in made] == [
        (0, "t1 0", 1.0),
        (1, "t1 1", 1.0),
    ]


def test_of_each_pair_chance_says_which_is_attempted_first_and_the_same_one_if_it_is_asked_again() -> None:
    executor = FakeExecutor(lambda task, document, sample: f"{task.id} {sample}")
    attempts = CrewAttempts(a_crew(executor=executor, judge=FakeJudge(1.0)))
    jobs = [(a_task(id=f"v{n}"), a_document(), sample) for n in range(40) for sample in (0, 7)]

    made = in_pairs(attempts, jobs, label="trial")
    asked = [(task.id, sample) for task, _, sample in executor.jobs]
    in_pairs(attempts, jobs, label="trial")

    wanted = [(task.id, sample) for task, _, sample in jobs]
    assert [(one.task, one.sample) for one in made] == wanted
    assert [{*pair} for pair in zip(asked[::2], asked[1::2], strict=True)] == [
        {*pair} for pair in zip(wanted[::2], wanted[1::2], strict=True)
    ]
    assert 10 < sum(sample == 0 for _, sample in asked[::2]) < 30
    assert [(task.id, sample) for task, _, sample in executor.jobs] == asked * 2


# samples ------------------------------------------------------------------------------------------------


def test_the_same_trial_has_the_same_samples_and_another_one_others() -> None:
    first = block("rule", "old", "new")

    assert first == block("rule", "old", "new")
    assert len({first, block("removal", "old", "new"), block("rule", "new", "old"), block("rule", "oldnew", "")}) == 4


def test_a_block_begins_at_a_round_and_ends_before_the_round_after_an_acceptance() -> None:
    for n in range(500):
        first = block("rule", "old", str(n))
        assert first % BLOCK == 0
        assert 0 <= first <= FRESH - BLOCK
