"""What was set but changes nothing is named, and what changes something isn't."""

from typing import Any

import pytest

from skillopt_sleep.records import Split
from skillopt_sleep.trainer import Item, TrainerConfig
from skillopt_sleep.trainer.unused import unread, unused
from tests.trainer.toy import a_config

ITEMS = {split: [Item(id=f"{split}-{n}", text="x") for n in range(4)] for split in Split}


@pytest.mark.parametrize(
    ("sections", "said"),
    [
        ({}, []),
        (
            {"evaluation": {"mixed_weight": 0.9}},
            ['evaluation.mixed_weight changes nothing without evaluation.metric = "mixed"'],
        ),
        ({"evaluation": {"mixed_weight": 0.9, "metric": "mixed"}}, []),
        ({"evaluation": {"test_items": 2}}, []),
        (
            {"evaluation": {"test_items": 9, "test": False}},
            ["evaluation.test_items changes nothing without evaluation.test"],
        ),
        (
            {"gradient": {"appendix_source": "failure_only", "consolidate_after": 3}},
            [
                "gradient.appendix_source changes nothing without gradient.skill_aware",
                "gradient.consolidate_after changes nothing without gradient.skill_aware",
            ],
        ),
        ({"gradient": {"consolidate_after": 3, "skill_aware": True}}, []),
        (
            {"optimizer": {"slow_update": False, "slow_gated": True}},
            ["optimizer.slow_gated changes nothing without optimizer.slow_update"],
        ),
        ({"optimizer": {"slow_update": False, "slow_samples": 3, "slow_pairs": "changed"}}, []),
        (
            {"optimizer": {"slow_update": False, "meta_skill": False, "slow_samples": 3, "slow_pairs": "changed"}},
            [
                "optimizer.slow_samples changes nothing without optimizer.slow_update or meta_skill",
                "optimizer.slow_pairs changes nothing without optimizer.slow_update or meta_skill",
            ],
        ),
        ({"train": {"address": "ray://x"}}, ['train.address changes nothing without train.pool = "ray"']),
        ({"train": {"address": "ray://x", "pool": "ray"}}, []),
        (
            {"train": {"items": 5}, "evaluation": {"val_items": 500, "test_items": 4}},
            ["train.items is 5, but train has only 4", "evaluation.val_items is 500, but val has only 4"],
        ),
    ],
)
def test_what_changes_nothing_is_named(sections: dict[str, Any], said: list[str]) -> None:
    assert list(unused(a_config(**sections), ITEMS)) == said


def test_what_only_the_command_looks_at_is_named() -> None:
    assert list(unread(TrainerConfig())) == []
    assert list(unread(a_config(env={"name": "toy"}))) == [
        "the environment is the one that Trainer is given, so env isn't looked at"
    ]
    assert list(unread(a_config(backend={"name": "openai"}))) == [
        "the models are those that Trainer is given, so backend isn't looked at"
    ]
