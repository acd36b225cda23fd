import pytest
from hypothesis import given, strategies as st

from skillopt_sleep.trainer.scorers import (
    anls,
    chosen,
    equal_numbers,
    exact_match,
    final_answer,
    is_number,
    normalized,
    same_numbers,
    token_f1,
)

CHOICES = {"A": "a dog", "B": "two cats", "C": "A"}


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("I think so.\n<answer>Paris</answer>", "Paris"),
        ("<answer>Rome</answer> no, wait: <ANSWER> Paris </ANSWER> for sure.", "Paris"),
        ("It is\n<answer>Paris", "Paris"),
        ("<answer>Rome\n<answer>Paris</answer>", "Paris"),
        ("<answer></answer>", ""),
        ("First this.\n\nParis\n\n", "Paris"),
        ("", ""),
        ("<answer>two\nlines</answer>", "two\nlines"),
    ],
)
def test_the_last_tag_or_else_the_last_line_is_the_answer(reply: str, answer: str) -> None:
    assert final_answer(reply) == answer


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("The  Cat's pyjamas!", "cats pyjamas"),
        ("An apple a day", "apple day"),
        ("a.b", "ab"),
        ("theory", "theory"),
        ("U.S.A.", "usa"),
        ("the", ""),
        ("«The» cat", "« » cat"),
    ],
)
def test_text_is_normalized_as_squad_does_it(text: str, plain: str) -> None:
    assert normalized(text) == plain


@pytest.mark.parametrize(
    ("answer", "accepted", "grade"),
    [
        ("The Eiffel Tower.", ["eiffel tower"], 1),
        ("Eiffel Tower in Paris", ["eiffel tower"], 0),
        ("I do not know", ["no"], 0),
        ("1999", ["19"], 0),
        ("b", ["a", "b"], 1),
        ("", [""], 1),
        ("anything", [""], 0),
        ("anything", [], 0),
    ],
)
def test_exact_match_is_equality_of_normalized_texts(answer: str, accepted: list[str], grade: float) -> None:
    assert exact_match(answer, accepted) == grade


@pytest.mark.parametrize(
    ("answer", "accepted", "grade"),
    [
        ("the cat sat", ["cat sat down"], 2 * 2 / (2 + 3)),
        ("cat cat cat", ["cat"], 2 * 1 / (3 + 1)),
        ("cat cat", ["cat cat mat"], 2 * 2 / (2 + 3)),
        ("dog", ["cat"], 0),
        ("dog", ["big dog", "dog"], 1),
        ("", [""], 1),
        ("", ["cat"], 0),
        ("cat", [""], 0),
    ],
)
def test_f1_counts_a_word_as_often_as_both_have_it(answer: str, accepted: list[str], grade: float) -> None:
    assert token_f1(answer, accepted) == pytest.approx(grade)


@pytest.mark.parametrize(
    ("answer", "accepted", "grade"),
    [
        ("R. Halvorsen", ["r.  halvorsen"], 1),
        ("kitten", ["sitting"], 1 - 3 / 7),
        ("ab", ["ax"], 0.5),  # half alike is enough, as in DocVQA's own script
        ("abc", ["axy"], 0),  # a third alike is not
        ("$ 87.45", ["$87.45", "87.45"], 1 - 1 / 7),
        ("", ["x"], 0),
        ("x", [], 0),
    ],
)
def test_anls_is_the_edit_similarity_from_the_threshold_on(answer: str, accepted: list[str], grade: float) -> None:
    assert anls(answer, accepted) == pytest.approx(grade)


@pytest.mark.parametrize(
    ("answer", "label"),
    [
        ("B", "B"),
        ("(b)", "B"),
        ("B) two cats", "B"),
        ("**B**", "B"),
        ("The answer is B.", "B"),
        ("answer: (B)", "B"),
        ("option b", "B"),
        ("two cats", "B"),
        ("A dog", "A"),
        ("A", "A"),  # the letter, though a choice reads the same
        ("E", ""),
        ("B or C", ""),
        ("a matter of taste", ""),
        ("", ""),
    ],
)
def test_a_choice_is_named_by_its_label_or_by_its_text(answer: str, label: str) -> None:
    assert chosen(answer, CHOICES) == label


@pytest.mark.parametrize(
    ("answer", "wanted", "same"),
    [
        ("301,250 t", "301250", True),
        ("1.5", "15", False),
        ("1.50", "1.5", True),
        ("none", "no", True),
        ("2, 3", "23", False),
    ],
)
def test_numbers_are_compared_as_numbers(answer: str, wanted: str, *, same: bool) -> None:
    assert same_numbers(answer, wanted) is same


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [
        ("1,000", "1000"),
        ("1000.00", "1,000"),
        ("$1,000", "1000"),
        ("1 000 €", "1000"),
        ("US$1000", "1000"),
        ("50%", "50"),
        ("15 km", "15"),
        ("15 m^2", "15"),
        ("5 dollars each", "5"),
        ("The answer is $15.", "15"),
        ("x = -4", "-4"),
        ("\u22124", "-4"),
        ("-$4", "-4"),
        ("\\boxed{15}", "15"),
        ("**15**", "15"),
        ("1/2", "0.5"),
        (".5", "0.5"),
        ("$.50", "1/2"),
        ("2 1/2 hours", "2.5"),
        ("15 thousand", "15000"),
        ("5 dozen", "5"),
        ("1e3", "1000"),
        ("12k", "12000"),
        ("The answer is 5!", "5"),
    ],
)
def test_a_number_is_the_same_however_it_is_written(answer: str, wanted: str) -> None:
    assert equal_numbers(answer, wanted)


@pytest.mark.parametrize(
    "answer",
    [
        *("18 or 19", "15:30", "3:4", "", "fifteen", "1.000,50", "1,00", "not 15", "1/0", "--15", "1" * 5_000),
        *("10^2", "5²", "5 ³", "3π", "3 pi", "5!", "4 squared", "2 cubed", "3√2", "10^{2}", "7 choose 2"),
    ],
)
def test_what_is_not_one_number_equals_none(answer: str) -> None:
    assert not is_number(answer)
    assert not equal_numbers(answer, answer)


@pytest.mark.parametrize(
    ("answer", "wanted"), [("15", "-15"), ("1.5", "15"), ("0.5", "50"), ("33.33", "33.3"), ("12k", "12")]
)
def test_other_numbers_are_not_the_same(answer: str, wanted: str) -> None:
    assert not equal_numbers(answer, wanted)


@given(st.text(), st.lists(st.text(), min_size=1))
def test_every_grade_is_between_0_and_1_and_an_accepted_answer_gets_all(answer: str, accepted: list[str]) -> None:
    for scorer in (exact_match, token_f1, anls):
        assert 0 <= scorer(answer, accepted) <= 1
        assert scorer(accepted[0], accepted) == 1
