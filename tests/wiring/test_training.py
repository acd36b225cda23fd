import re
from pathlib import Path

import pytest

from skillopt_sleep.backends.simulated import SimulatedBackend
from skillopt_sleep.errors import ConfigError
from skillopt_sleep.pools.threads import ThreadPool
from skillopt_sleep.records import Split
from skillopt_sleep.settings import BackendSettings, Paths, Settings
from skillopt_sleep.trainer.given import read_skill
from skillopt_sleep.wiring.training import Training, wire_training

ENV = '[env]\nname = "multiple_choice"\n'


def wired(folder: Path, text: str, settings: Settings | None = None, consented: str = "") -> Training:
    (folder / "toy.toml").write_text(text, encoding="utf-8")
    return wire_training(
        folder / "toy.toml",
        settings or Settings(),
        Paths(config=folder, data=folder),
        progress=lambda label, done, total: None,
        consented=consented,
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
    mine = Settings(backend=BackendSettings(name="openai", model="m", base_url="http://127.0.0.1:9"))
    with pytest.raises(ConfigError, match="was not confirmed"):
        wired(tmp_path, ENV, mine)
    assert wired(tmp_path, ENV, mine, consented="openai").target.name
    confirmed = Settings(
        backend=BackendSettings(name="openai", model="m", base_url="http://127.0.0.1:9", confirmed=True)
    )
    assert wired(tmp_path, ENV, confirmed).target.name


def test_the_command_line_comes_before_the_file(tmp_path: Path) -> None:
    text = f'[backend]\nname = "openai"\nmodel = "m"\n{ENV}'
    flags = Settings(backend=BackendSettings(name="simulated"))
    assert isinstance(wired(tmp_path, text, flags, consented="simulated").target, SimulatedBackend)


def test_nothing_is_sent_anywhere_without_a_word(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no backend is named"):
        wired(tmp_path, ENV)


def test_a_skill_that_is_not_there_is_an_error_and_no_blank(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.md"):
        wired(tmp_path, f'skill = "none.md"\n[backend]\nname = "simulated"\n{ENV}')
    (tmp_path / "bytes.md").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match="UTF-8"):
        read_skill(tmp_path / "bytes.md")


def test_an_environments_files_lie_beside_the_configuration(tmp_path: Path) -> None:
    text = f'[backend]\nname = "simulated"\n{ENV}path = "none.json"\n'
    with pytest.raises(ConfigError, match=re.escape(str(tmp_path / "none.json"))):
        wired(tmp_path, text).env.items(Split.TRAIN)
