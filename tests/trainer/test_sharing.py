"""Trainings over the same data and models share what they paid for, but no val answer that can have chosen a skill."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.records import Split
from skillopt_sleep.stores.calls import CallStore
from skillopt_sleep.trainer import Item, evaluate
from skillopt_sleep.trainer.config import config_of
from skillopt_sleep.trainer.sharing import NAME, shared_calls, sharing
from tests.fakes import SerialPool
from tests.trainer.toy import Scripted, Toy, a_config, a_trainer

SHARED = {"shared": "answers.db"}


def trained(folder: Path, *, shared: bool = True, resume: bool = False, **sections: dict[str, object]) -> Scripted:
    model = Scripted()
    train = {**(SHARED if shared else {}), **sections.pop("train", {})}
    a_trainer(folder, model, config=a_config(train=train, **sections)).train(resume=resume)
    return model


def test_a_sweep_pays_for_its_baseline_once_and_for_every_candidate_anew(tmp_path: Path) -> None:
    first = trained(tmp_path / "one")
    alone = trained(tmp_path / "alone", shared=False, optimizer={"edit_budget": 1})
    second = trained(tmp_path / "two", optimizer={"edit_budget": 1})
    both = set(first.keys()) & set(second.keys())
    assert both == set()
    assert (tmp_path / "two" / "best_skill.md").read_text() == (tmp_path / "alone" / "best_skill.md").read_text()
    baseline = [prompt for prompt in alone.prompts if "SKILL:\n# Skill\n\nREQUEST:\nval" in prompt.text]
    assert len(baseline) == 8
    assert len(second.prompts) <= len(alone.prompts) - len(baseline)
    asked = [prompt.text for prompt in second.prompts]
    assert not any(prompt.text in asked for prompt in baseline)


def test_no_val_answer_of_a_candidate_is_seen_by_another_run(tmp_path: Path) -> None:
    first, second = trained(tmp_path / "one"), trained(tmp_path / "two")
    of_candidates = [
        [
            prompt.text
            for prompt in model.prompts
            if "REQUEST:\nval" in prompt.text and "# Skill\n\nREQ" not in prompt.text
        ]
        for model in (first, second)
    ]
    assert sorted(of_candidates[0]) == sorted(of_candidates[1])
    assert of_candidates[0]
    assert {prompt.text for prompt in second.prompts} == set(of_candidates[1])


def test_a_run_that_is_resumed_pays_nothing_again(tmp_path: Path) -> None:
    trained(tmp_path / "one")
    assert trained(tmp_path / "one", resume=True).prompts == []


def test_the_best_skill_is_scored_on_test_from_what_was_paid(tmp_path: Path) -> None:
    trained(tmp_path / "one")
    model = Scripted()
    folder = tmp_path / "one"
    skill = (folder / "best_skill.md").read_text()
    evaluate(a_config(train=SHARED), Toy(), skill, Split.TEST, target=model, pool=SerialPool(), folder=folder)
    assert model.prompts == []


def test_the_best_skill_is_scored_on_val_from_what_its_run_paid(tmp_path: Path) -> None:
    trained(tmp_path / "one")
    model = Scripted()
    folder = tmp_path / "one"
    skill = (folder / "best_skill.md").read_text()
    config = a_config(train=SHARED)
    found = evaluate(config, Toy(), skill, Split.VAL, target=model, pool=SerialPool(), folder=folder)
    assert found.metric is not None
    assert model.prompts == []
    elsewhere = tmp_path / "elsewhere"
    evaluate(config, Toy(), skill, Split.VAL, target=model, pool=SerialPool(), folder=elsewhere)
    assert len(model.prompts) == 8


def test_a_run_keeps_its_name(tmp_path: Path) -> None:
    items = [Item(id="v", text="")]
    first, again = (sharing(tmp_path, items, initial="i", passes=1) for _ in range(2))
    assert first == again
    assert first.run == (tmp_path / NAME).read_text()
    assert [first.own(*job) for job in [("v", "i", 0), ("t", "x", 0)]] == ["", ""]
    assert [first.own(*job) for job in [("v", "x", 0), ("v", "i", 1)]] == [first.run] * 2


@pytest.mark.parametrize("name", ["a/b", "..", "a\\b"])
def test_the_file_stands_beside_the_folder(name: str) -> None:
    with pytest.raises(ConfigError, match=r"train\.shared must be the name of a file"):
        config_of({"train": {"shared": name}}, where="a test")


def test_trainings_that_begin_at_the_same_moment_make_one_shared_file(tmp_path: Path) -> None:
    def opened(place: Path, ready: threading.Barrier) -> None:
        with closing(CallStore(place / "calls.db", utc_now)) as own:
            ready.wait()
            with shared_calls(place, f"../{place.parent.name}.db", own.calls, utc_now) as calls:
                assert calls.get("nothing") is None

    with ThreadPoolExecutor(4) as threads:
        for number in range(6):
            places = [tmp_path / str(number) / name for name in ("a", "b", "c", "d")]
            for place in places:
                place.mkdir(parents=True)
            ready = threading.Barrier(4)
            for done in [threads.submit(opened, place, ready) for place in places]:
                done.result()
