"""A training whose calls fail now and then is as reproducible as one whose calls don't."""

import hashlib
import random
import time
from pathlib import Path

import pytest
from msgspec.structs import replace

from skillopt_sleep.backends.replies import decoded
from skillopt_sleep.errors import BackendUnavailable, CallFailed, FailureKind
from skillopt_sleep.kit.codec import from_json
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.records import Completion, Prompt, Purpose
from skillopt_sleep.trainer import Item, Result
from skillopt_sleep.trainer.summary import History
from tests.trainer.toy import Scripted, Toy, a_config, a_trainer, bytes_of

CONFIG = a_config(train={"epochs": 3}, gradient={"minibatch": 1}, optimizer={"edit_budget": 2})


class Killed(BaseException):
    """What ends a process wherever it is."""


class Failing(Scripted):
    """Some questions time out or are answered with nonsense, always the same ones; slow ones end last."""

    def __init__(self, share: float, *, stop: int = 0, slow: bool = False) -> None:
        super().__init__()
        self._share, self._stop_at, self._slow = share, stop, slow

    def complete(self, prompt: Prompt) -> Completion:
        if len(self.prompts) + 1 == self._stop_at:
            raise Killed
        drawn = hashlib.sha256(f"{prompt.text}{prompt.sample}{prompt.asker}".encode()).digest()[0] / 256
        if prompt.purpose is Purpose.PREFLIGHT or drawn >= self._share:
            return super().complete(prompt)
        self.prompts.append(prompt)
        if self._slow:
            time.sleep(0.01)
        if prompt.schema is not None and drawn < self._share / 2:
            return decoded(prompt, Completion(text="not { json"))
        raise CallFailed(FailureKind.TIMED_OUT, "no answer in time")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, bytes], int]:
    """What an uninterrupted run wrote, and how often it asked."""
    folder, model = tmp_path_factory.mktemp("whole"), Failing(0.2)
    a_trainer(folder, model, config=CONFIG, workers=1).train()
    assert any(b"not scored" in data or b"timed_out" in data for data in bytes_of(folder).values())
    return bytes_of(folder), len(model.prompts)


def test_the_number_of_workers_changes_nothing_though_what_fails_ends_last(
    tmp_path: Path, whole: tuple[dict[str, bytes], int]
) -> None:
    for workers in (2, 8):
        folder = tmp_path / str(workers) / "run"
        a_trainer(folder, Failing(0.2, slow=True), config=CONFIG, workers=workers).train()
        assert bytes_of(folder) == whole[0]


@pytest.mark.slow
def test_a_run_that_goes_on_fails_where_it_failed_and_pays_no_answer_twice(
    tmp_path: Path, whole: tuple[dict[str, bytes], int]
) -> None:
    files, calls = whole
    for number, at in enumerate(random.Random(3).sample(range(2, calls), 12)):
        folder = tmp_path / str(number) / "run"
        first, second = Failing(0.2, stop=at), Failing(0.2)
        with pytest.raises(Killed):
            a_trainer(folder, first, config=CONFIG, workers=1).train()
        a_trainer(folder, second, config=CONFIG, workers=1).train()
        assert bytes_of(folder) == files
        twice = [key for key in first.keys() if key in second.keys()]  # noqa: SIM118 - a list of questions
        # Only what failed last, and a word to see whether the model is there, may be asked again.
        assert len(twice) <= 4
        answered = {key for key in first.keys() if key[0] != Purpose.PREFLIGHT}  # noqa: SIM118
        assert len(answered | set(second.keys())) <= calls


class Sandbox(Toy, frozen=True):
    """An environment most of whose items can't be attempted under a skill that is named in `broken`, or any."""

    broken: str = ""

    def rollout_one(self, item: Item, skill: str, target: Backend, *, sample: int) -> Result:
        number = int(item.id.rpartition("-")[2])
        if number and self.broken in skill:
            return Result(failure="the sandbox could not be started")
        return super().rollout_one(item, skill, target, sample=sample)


def test_where_most_of_val_can_not_be_scored_there_is_no_training(tmp_path: Path) -> None:
    with pytest.raises(
        BackendUnavailable, match="7 of 8 val items under the initial skill could not be scored; of 7"
    ):
        a_trainer(tmp_path, env=Sandbox()).train()
    assert not (tmp_path / "summary.json").exists()


def test_where_most_of_train_can_not_be_scored_under_a_skill_that_was_accepted_the_run_ends(tmp_path: Path) -> None:
    class Later(Sandbox, frozen=True):
        def rollout_one(self, item: Item, skill: str, target: Backend, *, sample: int) -> Result:
            if not item.id.startswith("train"):
                return Toy.rollout_one(self, item, skill, target, sample=sample)
            return super().rollout_one(item, skill, target, sample=sample)

    summary = a_trainer(tmp_path, env=Later(broken="Say")).train()
    assert "train items could not be scored" in summary.stopped
    history = from_json((tmp_path / "history.json").read_bytes(), History)
    assert len(history.steps) == 1


def test_what_failed_in_a_run_that_measured_nothing_is_asked_again_when_it_goes_on(tmp_path: Path) -> None:
    class Out(Scripted):
        def complete(self, prompt: Prompt) -> Completion:
            if prompt.purpose is Purpose.ROLLOUT and "val request" in prompt.text:
                raise CallFailed(FailureKind.REFUSED, "not now")
            return super().complete(prompt)

    with pytest.raises(BackendUnavailable, match="refused: not now"):
        a_trainer(tmp_path, Out()).train()
    summary = a_trainer(tmp_path, Scripted()).train()
    assert summary.best.val.n == 8


def test_an_empty_answer_of_a_model_is_a_failure_at_once_and_after_a_resume(tmp_path: Path) -> None:
    class Silent(Scripted):
        """Says nothing to two of the val items."""

        def complete(self, prompt: Prompt) -> Completion:
            found = super().complete(prompt)
            return replace(found, text="") if "val request 1 " in prompt.text else found

    first = a_trainer(tmp_path, Silent()).train()
    assert (first.initial.val.n, first.initial.val.unscored) == (7, 1)
    assert "answered the rollout prompt with nothing" in first.initial.val.because
    again = Silent()
    assert a_trainer(tmp_path, again).train() == first
    assert again.prompts == []
