import pytest

from skillopt_sleep.trainer.envs.choices import choice_of, is_mmlus
from skillopt_sleep.trainer.envs.reading import mmlu_columns


@pytest.mark.parametrize(
    ("question", "key", "asked", "choices", "right"),
    [
        ("Which melts? (A) ice (B) iron", "A", "Which melts?", ["ice", "iron"], 0),
        ("Which (see (A) below)? (1) a b (2) c (3) d", "3", "Which (see (A) below)?", ["a b", "c", "d"], 2),
        (
            "Two of (A) and (B) stand here. Which? (A) x (B) y",
            "B",
            "Two of (A) and (B) stand here. Which?",
            ["x", "y"],
            1,
        ),
    ],
)
def test_choices_are_found_where_they_are_marked(
    question: str, key: str, asked: str, choices: list[str], right: int
) -> None:
    found = choice_of({"question": question, "AnswerKey": key})
    assert (found.question, list(found.choices), found.right, found.right_first) == (asked, choices, right, False)


@pytest.mark.parametrize(
    ("question", "key", "said"),
    [
        ("Which melts?", "A", "no choices such as"),
        ("Which melts? (A) ice (C) iron", "A", "marked A, C, not in order"),
        ("Which melts? (A) ice (B) iron", "C", "'C' is none of the choices A, B"),
        ("Which melts? (A) ice (B) iron", "", "'AnswerKey'"),
    ],
)
def test_marks_that_are_not_clear_are_refused(question: str, key: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        choice_of({"question": question, "AnswerKey": key})


@pytest.mark.parametrize("targets", [{"choices": ["yes", "no"], "labels": [1, 0]}, {"yes": 1, "no": 0}])
def test_truthfulqas_marked_choices_have_one_that_is_right(targets: object) -> None:
    found = choice_of({"question": "Is it?", "mc1_targets": targets})
    assert (list(found.choices), found.right, found.right_first) == (["yes", "no"], 0, True)


def test_truthfulqas_table_may_name_a_wrong_answer_twice() -> None:
    found = choice_of({"Question": "Is it?", "Best Answer": "no", "Incorrect Answers": "yes; perhaps; yes;"})
    assert (list(found.choices), found.right, found.right_first) == (["no", "yes", "perhaps"], 0, True)


@pytest.mark.parametrize("targets", [{"a": 1, "b": 1}, {"a": 0}, {"choices": ["a", "b"], "labels": [1]}])
def test_marks_of_several_right_choices_are_refused(targets: object) -> None:
    with pytest.raises(ValueError, match="not one right choice"):
        choice_of({"question": "Is it?", "mc1_targets": targets})


@pytest.mark.parametrize(
    ("first", "columns"),
    [
        (["Which?", "x", "y", "z", "u", "B"], ["question", "A", "B", "C", "D", "answer"]),
        (["Which?", "x", "y", "B "], ["question", "A", "B", "answer"]),
        (["Which?", "x", "y", "b"], ["question", "A", "B", "answer"]),
        (["Which?", "x", "y", "C"], []),
        (["question", "A", "B", "C", "D", "answer"], []),
        (["id", "Question", "A", "B", "C"], []),
        (["Which?", "x", "A"], []),
        ([], []),
    ],
)
def test_a_line_that_ends_with_the_letter_of_a_choice_is_no_header(first: list[str], columns: list[str]) -> None:
    assert list(mmlu_columns(first)) == columns
    assert is_mmlus(dict.fromkeys(columns, "")) is bool(columns)


@pytest.mark.parametrize(
    ("choices", "answer", "right"),
    [
        (["ice", "iron"], "B", "iron"),
        (["ice", "iron"], 1, "iron"),
        (["ice", "iron"], "1", "iron"),
        (["ice", "iron"], "iron", "iron"),
        (["1", "2", "3"], 1, "2"),
        ([1, 2, 3], "B", "2"),
        (["A", "B", "C"], "B", "B"),
        (["B", "A", "C"], 0, "B"),
        ({"A": "ice", "B": "iron"}, "b)", "iron"),
        ({"label": ["1", "2"], "text": ["ice", "iron"]}, "2", "iron"),
    ],
)
def test_the_right_choice_is_named_by_its_letter_its_place_or_its_text(
    choices: object, answer: object, right: str
) -> None:
    found = choice_of({"question": "Which?", "choices": choices, "answer": answer})
    assert found.choices[found.right] == right


@pytest.mark.parametrize(
    ("choices", "answer", "said"),
    [
        (["1", "2", "3"], "1", "'1' may mean '1' or '2': write the letter of the right one"),
        ([1, 2, 3], 1, "'1' may mean '1' or '2': write the letter of the right one"),
        (["B", "A", "C"], "B", "'B' may mean 'B' or 'A': write the number of the right one, from 0"),
        (["ice", "iron", "iron"], "iron", "'iron' is none of the choices, or several"),
        (["ice", "iron"], "wood", "'wood' is none of the choices"),
        (["ice", "iron"], 5, "'5' is none of the choices"),
        (["ice"], "A", "two to 26 'choices'"),
        (5, "A", "two to 26 'choices'"),
    ],
)
def test_an_answer_that_names_no_choice_or_two_is_refused(choices: object, answer: object, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        choice_of({"question": "Which?", "choices": choices, "answer": answer})
