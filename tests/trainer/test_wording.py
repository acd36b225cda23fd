import re
from pathlib import Path

import pytest

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.prompts import slots, template
from skillopt_sleep.records import Purpose
from skillopt_sleep.trainer.wording import NAMES, SHOWN, check_overrides, left_out, wording, words
from tests.trainer.toy import Scripted, Toy, a_trainer


@pytest.mark.parametrize("name", NAMES)
def test_a_training_says_nothing_of_nights_and_coding(name: str) -> None:
    said = words(name)
    assert not re.search(r"night|coding|project|person|house rules", slots_out(said), re.IGNORECASE), said
    assert slots(said) <= slots(template(name)) | {"task"}
    assert "{{task}}" in said


def slots_out(text: str) -> str:
    return re.sub(r"\{\{\w+\}\}", "", text)


def test_a_users_words_stand_around_the_same_values(tmp_path: Path) -> None:
    model = Scripted()
    own = "Pick {{budget}} of these.\n{{edits}}"
    a_trainer(tmp_path, model, prompt_overrides={"select": own}).train()
    asked = [prompt.text for prompt in model.prompts if prompt.purpose is Purpose.SELECT]
    assert asked
    assert all(text.startswith("Pick 1 of these.\n```") for text in asked)


@pytest.mark.parametrize(
    ("overrides", "said", "remedy"),
    [
        ({"selct": "x"}, "selct", "select"),
        ({"analyst_error": "x"}, "analyst_error", "it is called 'reflect' here"),
        ({"ranking": "x"}, "ranking", "it is called 'select' here"),
        ({"select": "{{edit}}"}, "{{edit}}", "edits"),
        ({"reflect": "Write better rules."}, "would not show the optimizer {{trajectories}}", "{{trajectories}}"),
        (
            {"reflect": "Learn from {{attempts}}."},
            "would not show the optimizer {{trajectories}}",
            "{{trajectories}}",
        ),
        ({"select": "Pick {{budget}}."}, "would not show the optimizer {{edits}}", "{{edits}}"),
        ({"select": 3}, "not a text", "text"),
    ],
)
def test_an_unknown_prompt_or_slot_is_refused(overrides: dict[str, str], said: str, remedy: str) -> None:
    with pytest.raises(ConfigError) as refused:
        check_overrides(overrides)
    assert said in refused.value.message
    assert remedy in refused.value.remedy


def test_the_optimizer_is_told_of_the_task_and_how_it_is_graded(tmp_path: Path) -> None:
    class Shop(Toy, frozen=True):
        task = "The items are orders."

    model = Scripted()
    a_trainer(tmp_path, model, env=Shop()).train()
    asked = [prompt.text for prompt in model.prompts if prompt.purpose is Purpose.REFLECT]
    assert all("The items are orders.\nAn item counts as right or wrong" in text for text in asked)
    assert not any("{{task}}" in prompt.text for prompt in model.prompts)


def test_a_prompt_that_only_a_night_asks_keeps_its_words() -> None:
    assert wording({})("augment") == template("augment")


def test_what_a_prompt_of_ones_own_leaves_out_is_said_before_anything_is_spent(tmp_path: Path) -> None:
    whole = {"select": words("select")}
    assert list(left_out(whole)) == []
    own = {"select": "Choose of these.\n{{edits}}"}
    [said] = left_out(own)
    assert said.startswith("the prompt select has no slot {{budget}}")
    with pytest.warns(UserWarning, match="the prompt select has no slot"):
        a_trainer(tmp_path, prompt_overrides=own, wired=False).train()


PAGE = Path(__file__).parents[2] / "docs" / "trainer" / "environments.md"
ROW = re.compile(r"^\| `(\w+)` \| (`\{\{\w+\}\}`) \| (.*) \|$", re.MULTILINE)


def test_the_prompts_and_slots_that_the_docs_name_are_those_that_there_are() -> None:
    rows = {name: (needed, set(others.split(", "))) for name, needed, others in ROW.findall(PAGE.read_text("utf-8"))}
    there: dict[str, tuple[str, set[str]]] = {}
    for name in NAMES:
        others = slots(words(name)) - {SHOWN[name]}
        there[name] = (f"`{{{{{SHOWN[name]}}}}}`", {f"`{{{{{slot}}}}}`" for slot in others})
    assert rows == there
