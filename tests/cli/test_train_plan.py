import re

from msgspec.structs import replace

from skillopt_sleep.cli.train_shown import plan_lines
from skillopt_sleep.trainer.plan import plan
from tests.trainer.toy import Scripted, Toy, a_config

MADE = plan(a_config(), Toy(), optimizer=Scripted(), target=Scripted())


def test_one_call_is_a_call() -> None:
    one = replace(MADE.stages[0], calls=1)
    shown = "\n".join(plan_lines(replace(MADE, stages=(one,))))
    assert re.search(r" 1 call +about", shown)
