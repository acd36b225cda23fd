"""What every backend and every wrapper of one promises."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest

from skillopt_sleep.backends.cached import Cached
from skillopt_sleep.backends.handoff import HandoffBackend
from skillopt_sleep.backends.metered import Limits, Metered, NightMeter
from skillopt_sleep.backends.openai import OpenAIBackend
from skillopt_sleep.backends.wrappers import Recorded, Redacted, Repaired, Retried, Watched
from skillopt_sleep.errors import CallFailed, CallPending, FailureKind
from skillopt_sleep.example.model import SimulatedBackend
from skillopt_sleep.learning.select import SelectReply
from skillopt_sleep.prompts import fill
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.records import Limit, Prompt, Purpose
from tests.fakes import FakeBackend, FakeCalls, FakeClock, FakeLedger
from tests.server import ModelServer

PREFLIGHT = Prompt(purpose=Purpose.PREFLIGHT, text=fill("preflight", night="2026-03-02"))
SELECT = Prompt(
    purpose=Purpose.SELECT,
    text=fill("select", budget="1", document="None.", tried="None.", notes="None.", edits="0. first\n1. second"),
    schema=SelectReply,
)


class NobodyKnows(msgspec.Struct, frozen=True):
    """A reply that no backend here is able to give."""

    meaning_of_life: int


def _fake() -> Backend:
    return FakeBackend({Purpose.PREFLIGHT: "ready", Purpose.SELECT: {"selected_indices": [0]}})


def _meter() -> NightMeter:
    return NightMeter(FakeLedger(), Limits(night=Limit(1_000, 10_000_000), minutes=60), clock=FakeClock())


def _openai(server: ModelServer) -> Backend:
    return OpenAIBackend(model="m", base_url=server.base_url, api_key="", api_key_env="K", timeout=10)


def _handoff(folder: Path) -> Backend:
    """With the answers to all that is asked here."""
    backend = HandoffBackend(folder)
    told = [PREFLIGHT, *(msgspec.structs.replace(SELECT, sample=sample) for sample in range(24))]
    for prompt in (*told, *(msgspec.structs.replace(prompt, schema=NobodyKnows) for prompt in (PREFLIGHT, SELECT))):
        with suppress(CallPending):
            backend.complete(prompt)
    for path in (folder / "open").iterdir():
        answer = "ready" if "preflight" in path.name else '{"selected_indices": [0]}'
        (folder / "answers" / f"{path.stem[-16:]}.md").write_text(answer, encoding="utf-8")
    return backend


def _wired(inner: Backend, folder: Path) -> Backend:
    meter = _meter()
    asked = Cached(Retried(Repaired(Metered(inner, meter, model="m"))), FakeCalls(), model="m", version=lambda: "1")
    return Recorded(Watched(Redacted(asked), meter), lambda: folder)


MAKERS: dict[str, Callable[[ModelServer, Path], Backend]] = {
    "fake": lambda server, folder: _fake(),
    "simulated": lambda server, folder: SimulatedBackend(),
    "openai": lambda server, folder: _openai(server),
    "handoff": lambda server, folder: Cached(
        _handoff(folder / "handoff"), FakeCalls(), model="m", version=lambda: "1"
    ),
    "cached": lambda server, folder: Cached(_fake(), FakeCalls(), model="m", version=lambda: "1"),
    "metered": lambda server, folder: Metered(_fake(), _meter(), model="m"),
    "recorded": lambda server, folder: Recorded(_fake(), lambda: folder),
    "redacted": lambda server, folder: Redacted(_fake()),
    "repaired": lambda server, folder: Repaired(_fake()),
    "retried": lambda server, folder: Retried(_fake()),
    "watched": lambda server, folder: Watched(_fake(), _meter()),
    "all wrappers": lambda server, folder: _wired(_openai(server), folder),
}


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture(params=MAKERS)
def backend(request: pytest.FixtureRequest, server: ModelServer, tmp_path: Path) -> Backend:
    return MAKERS[request.param](server, tmp_path)


def test_a_text_is_answered_by_a_text(backend: Backend) -> None:
    completion = backend.complete(PREFLIGHT)
    assert completion.text.strip()
    assert completion.structured is None


def test_a_structured_answer_is_an_instance_of_the_schema(backend: Backend) -> None:
    for _ in range(2):
        assert isinstance(backend.complete(SELECT).structured, SelectReply)


def test_an_answer_that_can_not_be_decoded_is_a_failed_call_and_no_result(backend: Backend) -> None:
    for purpose in (PREFLIGHT, SELECT):
        with pytest.raises(CallFailed) as caught:
            backend.complete(msgspec.structs.replace(purpose, schema=NobodyKnows))
        assert caught.value.kind is FailureKind.MALFORMED


def test_many_threads_may_ask_at_once(backend: Backend) -> None:
    prompts = [msgspec.structs.replace(SELECT, sample=sample) for sample in range(24)]
    with ThreadPoolExecutor(8) as pool:
        completions = list(pool.map(backend.complete, prompts))
    assert all(isinstance(completion.structured, SelectReply) for completion in completions)
