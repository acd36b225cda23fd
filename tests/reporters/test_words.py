"""Every short name has plain words, and a model without a price is named with the command that sets one."""

import pytest

from skillopt_sleep.records import Check, Checks, Exact, Op, Purpose, Rubric, Split
from skillopt_sleep.reporters.words import PURPOSES, SPLITS, USES, purpose_words, scored_by, stage_words, unpriced


def test_every_purpose_and_every_split_has_words() -> None:
    assert set(PURPOSES) == set(Purpose)
    assert len(set(PURPOSES.values())) == len(Purpose)
    assert set(SPLITS) == set(USES) == set(Split)


@pytest.mark.parametrize(
    ("label", "words"),
    [
        ("rollout shop-api/CLAUDE.md", "attempts: shop-api/CLAUDE.md"),
        ("mine", "finding corrections"),
        ("grade trial shop-api/CLAUDE.md", "grading, trying edits: shop-api/CLAUDE.md"),
        ("look back shop-api/CLAUDE.md", "look back shop-api/CLAUDE.md"),
    ],
)
def test_a_stage_is_told_in_words_and_an_unknown_one_as_it_is(label: str, words: str) -> None:
    assert stage_words(label) == words
    assert purpose_words("of another version") == "of another version"


@pytest.mark.parametrize("model", ["m-1", "openai:m-1", "openai:m-1@http://127.0.0.1:8000/v1"])
def test_models_without_a_price_are_named_once_with_the_command_that_sets_one(model: str) -> None:
    said = unpriced([model, model], ())
    assert said.count(model) == 1 + (model == "m-1")
    assert "config set prices.m-1 " in said


def test_stages_of_a_night_are_said_in_words_that_nobody_has_to_be_told() -> None:
    assert stage_words("fresh round shop-api/CLAUDE.md") == "asking once more: shop-api/CLAUDE.md"
    assert stage_words("grade known answers") == "grading, answers that test the judge"


def test_no_price_is_asked_for_where_a_program_chose_the_model() -> None:
    assert unpriced(["claude", "codex@http://127.0.0.1:9"], ()) == (
        "No price was known for claude, codex@http://127.0.0.1:9."
    )
    assert "prices.gpt-5.5 " in unpriced(["codex", "codex:gpt-5.5"], ())


@pytest.mark.parametrize("op", Op)
def test_every_check_is_described_with_its_operand(op: Op) -> None:
    (demand,) = scored_by(Checks(items=(Check(op=op, arg="7", section="Notes"),)))
    assert demand
    assert ("7" in demand) == (op not in {Op.JSON_VALID, Op.NO_REFUSAL})
    assert ("Notes" in demand) == (op is Op.SECTION_CONTAINS)


def test_an_exact_answer_and_a_rubric_are_told() -> None:
    assert "«pnpm»" in scored_by(Exact(answer="pnpm"))[0]
    assert "one line" in scored_by(Rubric(text="one line"))[0]
