import re
import tomllib
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from skillopt_sleep.errors import CallPending, ConfigError
from skillopt_sleep.example.model import SimulatedBackend
from skillopt_sleep.pools.threads import ThreadPool
from skillopt_sleep.records import Prompt, Purpose, Split, Usage
from skillopt_sleep.settings import BackendSettings, Paths, RoleSettings, Settings
from skillopt_sleep.trainer import TrainerConfig
from skillopt_sleep.trainer.calls import priced
from skillopt_sleep.trainer.loading import read_skill
from skillopt_sleep.wiring.models import make_model
from skillopt_sleep.wiring.training import Flags, WiredTraining, check_consent, in_force, wire_training
from tests.fakes import SerialPool

NONE = Settings()
ENV = '[env]\nname = "dataset"\n'


def wired(
    folder: Path,
    text: str,
    settings: Settings | None = None,
    *,
    backend: str = "",
    model: str = "",
    scoring: bool = False,
    planning: bool = False,
) -> WiredTraining:
    (folder / "toy.toml").write_text(text, encoding="utf-8")
    return wire_training(
        folder / "toy.toml",
        settings or Settings(),
        Paths(config=folder, data=folder),
        progress=lambda label, done, total: None,
        flags=Flags(backend, model),
        scoring=scoring,
        planning=planning,
        go_on="train it",
        environ={},
    )


def test_a_configuration_becomes_the_parts_it_names(tmp_path: Path) -> None:
    (tmp_path / "skill.md").write_text("# Mine\n", encoding="utf-8")
    text = f'skill = "skill.md"\n[train]\nfolder = "one"\n[backend]\nname = "simulated"\n{ENV}'
    training = wired(tmp_path, text)
    assert isinstance(training.target, SimulatedBackend)
    assert isinstance(training.pool, ThreadPool)
    assert training.env.name
    assert (training.folder, training.skill) == (tmp_path / "one", "# Mine\n")
    assert training.trainer()


def test_without_a_backend_of_its_own_the_confirmed_one_is_asked(tmp_path: Path) -> None:
    mine = Settings(backend=BackendSettings(name="openai", model="m", base_url="http://models.example.org/v1"))
    with pytest.raises(ConfigError, match="was not confirmed"):
        wired(tmp_path, ENV, mine)
    assert wired(tmp_path, ENV, mine, backend="openai").target.name
    assert wired(tmp_path, ENV, mine, planning=True).target.name
    confirmed = Settings(
        backend=BackendSettings(name="openai", model="m", base_url="http://models.example.org/v1", confirmed=True)
    )
    assert wired(tmp_path, ENV, confirmed).target.name


def forced(
    text: str = "", *, own: Settings = NONE, backend: str = "", model: str = "", scoring: bool = False
) -> tuple[BackendSettings, RoleSettings]:
    """The backend and the target that are in force, to which the user consented."""
    config, path, flags = msgspec.convert(tomllib.loads(text), TrainerConfig), Path("toy.toml"), Flags(backend, model)
    found = in_force(config, own, flags, path=path, scoring=scoring)
    check_consent(config, own, found, flags, path=path)
    return found.backend, found.target


FILE = """
[backend]
name = "openai"
confirmed = true
model = "big"
base_url = "http://127.0.0.1:9"
[target]
model = "small"
"""
ELSEWHERE = """
[backend]
name = "claude"
confirmed = true
[target]
name = "openai"
model = "small"
base_url = "http://127.0.0.1:9"
"""
LOCAL = BackendSettings(name="openai", model="mine", base_url="http://127.0.0.1:8", confirmed=True)


def test_the_command_line_comes_before_the_file(tmp_path: Path) -> None:
    text = f'[backend]\nname = "openai"\nmodel = "m"\n{ENV}'
    assert isinstance(wired(tmp_path, text, backend="simulated").target, SimulatedBackend)


def test_a_model_alone_is_another_model_of_the_backend_in_force() -> None:
    backend, target = forced(FILE, model="other")
    assert (backend.name, backend.model, backend.base_url) == ("openai", "other", "http://127.0.0.1:9")
    assert target == RoleSettings(model="small")
    assert forced(own=Settings(backend=LOCAL), model="other")[0] == replace(LOCAL, model="other")


def test_the_backend_in_force_keeps_its_address_where_it_is_named_again() -> None:
    backend, target = forced(FILE, backend="openai", model="other")
    assert (backend.model, backend.base_url, target.model) == ("other", "http://127.0.0.1:9", "small")


def test_another_backend_comes_with_what_is_set_up_for_it_and_is_asked_in_both_roles() -> None:
    nobody = RoleSettings()
    assert forced(FILE, backend="claude") == (BackendSettings(name="claude"), nobody)
    assert forced(FILE, backend="anthropic", model="x") == (BackendSettings(name="anthropic", model="x"), nobody)
    backend, target = forced(ELSEWHERE, backend="openai")
    assert (backend.model, backend.base_url, target) == ("small", "http://127.0.0.1:9", nobody)
    own = Settings(backend=LOCAL)
    assert forced('[backend]\nname = "claude"\n', own=own, backend="openai", model="x") == (
        replace(LOCAL, model="x"),
        nobody,
    )


def test_a_skill_is_scored_by_the_model_that_attempts() -> None:
    backend, target = forced(ELSEWHERE, scoring=True)
    assert (backend.name, backend.model, target) == ("openai", "small", RoleSettings())
    backend, _ = forced(ELSEWHERE, scoring=True, backend="openai", model="x")
    assert (backend.model, backend.base_url) == ("x", "http://127.0.0.1:9")
    assert forced(FILE, scoring=True, model="x")[0].model == "x"


