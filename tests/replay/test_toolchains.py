"""What a project's own commands need of the machine."""

from pathlib import Path, PurePosixPath

import pytest

from skillopt_sleep.replay.toolchains import toolchain_of


def python_at(prefix: Path) -> Path:
    """A folder that looks like an installed Python; its bin folder."""
    for name in ("bin/python3.12", "lib/python3.12/os.py"):
        (prefix / name).parent.mkdir(parents=True, exist_ok=True)
        (prefix / name).touch()
    return prefix / "bin"


def venv_of(project: Path, home: Path) -> dict[PurePosixPath, Path]:
    venv = project / ".venv"
    venv.mkdir(parents=True)
    (venv / "pyvenv.cfg").write_text(f"home = {home}\nversion = 3.12.1\n")
    return {PurePosixPath(venv): venv}


def test_programs_of_dependency_folders_are_found_first(tmp_path: Path) -> None:
    modules = tmp_path / "shop" / "node_modules"
    dependencies = venv_of(tmp_path / "shop", Path("/usr/bin")) | {PurePosixPath(modules): modules}
    needs = toolchain_of(tmp_path, dependencies)
    assert needs.path == (str(tmp_path / "shop/.venv/bin"), str(modules / ".bin"))
    assert needs.environ["PATH"].startswith(":".join(needs.path))
    assert needs.reads == dependencies


def test_the_python_of_a_virtual_environment_is_shown_under_both_of_its_names(tmp_path: Path) -> None:
    python_at(tmp_path / "pythons" / "3.12.7")
    (tmp_path / "pythons" / "3.12").symlink_to("3.12.7")
    dependencies = venv_of(tmp_path / "shop", tmp_path / "pythons" / "3.12" / "bin")
    real = tmp_path / "pythons" / "3.12.7"
    added = {PurePosixPath(tmp_path / "pythons" / "3.12"): real, PurePosixPath(real): real}
    assert toolchain_of(tmp_path, dependencies).reads == dependencies | added


@pytest.mark.parametrize("home", ["secrets/bin", "secrets", "../../bin", "relative"])
def test_a_folder_that_is_no_python_is_not_shown(tmp_path: Path, home: str) -> None:
    (tmp_path / "secrets" / "bin").mkdir(parents=True)
    dependencies = venv_of(tmp_path / "shop", tmp_path / home if home != "relative" else Path(home))
    assert toolchain_of(tmp_path, dependencies).reads == dependencies


def test_a_home_folder_is_not_shown_although_it_looks_like_a_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "homes" / "ada"))
    for prefix in (tmp_path / "homes" / "ada", tmp_path / "homes"):
        home = python_at(prefix)
        dependencies = venv_of(prefix / "shop", home)
        assert toolchain_of(tmp_path, dependencies).reads == dependencies


def test_the_toolchain_of_rust_comes_without_the_persons_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RUSTUP_HOME", str(tmp_path / "rustup"))
    monkeypatch.setenv("CARGO_HOME", str(tmp_path / "cargo"))
    stable = tmp_path / "rustup" / "toolchains" / "stable-x86"
    for folder in (stable / "bin", stable / "lib" / "rustlib", tmp_path / "cargo" / "registry"):
        folder.mkdir(parents=True)
    (stable / "bin" / "cargo").touch()
    (tmp_path / "cargo" / "credentials.toml").touch()
    (tmp_path / "rustup" / "settings.toml").write_text('default_toolchain = "stable-x86"\n')
    (tmp_path / "Cargo.toml").touch()
    needs = toolchain_of(tmp_path, {})
    registry = PurePosixPath("/home/replay/.cargo/registry")
    assert needs.reads == {PurePosixPath(stable): stable, registry: tmp_path / "cargo" / "registry"}
    assert needs.environ["CARGO_NET_OFFLINE"] == "true"
    (tmp_path / "rustup" / "settings.toml").write_text('default_toolchain = "../../.ssh"\n')
    assert toolchain_of(tmp_path, {}).reads == {}


def test_an_agent_gets_the_toolchains_but_keeps_its_own_habits(tmp_path: Path) -> None:
    (tmp_path / "Cargo.toml").write_text("[package]\n")
    beside = {PurePosixPath("/shop/node_modules"): tmp_path}
    given = toolchain_of(tmp_path, beside).for_agents
    assert given["CARGO_TARGET_DIR"] == "/tmp/target"  # noqa: S108 - the seal's own
    assert given["PATH"].startswith("/shop/node_modules/.bin")
    assert "/usr/bin" not in given["PATH"]
    assert {"CI", "HOME", "TMPDIR"}.isdisjoint(given)


def test_go_finds_what_was_downloaded_and_never_rewrites_the_list_of_modules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    modules = tmp_path / "modules"
    modules.mkdir()
    monkeypatch.setenv("GOMODCACHE", str(modules))
    (tmp_path / "go.mod").touch()
    needs = toolchain_of(tmp_path, {})
    assert needs.reads[PurePosixPath("/home/replay/go/pkg/mod")] == modules
    assert needs.environ["GOMODCACHE"] == "/home/replay/go/pkg/mod"
    assert needs.environ["GOFLAGS"] == "-buildvcs=false"


def test_a_go_that_is_not_the_systems_is_shown_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "sdk" / "go1.22"
    for folder in (root / "bin", root / "src" / "runtime"):
        folder.mkdir(parents=True)
    (root / "bin" / "go").touch(mode=0o755)
    monkeypatch.setenv("PATH", str(root / "bin"))
    (tmp_path / "go.mod").touch()
    needs = toolchain_of(tmp_path, {})
    assert needs.reads[PurePosixPath(root)] == root
    assert str(root / "bin") in needs.path
