"""The one dict of agents, and what the rest of the program takes from it."""

from pathlib import Path
from typing import get_args

import pytest

from skillopt_sleep import agents
from skillopt_sleep.agents import AGENTS
from skillopt_sleep.protocols.agent import Agent, Start
from skillopt_sleep.settings import BackendName, HarvestSettings, Settings
from skillopt_sleep.wiring import agent_sources, session_folders

SHARED = {"transcripts", "sealed"}


def test_every_folder_of_an_agent_is_in_the_dict() -> None:
    folders = {path.parent.name for path in Path(agents.__file__).parent.glob("*/__init__.py")} - SHARED
    assert {type(agent.program).__module__.split(".")[2] for agent in AGENTS.values()} == folders


@pytest.mark.parametrize(("name", "agent"), AGENTS.items(), ids=AGENTS)
def test_an_agent_is_known_by_the_name_of_its_program_and_the_source_of_its_sessions(name: str, agent: Agent) -> None:
    assert name == agent.program.name
    assert name in get_args(BackendName)
    assert agent.source in HarvestSettings().sources
    assert agent.sessions(Path("/nowhere")).name == agent.source


@pytest.mark.parametrize("agent", AGENTS.values(), ids=AGENTS)
def test_an_agents_home_is_the_one_it_is_told_or_its_own_in_the_users(agent: Agent) -> None:
    user_home = Path("/home/dev")
    assert agent.home({}, user_home) == user_home / agent.program.home_name
    assert agent.home({agent.program.home_env: "/elsewhere"}, user_home) == Path("/elsewhere")


def test_sources_and_their_folders_are_those_that_the_settings_name() -> None:
    for agent in AGENTS.values():
        settings = Settings(harvest=HarvestSettings(sources=(agent.source,)))  # pyright: ignore[reportArgumentType]
        environ = {agent.program.home_env: "/elsewhere"}
        assert [source.name for source in agent_sources(settings, environ)] == [agent.source]
        folders = session_folders(settings, environ)
        assert folders
        assert all(folder.is_relative_to("/elsewhere") for folder in folders)


@pytest.mark.parametrize("agent", AGENTS.values(), ids=AGENTS)
def test_a_places_limit_is_one_of_the_files_a_lesson_may_go_to(agent: Agent, tmp_path: Path) -> None:
    for place in agent.documents.limits:
        (tmp_path / place).touch()
        start = Start(tmp_path, tmp_path, tmp_path / "home", tmp_path / "home" / "agent")
        assert place in agent.documents.places(start)
