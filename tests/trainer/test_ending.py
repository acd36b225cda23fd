"""What ended a run is kept with what it spent, and is no longer said of it once it goes on."""

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from skillopt_sleep.errors import BudgetExhausted
from skillopt_sleep.records import Completion, Prompt
from skillopt_sleep.trainer.run import Spending, read_spending
from skillopt_sleep.trainer.spending import reason
from tests.trainer.toy import Scripted, a_trainer

SECRET = "sk-ant-api03-" + "Zx9" * 30


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (BudgetExhausted("the limit of 40 calls is reached"), "the limit of 40 calls is reached"),
        (KeyboardInterrupt(), "it was stopped"),
        (SystemExit(3), "it was stopped"),
        (KeyError("gold"), "it failed with KeyError: 'gold'"),
    ],
)
def test_what_ended_a_run_is_said_in_words(error: BaseException, said: str) -> None:
    assert reason(error) == said


@pytest.mark.parametrize("error", [ValueError(SECRET), BudgetExhausted(SECRET)])
def test_no_secret_is_said_of_what_ended_a_run(error: Exception) -> None:
    assert SECRET not in reason(error)


def _ended(folder: Path) -> str:
    spending = read_spending(folder)
    assert spending is not None
    return spending.ended


def _failing(at: int, error: BaseException) -> Callable[[Prompt, int], None]:
    def stop(_prompt: Prompt, number: int) -> None:
        if number == at:
            raise error

    return stop


def test_a_run_that_goes_on_no_longer_says_what_ended_it_before(tmp_path: Path) -> None:
    with pytest.raises(KeyError):
        a_trainer(tmp_path, Scripted(_failing(20, KeyError("gold")))).train()
    assert _ended(tmp_path) == "it failed with KeyError: 'gold'"
    before = read_spending(tmp_path)
    during: list[str] = []
    seen = Scripted(lambda _prompt, _number: during.append(_ended(tmp_path)))
    a_trainer(tmp_path, seen).train()
    after = read_spending(tmp_path)
    assert set(during) == {""}
    assert _ended(tmp_path) == ""
    assert before is not None
    assert after is not None
    assert 0 < before.paid.calls < after.paid.calls


def test_a_price_that_is_not_known_is_not_kept_as_no_dollars(tmp_path: Path) -> None:
    class Unpriced(Scripted):
        def complete(self, prompt: Prompt) -> Completion:
            return replace(super().complete(prompt), usd=None)

    a_trainer(tmp_path, Unpriced()).train()
    spending = read_spending(tmp_path)
    assert spending is not None
    assert (spending.paid.usd, spending.paid.dollars) == (None, None)
    assert spending.paid.calls > 0


def test_what_a_run_paid_and_took_is_kept_while_it_runs(tmp_path: Path) -> None:
    kept: list[Spending | None] = []

    def look(_prompt: Prompt, number: int) -> None:
        if number in {1, 40}:
            kept.append(read_spending(tmp_path))

    a_trainer(tmp_path, Scripted(look)).train()
    first, later = kept
    assert first is not None
    assert first.paid.calls == 0
    assert later is not None
    assert later.paid.calls > 20
