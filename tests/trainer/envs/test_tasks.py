import json
from pathlib import Path
from typing import Any

import pytest

from skillopt_sleep.errors import ConfigError, ItemError
from skillopt_sleep.example.model import SimulatedBackend
from skillopt_sleep.records import Purpose, Split
from skillopt_sleep.trainer.env import Item
from skillopt_sleep.trainer.envs.tasks import Tasks
from tests.fakes import FakeBackend

EXACT = {"kind": "exact", "answer": "54"}
RUBRIC = {"kind": "rubric", "text": "It is friendly."}


def _env(path: Path, *entries: dict[str, Any], **options: Any) -> Tasks:
    (path / "mine.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in entries), encoding="utf-8")
    return Tasks(path=str(path / "mine.jsonl"), **options)


def _entry(name: str, **more: Any) -> dict[str, Any]:
    return {"id": name, "prompt": f"Do {name}.", "reference": EXACT, **more}


def _ids(env: Tasks) -> list[list[str]]:
    return [[item.id for item in env.items(split)] for split in Split]


def test_tasks_that_name_their_split_keep_it(tmp_path: Path) -> None:
    entries = [
        _entry("a", split="val"),
        _entry("b", split="train"),
        _entry("c", split="test"),
        _entry("d", split="train"),
    ]
    assert _ids(_env(tmp_path, *entries)) == [["b", "d"], ["a"], ["c"]]


def test_tasks_without_a_split_are_divided_by_ratio(tmp_path: Path) -> None:
    found = _ids(_env(tmp_path, *(_entry(name) for name in "abcd"), ratio=(2, 1, 1)))
    assert [len(side) for side in found] == [2, 1, 1]


def test_some_with_a_split_and_some_without_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="'b' has no split"):
        _env(tmp_path, _entry("a", split="train"), _entry("b")).items(Split.TRAIN)


def test_a_moved_file_is_the_same_dataset(tmp_path: Path) -> None:
    entries = [
        {"prompt": f"Do {n}.", "reference": EXACT, "split": side, "project": "web"}
        for n, side in enumerate(("train", "val"))
    ]
    items: list[Item] = []
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
        items += _env(tmp_path / name, *entries).items(Split.TRAIN)
    assert items[0] == items[1]


def test_the_optimizer_is_shown_the_request_and_never_the_reference(tmp_path: Path) -> None:
    [item] = _env(tmp_path, _entry("a", split="train", context="At work."), _entry("b", split="val")).items(
        Split.TRAIN
    )
    assert (item.text, item.kind) == ("At work.\n\nDo a.", "exact")


def test_an_answer_is_graded_by_the_reference(tmp_path: Path) -> None:
    env = _env(tmp_path, _entry("a", split="train"), _entry("b", split="val"))
    [item] = env.items(Split.TRAIN)
    target = FakeBackend({Purpose.ROLLOUT: " 54\n"})
    assert env.rollout_one(item, "Be short.", target, sample=2).hard == 1
    assert "Be short." in target.prompts[0].text
    assert target.prompts[0].sample == 2
    assert "54" not in env.rollout_one(item, "", FakeBackend({Purpose.ROLLOUT: "55"}), sample=0).why


def test_a_rubric_is_graded_by_the_target_only_where_that_is_wanted(tmp_path: Path) -> None:
    entries = [_entry("a", split="train", reference=RUBRIC), _entry("b", split="val")]
    with pytest.raises(ConfigError) as caught:
        _env(tmp_path, *entries).items(Split.TRAIN)
    assert "graded_by_target" in caught.value.remedy
    env = _env(tmp_path, *entries, graded_by_target=True)
    target = FakeBackend({Purpose.ROLLOUT: "Hello!", Purpose.JUDGE: {"grades": [{"answer": 1, "score": 0.9}]}})
    result = env.rollout_one(env.items(Split.TRAIN)[0], "", target, sample=0)
    assert (result.hard, result.soft) == (1, 0.9)


def test_what_can_not_be_graded_is_raised(tmp_path: Path) -> None:
    tool = {"kind": "checks", "items": [{"op": "tool_called", "arg": "Bash"}]}
    env = _env(tmp_path, _entry("a", split="train", reference=tool), _entry("b", split="val"))
    with pytest.raises(ItemError, match="text-only"):
        env.rollout_one(env.items(Split.TRAIN)[0], "", FakeBackend({Purpose.ROLLOUT: "x"}), sample=0)


@pytest.mark.parametrize(
    "text", ["{", '{"prompt": "x"}', '{"prompt": "x", "reference": {"kind": "exact", "answer": ""}}']
)
def test_an_entry_that_can_not_be_used_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "mine.jsonl").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"mine\.jsonl"):
        Tasks(path=str(tmp_path / "mine.jsonl")).items(Split.TRAIN)


def test_the_simulated_model_does_the_sample_better_with_a_rule() -> None:
    env, target = Tasks(), SimulatedBackend()
    item = next(item for item in env.items(Split.TRAIN) if item.id == "t-01")
    assert env.rollout_one(item, "", target, sample=0).hard == 0
    assert env.rollout_one(item, "- Use pnpm, not npm.", target, sample=0).hard == 1