def test_a_server_on_this_machine_needs_no_consent() -> None:
    local = '[backend]\nname = "openai"\nmodel = "mine"\nbase_url = "http://localhost:8/v1"\n'
    assert forced(local)[0].model == "mine"
    with pytest.raises(ConfigError, match="'openai' was not confirmed"):
        forced(local + 'api_key_env = "GATEWAY_KEY"\n')
    with pytest.raises(ConfigError, match="'claude' was not confirmed"):
        forced(local + '[target]\nname = "claude"\n')


def test_that_a_file_names_a_backend_is_no_consent_to_send() -> None:
    for text in (FILE, ELSEWHERE):
        unsaid = text.replace("confirmed = true", "confirmed = false").replace("127.0.0.1", "models.example.org")
        with pytest.raises(ConfigError, match="was not confirmed") as refused:
            forced(unsaid, scoring=True)
        assert "set confirmed = true" in refused.value.remedy
    assert forced(FILE.replace("confirmed = true\n", ""), backend="openai")[0].name == "openai"


def test_a_target_of_the_file_is_asked_beside_the_users_own_backend() -> None:
    backend, target = forced('[target]\nmodel = "small"\n', own=Settings(backend=LOCAL))
    assert (backend, target.model) == (LOCAL, "small")


def test_no_role_is_asked_at_a_backend_that_nobody_named_here() -> None:
    own = Settings(backend=BackendSettings(name="claude"), target=RoleSettings(name="openai", model="m"))
    with pytest.raises(ConfigError, match="'openai' was not confirmed"):
        forced(own=own, backend="claude")
    with pytest.raises(ConfigError, match="'claude' was not confirmed"):
        forced('[target]\nname = "openai"\nmodel = "m"\n', own=own)


def test_keys_of_a_backend_without_a_name_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"toy.toml: \[backend\] has no name"):
        forced('[backend]\nmodel = "m"\n', own=Settings(backend=LOCAL))


def test_a_backend_that_is_not_known_is_refused_with_those_that_are() -> None:
    with pytest.raises(ConfigError, match=r"the command line: backend.name") as refused:
        forced(FILE, backend="opnai")
    assert "openai" in refused.value.remedy


def asked_by(training: WiredTraining) -> CallPending:
    with pytest.raises(CallPending) as caught:
        training.target.complete(Prompt(purpose=Purpose.ROLLOUT, text="How many?"))
    return caught.value


def test_prompts_that_wait_lie_with_their_run_and_their_readme_says_how_it_goes_on(tmp_path: Path) -> None:
    text = f'[train]\nfolder = "one"\n[backend]\nname = "handoff"\n{ENV}'
    night = make_model(BackendSettings(name="handoff"), Paths(config=tmp_path, data=tmp_path), {})
    with pytest.raises(CallPending):
        night.complete(Prompt(purpose=Purpose.ROLLOUT, text="How many?"))

    training = wired(tmp_path, text, model="m", backend="handoff")
    said = asked_by(training)
    scored = asked_by(wired(tmp_path, text, scoring=True))

    for waits, name in ((said, "handoff"), (scored, "handoff-eval")):
        assert waits.remedy.endswith("go on: train it")
        assert "`train it`" in (tmp_path / "one" / name / "README.md").read_text(encoding="utf-8")
    for folder in (tmp_path / "handoff", tmp_path / "one" / "handoff", tmp_path / "one" / "handoff-eval"):
        assert len(list((folder / "open").iterdir())) == 1
    assert training.optimizer is training.target


def test_what_the_pool_holds_is_let_go(tmp_path: Path) -> None:
    class Closing(SerialPool):
        closed = False

        def close(self) -> None:
            self.closed = True

    pool, training = Closing(), wired(tmp_path, f'[backend]\nname = "simulated"\n{ENV}')
    training.close()
    training._replace(pool=pool).close()
    assert pool.closed


def test_a_training_is_planned_without_a_backend_and_its_price_is_unknown(tmp_path: Path) -> None:
    training = wired(tmp_path, ENV, planning=True)
    assert [priced(model, Usage(output_tokens=9)) for model in (training.optimizer, training.target)] == [None, None]


def test_nothing_is_sent_anywhere_without_a_word(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no backend is named") as refused:
        wired(tmp_path, ENV)
    assert str(tmp_path / "toy.toml") in refused.value.remedy
    assert "run" not in refused.value.remedy


def test_a_skill_that_is_not_there_is_an_error_and_no_blank(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.md"):
        wired(tmp_path, f'skill = "none.md"\n[backend]\nname = "simulated"\n{ENV}')
    for path in (tmp_path, tmp_path / "none.md"):
        with pytest.raises(ConfigError, match="the skill ") as refused:
            read_skill(path)
        assert refused.value.remedy == "name a file that can be read"
    (tmp_path / "bytes.md").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match="utf-8") as refused:
        read_skill(tmp_path / "bytes.md")
    assert "UTF-8" in refused.value.remedy


def test_an_environments_files_lie_beside_the_configuration(tmp_path: Path) -> None:
    text = f'[backend]\nname = "simulated"\n{ENV}path = "none.json"\n'
    with pytest.raises(ConfigError, match=re.escape(str(tmp_path / "none.json"))):
        wired(tmp_path, text).env.items(Split.TRAIN)
    text = '[backend]\nname = "simulated"\n[env]\nname = "document_qa"\npath = "x"\nocr = "pages"\n'
    env: Any = wired(tmp_path, text).env
    assert (env.path, env.ocr) == (str(tmp_path / "x"), str(tmp_path / "pages"))
