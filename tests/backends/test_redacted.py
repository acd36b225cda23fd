from pathlib import Path

import pytest

from skillopt_sleep.backends.redacted import Redacted
from skillopt_sleep.learning.select import SelectReply
from skillopt_sleep.records import Purpose
from skillopt_sleep.settings import BackendSettings, Settings, find_paths
from skillopt_sleep.wiring.night import wire
from tests.builders import a_prompt
from tests.fakes import FakeBackend
from tests.server import ModelServer

SECRETS = [
    "ghp_" + "aB3dE5gH7jK9mN1pQ3rS5tU7vW9xY1zA3bC5",
    "sk-proj-" + "abcdefghijklmnop1234567890ABCD",
    "AKIA" + "IOSFODNN7EXAMPLQ",
]


def test_a_secret_is_not_asked_about() -> None:
    inner = FakeBackend(otherwise="done")
    prompt = a_prompt(f"use {SECRETS[0]}", purpose=Purpose.ROLLOUT, sample=3)
    Redacted(inner).complete(prompt)
    (asked,) = inner.prompts
    assert SECRETS[0] not in asked.text
    assert (asked.purpose, asked.sample, asked.schema) == (prompt.purpose, prompt.sample, prompt.schema)


def test_a_prompt_without_a_secret_is_asked_as_it_is() -> None:
    inner = FakeBackend(otherwise={"selected_indices": [1]})
    prompt = a_prompt("no secret here", purpose=Purpose.SELECT, schema=SelectReply)
    assert Redacted(inner).complete(prompt).structured == SelectReply(selected_indices=(1,))
    assert inner.prompts == [prompt]


@pytest.mark.parametrize("secret", SECRETS, ids=["github", "openai", "aws"])
def test_no_secret_reaches_the_server_or_the_disk_from_a_wired_night(tmp_path: Path, secret: str) -> None:
    paths = find_paths({"SKILLOPT_SLEEP_HOME": str(tmp_path / "home")})
    with ModelServer() as server:
        settings = Settings(backend=BackendSettings(name="openai", model="m", base_url=server.base_url))
        night = wire(settings, paths, sources=(), environ={})
        with night.store.open_night():
            night.crew.optimizer.complete(a_prompt(f"my token is {secret}, keep it"))
        night.store.close()
        sent = repr(server.requests)
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert "[redacted:" in sent
    assert secret not in sent
    assert b"[redacted:" in kept
    assert secret.encode() not in kept
