from msgspec.structs import replace

from skillopt_sleep.cli.train_plan import extension_lines, plan_lines
from skillopt_sleep.trainer.extension import Extension
from skillopt_sleep.trainer.plan import plan
from tests.trainer.toy import Scripted, Toy, a_config

MADE = plan(a_config(), Toy(), optimizer=Scripted(), target=Scripted())
EXTENDS = Extension(folder="run", before=2, epochs=4, answers=402, paid=29)


def test_a_plan_of_a_new_training_says_nothing_of_another() -> None:
    assert extension_lines(MADE) == []
    assert "goes on" not in "\n".join(plan_lines(MADE))


def test_an_extension_that_pays_nothing_again_says_so() -> None:
    lines = plan_lines(replace(MADE, extends=EXTENDS, added=1_390))
    assert (
        "from 2 to 4 epochs: at most 1,390 new calls, after 402 answers so far, 29 calls paid in this run."
        in lines[-2]
    )
    assert "None" in lines[-1]
    unknown = extension_lines(replace(MADE, extends=replace(EXTENDS, paid=None), added=1))
    assert unknown[0].endswith("at most 1 new calls, after 402 answers so far.")


def test_an_extension_that_pays_again_says_how_much_why_and_what_keeps_it() -> None:
    extends = replace(EXTENDS, again=212, usd=0.5, why="step 3 may apply 4 instead of 2 edits", kept_by=2)
    last = extension_lines(replace(MADE, extends=extends))[-1]
    for words in ("212", "$0.50", "step 3 may apply 4 instead of 2 edits", "optimizer.horizon = 2"):
        assert words in last
    assert "$" not in extension_lines(replace(MADE, extends=replace(extends, usd=None)))[-1]


def test_a_run_that_ended_early_is_said_to_end_there_again() -> None:
    lines = extension_lines(replace(MADE, extends=replace(EXTENDS, stopped="no new best in 4 steps")))
    assert "no new best in 4 steps" in lines[-1]
