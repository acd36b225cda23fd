"""A remedy names what really installs: the libraries of an extra, into the environment that runs."""

import re
import shlex
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from skillopt_sleep.kit.extras import command_for

ROOT = Path(__file__).parent.parent.parent


@pytest.mark.parametrize(("extra", "library"), [("anthropic", "anthropic"), ("ray", "ray"), ("notify", "apprise")])
def test_the_command_installs_the_extras_library_and_no_package_of_our_name(extra: str, library: str) -> None:
    *_, what = words = shlex.split(command_for(extra))
    assert what.startswith((f"{library}<", f"{library}>"))
    assert sys.executable in words
    assert not [word for word in words if "skillopt-sleep" in Path(word).name]


def test_the_command_is_one_that_the_installer_understands() -> None:
    argv = [*shlex.split(command_for("anthropic")), "--dry-run", "--no-deps", "--no-index"]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "already satisfied" in done.stdout or "make no changes" in done.stderr, done.stderr


def test_a_program_that_pipx_installed_is_told_to_use_pipx(tmp_path: Path) -> None:
    assert told_in(tmp_path, "pipx_metadata.json") == "pipx inject skillopt-sleep 'ray>=2'\n"


def test_a_program_without_pip_is_told_to_use_uv(tmp_path: Path) -> None:
    assert told_in(tmp_path) == f"uv pip install --python {tmp_path / 'bin' / 'python'} 'ray>=2'\n"


def test_what_the_readme_says_installs_everything_that_it_promises() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    installs = re.findall(r"(?:pipx|uv tool) install \S+", text)
    assert "`web` opens" in text
    assert len(installs) == 2
    assert all("[web]" in line for line in installs)


def told_in(tmp_path: Path, *names: str) -> str:
    """The command in a virtual environment without pip, in which there are these files."""
    venv.create(tmp_path, with_pip=False)
    (site,) = (tmp_path / "lib").glob("python*/site-packages")
    info = site / "skillopt_sleep-1.dist-info"
    info.mkdir()
    metadata = "Metadata-Version: 2.1\nName: skillopt-sleep\nVersion: 1\nRequires-Dist: ray>=2; extra == 'ray'\n"
    (info / "METADATA").write_text(metadata, encoding="utf-8")
    source = (ROOT / "skillopt_sleep" / "kit" / "extras.py").read_text(encoding="utf-8")
    for name in names:
        (tmp_path / name).touch()
    script = f"{source}\nprint(command_for('ray'))"
    done = subprocess.run(
        [str(tmp_path / "bin" / "python"), "-c", script], capture_output=True, text=True, check=True
    )
    return done.stdout
