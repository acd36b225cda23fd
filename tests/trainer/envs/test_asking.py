import pytest

from skillopt_sleep.errors import CallFailed, FailureKind
from skillopt_sleep.records import Purpose
from skillopt_sleep.trainer.envs.asking import ask, with_source
from tests.fakes import FakeBackend


def test_what_changes_least_stands_first() -> None:
    target = FakeBackend({Purpose.ROLLOUT: "done"})
    assert ask(target, "Why?", skill="Be short.", form="Say it.", sample=3) == "done"
    [prompt] = target.prompts
    places = [prompt.text.index(part) for part in ("Be short.", "Say it.", "\n# Request\nWhy?")]
    assert places == sorted(places)
    assert prompt.sample == 3


def test_no_skill_is_said() -> None:
    target = FakeBackend({Purpose.ROLLOUT: "done"})
    ask(target, "Why?", skill="\n", form="Say it.", sample=0)
    assert "# Skill\n(none)\n" in target.prompts[0].text


def test_an_outage_is_raised() -> None:
    target = FakeBackend({Purpose.ROLLOUT: CallFailed(FailureKind.OVERLOADED, "too busy")})
    with pytest.raises(CallFailed):
        ask(target, "Why?", skill="", form="", sample=0)


def test_a_missing_tag_is_told_of_where_the_answer_was_wrong() -> None:
    assert with_source("it is wrong", "<answer>x</answer>") == "it is wrong"
    assert "last line was taken: 'x'" in with_source("it is wrong", "so\nx")
    assert with_source("", "x") == ""
