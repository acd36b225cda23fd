import pytest

from skillopt_sleep.errors import BackendUnavailable, CallFailed, FailureKind
from skillopt_sleep.records import Check, Checks, Command, Exact, Op, Purpose, Reference, Rubric, Trajectory, Usage
from skillopt_sleep.replay.text import SingleShot, TextOrSealed, without_variation
from tests.builders import a_document, a_task
from tests.fakes import FakeBackend, FakeExecutor


def test_the_target_sees_document_context_and_request() -> None:
    target = FakeBackend(otherwise="done")
    document = a_document("- Use pnpm.\n", open="<!-- begin -->\n", close="<!-- end -->\n", trail="\nThe end.\n")
    SingleShot(target).run(a_task(prompt="Install it.", context="A new project."), document, sample=4)
    (prompt,) = target.prompts
    assert (prompt.purpose, prompt.schema, prompt.sample) == (Purpose.ROLLOUT, None, 4)
    assert all(part in prompt.text for part in (document.text.strip(), "Install it.", "A new project."))


@pytest.mark.parametrize(
    "reference",
    [
        Exact(answer="the-hidden-thing"),
        Rubric(text="It says the-hidden-thing."),
        Checks(items=(Check(op=Op.SECTION_CONTAINS, arg="the-hidden-thing", section="the-hidden-thing"),)),
    ],
    ids=["exact", "rubric", "checks"],
)
def test_the_target_never_sees_how_it_is_scored(reference: Reference) -> None:
    target = FakeBackend(otherwise="done")
    task = a_task(reference=reference)
    SingleShot(target).run(task, a_document(), sample=0)
    assert "the-hidden-thing" not in target.prompts[0].text
    assert task.feedback.evidence[0].quote not in target.prompts[0].text


def test_where_there_are_no_instructions_the_target_is_told_so() -> None:
    target = FakeBackend(otherwise="done")
    SingleShot(target).run(a_task(), a_document("", lead=" \n"), sample=0)
    assert "# Project instructions\n(none)\n" in target.prompts[0].text


def test_the_target_is_told_how_it_runs_a_command_and_nothing_about_form() -> None:
    target = FakeBackend(otherwise="done")
    SingleShot(target).run(a_task(), a_document(), sample=0)
    told = target.prompts[0].text.partition("# Project instructions")[0]
    assert "begins with `$ `" in told
    assert "counts as run" in told
    assert "Form, language and length" in told
    assert "say what you would do" not in told


def test_an_attempt_says_what_it_cost_and_that_it_had_no_tools() -> None:
    usage = Usage(input_tokens=5, output_tokens=2)
    trajectory = SingleShot(FakeBackend(otherwise="done", usage=usage)).run(a_task(), a_document(), sample=0)
    assert (trajectory.response, trajectory.usage, trajectory.text_only) == ("done", usage, True)


@pytest.mark.parametrize(
    "answer", ["", CallFailed(FailureKind.REFUSED, "no"), CallFailed(FailureKind.OVERLOADED, "busy")]
)
def test_a_failed_call_is_a_failure_with_its_kind_and_no_answer(answer: str | CallFailed) -> None:
    trajectory = SingleShot(FakeBackend(otherwise=answer)).run(a_task(), a_document(), sample=0)
    assert trajectory.failure.partition(":")[0] in set(FailureKind)
    assert (trajectory.response, trajectory.text_only) == ("", True)


def test_a_model_that_is_gone_ends_the_night() -> None:
    with pytest.raises(BackendUnavailable):
        SingleShot(FakeBackend(otherwise=BackendUnavailable("gone"))).run(a_task(), a_document(), sample=0)


def test_two_tasks_in_the_same_words_are_attempted_each_by_itself() -> None:
    target = FakeBackend(otherwise="x")
    for name in ("one", "two"):
        SingleShot(target).run(a_task(id=name), a_document(), sample=0)

    assert [prompt.asker for prompt in target.prompts] == ["one", "two"]
    assert len({without_variation(prompt.text) for prompt in target.prompts}) == 1


ACTED = Trajectory(response="Done.", seal="bubblewrap")


def test_each_task_is_tried_where_it_can_be_shown_and_words_come_first() -> None:
    words, copy = FakeExecutor(), FakeExecutor(ACTED, text_only=False)
    either = TextOrSealed(words, copy)
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
    assert TextOrSealed(FakeExecutor(), FakeExecutor(text_only=False)).reaches(wants)
    assert not TextOrSealed(FakeExecutor(), FakeExecutor()).reaches(wants)
    assert TextOrSealed(FakeExecutor(), FakeExecutor()).reaches(a_task())
