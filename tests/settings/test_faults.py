import tomllib

import pytest

from skillopt_sleep.settings import ProjectSettings, Settings
from skillopt_sleep.settings.faults import faults, line_numbers, refused

TEXT = '''# head
top = 1
[budget]
calls = """
[gate]
call = 2
"""
minutes = 0

[ harvest ]
lookback = "soon"
"sources" = ["cursor"]
'''


def found(text: str) -> dict[str, str]:
    return {fault.key: f"{fault.message} → {fault.remedy}" for fault in faults(tomllib.loads(text), Settings)}


def test_every_mistake_is_found_not_only_the_first() -> None:
    assert set(found(TEXT)) == {"top", "budget.calls", "budget.minutes", "harvest.lookback", "harvest.sources"}


def test_lines_are_those_of_the_file_whatever_a_text_of_several_lines_holds() -> None:
    lines = line_numbers(TEXT)
    assert (lines["top"], lines["budget.calls"], lines["budget.minutes"]) == (2, 4, 8)
    assert (lines["harvest.lookback"], lines["harvest.sources"]) == (11, 12)
    assert "gate.call" not in lines


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[budget]\ncalls = 0", "budget.calls must be a whole number, 1 or more, not 0 → such as: calls = 300"),
        ("[budget]\nusd = 'a'", "a number, 0 or more"),
        ("[gate]\nalpha = 2", "a number above 0 to 0.5"),
        ("[replay]\nsealed = 1", "true or false"),
        ("[daemon]\nat = '4:17'", 'a time of day in quotes, as in "04:17"'),
        ("[harvest]\nlookback = '10'", "a length of time in quotes"),
        ("[harvest]\nsources = 'codex'", "a list"),
        ("[backend]\nmodel = 3", "a text in quotes"),
        ("[gate]\nmetric = 'vibes'", "one of: hard, soft, mixed"),
        ("prices = { m = 3 }", 'such as: prices = { "name" = [0.20, 0.60] }'),
        ("[prices]\nm = [inf, 1.0]", "isn't a finite number"),
        ("[budget]\ncall = 3", "did you mean 'budget.calls'?"),
        ("[gate]\nedit_budget = 2", "unknown key 'gate.edit_budget' → did you mean 'step.edit_budget'?"),
        ("budget = 3", "write [budget]"),
    ],
)
def test_what_a_key_takes_is_said_in_words_with_an_example(text: str, words: str) -> None:
    (told,) = found(text).values()
    assert words in told


def test_one_mistake_is_one_line_and_several_are_a_list() -> None:
    some = list(faults(tomllib.loads("enable = 1\nexclud = 2\n"), ProjectSettings))
    one = refused(some[:1], where="project.toml", lines={"enable": 1})
    assert one.message.startswith("project.toml:1: unknown key 'enable'")
    assert one.remedy == "did you mean 'enabled'?"
    both = refused(some, where="project.toml", lines={"enable": 1, "exclud": 2})
    assert both.message.splitlines()[2].startswith("project.toml:2: ")


def test_a_value_from_elsewhere_is_not_blamed_on_the_file() -> None:
    (fault,) = faults({"budget": {"calls": 0}}, Settings)
    told = refused([fault], where="config.toml", origin={"budget.calls": "the command line"})
    assert told.message.startswith("the command line: ")
