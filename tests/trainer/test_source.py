"""What a training runs of the user's own is known by its text: the class, and what it uses of its file."""

import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.codec import to_json
from skillopt_sleep.records import Split
from skillopt_sleep.trainer import Trainer, evaluate, find_env
from skillopt_sleep.trainer.envs.tasks import Tasks
from skillopt_sleep.trainer.run import read_manifest
from skillopt_sleep.trainer.source import source_of, sources
from tests.fakes import SerialPool
from tests.trainer.toy import Scripted, Toy, a_config, a_trainer

DATES = """
import functools
from tests.trainer.toy import Scripted, Toy

RIGHT = 1.0
UNUSED = 2


def grade(result):
    return functools.replace(result) if result is RIGHT else result


@functools.total_ordering
class Dates(Toy, frozen=True):
    def rollout_one(self, item, skill, target, *, sample):
        return grade(super().rollout_one(item, skill, target, sample=sample))

    def __lt__(self, other):
        return False


class Model(Scripted):
    version = ""

    def complete(self, prompt):
        return super().complete(prompt)


if __name__ == "__main__":
    print(Dates())
"""


@pytest.fixture
def load(tmp_path: Path) -> Iterator[Callable[[str], Any]]:
    """Load a text as the module own_dates, as a script that was edited meanwhile is."""
    path = tmp_path / "own_dates.py"

    def loaded(text: str) -> Any:
        path.write_text(text, encoding="utf-8")
        spec = importlib.util.spec_from_file_location("own_dates", path)
        assert spec
        assert spec.loader
        module = importlib.util.module_from_spec(spec)
        sys.modules["own_dates"] = module
        spec.loader.exec_module(module)
        return module

    yield loaded
    sys.modules.pop("own_dates", None)


def _sha(thing: object) -> str:
    found = source_of(thing)
    assert found
    return found.sha


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return False", "return  True"),
        ("RIGHT = 1.0", "RIGHT = 0.0"),
        ("else result", "else None"),
        ("@functools.total_ordering\n", ""),
    ],
)
def test_a_class_and_what_it_uses_of_its_file_make_its_text(load: Callable[[str], Any], old: str, new: str) -> None:
    before = _sha(load(DATES).Dates())
    assert _sha(load(DATES.replace(old, new)).Dates()) != before


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("UNUSED = 2", "UNUSED = 33"),
        ("print(Dates())", "print(Dates(), 'again')"),
        ("super().complete(prompt)", "super().complete(prompt) or None"),
        ("\n\n\nclass Model", "\n\n\n# A comment\n\n\nclass Model"),
    ],
)
def test_the_rest_of_the_file_does_not_belong_to_it(load: Callable[[str], Any], old: str, new: str) -> None:
    before = _sha(load(DATES).Dates())
    assert _sha(load(DATES.replace(old, new)).Dates()) == before


def test_of_a_file_named_by_path_every_line_counts(tmp_path: Path) -> None:
    path = tmp_path / "dates_env.py"
    path.write_text(DATES, encoding="utf-8")
    before = source_of(find_env("dates_env.py:Dates", {}, folder=tmp_path))
    path.write_text(DATES.replace("UNUSED = 2", "UNUSED = 33"), encoding="utf-8")
    after = source_of(find_env("dates_env.py:Dates", {}, folder=tmp_path))
    assert before
    assert after
    assert before.what == after.what == "class Dates in dates_env.py"
    assert before.sha != after.sha


def test_a_class_inside_a_function_has_its_text(load: Callable[[str], Any]) -> None:
    local = "RIGHT = 1\ndef made():\n    class Inner:\n        right = RIGHT\n    return Inner()\n"
    before = _sha(load(local).made())
    assert _sha(load(local.replace("RIGHT = 1", "RIGHT = 22")).made()) != before


def test_what_is_ours_or_has_no_text_has_no_source() -> None:
    assert source_of(Tasks()) is None
    assert source_of({}) is None
    assert source_of(type("Typed", (), {"__module__": "__main__"})()) is None


def test_a_version_that_is_given_counts_instead_of_the_text(load: Callable[[str], Any]) -> None:
    text = DATES.replace('version = ""', 'version = "3"')
    before = _sha(load(text).Model())
    assert _sha(load(text.replace("super().complete(prompt)", "super().complete(prompt) or 1")).Model()) == before
    assert _sha(load(text.replace('"3"', '"4"')).Model()) != before


def _trainer(folder: Path, module: Any) -> Trainer:
    return a_trainer(folder / "run", module.Model(), env=module.Dates(), workers=1)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("return False", "return True", "the code of the environment changed (class Dates in own_dates.py)"),
        ("super().complete(prompt)", "super().complete(prompt) or 1", "the code of the optimizer changed (class Mod"),
    ],
)
def test_going_on_with_other_code_is_refused_and_named(
    tmp_path: Path, load: Callable[[str], Any], old: str, new: str, said: str
) -> None:
    summary = _trainer(tmp_path, load(DATES)).train()
    changed = load(DATES.replace(old, new))
    with pytest.raises(ConfigError) as refused:
        _trainer(tmp_path, changed).train(resume=True)
    assert said in refused.value.message
    assert refused.value.message.count("changed") == 1
    assert "in a new folder" in refused.value.remedy
    assert "calls.db" in refused.value.remedy
    assert _trainer(tmp_path, load(DATES)).train(resume=True) == summary


def test_a_run_without_the_digest_of_its_code_goes_on(tmp_path: Path, load: Callable[[str], Any]) -> None:
    module = load(DATES)
    _trainer(tmp_path, module).train()
    kept = read_manifest(tmp_path / "run")
    assert sorted(kept.code) == ["env", "optimizer"]
    kept.code.clear()
    (tmp_path / "run" / "config.json").write_bytes(to_json(kept))
    _trainer(tmp_path, load(DATES.replace("return False", "return True"))).train(resume=True)


def test_the_target_is_named_apart_only_if_it_is_another_class(tmp_path: Path) -> None:
    class Other(Scripted):
        pass

    a_trainer(tmp_path, Scripted(), target=Other(), config=a_config(train={"epochs": 1}), env=Toy()).train()
    assert sorted(read_manifest(tmp_path).code) == ["env", "optimizer", "target"]


def test_a_target_of_the_optimizers_class_is_named_where_its_version_differs() -> None:
    class Versioned(Scripted):
        """A model with a version of its own."""

        def __init__(self, version: str) -> None:
            super().__init__()
            self.version = version

    one, other = Versioned("1"), Versioned("2")
    assert set(sources(Toy(), {"optimizer": one, "target": one})) == {"env", "optimizer"}
    found = sources(Toy(), {"optimizer": one, "target": other})
    assert found["target"].sha != found["optimizer"].sha
    assert found["target"].what.endswith("test_source.py, version 2")


def test_scores_by_other_code_than_that_of_the_training_are_said_to_be_so(
    tmp_path: Path, load: Callable[[str], Any]
) -> None:
    before = load(DATES)
    _trainer(tmp_path, before).train()
    changed = load(DATES.replace("return False", "return True"))

    def score(module: Any) -> None:
        evaluate(
            a_config(),
            module.Dates(),
            "",
            Split.TEST,
            target=before.Model(),
            pool=SerialPool(),
            folder=tmp_path / "run",
        )

    with pytest.warns(
        UserWarning, match=r"the code of the environment changed \(class Dates in own_dates.py\) since"
    ):
        score(changed)
    score(load(DATES))
