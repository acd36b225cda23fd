import json

import msgspec
import pytest

from skillopt_sleep.example.model import HARMFUL, USELESS, SimulatedBackend
from skillopt_sleep.kit.markdown import fence
from skillopt_sleep.learning.aggregate import aggregate
from skillopt_sleep.learning.augment import augment
from skillopt_sleep.learning.reflect import reflect
from skillopt_sleep.learning.rewrite import rewrite, rewrite_full
from skillopt_sleep.learning.select import select
from skillopt_sleep.learning.slow_update import meta_skill, slow_update
from skillopt_sleep.mining.mine import mine
from skillopt_sleep.night.judge_check import preflight
from skillopt_sleep.prompts import fill
from skillopt_sleep.prompts.attempts import feedback_lines
from skillopt_sleep.protocols.crew import StepRules
from skillopt_sleep.records import (
    Check,
    Checks,
    Compared,
    Deed,
    DeedKind,
    Earlier,
    Edit,
    Evidence,
    Op,
    Prompt,
    Purpose,
    ResultChange,
    Rubric,
    Split,
    Trajectory,
)
from skillopt_sleep.replay.judges import ReferenceJudge
from skillopt_sleep.replay.text import SingleShot
from skillopt_sleep.trainer import ask
from tests.builders import (
    SAID,
    a_document,
    a_patch,
    a_rollout,
    a_session,
    a_task,
    a_trajectory,
    an_edit,
    some_checks,
)
from tests.fakes import NOON, SerialPool, asked_first
from tests.nights import an_optimizer

SHARP = SimulatedBackend(forgets=0.0)
RULE = "- Use pnpm, never npm.\n"


def _attempt(body: str, *, backend: SimulatedBackend = SHARP, sample: int = 0) -> Trajectory:
    return SingleShot(backend).run(a_task(), a_document(body), sample=sample)


def _lessons(*said: str) -> list[str]:
    """Return the edits that its optimizer makes from these words."""
    return _edits("\n".join(f"- «{words}»" for words in said))


def _edits(shown: str) -> list[str]:
    """Return the edits that its optimizer makes from what it is shown."""
    return list(_attempts(shown))


def _attempts(shown: str) -> dict[str, list[int]]:
    """Return the edits that its optimizer makes from what it is shown, each with the attempts it names."""
    text = fill(
        "reflect",
        attempts="1",
        kind="that failed",
        budget="3",
        preferences="None.",
        tried="None.",
        notes="None.",
        document=fence("(empty)"),
        editable=fence("(empty)"),
        setting="",
        trajectories=shown,
    )
    reply = SHARP.complete(Prompt(purpose=Purpose.REFLECT, text=text))
    return {edit["content"]: edit.get("attempts") for edit in json.loads(reply.text)["edits"]}


def test_it_answers_the_preflight_and_costs_nothing() -> None:
    preflight(asked_first(SHARP), night="2026-03-02", until=NOON)
    completion = SHARP.complete(Prompt(purpose=Purpose.PREFLIGHT, text="x" * 400))
    assert completion.usd == 0
    assert completion.usage is not None
    assert completion.usage.input_tokens == 100


def test_the_target_follows_a_rule_only_where_the_document_states_it() -> None:
    without, with_rule = _attempt(""), _attempt(RULE)
    assert "pnpm" not in without.response
    assert "pnpm" in with_rule.response
    judge = ReferenceJudge(SHARP)
    assert judge.score(a_task(), without).hard == 0
    assert judge.score(a_task(), with_rule).hard == 1


def test_a_useless_edit_changes_no_answer() -> None:
    assert _attempt(USELESS) == _attempt("") or _attempt(USELESS).response == _attempt("").response


def test_a_harmful_edit_breaks_every_answer() -> None:
    assert _attempt(f"{RULE}{HARMFUL}\n").response == "Done."


def test_the_same_question_has_the_same_answer_and_samples_differ() -> None:
    absent_minded = SimulatedBackend(forgets=0.5)
    answers = [_attempt(RULE, backend=absent_minded, sample=sample).response for sample in range(20)]
    assert answers == [_attempt(RULE, backend=absent_minded, sample=sample).response for sample in range(20)]
    assert len(set(answers)) == len(answers)
    assert {"pnpm" in answer for answer in answers} == {True, False}


