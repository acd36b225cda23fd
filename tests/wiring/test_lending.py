import pickle
from pathlib import Path
from typing import NamedTuple

import pytest

from skillopt_sleep.backends.handoff import HandoffBackend
from skillopt_sleep.backends.openai import OpenAIBackend
from skillopt_sleep.example.model import SimulatedBackend
from skillopt_sleep.pools.ray import RayPool, WorkerModel
from skillopt_sleep.pools.threads import ThreadPool
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.settings import BackendSettings, Paths, RoleSettings, Settings
from skillopt_sleep.trainer.loading import make_pool
from skillopt_sleep.wiring.models import make_model
from skillopt_sleep.wiring.training import lend
from tests.trainer.toy import a_config

ENVIRON = {"OPENAI_API_KEY": "sk-of-the-user", "MY_KEY": "sk-of-the-role", "OTHER": "stays here"}


class Borrowed(NamedTuple):
    """What travels for a role, and what a worker makes of it."""

    sent: bytes
    made: Backend


def borrowed(backend: BackendSettings, role: RoleSettings, tmp_path: Path) -> Borrowed:
    settings, paths = Settings(backend=backend), Paths(config=tmp_path, data=tmp_path)
    model = lend(SimulatedBackend(), role, settings, paths, ENVIRON)
    assert isinstance(model, WorkerModel)
    sent = pickle.dumps(model.recipe)
    return Borrowed(sent, pickle.loads(sent)())  # noqa: S301 - what was pickled here


def test_a_worker_makes_the_model_that_the_role_names(tmp_path: Path) -> None:
    simulated = borrowed(BackendSettings(name="simulated"), RoleSettings(), tmp_path)
    assert isinstance(simulated.made, SimulatedBackend)
    role = RoleSettings(name="openai", model="small", base_url="http://localhost:1/v1")
    openai = borrowed(BackendSettings(name="simulated"), role, tmp_path)
    assert isinstance(openai.made, OpenAIBackend)
    assert openai.made.name.startswith("small@")


@pytest.mark.parametrize(("variable", "own"), [("", b"sk-of-the-user"), ("MY_KEY", b"sk-of-the-role")])
def test_the_one_key_that_the_model_needs_travels_and_no_other_variable(
    tmp_path: Path, variable: str, own: bytes
) -> None:
    backend = BackendSettings(name="openai", model="small", api_key_env=variable)
    sent = borrowed(backend, RoleSettings(), tmp_path).sent
    assert own in sent
    assert sent.count(b"sk-of-the-") == 1
    assert b"stays here" not in sent


def test_what_a_handoff_answers_stays_here(tmp_path: Path) -> None:
    backend, paths = BackendSettings(name="handoff"), Paths(config=tmp_path, data=tmp_path)
    model = make_model(backend, paths, {})
    assert isinstance(model, HandoffBackend)
    assert lend(model, RoleSettings(), Settings(backend=backend), paths, {}) is model


def test_what_is_lent_is_shown_as_the_model_it_is(tmp_path: Path) -> None:
    model = lend(
        SimulatedBackend(),
        RoleSettings(),
        Settings(backend=BackendSettings(name="simulated")),
        Paths(config=tmp_path, data=tmp_path),
        {},
    )
    assert isinstance(model, WorkerModel)
    assert model.name == "simulated"


def test_the_pool_is_the_one_that_the_configuration_names() -> None:
    kinds = [
        type(make_pool(a_config(train={"pool": name}), lambda label, done, total: None))
        for name in ("threads", "ray")
    ]
    assert kinds == [ThreadPool, RayPool]
