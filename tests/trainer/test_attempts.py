import pickle
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from skillopt_sleep.errors import BudgetExhausted, CallFailed, ConfigError, FailureKind, ItemError, blamed
from skillopt_sleep.pools.threads import ThreadPool
from skillopt_sleep.prompts.attempts import RESPONSE_CHARS as SHOWN_CHARS
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.records import Purpose, Usage
from skillopt_sleep.trainer import Item, Result
from skillopt_sleep.trainer.attempts import Attempt, Attempts, Job, clipped, shown
from skillopt_sleep.trainer.costs import Cost, StageCosts
from tests.fakes import FakeBackend, SerialPool
from tests.trainer.toy import Toy

ITEM = Item(id="i", text="request 1 for alpha", data={"word": "alpha"})
JOB = Job(ITEM, "# S", "sha", 0, "val")


class Raising(Toy, frozen=True):
    """An environment whose attempts raise the given error."""

    end: Exception | Result = Result()

    def rollout_one(self, item: Item, skill: str, target: Backend, *, sample: int) -> Result:
        if isinstance(self.end, Exception):
            raise self.end
        return self.end


@pytest.mark.parametrize(
    ("end", "failure"),
    [
        (CallFailed(FailureKind.REFUSED, "not this"), "refused: not this"),
        (ItemError("the file is gone"), "the file is gone"),
        (Result(hard=1.5), "hard 1.5"),
        (Result(soft=float("nan")), "soft nan"),
        (Result(failure="no answer"), "no answer"),
    ],
)
def test_an_ungraded_attempt_is_a_failure_and_never_a_score(end: Exception | Result, failure: str) -> None:
    made = Attempt(Raising(end=end), FakeBackend())(JOB)
    assert made.rollout.score is None
    assert made.rollout.failed
    assert failure in made.rollout.note


def test_what_ends_the_run_ends_it() -> None:
    with pytest.raises(BudgetExhausted):
        Attempt(Raising(end=BudgetExhausted("no more")), FakeBackend())(JOB)


def test_an_item_in_the_same_words_and_another_try_are_other_questions() -> None:
    backend = FakeBackend({Purpose.ROLLOUT: "alpha"})
    attempt = Attempt(Toy(), backend)
    twin = JOB._replace(item=Item(id="j", text=ITEM.text, data=ITEM.data))
    for job in (JOB, JOB, twin, JOB._replace(sample=1)):
        attempt(job)
    assert [prompt.asker for prompt in backend.prompts] == ["i#0", "i#0", "j#0", "i#1"]


def test_an_attempt_is_made_once_until_it_is_forgotten_and_counted_by_stage() -> None:
    backend = FakeBackend({Purpose.ROLLOUT: "alpha"}, usage=Usage(input_tokens=3, output_tokens=1))
    spent = StageCosts()
    attempts = Attempts(Attempt(Toy(), backend), SerialPool(), spent)
    first = attempts.make([JOB, JOB], label="val")
    assert first[0] is first[1]
    assert attempts.known([JOB])
    attempts.make([JOB], label="val")
    assert len(backend.prompts) == 1
    attempts.forget([JOB])
    attempts.make([JOB._replace(stage="test"), JOB._replace(sample=1)], label="test")
    assert len(backend.prompts) == 3
    costs = spent.by_stage()
    assert {stage: (cost.calls, cost.input_tokens) for stage, cost in costs.items()} == {
        "test": (1, 3),
        "val": (2, 6),
    }
    assert costs["val"].usd is None


def test_sums_do_not_depend_on_the_order_of_the_calls() -> None:
    def dollars(values: list[float]) -> float | None:
        spent = StageCosts()
        spent.add("s", _taken(values))
        return spent.by_stage()["s"].usd

    values = [0.1, 1e9, 0.2, -1e9, 0.3, 1e-9] * 7
    assert dollars(values) == dollars(values[::-1]) == dollars(sorted(values))


def test_what_a_worker_needs_travels() -> None:
    assert copied(JOB) == JOB
    made = Attempt(Toy(), FakeBackend({Purpose.ROLLOUT: "alpha"}))(JOB)
    assert copied(made) == made


def copied(value: object) -> object:
    return pickle.loads(pickle.dumps(value))  # noqa: S301 - our own


def _taken(values: list[float]) -> Iterator[Cost]:
    return (Cost(usd=value) for value in values)


def test_an_invalid_result_ends_everything_and_names_the_item() -> None:
    given: Any = 0.5
    with pytest.raises(ConfigError, match="environment toy, item 'i': rollout_one returned a float"):
        Attempt(Raising(end=given), FakeBackend())(JOB)


def test_what_an_attempt_raises_says_at_which_item() -> None:
    with pytest.raises(KeyError) as raised:
        Attempt(Raising(end=KeyError("gold")), FakeBackend())(JOB)
    assert blamed(raised.value).startswith("environment toy, item 'i' (test_attempts.py, line ")


class Leaving(Toy, frozen=True):
    """An environment that ends the program."""

    def rollout_one(self, item: Item, skill: str, target: Backend, *, sample: int) -> Result:
        sys.exit(3)


def test_an_environment_that_ends_the_program_is_named_and_is_no_stop_of_the_users() -> None:
    attempt = Attempt(Leaving(), FakeBackend())
    with pytest.raises(ConfigError, match=r"environment toy, item 'i': it ended the program \(sys.exit\(3\)\)"):
        ThreadPool(2, lambda label, done, total: None).map(attempt, [JOB, JOB], label="train")
    with pytest.raises(SystemExit):
        attempt(JOB)


def test_long_attempts_show_their_head_and_tail() -> None:
    turns = tuple(f"turn {n} " + "x" * 2000 for n in range(20))
    text = shown(Result(response="the end", turns=turns))
    assert len(text) <= SHOWN_CHARS
    assert text.startswith("turn 0")
    assert text.endswith("Final answer: the end")
    assert shown(Result(response="only this")) == "only this"
    assert clipped("short", 100) == "short"