@pytest.mark.parametrize("forgets", [0.05, 0.3])
def test_the_target_forgets_about_as_often_as_configured(forgets: float) -> None:
    backend = SimulatedBackend(forgets=forgets)
    forgotten = sum("pnpm" not in _attempt(RULE, backend=backend, sample=sample).response for sample in range(2_000))
    assert forgotten / 2_000 == pytest.approx(forgets, abs=0.03)


def test_another_seed_forgets_elsewhere() -> None:
    first, second = (
        [_attempt(RULE, backend=SimulatedBackend(seed=seed, forgets=0.5), sample=n).response for n in range(30)]
        for seed in (1, 2)
    )
    assert first != second


def test_the_miner_makes_a_task_of_a_correction() -> None:
    (task,) = mine([a_session()], optimizer=SHARP, pool=SerialPool(), per_call=5, most=9).tasks
    assert task.reference == some_checks()
    assert [evidence.quote for evidence in task.feedback.evidence] == [SAID]


def test_the_miner_finds_nothing_where_nothing_was_corrected() -> None:
    session = a_session("Add a page.", "Done.", "Thanks, now add a test.", "Done.")
    mined = mine([session], optimizer=SHARP, pool=SerialPool(), per_call=5, most=9)
    assert (mined.tasks, mined.notes, mined.lost) == ((), (), ())


def test_a_length_in_the_words_becomes_a_check() -> None:
    session = a_session("Write it up.", "Here.", f"{SAID} And stay under 300 characters.")
    (task,) = mine([session], optimizer=SHARP, pool=SerialPool(), per_call=5, most=9).tasks
    assert isinstance(task.reference, Checks)
    assert Check(op=Op.MAX_CHARS, arg="300") in task.reference.items


@pytest.mark.parametrize(
    ("said", "lesson"),
    [
        (SAID, "- Use pnpm, never npm."),
        ("always include the ticket number", "- Always include ticket number."),
        ("never use tabs", "- Never use tabs."),
        ("be more careful", USELESS),
        ("that is too long", HARMFUL),
    ],
)
def test_the_optimizer_turns_vague_words_into_useless_or_harmful_rules(said: str, lesson: str) -> None:
    assert _lessons(said) == [lesson]


@pytest.mark.parametrize("heading", ["Attempt", "Failure"])
def test_the_optimizer_names_the_attempts_behind_each_rule(heading: str) -> None:
    quotes = (SAID, "never use tabs", SAID)
    shown = "\n".join(f"## {heading} {n}\n- «{words}»" for n, words in enumerate(quotes, start=1))

    assert _attempts(shown) == {"- Use pnpm, never npm.": [1, 3], "- Never use tabs.": [2]}


def test_a_check_that_the_person_ran_is_a_rule_to_run_it() -> None:
    check = Deed(kind=DeedKind.CHECKED, session="claude_code:s1", turn=2, what="make lint")
    typed = Evidence(session="claude_code:s1", turn=2, quote="make lint")

    (rule,) = _edits("\n".join(feedback_lines(a_task(evidence=(typed,), deeds=(check,)))))

    assert "make lint" in rule
    assert "make lint" in _attempt(f"{rule}\n").response


def test_the_same_words_twice_are_one_lesson() -> None:
    assert _lessons(SAID, SAID, "never use tabs") == ["- Use pnpm, never npm.", "- Never use tabs."]


def test_reflecting_aggregating_and_selecting_go_through() -> None:
    task = a_task(split=Split.TRAIN)
    reflection = reflect(
        [a_rollout(0.0)],
        {task.id: task},
        optimizer=an_optimizer(SHARP),
        rules=StepRules(minibatch=4),
        measure=lambda score: score.soft,
    )
    other = a_patch(an_edit("- Never use tabs."))
    merged = aggregate((*reflection.patches, other), optimizer=an_optimizer(SHARP), merge_batch=4)
    chosen = select(merged.patch, optimizer=an_optimizer(SHARP), budget=1)
    assert [edit.content for edit in merged.patch.edits] == ["- Use pnpm, never npm.", "- Never use tabs."]
    assert [edit.content for edit in chosen.edits] == ["- Use pnpm, never npm."]
    assert (*reflection.notes, *merged.notes, *chosen.notes) == ()


