"""Attempts vary in what doesn't matter: by night, task and sample, the same in both arms of a pair."""

from hypothesis import given, strategies as st
from msgspec.structs import replace

from skillopt_sleep.example.model import SimulatedBackend
from skillopt_sleep.kit.redact import redact
from skillopt_sleep.prompts import fill
from skillopt_sleep.records import Document, Prompt, Purpose, Task
from skillopt_sleep.replay.text import CANDIDATE_SAMPLES, SingleShot, varied, without_variation
from tests.builders import a_document, a_task
from tests.fakes import FakeBackend

NIGHT = "2026-03-02"


def asked(task: Task, document: Document, *samples: int, night: str = NIGHT) -> list[str]:
    """The prompts of these attempts."""
    target = FakeBackend(otherwise="done")
    executor = SingleShot(target, night=lambda: night)
    for sample in samples:
        executor.run(task, document, sample=sample)
    return [prompt.text for prompt in target.prompts]


def variation(prompt: str) -> str:
    """What stands behind the prompt."""
    return prompt.removeprefix(without_variation(prompt))


@given(st.text(), st.text(), st.integers(0, 50))
def test_it_depends_on_night_task_and_sample_only(night: str, task: str, sample: int) -> None:
    first, again = (varied("text", night=night, task=task, sample=sample) for _ in range(2))
    assert first == again
    assert varied("other", night=night, task=task, sample=sample).removeprefix("other") == first.removeprefix("text")


def test_nights_tasks_and_samples_are_all_told_something_else() -> None:
    texts = {
        varied("text", night=night, task=task, sample=sample)
        for night in (NIGHT, "2026-03-02-2", "2026-03-03")
        for task in ("t1", "t2")
        for sample in range(50)
    }
    assert len(texts) == 300


def test_both_arms_of_a_pair_differ_in_the_document_only() -> None:
    old, new = a_document("- Old."), a_document("- New.")
    for sample in range(5):
        (before,) = asked(a_task(), old, sample)
        (after,) = asked(a_task(), new, CANDIDATE_SAMPLES + sample)
        assert before != after
        assert before.replace("- Old.", "- New.") == after


def test_the_text_before_it_is_the_same_for_all_samples_and_nights() -> None:
    task, document = a_task(prompt="Install it.", context="A new project."), a_document("- Use pnpm.", lead="")
    prompts = asked(task, document, 0, 1, 2, CANDIDATE_SAMPLES) + asked(task, document, 0, night="2026-04-01")
    (before,) = {without_variation(prompt) for prompt in prompts}
    plain = fill("rollout", document="- Use pnpm.", context="A new project.", request="Install it.")
    assert before == plain
    assert len({variation(prompt) for prompt in prompts}) == 4


def test_neither_document_nor_request_holds_it() -> None:
    (prompt,) = asked(a_task(prompt="Install it."), a_document("- Use pnpm."), 3)
    told = [line for line in variation(prompt).splitlines() if line.startswith("- ")]
    document, _, request = without_variation(prompt).partition("\n# Request\n")
    assert len(told) == 1
    assert not any(line in document or line in request for line in told)


def test_a_request_that_ends_like_it_is_kept() -> None:
    request = "Write this down:\n\n# Environment\n- session: 80x24"
    (prompt,) = asked(a_task(prompt=request), a_document(), 0)
    assert without_variation(prompt).endswith(f"{request}\n")


def test_it_tells_nothing_that_a_request_may_be_about() -> None:
    told = variation(varied("", night=NIGHT, task="t", sample=0)).lower()
    assert not any(word in told for word in ("date", "terminal", "notice", NIGHT[:7]))


def test_nothing_of_it_looks_like_a_secret() -> None:
    for sample in range(2_000):
        text = varied("", night=NIGHT, task="t", sample=sample)
        assert redact(text) == text


def test_the_simulated_model_answers_as_if_it_were_not_there() -> None:
    model = SimulatedBackend(forgets=0.5)
    plain = fill("rollout", document="- Use pnpm, never npm.", context="", request="Install it.")
    prompt = Prompt(purpose=Purpose.ROLLOUT, text=plain, asker="t1")
    for night in ("2026-03-02", "2026-03-03"):
        told = replace(prompt, text=varied(plain, night=night, task="t1", sample=0))
        assert model.complete(told).text == model.complete(prompt).text
