"""What a training paid for and what it used are two numbers, and what isn't known of them is said."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from skillopt_sleep.protocols.models import SpendTally
from skillopt_sleep.records import Completion, Prompt, Usage
from skillopt_sleep.trainer.costs import Cost, spent_line, used_words
from skillopt_sleep.trainer.run import read_paid
from skillopt_sleep.trainer.runs import read
from tests.command import Home
from tests.trainer.toy import TOY_ENV, Scripted, a_config, a_trainer

PAID = SpendTally(
    purposes={"rollout": 20, "reflect": 9},
    usage=Usage(input_tokens=900, output_tokens=100),
    usd=0.0125,
    tokens=1_000,
)
USED = Cost(calls=446, input_tokens=90_000, output_tokens=10_000, usd=1.5)


def test_what_was_paid_and_what_was_used_are_both_said() -> None:
    line = spent_line(USED, PAID)
    assert line == "paid in this folder: 29 calls, 1,000 tokens, $0.0125; 446 answers used"
    assert spent_line(USED, None) == "used: 446 answers, 100,000 tokens, $1.5000"


@pytest.mark.parametrize(
    ("known", "unnamed", "said"),
    [
        (0, 29, "tokens unknown (a limit counts an estimate of 4,321)"),
        (1_000, 3, "at least 1,000 tokens (a limit counts an estimate of 4,321)"),
        (1_000, 0, "1,000 tokens"),
    ],
)
def test_tokens_that_are_not_known_are_no_number(known: int, unnamed: int, said: str) -> None:
    paid = PAID._replace(usage=Usage(input_tokens=known), unnamed=unnamed, tokens=4_321, usd=None)
    used = Cost(calls=3, input_tokens=0, unnamed=3, usd=None)
    assert f"29 calls, {said}, dollars unknown; 3 answers used" in spent_line(used, paid)
    assert used_words(used) == "3 answers, tokens unknown, dollars unknown"
    assert used_words(replace(used, input_tokens=7, unnamed=1)) == "3 answers, at least 7 tokens, dollars unknown"


@pytest.mark.slow
def test_a_training_beside_another_says_what_it_paid_itself_wherever_a_person_reads_it(tmp_path: Path) -> None:
    a_trainer(tmp_path / "one", config=a_config(train={"folder": "one"}, env=TOY_ENV)).train()
    model, folder = Scripted(), tmp_path / "two"
    config = a_config(train={"folder": "two", "epochs": 3}, env=TOY_ENV)
    summary = a_trainer(folder, model, config=config).train()
    paid, used = len(model.prompts), summary.total.calls
    assert 0 < paid < used
    kept = read_paid(folder)
    assert kept is not None
    assert kept.calls == paid
    home = Home(tmp_path / "home")
    words = f"paid in this folder: {paid} calls"
    shown = home.command("train", "show", str(folder)).out
    assert words in shown
    assert f"; {used} answers used" in shown
    assert home.command("train", "show", str(folder), "--json").json["paid"]["calls"] == paid
    listed = home.command("train", "list", str(tmp_path), "--json").json["runs"]
    assert paid in [run["paid"]["calls"] for run in listed]
    home.command("train", "plot", str(folder))
    assert f"<p>P{words[1:]}" in (folder / "plot.html").read_text(encoding="utf-8")


def test_a_damaged_account_of_what_was_paid_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    a_trainer(tmp_path / "one").train()
    (tmp_path / "one" / "calls.db").write_bytes(b"no database" * 100)
    done = Home(tmp_path / "home").command("train", "show", str(tmp_path / "one"))
    assert done.code == 2
    assert "calls.db" in done.err
    assert "train in another folder" in done.err


def test_a_price_that_is_not_known_is_not_told_as_no_dollars(tmp_path: Path) -> None:
    class Unpriced(Scripted):
        def complete(self, prompt: Prompt) -> Completion:
            return replace(super().complete(prompt), usd=None)

    a_trainer(tmp_path, Unpriced()).train()
    paid = read(tmp_path).row()["paid"]
    assert (paid["usd"], paid["dollars"]) == (None, None)
    assert paid["calls"] > 0


def test_what_a_run_paid_is_known_while_it_runs(tmp_path: Path) -> None:
    calls: list[int] = []

    def look(_prompt: Prompt, number: int) -> None:
        paid = read_paid(tmp_path)
        if paid is not None and number in {1, 40}:
            calls.append(paid.calls)

    a_trainer(tmp_path, Scripted(look)).train()
    first, later = calls
    assert first < 20 < later
