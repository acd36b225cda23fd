from skillopt_sleep.records import JudgeReading
from skillopt_sleep.reporters.judging import judge_in_words


def test_a_judge_that_was_right_is_told_in_numbers() -> None:
    assert judge_in_words(JudgeReading(right=16, n=16)) == (
        "We gave the judge 16 answers whose grade we know; it got 16 right."
    )


def test_a_judge_that_decides_nothing_says_why() -> None:
    assert judge_in_words(JudgeReading(because="it pays for length")).endswith("tonight: it pays for length.")
    said = judge_in_words(JudgeReading(right=9, n=16, because="no better than a coin"))
    assert "it got 9 right" in said
    assert "decides nothing tonight: no better than a coin." in said


def test_what_waits_for_another_judge_is_counted() -> None:
    failed = JudgeReading(right=8, n=16, because="no better than a coin", untried=3)
    assert judge_in_words(failed).endswith(
        "no better than a coin; left for another night: 3 requests that only it can grade."
    )
