"""What the research trainer and skillrl get wrong when a run goes on, and that ours doesn't."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from bench.trainer_lab import OurRun, ToyEnv, ToyModel, config_of, train
from skillopt_sleep.errors import ConfigError, NightInterrupted, StoreError
from skillopt_sleep.records import Prompt
from skillopt_sleep.trainer import Trainer

SIZES = {"train": 16, "val": 8, "test": 8}
SHORT = {"num_epochs": 2, "batch_size": 8, "minibatch_size": 4, "workers": 4, "seed": 3}
ANEW = {"calls.db", "calls.db-wal", "calls.db-shm", "run.lock"}  # they tell what this life took
PLAIN_TO_SEE = "sk-ant-api03-" + "Zx9" * 30
NAMED_ONE = "q7Rt2mVx9LpZ4kNw8sYd"  # only the key's name tells what it is


def a_run(folder: Path, **config: Any) -> dict[str, Any]:
    """Two epochs of two steps."""
    config = SHORT | config
    return {"folder": str(folder), "config": config, "seed": 3, "sizes": SIZES, "median": 0.0, "sigma": 0.0}


def killed(folder: Path, kind: str, number: int) -> ToyModel:
    """A run that is ended before this call of its kind is answered, and its model."""

    def before(asked: str, count: int, _prompt: Prompt) -> None:
        if (asked, count) >= (kind, number) and asked == kind:
            raise NightInterrupted("killed")

    model = ToyModel(folder, before=before)
    with pytest.raises(NightInterrupted):
        train(a_run(folder), model)
    return model


def files(folder: Path) -> dict[str, bytes]:
    """What a run wrote, but for what each life writes of itself."""
    run = folder / "run"
    return {
        str(path.relative_to(run)): path.read_bytes()
        for path in run.rglob("*")
        if path.is_file() and path.name not in ANEW
    }


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[OurRun, dict[str, bytes], ToyModel]:
    """A run that was never interrupted, its files and its model."""
    folder = tmp_path_factory.mktemp("whole")
    model = ToyModel(folder)
    run = train(a_run(folder), model)
    return run, files(folder), model


def questions(*models: ToyModel) -> set[tuple[str, str, int]]:
    """Everything that was asked."""
    return {(prompt.purpose, prompt.text, prompt.sample) for model in models for prompt in model.prompts}


# In the middle of the second epoch: budgets, the step buffer and a baseline of 0.0 are what resumed runs lose.
@pytest.mark.parametrize("boundary", [("train", 25), ("reflect", 8), ("val", 33), ("test", 9)])
def test_a_run_that_goes_on_asks_the_same_questions_as_one_that_never_stopped(
    tmp_path: Path, whole: tuple[OurRun, dict[str, bytes], ToyModel], boundary: tuple[str, int]
) -> None:
    run, wrote, asked = whole
    assert run.history.baseline.metric == 0.0
    first = killed(tmp_path, *boundary)
    second = ToyModel(tmp_path)
    done = train(a_run(tmp_path), second)
    assert done.summary == run.summary
    assert [step.edit_budget for step in done.history.steps] == [step.edit_budget for step in run.history.steps]
    assert questions(first, second) == questions(asked)
    assert len(done.calls) == len(run.calls)
    assert files(tmp_path) == wrote


def test_a_finished_run_that_is_started_again_tells_what_it_told(
    tmp_path: Path, whole: tuple[OurRun, dict[str, bytes], ToyModel]
) -> None:
    train(a_run(tmp_path))
    again = ToyModel(tmp_path)
    assert train(a_run(tmp_path), again).summary == whole[0].summary
    assert again.prompts == []
    assert files(tmp_path) == whole[1]


def test_an_extended_run_is_the_longer_run(tmp_path: Path) -> None:
    train(a_run(tmp_path / "short", num_epochs=1))
    extended = train(a_run(tmp_path / "short", num_epochs=3))
    fresh = train(a_run(tmp_path / "long", num_epochs=3))
    assert extended.summary == fresh.summary
    assert files(tmp_path / "short") == files(tmp_path / "long")


def test_a_run_goes_on_in_another_place_and_without_what_was_half_written(
    tmp_path: Path, whole: tuple[OurRun, dict[str, bytes], ToyModel]
) -> None:
    killed(tmp_path / "here", "val", 17)
    shutil.move(tmp_path / "here", tmp_path / "there")
    history = tmp_path / "there" / "run" / "history.json"
    history.write_bytes(history.read_bytes()[:40])
    moved = train(a_run(tmp_path / "there"))
    assert moved.summary == whole[0].summary
    assert files(tmp_path / "there") == whole[1]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"batch_size": 4}, "train.batch_size: 8 → 4"),
        ({"seed": 4}, "train.seed: 3 → 4"),
        ({"gate_metric": "soft"}, "evaluation.metric: hard → soft"),
        ({"num_epochs": 1}, "train.epochs: 2 → 1"),
    ],
)
def test_a_changed_configuration_is_refused_with_the_difference_and_harms_nothing(
    tmp_path: Path, change: dict[str, Any], told: str
) -> None:
    train(a_run(tmp_path))
    before = files(tmp_path)
    with pytest.raises(ConfigError, match=told):
        train(a_run(tmp_path, **change))
    assert files(tmp_path) == before


def test_another_dataset_or_model_is_refused(tmp_path: Path) -> None:
    train(a_run(tmp_path))
    with pytest.raises(ConfigError, match=r"dataset\.train"):
        train(a_run(tmp_path) | {"seed": 4})
    other = ToyModel(tmp_path)
    other.name = "newer"
    with pytest.raises(ConfigError, match=r"models\.\w+: toy → newer"):
        train(a_run(tmp_path), other)


def _garbage(path: Path) -> None:
    path.write_bytes(b"{ this is no longer what it was" * 50)


@pytest.mark.parametrize(("name", "error"), [("config.json", ConfigError), ("calls.db", StoreError)])
def test_broken_state_is_told_and_is_no_reason_to_start_over(
    tmp_path: Path, name: str, error: type[Exception]
) -> None:
    train(a_run(tmp_path))
    for path in (tmp_path / "run").glob(f"{name}*"):
        _garbage(path)
    again = ToyModel(tmp_path)
    with pytest.raises(error, match=name):
        train(a_run(tmp_path), again)
    assert again.prompts == []


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        ("comment", PLAIN_TO_SEE),
        ("api_key", NAMED_ONE),
        ("azure_openai_api_key", NAMED_ONE),
        ("optimizer_qwen_key", NAMED_ONE),
    ],
)
def test_no_secret_stands_in_what_a_run_writes(tmp_path: Path, name: str, secret: str) -> None:
    model = ToyModel(tmp_path)
    config = config_of(SHORT, env={"name": "toy", name: secret})
    Trainer(config, ToyEnv(SIZES, seed=3), optimizer=model, folder=tmp_path / "run", wired=True).train()
    assert (tmp_path / "run" / "summary.json").exists()
    assert [
        path for path in (tmp_path / "run").rglob("*") if path.is_file() and secret.encode() in path.read_bytes()
    ] == []


def test_the_same_run_makes_the_same_minibatches_whatever_the_order_of_answers(
    tmp_path: Path, whole: tuple[OurRun, dict[str, bytes], ToyModel]
) -> None:
    # How long a call takes depends on its words, so that with eight workers the answers come in another order.
    model = ToyModel(tmp_path, median=0.005, sigma=1.0)
    run = train(a_run(tmp_path, workers=8), model)
    assert questions(model) == questions(whole[2])
    assert run.summary == whole[0].summary
