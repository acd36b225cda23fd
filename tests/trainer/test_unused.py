"""What was set but changes nothing is named, and what changes something isn't."""

from pathlib import Path
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
            ["optimizer.slow_gated changes nothing without optimizer.slow_update and 2 epochs"],
        ),
        (
            {"optimizer": {"slow_update": False, "slow_samples": 3, "slow_pairs": "changed"}, "train": {"epochs": 3}},
            [],
        ),
        ({"optimizer": {"slow_samples": 3, "slow_pairs": "changed", "slow_gated": True}}, []),
        (
            {"optimizer": {"slow_gated": True}, "train": {"epochs": 1}},
            ["optimizer.slow_gated changes nothing without optimizer.slow_update and 2 epochs"],
        ),
        (
            {"optimizer": {"schedule": "constant", "edit_budget": 3}},
            ["optimizer.min_edit_budget changes nothing without another optimizer.schedule"],
        ),
        ({"optimizer": {"schedule": "linear", "edit_budget": 3, "horizon": 1}}, []),
        (
            {"optimizer": {"schedule": "linear", "min_edit_budget": 0}},
            ["optimizer.min_edit_budget is 0, so steps that get no edit are paid for and learn nothing"],
        ),
        (
            {"optimizer": {"horizon": 1}},
            ["optimizer.horizon changes nothing without another optimizer.schedule or gate sequential"],
        ),
        (
            {"optimizer": {"mode": "full_rewrite", "edit_budget": 3}, "gradient": {"reflection": "deep"}},
            [
                "gradient.reflection changes nothing without another optimizer.mode",
                "optimizer.edit_budget changes nothing without another optimizer.mode",
                "optimizer.min_edit_budget changes nothing without another optimizer.mode",
                "optimizer.schedule changes nothing without another optimizer.mode",
                "optimizer.min_edit_budget changes nothing without another optimizer.schedule",
            ],
        ),
        (
            {
                "optimizer": {"mode": "full_rewrite", "edit_budget": 4, "min_edit_budget": 2, "schedule": "cosine"},
                "gradient": {"failure_only": True, "merge_batch": 2, "skill_aware": True},
            },
            [
                "gradient.failure_only changes nothing without another optimizer.mode",
                "gradient.merge_batch changes nothing without another optimizer.mode",
                "gradient.skill_aware changes nothing without another optimizer.mode",
            ],
        ),
        ({"optimizer": {"horizon": 1}, "evaluation": {"gate": "sequential", "confirm": True}}, []),
        (
            {"backend": {"name": "openai", "program": "x", "api_version": "1"}},
            [
                "backend.program changes nothing without backend.name claude or codex",
                "backend.api_version changes nothing without backend.name azure",
            ],
        ),
        ({"backend": {"name": "codex", "program": "x"}}, []),
        ({"backend": {"name": "openai", "api_version": "1"}, "target": {"name": "azure"}}, []),
        ({"optimizer": {"horizon": 1, "screen": 1}, "evaluation": {"judge": "end"}}, []),
        ({"backend": {"name": "azure", "api_version": "1"}}, []),
        (
            {"optimizer": {"slow_update": False, "meta_skill": False, "slow_samples": 3, "slow_pairs": "changed"}},
            [
                "optimizer.slow_samples changes nothing without optimizer.slow_update and 2 epochs, or meta_skill and 3",
                "optimizer.slow_pairs changes nothing without optimizer.slow_update and 2 epochs, or meta_skill and 3",
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
    run = Path("run")
    assert list(unread(TrainerConfig(), run)) == []
    assert list(unread(TrainerConfig(), Path("elsewhere"))) == []
    assert list(unread(a_config(train={"folder": "mine"}), Path("mine"))) == []
    assert list(unread(a_config(train={"folder": "mine"}), run)) == [
        "the folder is the one that Trainer is given, so train.folder isn't looked at"
    ]
    assert list(unread(a_config(env={"name": "toy"}), run)) == [
        "the environment is the one that Trainer is given, so env isn't looked at"
    ]
    assert list(unread(a_config(backend={"name": "openai"}), run)) == [
        "the models are those that Trainer is given, so backend isn't looked at"
    ]
