"""A night measures its judge before it tries anything, and lets one that fails decide nothing."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from skillopt_sleep.errors import BackendUnavailable, BudgetExhausted, CallFailed, FailureKind
from skillopt_sleep.night.judge_check import graded_alike, preflight
from skillopt_sleep.records import Checks, GateRule, NightReport, Outcome, Prompt, Purpose, Rubric
from tests.builders import a_task
from tests.fakes import NOON, FakeBackend, asked_first
from tests.night import judges
from tests.night.judges import BY_CODE, Grade, Scripted
from tests.nights import Machine, Watcher
from tests.reporters.reports import render
from tests.sweeps import WHOLE

MANY = range(10)  # four train, five val and one test
BLIND = (judges.lenient, judges.harsh, judges.coin, judges.any_number)  # they bear no reference out
IN_DOUBT = 1  # the seed of a judge right nine times of ten that errs among its first sixteen known answers


def machine(folder: Path, grade: Grade, **fields: Any) -> Machine:
    return Machine(folder, model=Watcher(Scripted(grade, **fields)))


def night(home: Machine, **fields: Any) -> NightReport:
    return home.night(heuristic=False, gate=GateRule(), **fields)


def test_a_judge_that_is_right_decides_and_the_report_says_how_often_it_was_right(tmp_path: Path) -> None:
    home = machine(tmp_path, judges.right)
    home.had(*MANY)
    report = night(home)
    assert report.verdict is Outcome.IMPROVED
    assert report.judging.judge is not None
    assert (report.judging.judge.right, report.judging.judge.n, report.judging.judge.because) == (16, 16, "")
    told = render(report, verbose=True)
    assert "We gave the judge 16 answers whose grade we know; it got 16 right." in told
    assert report.judging.judge.by_kind not in told
    assert "8 of 8" in report.judging.judge.by_kind
    diagnosed = json.loads((Path(report.run.folder) / "diagnostics.json").read_bytes())["judging"]["judge"]
    assert {kind["kind"]: (kind["right"], kind["n"]) for kind in diagnosed["kinds"]}["meets"] == (8, 8)


@pytest.mark.parametrize("proves", [False, True], ids=["right when it proves", "the same when it proves"])
@pytest.mark.parametrize(
    ("grade", "n", "because"),
    [
        (judges.lenient, 16, "better than a coin"),
        (judges.harsh, 16, "better than a coin"),
        (judges.coin, 16, "better than a coin"),
        (judges.any_number, 16, "better than a coin"),
        (judges.pays_for_length, 32, "pays for length"),
        (judges.pays_for_echo, 32, "pays for repeating the demand"),
    ],
    ids=["lenient", "harsh", "coin", "any number", "length", "echo"],
)
def test_a_judge_that_fails_decides_nothing(
    tmp_path: Path, grade: Grade, n: int, because: str, *, proves: bool
) -> None:
    home = machine(tmp_path, grade, proves=proves, seed=1)
    home.had(*MANY)
    report = night(home)
    assert (report.verdict, report.proposals) == (Outcome.UNVERIFIED, ())
    assert because in report.because
    assert "judge.model" in report.remedy
    assert report.judging.judge is not None
    assert report.judging.judge.n == n
    shown = render(report, verbose=True)
    assert "It decides nothing tonight" in shown
    assert home.model.asked(Purpose.ROLLOUT) == []
    assert report.documents == ()
    assert report.judging.judge.untried == len(MANY)
    assert report.found.corrections.counts == {"ungraded": len(MANY)}
    assert len(home.unread()) == len(MANY)


def test_what_a_failed_judge_was_asked_about_is_learned_once_it_is_right(tmp_path: Path) -> None:
    home = machine(tmp_path, judges.lenient)
    home.had(*MANY)
    assert night(home).verdict is Outcome.UNVERIFIED
    home.model.inner = Scripted(judges.right)
    assert night(home, config="two").verdict is Outcome.IMPROVED


def test_few_grades_are_enough_for_sixteen_known_answers(tmp_path: Path) -> None:
    home = machine(tmp_path, judges.right)
    home.had(0, 1, 2)
    report = night(home)
    assert report.judging.judge is not None
    assert (report.judging.judge.right, report.judging.judge.n) == (16, 16)


def test_a_night_whose_lessons_are_checked_in_code_says_nothing_of_a_judge(tmp_path: Path) -> None:
    home = machine(tmp_path, judges.coin)
    home.had(*MANY, name=BY_CODE)
    report = night(home)
    assert (report.verdict, report.judging.judge) == (Outcome.IMPROVED, None)
    assert home.model.asked(Purpose.JUDGE, Purpose.CONTROLS) == []
    assert "The judge" not in render(report, verbose=True)


def test_a_failed_judge_takes_nothing_from_what_was_checked_in_code(tmp_path: Path) -> None:
    home = machine(tmp_path, judges.lenient)
    home.had(*MANY)
    home.had(*MANY, name=BY_CODE, ask="install what the report needs")
    report = night(home, calls=1_000, sessions_per_call=1)
    ends = {outcome.document.id: outcome.outcome for outcome in report.documents}
    assert ends == {f"{BY_CODE}/CLAUDE.md": Outcome.IMPROVED}
    assert "judge.model" in report.remedy
    assert {session.split(":")[1].rpartition("-")[0] for session in home.unread()} == {"shop"}


@pytest.mark.parametrize(
    ("grade", "left"), [(judges.right, 2), (judges.right_nine_times_of_ten, 4)], ids=["right", "in doubt"]
)
def test_a_resumed_night_asks_its_judge_nothing_again(tmp_path: Path, grade: Grade, left: int) -> None:
    home = machine(tmp_path, grade, seed=IN_DOUBT)
    home.had(*MANY)

    def stop(prompt: Prompt) -> BaseException | None:
        nonlocal left
        if prompt.purpose is not Purpose.JUDGE:
            return None
        left -= 1
        return KeyboardInterrupt() if left == 0 else None

    home.model.fails = stop
    assert night(home).verdict is Outcome.INTERRUPTED
    unanswered = home.model.prompts.pop()
    assert night(home).verdict is Outcome.IMPROVED
    asked = Counter(prompt.text for prompt in home.model.asked(Purpose.JUDGE, Purpose.CONTROLS))
    assert asked[unanswered.text] == 1
    assert set(asked.values()) == {1}


def test_the_judge_is_asked_once_before_any_attempt(tmp_path: Path) -> None:
    home = machine(tmp_path, judges.right)
    home.had(*MANY)
    night(home)
    purposes = [prompt.purpose for prompt in home.model.prompts]
    assert purposes.index(Purpose.JUDGE) < purposes.index(Purpose.ROLLOUT)
    first, *others = home.model.asked(Purpose.JUDGE)
    assert (known(first), answers(first)) == (8, 16)
    assert [known(prompt) for prompt in others] == [0] * len(others)


def test_a_judge_that_was_wrong_is_asked_as_many_again_and_counts_if_it_is_right_on_most(tmp_path: Path) -> None:
    home = machine(tmp_path, judges.right_nine_times_of_ten, seed=IN_DOUBT)
    home.had(*MANY)
    report = night(home)
    assert report.judging.judge is not None
    assert (report.verdict, report.judging.judge.n) == (Outcome.IMPROVED, 32)
    assert report.judging.judge.right < 32


def test_no_answer_of_known_worth_is_written_for_what_code_checks() -> None:
    judged = a_task(id="judged", lesson="l-1", reference=Rubric(text="It uses uv."))
    checked = a_task(id="checked", lesson="l-1")
    other = a_task(id="other", lesson="l-2", reference=Rubric(text="It is short."))
    assert isinstance(checked.reference, Checks)
    assert graded_alike([judged, checked, other], [judged]) == [judged]


def answers(prompt: Prompt) -> int:
    return sum(len(texts) for _, _, *texts in judges.shown_items(prompt.text))


def known(prompt: Prompt) -> int:
    """Return how many answers in a prompt to the judge are good ones that were written for it."""
    texts = [text for _, _, *texts in judges.shown_items(prompt.text) for text in texts]
    return sum(text.startswith(judges.DID) and "All is done" in text for text in texts)


NIGHTS = 40 if WHOLE else 15


@pytest.mark.slow
def test_on_many_nights_a_coin_stages_hardly_anything_and_a_good_judge_learns(tmp_path: Path) -> None:
    ends: dict[str, Counter[Outcome]] = {"coin": Counter(), "good": Counter()}
    for seed in range(NIGHTS):
        for name, grade in (("coin", judges.coin), ("good", judges.right_nine_times_of_ten)):
            home = machine(tmp_path / f"{name} {seed}", grade, seed=seed)
            home.had(*MANY)
            ends[name][night(home).verdict] += 1
    # About one coin in a thousand is right on twenty-five of thirty-two answers.
    assert ends["coin"] == {Outcome.UNVERIFIED: NIGHTS}
    assert ends["good"][Outcome.IMPROVED] >= 0.9 * NIGHTS


def test_a_model_that_answers_is_asked_once_and_for_little() -> None:
    backend = FakeBackend({Purpose.PREFLIGHT: "ready"})

    preflight(asked_first(backend), night="2026-03-02", until=NOON)

    (prompt,) = backend.prompts
    assert (prompt.purpose, prompt.schema) == (Purpose.PREFLIGHT, None)
    assert len(prompt.text) < 200


def test_the_night_is_named_so_that_the_next_one_asks_again() -> None:
    backend = FakeBackend({Purpose.PREFLIGHT: "ready"})

    preflight(asked_first(backend), night="2026-03-02", until=NOON)
    preflight(asked_first(backend), night="2026-03-03", until=NOON)

    assert backend.prompts[0].text != backend.prompts[1].text
    assert "2026-03-02" in backend.prompts[0].text


@pytest.mark.parametrize("kind", FailureKind)
def test_a_failed_call_ends_the_night_with_its_words_and_remedy(kind: FailureKind) -> None:
    backend = FakeBackend({Purpose.PREFLIGHT: CallFailed(kind, "no route to it", remedy="check the address")})

    with pytest.raises(BackendUnavailable, match="no route to it") as caught:
        preflight(asked_first(backend), night="2026-03-02", until=NOON)

    assert caught.value.remedy == "check the address"


def test_an_empty_answer_ends_the_night_too() -> None:
    with pytest.raises(BackendUnavailable, match="nothing"):
        preflight(asked_first(FakeBackend({Purpose.PREFLIGHT: " "})), night="2026-03-02", until=NOON)


def test_a_spent_budget_stays_what_it_is() -> None:
    with pytest.raises(BudgetExhausted):
        preflight(
            asked_first(FakeBackend({Purpose.PREFLIGHT: BudgetExhausted("all spent")})),
            night="2026-03-02",
            until=NOON,
        )
