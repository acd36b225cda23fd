from msgspec.structs import replace

from skillopt_sleep.cli.train_plan import plan_lines
from skillopt_sleep.trainer.extension import Extension
from skillopt_sleep.trainer.plan import plan
from tests.trainer.toy import Scripted, Toy, a_config

MADE = plan(a_config(), Toy(), optimizer=Scripted(), target=Scripted())


def test_a_plan_of_a_new_training_says_nothing_of_another() -> None:
    assert "goes on" not in "\n".join(plan_lines(MADE))


def test_a_plan_of_more_epochs_says_what_they_take() -> None:
    extends = Extension(folder="run", before=2, epochs=4, answers=402)
    assert "from 2 to 4 epochs" in plan_lines(replace(MADE, extends=extends, added=1_390))[-2]
