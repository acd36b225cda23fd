"""What words can show is asked in words; only the rest is done in a copy of the repository."""

from skillopt_sleep.records import Check, Checks, Command, Op, Trajectory
from skillopt_sleep.replay.either import Either
from tests.builders import a_document, a_task
from tests.fakes import FakeExecutor

ACTED = Trajectory(response="Done.", seal="bubblewrap")


def test_each_task_is_tried_where_it_can_be_shown_and_words_come_first() -> None:
    words, copy = FakeExecutor(), FakeExecutor(ACTED, text_only=False)
    either = Either(words, copy)
    acts = [
        a_task(id="files", needs_repository=True),
        a_task(id="tests", reference=Command(argv=("pytest",))),
        a_task(id="lint", reference=Checks(items=(Check(op=Op.COMMAND_RUN, arg="make lint"),))),
    ]

    done = [either.run(task, a_document(), sample=1) for task in (a_task(id="words"), *acts)]

    assert [trajectory.seal for trajectory in done] == ["", "bubblewrap", "bubblewrap", "bubblewrap"]
    assert [job[0].id for job in words.jobs] == ["words"]
    assert [(job[0].id, job[2]) for job in copy.jobs] == [("files", 1), ("tests", 1), ("lint", 1)]


def test_it_reaches_what_one_of_the_two_reaches() -> None:
    wants = a_task(needs_repository=True)
    assert Either(FakeExecutor(), FakeExecutor(text_only=False)).reaches(wants)
    assert not Either(FakeExecutor(), FakeExecutor()).reaches(wants)
    assert Either(FakeExecutor(), FakeExecutor()).reaches(a_task())
    assert not Either(FakeExecutor(), FakeExecutor()).text_only
