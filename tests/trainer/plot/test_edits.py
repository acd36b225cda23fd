from collections import Counter
from pathlib import Path

import pytest

from skillopt_sleep.kit.codec import from_json
from skillopt_sleep.trainer.plot.edits import decision, edit_rows
from skillopt_sleep.trainer.summary import SKIPPED, Action, History
from tests.trainer.toy import a_config, a_trainer


def rows_of(folder: Path, *, patches: bool = True) -> Counter[tuple[str, bool]]:
    history = from_json((folder / "history.json").read_bytes(), History)
    return Counter((row.fate, row.kept) for row in edit_rows(history, folder, patches=patches))


def test_every_edit_that_was_proposed_is_listed_with_its_fate(tmp_path: Path) -> None:
    a_trainer(tmp_path, config=a_config(optimizer={"slow_update": False})).train()
    history = from_json((tmp_path / "history.json").read_bytes(), History)
    proposed = sum(step.merged for step in history.steps)
    found = rows_of(tmp_path)
    assert found.total() == proposed > 4
    assert found["applied", True] == 4
    assert found["dropped", False] == proposed - 4


def test_an_edit_that_was_not_selected_says_what_the_budget_was(tmp_path: Path) -> None:
    a_trainer(tmp_path).train()
    history = from_json((tmp_path / "history.json").read_bytes(), History)
    dropped = [row.why for row in edit_rows(history, tmp_path, patches=True) if row.fate == "dropped"]
    assert all("the budget was 1" in why for why in dropped)


def test_where_edits_become_a_new_text_none_is_called_unselected(tmp_path: Path) -> None:
    a_trainer(tmp_path, config=a_config(optimizer={"mode": "rewrite"})).train()
    assert ("dropped", False) not in rows_of(tmp_path, patches=False)


@pytest.mark.parametrize("action", list(Action))
def test_every_outcome_is_said_in_words(action: Action) -> None:
    assert "_" not in decision(action)
    assert decision(action).startswith("a step ") == (action in SKIPPED)
