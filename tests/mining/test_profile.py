from skillopt_sleep.mining.profile import profile_of
from skillopt_sleep.records import Evidence, Rubric
from tests.builders import a_task, some_checks


def said(quote: str) -> tuple[Evidence, ...]:
    return (Evidence(session="s", turn=2, quote=quote),)


def test_equal_words_give_equal_profiles_in_any_case_and_spacing() -> None:
    one = a_task(prompt="Write  it", evidence=said("use PNPM"), wording="Use pnpm.")
    other = a_task(prompt="write it", evidence=said("use pnpm"), wording="use  pnpm")
    assert profile_of(one) == profile_of(other)


def test_a_rubric_says_what_is_wanted_if_the_correction_does_not() -> None:
    words = said("no, wrong")
    assert not profile_of(a_task(evidence=words, reference=Rubric(text="They said: no, wrong"))).has_wish
    assert profile_of(a_task(evidence=words, reference=Rubric(text="It uses snake_case."))).has_wish


def test_a_wish_is_looked_up_by_its_words_and_checks_and_the_rest_by_its_request() -> None:
    wish = profile_of(a_task(evidence=said("use pnpm"), reference=some_checks("pnpm"), wording="Use pnpm"))
    assert {"pnpm", "contains pnpm", "# use pnpm"} <= wish.keys
    vague = profile_of(a_task(prompt="describe the parser", evidence=said("no, wrong"), reference=Rubric(text="x")))
    assert any(key.startswith("? ") for key in vague.keys)