@pytest.mark.parametrize(
    ("answer", "soft"), [("one sentence about rollback", 1.0), ("rollback", 0.33), ("nothing of it", 0.0)]
)
def test_the_judge_grades_by_the_share_of_the_demands_words(answer: str, soft: float) -> None:
    task = a_task(reference=Rubric(text="One sentence about rollback."))
    assert ReferenceJudge(SHARP).score(task, a_trajectory(answer)).soft == soft


def test_its_answers_decode_by_the_requested_schema() -> None:
    class Choice(msgspec.Struct, frozen=True):
        selected_indices: list[int]

    text = fill(
        "select",
        budget="1",
        document="None.",
        tried="None.",
        notes="1. Note.",
        edits=fence("0. (failure) a\n1. (failure) b"),
    )
    assert SHARP.complete(Prompt(purpose=Purpose.SELECT, text=text, schema=Choice)).structured == Choice([0, 1])


def test_its_optimizer_keeps_the_lessons_of_what_got_worse() -> None:
    task = a_task(split=Split.TRAIN)
    worse = Compared(task=task.id, change=ResultChange.REGRESSED, before=a_rollout(1.0), after=a_rollout(0.0))
    guidance = slow_update(
        [worse],
        {task.id: task},
        Earlier(night="n", body="", nights=7),
        optimizer=an_optimizer(SHARP),
    )
    assert isinstance(guidance, Edit)
    assert guidance.content == RULE.strip()


@pytest.mark.parametrize("body", ["", "# Shop\n\n- Old."])
def test_its_optimizer_writes_texts_anew(body: str) -> None:
    lesson, optimizer = RULE.strip(), an_optimizer(SHARP, a_document(body))
    suggested = (an_edit("- It's brief."), an_edit(lesson))
    written = rewrite(suggested, optimizer=optimizer)
    full = rewrite_full(
        [a_rollout()],
        {"t1": a_task(split=Split.TRAIN)},
        optimizer=optimizer,
        measure=lambda score: score.soft,
        minibatch=4,
    )
    ((briefly,), (fully,)) = (done.patches[0].edits for done in (written, full))
    assert briefly.content.splitlines() == [*body.splitlines(), "- It's brief.", lesson]
    assert fully.content.splitlines() == [*body.splitlines(), lesson]
    assert (*written.notes, *full.notes) == ()


def test_what_only_a_model_that_thinks_could_answer_has_an_empty_answer_or_always_the_same() -> None:
    optimizer = an_optimizer(SHARP)
    task = a_task(split=Split.TRAIN, lesson="c")
    more = augment([task], each=2, optimizer=optimizer)
    same = Compared(task=task.id, change=ResultChange.REGRESSED, before=a_rollout(1.0), after=a_rollout(0.0))
    assert (more.tasks, more.notes) == ((), ())
    assert meta_skill([same], {task.id: task}, optimizer=optimizer) == "- Keep edits short."


def test_in_a_training_it_follows_the_system_text_and_learns_from_what_went_wrong() -> None:
    asked = ask(SHARP, "Add zod.")
    told = ask(SHARP, "Add zod.", system="# Skill\n- Use pnpm, never npm.")
    assert ("pnpm" in asked, "pnpm" in told) == (False, True)
    assert learned_from("Use pnpm, never npm.") == ["- Use pnpm, never npm."]
    assert learned_from("It did not do what was asked.") == []


def learned_from(why: str) -> list[str]:
    attempts = f"# Attempts\n## Attempt 1\n### Request\nAdd zod.\n### What went wrong\n{why}\n"
    reply = SHARP.complete(Prompt(purpose=Purpose.REFLECT, text=attempts)).text
    return [edit["content"] for edit in json.loads(reply)["edits"]]
