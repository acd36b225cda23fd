"""What a training paid for and what it used are two numbers, and what isn't known of them is said."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.records import Usage
from skillopt_sleep.trainer import load_config
from skillopt_sleep.trainer.attempts import Cost
from skillopt_sleep.trainer.extension import extension
from skillopt_sleep.trainer.fork import fork
from skillopt_sleep.trainer.run import Paid, read_spending
from skillopt_sleep.trainer.spent import cost, spent_line
from tests.command import Home
from tests.trainer.toy import TOY_ENV, Scripted, a_config, a_trainer

PAID = Paid(
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
    paid = replace(PAID, usage=Usage(input_tokens=known), unnamed=unnamed, tokens=4_321, usd=None)
    used = Cost(calls=3, input_tokens=0, unnamed=3, usd=None)
    assert f"29 calls, {said}, dollars unknown; 3 answers used" in spent_line(used, paid)
    assert cost(used) == "3 answers, tokens unknown, dollars unknown"
    assert cost(replace(used, input_tokens=7, unnamed=1)) == "3 answers, at least 7 tokens, dollars unknown"


@pytest.mark.slow
def test_a_fork_says_what_it_paid_itself_wherever_a_person_reads_it(tmp_path: Path) -> None:
    a_trainer(tmp_path / "one", config=a_config(train={"folder": "one"}, env=TOY_ENV)).train()
    forked = fork(tmp_path / "one", "two", ["train.epochs=3"], clock=utc_now)
    model = Scripted()
    summary = a_trainer(forked.folder, model, config=load_config(forked.config)).train()
    paid, used = len(model.prompts), summary.total.calls
    assert 0 < paid < used
    kept = read_spending(forked.folder)
    assert kept is not None
    assert kept.paid.calls == paid
    home = Home(tmp_path / "home")
    words = f"paid in this folder: {paid} calls"
    shown = home.command("runs", "show", str(forked.folder)).out
    assert words in shown
    assert f"; {used} answers used" in shown
    assert home.command("runs", "show", str(forked.folder), "--json").json["paid"]["calls"] == paid
    listed = home.command("runs", "list", str(tmp_path), "--json").json["runs"]
    assert [run["paid"]["calls"] for run in listed][-1] == paid
    home.command("runs", "plot", str(forked.folder))
    page = (forked.folder / "plot.html").read_text(encoding="utf-8")
    assert f"<p>P{words[1:]}" in page
    longer = extension(a_config(train={"epochs": 5}), forked.folder, per_epoch=2)
    assert longer is not None
    assert (longer.answers, longer.paid) == (used, paid)


def test_a_damaged_account_of_what_was_spent_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    a_trainer(tmp_path / "one").train()
    (tmp_path / "one" / "spend.json").write_text(json.dumps({"paid": 3}), encoding="utf-8")
    done = Home(tmp_path / "home").command("runs", "show", str(tmp_path / "one"))
    assert done.code == 2
    assert "--resume" in done.err
