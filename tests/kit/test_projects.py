"""Which project a folder belongs to."""

from pathlib import Path

from skillopt_sleep.kit.projects import project_root


def test_a_folder_belongs_to_the_nearest_repository_above_it(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    inner = tmp_path / "packages" / "shop"
    (inner / "src").mkdir(parents=True)
    (inner / ".git").write_text("gitdir: elsewhere\n")
    assert project_root(str(inner / "src")) == str(inner)
    assert project_root(str(tmp_path / "packages")) == str(tmp_path)


def test_a_folder_without_a_repository_is_its_own_project(tmp_path: Path) -> None:
    assert project_root(str(tmp_path)) == str(tmp_path)


def test_a_folder_that_is_gone_is_returned_as_it_is() -> None:
    assert project_root("/home/nobody/gone/app") == "/home/nobody/gone/app"
    assert project_root("") == ""
