"""A project that opted out stays out while its folder can't be seen."""

import shutil
from pathlib import Path

import pytest

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.settings import ProjectSettings
from skillopt_sleep.wiring.projects import KnownProjects


@pytest.fixture
def known(tmp_path: Path) -> KnownProjects:
    return KnownProjects(tmp_path / "data" / "projects")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return saying(tmp_path / "work" / "client", "enabled = false\n")


def saying(project: Path, text: str) -> Path:
    (project / ".skillopt-sleep").mkdir(parents=True, exist_ok=True)
    (project / ".skillopt-sleep" / "project.toml").write_text(text, encoding="utf-8")
    return project


def test_what_a_project_said_holds_while_its_folder_is_gone(known: KnownProjects, project: Path) -> None:
    assert not known(str(project)).enabled

    shutil.rmtree(project)

    assert not known(str(project)).enabled
    assert not known(str(project / "api")).enabled
    assert known(str(project.parent / "other")).enabled


def test_a_project_may_take_it_back(known: KnownProjects, project: Path) -> None:
    known(str(project))
    shutil.rmtree(project / ".skillopt-sleep")

    assert known(str(project)) == ProjectSettings()

    shutil.rmtree(project)

    assert known(str(project)) == ProjectSettings()


def test_a_mistake_in_its_file_does_not_make_what_it_said_forgotten(known: KnownProjects, project: Path) -> None:
    known(str(project))
    saying(project, "enabled = ")
    with pytest.raises(ConfigError, match=r"project\.toml"):
        known(str(project))

    shutil.rmtree(project)

    assert not known(str(project)).enabled


def test_without_a_project_there_is_nothing_to_ask(known: KnownProjects) -> None:
    assert known("") == ProjectSettings()


def test_a_folder_that_can_not_be_looked_at_is_named(known: KnownProjects, tmp_path: Path) -> None:
    # Root may look at everything; a link to itself nobody can follow.
    circle = tmp_path / "client"
    circle.symlink_to(circle)

    with pytest.raises(ConfigError, match="client can't be looked at") as caught:
        known(str(circle))

    assert "projects.exclude" in caught.value.remedy
