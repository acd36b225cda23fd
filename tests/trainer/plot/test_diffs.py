import re
from pathlib import Path

import pytest

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.codec import from_json
from skillopt_sleep.trainer.plot import page
from skillopt_sleep.trainer.plot.diffs import diff, diffs
from skillopt_sleep.trainer.summary import History
from tests.trainer.test_removal import Chatty
from tests.trainer.toy import a_config, a_trainer


def history_of(folder: Path) -> History:
    return from_json((folder / "history.json").read_bytes(), History)


def test_each_accepted_skill_is_shown_against_the_one_it_came_from(tmp_path: Path) -> None:
    a_trainer(tmp_path, config=a_config(optimizer={"slow_update": False})).train()
    found = diffs(history_of(tmp_path), None, tmp_path)
    assert [(change.base, change.version) for change in found] == [(0, 1), (1, 2), (2, 3), (3, 4)]
    added = [line.text for change in found for line in change.lines if line.sign == "+"]
    assert sorted(text for text in added if text) == [
        f"- Say {word}." for word in ("alpha", "beta", "delta", "gamma")
    ]
    assert found[0].reason


def test_guidance_that_was_put_in_at_the_end_of_an_epoch_is_a_change_too(tmp_path: Path) -> None:
    a_trainer(tmp_path, config=a_config(train={"batch_size": 16})).train()
    last = diffs(history_of(tmp_path), None, tmp_path)[-1]
    assert last.what == "end of epoch 2"
    assert any("slow-update:begin" in line.text for line in last.lines)


def test_rules_that_were_taken_out_at_the_end_are_a_change_too(tmp_path: Path) -> None:
    config = a_config(
        optimizer={"removal": True, "edit_budget": 5, "slow_update": False}, evaluation={"gate": "greedy"}
    )
    summary = a_trainer(tmp_path, Chatty(), config=config).train()
    last = diffs(history_of(tmp_path), summary, tmp_path)[-1]
    assert last.version == summary.best.standing.version
    assert [line.text for line in last.lines if line.sign == "-"] == ["- Be kind."]
    assert not [line for line in last.lines if line.sign == "+"]
    text = re.sub(r"<[^>]+>", " ", page(tmp_path))
    assert "What each learned rule is worth" in text
    assert re.search(r"- Be kind\.\s+taken out", text)


def test_a_step_of_a_pool_is_shown_against_the_skill_it_began_with(tmp_path: Path) -> None:
    config = a_config(
        train={"epochs": 3}, optimizer={"search": "pareto", "slow_update": False}, evaluation={"gate": "greedy"}
    )
    a_trainer(tmp_path, config=config).train()
    history = history_of(tmp_path)
    bases = [step.base for step in history.steps if step.current.version > step.base]
    assert [change.base for change in diffs(history, None, tmp_path)] == bases


def test_a_skill_whose_file_is_gone_is_named_with_the_remedy(tmp_path: Path) -> None:
    a_trainer(tmp_path).train()
    (tmp_path / "skills" / "skill_v0001.md").unlink()
    with pytest.raises(ConfigError, match=r"skill_v0001\.md") as found:
        diffs(history_of(tmp_path), None, tmp_path)
    assert "--resume" in found.value.remedy


def test_two_places_that_changed_have_a_gap_between_them() -> None:
    before = "\n".join(str(number) for number in range(30))
    lines = diff(before, before.replace("\n3\n", "\nthree\n").replace("\n25\n", "\ntwenty-five\n"))
    assert [line.sign for line in lines].count("@") == 1
    assert [line.text for line in lines if line.sign in "+-"] == ["3", "three", "25", "twenty-five"]
