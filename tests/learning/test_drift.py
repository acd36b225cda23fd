"""A trial during which the model changed says nothing: its candidate waits for another night."""

from msgspec.structs import replace

from skillopt_sleep.learning.drift import begun_anew, steady
from skillopt_sleep.learning.search import Search, search
from skillopt_sleep.records import (
    Decision,
    Document,
    GateRule,
    Judged,
    Metric,
    Rollout,
    Split,
    Task,
    Trajectory,
    Verdict,
)
from skillopt_sleep.replay.variation import CANDIDATE_SAMPLES
from tests.builders import a_document, a_task, an_edit
from tests.fakes import FakeExecutor, FakeJudge
from tests.nights import a_crew

ACCEPT = Verdict(decision=Decision.ACCEPT, reason="better")
VAL = [a_task(id=f"a{n}", lesson="a", session=f"a{n}", split=Split.VAL) for n in range(4)]
DOCUMENT = a_document("- Old.")
GOOD = an_edit("- Good.", lessons=("a",))


def attempts(*models: str) -> list[Rollout]:
    """Both arms of one round for each model."""
    made: list[Rollout] = []
    for sample, model in enumerate(models):
        for arm in (0, CANDIDATE_SAMPLES):
            made.append(
                Rollout(
                    task="v", document_sha="s", sample=sample + arm, trajectory=Trajectory(model=model), score=None
                )
            )
    return made


def test_another_model_at_the_end_than_at_the_beginning_voids_the_trial() -> None:
    verdict = steady(ACCEPT, attempts("m-1", "m-1", "m-2"))

    assert (verdict.decision, verdict.drifted) == (Decision.ABSTAIN, True)
    assert verdict.reason == "the trial is void: it began with m-1 and ended with m-2"


def test_models_that_take_turns_all_night_void_nothing() -> None:
    for models in (("m-1", "m-2", "m-1"), ("", "", ""), ("m-1",)):
        assert steady(ACCEPT, attempts(*models)) == ACCEPT


def changed_at(first: int) -> Search:
    """A search of one rule, whose attempts are answered by another model from so many attempts on."""
    made: list[int] = []

    def attempt(_task: Task, version: Document, sample: int) -> Trajectory:
        made.append(sample)
        return Trajectory(response=f"{version.body} {sample}", model="m-1" if len(made) <= first else "m-2")

    judge = FakeJudge(lambda task, trajectory: float("Good" in trajectory.response))
    crew = a_crew(executor=FakeExecutor(attempt), judge=judge)
    return search(DOCUMENT, [GOOD], VAL, crew=crew, rule=GateRule(metric=Metric.HARD))


def test_a_search_reports_what_was_void() -> None:
    assert changed_at(1000).best.verdict.decision is Decision.ACCEPT
    void = changed_at(8).best.verdict
    assert (void.decision, void.drifted) == (Decision.ABSTAIN, True)


def test_the_candidate_begins_anew_with_the_share_it_had() -> None:
    void: Judged = changed_at(8).best
    void = replace(void, trial=replace(void.trial, together=0.05))

    anew = begun_anew(void)

    assert (anew.edits, anew.trial.pairs, anew.trial.rounds) == (void.edits, (), 0)
    assert (anew.trial.alpha, anew.trial.together) == (void.trial.alpha, 0.05)
    assert (anew.trial.lessons, anew.trial.first) == (void.trial.lessons, void.trial.first)
    assert set(anew.trial.wealth) == {0.0}
