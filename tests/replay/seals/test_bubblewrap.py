"""bubblewrap: versions, machines that refuse namespaces, odd paths."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path, PurePosixPath

import pytest

from skillopt_sleep.errors import SealBroken
from skillopt_sleep.protocols.sealing import Tree
from skillopt_sleep.replay.seals import SEALS
from skillopt_sleep.replay.seals.bubblewrap import Bubblewrap, Handed
from skillopt_sleep.replay.seals.machine import codex_program, system_program, too_old
from tests.sealed import a_place

pytestmark = pytest.mark.seal

ROOT = Path(__file__).parent.parent.parent.parent
needs_bubblewrap = pytest.mark.skipif(system_program() is None, reason="bubblewrap isn't installed")


@pytest.mark.parametrize(
    "version", ["bubblewrap 0.8.0", "bubblewrap 0.12.0", "bubblewrap 1.0", "bubblewrap built for Codex"]
)
def test_these_versions_can_be_used(version: str) -> None:
    assert too_old(version) == ""


@pytest.mark.parametrize(
    "version", ["bubblewrap 0.7.9", "bubblewrap 0.4.1", "", "bubblewrap", "other 0.12.0", "0.12.0"]
)
def test_these_are_too_old_or_not_known(version: str) -> None:
    assert "too old" in too_old(version)


def test_an_old_version_is_never_started(tmp_path: Path) -> None:
    old = tmp_path / "bwrap"
    old.write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo "bubblewrap 0.4.1" || touch {tmp_path}/started\n')
    old.chmod(0o755)
    (tmp_path / "place").mkdir()
    probe = Bubblewrap("old", lambda: old).probe(tmp_path / "place")
    assert not probe.holds
    assert "0.4.1 is too old" in probe.problem
    assert not (tmp_path / "started").exists()


def test_one_that_does_nothing_of_what_it_is_asked_does_not_hold(tmp_path: Path) -> None:
    idle = tmp_path / "bwrap"
    idle.write_text('#!/bin/sh\necho "bubblewrap 0.12.0"\n')
    idle.chmod(0o755)
    (tmp_path / "place").mkdir()
    probe = Bubblewrap("idle", lambda: idle).probe(tmp_path / "place")
    assert (probe.holds, probe.denied) == (False, frozenset())
    assert "didn't start" in probe.problem


def test_one_that_is_not_installed_says_so(tmp_path: Path) -> None:
    seal = Bubblewrap("none", lambda: None)
    probe = seal.probe(tmp_path)
    assert (probe.problem, bool(probe.remedy)) == ("it isn't installed", True)
    with a_place(seal) as place, pytest.raises(SealBroken):
        place.sh("true")


_WITHOUT_NAMESPACES = """
import sys, tempfile
from pathlib import Path
from skillopt_sleep.replay.seals import SEALS, chosen
with tempfile.TemporaryDirectory() as folder:
    choice = chosen(SEALS, Path(folder))
print(choice.seal, choice.why_not, choice.remedy, sep="\\n")
"""


@needs_bubblewrap
def test_where_namespaces_are_refused_no_seal_of_this_kind_holds_and_the_setting_is_named() -> None:
    script = 'echo 0 > /proc/sys/user/max_user_namespaces; exec "$@"'
    around = ["unshare", "-U", "-r", "/bin/sh", "-c", script, "sh"]
    if subprocess.run([*around, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no namespace can be had to refuse others in")
    done = subprocess.run(
        [*around, sys.executable, "-c", _WITHOUT_NAMESPACES], cwd=ROOT, capture_output=True, text=True, check=True
    )
    seal, why_not, remedy = done.stdout.splitlines()
    assert seal == "None"
    assert "bubblewrap: " in why_not
    assert remedy == "sudo sysctl -w user.max_user_namespaces=15000"


@needs_bubblewrap
@pytest.mark.parametrize("name", ["a,b:c\\d e'f\"g", "--bind", "lowerdir=x,upperdir=y", "$(touch pwned)", "ü\n"])
def test_no_character_of_a_path_has_a_meaning(name: str) -> None:
    with a_place(SEALS[0]) as place:
        odd = place.folder / name
        for folder in ("lower", "upper", "work", "home"):
            (odd / folder).mkdir(parents=True)
        (odd / "lower" / "file").write_text("base")
        tree = Tree(upper=odd / "upper", lower=odd / "lower", work=odd / "work")
        root = PurePosixPath("/srv", name)
        place.policy = replace(place.policy, tree=tree, home=odd / "home", root=root, cwd=root)
        ran = place.sh("cat file; echo new > new; pwd")
        assert ran.stdout.decode() == f"base/srv/{name}\n", ran.stderr
        assert (odd / "upper" / "new").exists()


def test_the_program_of_codex_is_found_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packages = tmp_path / "lib" / "node_modules"
    script = packages / "@openai" / "codex" / "bin" / "codex.js"
    found = (
        packages
        / "@openai"
        / "codex-linux-x64"
        / "vendor"
        / "x86_64-unknown-linux-musl"
        / "codex-resources"
        / "bwrap"
    )
    for file in (script, found):
        file.parent.mkdir(parents=True)
        file.write_text("#!/bin/sh\n")
        file.chmod(0o755)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "codex").symlink_to(script)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert codex_program() == found
    found.unlink()
    assert codex_program() is None


def test_a_file_is_read_from_its_beginning_and_its_number_is_none_that_a_shell_uses() -> None:
    with Handed() as handed:
        number = handed.file(b"content")
        assert number > 9
        assert os.read(number, 99) == b"content"
        assert handed.numbers == [number]


def test_at_the_end_all_are_closed_and_no_other_program_inherits_them() -> None:
    with Handed() as handed:
        numbers = [handed.file(b"x"), *handed.pipe()]
        assert not any(os.get_inheritable(number) for number in numbers)
    for number in numbers:
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(number)
