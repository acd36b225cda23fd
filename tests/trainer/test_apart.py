"""Of several trainings it is said in which settings they differ."""

from typing import Any

from msgspec.structs import replace

from skillopt_sleep.records import Split
from skillopt_sleep.trainer.apart import settings_apart, uncommon, unlike
from skillopt_sleep.trainer.manifest import Manifest, manifest
from skillopt_sleep.trainer.source import Source
from tests.trainer.toy import Toy, a_config


def a_manifest(skill: str = "# S", **sections: dict[str, Any]) -> Manifest:
    items = {split: Toy().items(split) for split in Split}
    models = {"target": "m", "optimizer": "m"}
    return manifest(
        a_config(**sections), env="toy", items=items, initial_skill=skill, prompts={}, models=models, code={}
    )


def test_only_what_differs_is_named_with_the_value_of_each() -> None:
    one = a_manifest(optimizer={"edit_budget": 3}, env={"name": "toy", "limit": 5})
    other = a_manifest(train={"seed": 8}, env={"name": "toy"})
    assert settings_apart([one, other, one]) == (
        {"env.limit": "5", "optimizer.edit_budget": "3", "train.seed": "7"},
        {"env.limit": "not set", "optimizer.edit_budget": "1", "train.seed": "8"},
        {"env.limit": "5", "optimizer.edit_budget": "3", "train.seed": "7"},
    )


def test_what_changes_no_result_is_no_difference() -> None:
    other = a_manifest(train={"folder": "two", "workers": 1}, limits={"calls": 9})
    assert settings_apart([a_manifest(), other]) == ({}, {})
    assert settings_apart([a_manifest()]) == ({},)
    assert settings_apart([]) == ()


def test_a_digest_is_shortened_and_code_of_the_users_own_counts() -> None:
    one = replace(a_manifest(), code={"env": Source(what="class Toy in toy.py", sha="a" * 64)})
    other = replace(a_manifest("# Other"), code={"env": Source(what="class Toy in toy.py", sha="b" * 64)})
    first, second = settings_apart([one, other])
    assert first["code of env"] == "aaaaaaaaaaaa"
    assert second["code of env"] == "bbbbbbbbbbbb"
    assert first.keys() == {"code of env", "initial_skill"}
    assert len(first["initial_skill"]) == 12


def test_a_key_that_an_older_version_did_not_know_had_its_default() -> None:
    older = a_manifest()
    del older.config["optimizer"]["allow_urls"]
    assert settings_apart([older, a_manifest()]) == ({}, {})


def test_what_most_have_in_common_is_not_uncommon() -> None:
    apart = settings_apart([a_manifest(evaluation={"test": test}) for test in (True, True, False)])
    assert [one["evaluation.test"] for one in apart] == ["true", "true", "false"]
    assert uncommon(apart) == ({}, {}, {"evaluation.test": "false"})
    assert uncommon(apart[1:]) == tuple(apart[1:])


def test_scores_by_other_code_of_the_environment_can_not_be_compared() -> None:
    one, other = (
        replace(a_manifest(), code={"env": Source(what="class Toy in toy.py", sha=letter * 64)}) for letter in "ab"
    )
    assert unlike(settings_apart([one, other])[0]) == ("the environment's code",)
    assert unlike(settings_apart([one, one])[0]) == ()
