import pytest

from skillopt_sleep.trainer.envs.worked import ending_of, is_worked


@pytest.mark.parametrize(
    ("answer", "ending", "worked"),
    [
        ("2*3=<<2*3=6>>6\n#### 6", "6", True),
        ("#### 1,200 \n", "1,200", True),
        ("step\n####-5", "-5", True),
        ("6", "6", False),
        ("#### Heading\nsome text", "#### Heading\nsome text", False),
        ("a #### 6", "a #### 6", False),
        ("####", "####", False),
    ],
)
def test_the_answer_stands_after_the_marks_of_the_last_line(answer: str, ending: str, *, worked: bool) -> None:
    assert (ending_of(answer), is_worked(answer)) == (ending, worked)
