"""A project that opted out stays out while its folder can't be seen, and no file of its stops us."""

import os
import shutil
from collections.abc import Callable
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


def a_pipe(place: Path) -> None:
    os.mkfifo(place)


def endless(place: Path) -> None:
    place.symlink_to("/dev/zero")


def sparse(place: Path) -> None:
    with place.open("wb") as file:
        file.truncate(3 << 30)


def too_long(place: Path) -> None:
    place.write_text("# " + "x" * 64 * 1024, encoding="utf-8")


def a_folder(place: Path) -> None:
    place.mkdir()


def a_link_out(place: Path) -> None:
    outside = place.parents[3] / "outside.toml"
    outside.write_text("enabled = true\n", encoding="utf-8")
    place.symlink_to(outside)


def a_circle(place: Path) -> None:
    place.symlink_to(place)


def not_text(place: Path) -> None:
    place.write_bytes(b"\0\xff")


def a_number_without_end(place: Path) -> None:
    place.write_text("[budget]\ntokens = " + "9" * 5_000, encoding="utf-8")


def nested_without_end(place: Path) -> None:
    place.write_text("exclude = " + "[" * 20_000, encoding="utf-8")


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "made",
    [
        a_pipe,
        endless,
        sparse,
        too_long,
        a_folder,
        a_link_out,
        a_circle,
        not_text,
        a_number_without_end,
        nested_without_end,
    ],
)
def test_settings_of_a_project_that_can_not_be_used_are_named_at_once(
    known: KnownProjects, tmp_path: Path, made: Callable[[Path], None]
) -> None:
    project = tmp_path / "work" / "cloned"
    (project / ".skillopt-sleep").mkdir(parents=True)
    made(project / ".skillopt-sleep" / "project.toml")

    with pytest.raises(ConfigError, match=r"cloned.*project\.toml") as caught:
        known(str(project))

    assert caught.value.remedy


@pytest.mark.timeout(60)
def test_the_folder_of_its_settings_leads_nowhere_else(known: KnownProjects, tmp_path: Path) -> None:
    elsewhere, project = saying(tmp_path / "elsewhere", "enabled = true\n"), tmp_path / "cloned"
    project.mkdir()
    (project / ".skillopt-sleep").symlink_to(elsewhere / ".skillopt-sleep")

    with pytest.raises(ConfigError, match="outside"):
        known(str(project))
