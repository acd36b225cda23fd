"""What was set but changes nothing is named, and what changes something isn't."""

from typing import Any

import pytest

from skillopt_sleep.records import Split
from skillopt_sleep.trainer import Item, TrainerConfig
from skillopt_sleep.trainer.checks import ignored, unused
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
            {"optimizer": {"schedule": "constant", "edit_budget": 3}},
            ["optimizer.min_edit_budget changes nothing without another optimizer.schedule"],
        ),
        (
            {"optimizer": {"schedule": "linear", "min_edit_budget": 0}},
            ["optimizer.min_edit_budget is 0, so steps that get no edit are paid for and learn nothing"],
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
                "gradient": {"failure_only": True, "merge_batch": 2},
            },
            [
                "gradient.failure_only changes nothing without another optimizer.mode",
                "gradient.merge_batch changes nothing without another optimizer.mode",
            ],
        ),
        (
            {"backend": {"name": "openai", "program": "x", "api_version": "1"}},
            [
                "backend.program changes nothing without backend.name claude or codex",
                "backend.api_version changes nothing without backend.name azure",
            ],
        ),
        ({"backend": {"name": "codex", "program": "x"}}, []),
        ({"backend": {"name": "openai", "api_version": "1"}, "target": {"name": "azure"}}, []),
        ({"backend": {"name": "azure", "api_version": "1"}}, []),
        ({"train": {"ray": {"address": "ray://x"}}}, ['train.ray changes nothing without train.pool = "ray"']),
        ({"train": {"ray": {"address": "ray://x"}, "pool": "ray"}}, []),
        (
            {"evaluation": {"val_items": 500, "test_items": 4, "alpha": 0.1}},
            [
                'evaluation.alpha changes nothing without preset = "evidence"',
                "evaluation.val_items is 500, but val has only 4",
            ],
        ),
    ],
)
def test_what_changes_nothing_is_named(sections: dict[str, Any], said: list[str]) -> None:
    assert list(unused(a_config(**sections), ITEMS)) == said


def test_what_only_the_command_looks_at_is_named() -> None:
    assert list(ignored(TrainerConfig())) == []
    assert list(ignored(a_config(env={"name": "toy"}, backend={"name": "openai"}))) == [
        "Trainer is given its environment and models, so these aren't looked at: env, backend"
    ]
