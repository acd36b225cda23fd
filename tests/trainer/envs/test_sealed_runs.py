"""What a model wrote runs in a seal, or not at all."""

import os
import socket
import tempfile
from pathlib import Path

import pytest

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.protocols.sealing import Probe
from skillopt_sleep.replay.seals import SealChoice
from skillopt_sleep.trainer.envs.sealed_runs import Ended, SealedRuns, is_inside, required
from tests.replay.plain_seal import PlainSeal
from tests.sealing import seal_or_skip

pytestmark = pytest.mark.seal


def run(code: str, *, seconds: int = 20, wanted: tuple[str, ...] = (), packages: tuple[str, ...] = ()) -> Ended:
    runs = SealedRuns(seal_or_skip(), seconds=seconds)
    return runs.run(["python3", "main.py"], {"main.py": code.encode()}, wanted=wanted, packages=packages)


def test_without_a_seal_nothing_is_run_and_the_remedy_is_named() -> None:
    choice = SealChoice(None, (Probe("bubblewrap", problem="it isn't installed"),))
    with pytest.raises(ConfigError, match=r"only run sealed.*it isn't installed") as refused:
        required(choice)
    assert refused.value.remedy == choice.remedy != ""
    seal = PlainSeal()
    assert required(SealChoice(seal, ())) is seal


def test_a_program_runs_with_its_files_and_leaves_what_is_asked_for() -> None:
    ended = run("open('out.txt', 'w').write('done'); print('hello')", wanted=("out.txt", "gone.txt"))
    assert (ended.status, ended.printed.strip(), ended.stdout) == (0, "hello", "hello\n")
    assert ended.files == {"out.txt": b"done"}


def test_a_link_that_leads_out_is_no_file_that_was_left(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    ended = run(f"import os; os.symlink({str(tmp_path / 'secret')!r}, 'out.txt')", wanted=("out.txt",))
    assert ended.files == {}


def test_it_reaches_neither_files_of_ours_nor_a_server(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("told")
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = server.getsockname()
        ended = run(
            "import socket\n"
            f"for deed in (lambda: print(open({str(tmp_path / 'secret')!r}).read()), "
            f"lambda: print(socket.create_connection({address!r}, 2)), "
            f"lambda: open({str(tmp_path / 'new')!r}, 'w')):\n"
            "    try:\n        deed()\n    except OSError as error:\n        print('refused')\n"
        )
    assert ended.stdout == "refused\n" * 3
    assert [path.name for path in tmp_path.iterdir()] == ["secret"]


def test_it_knows_nothing_of_our_environment() -> None:
    os.environ["SKILLOPT_TEST_SECRET"] = "told"
    try:
        ended = run("import os; print(sorted(os.environ))")
    finally:
        del os.environ["SKILLOPT_TEST_SECRET"]
    assert "SKILLOPT_TEST_SECRET" not in ended.stdout
    assert "PATH" in ended.stdout


def test_one_that_does_not_end_is_ended_and_has_no_status() -> None:
    assert run("while True: pass", seconds=1).status is None


def test_what_it_prints_is_the_same_wherever_it_runs() -> None:
    code = "import os; print(os.getcwd(), object()); raise ValueError(hash('a'))"
    first, second = run(code), run(code)
    assert first.status == 1
    assert first.printed == second.printed
    assert "0x…" in first.printed


def test_a_package_of_ours_is_shown_if_it_is_named() -> None:
    code = "import msgspec; print('there')"
    assert run(code).status == 1
    assert run(code, packages=("msgspec",)).stdout == "there\n"


def test_nothing_of_it_is_left() -> None:
    place = Path(tempfile.gettempdir())
    before = set(place.iterdir())
    run("open('x', 'w')")
    left = set(place.iterdir()) - before
    assert not [path for path in left if path.name.startswith(f"scratch-{os.getpid()}@")]


@pytest.mark.parametrize(
    ("path", "inside"),
    [("a", True), ("a/b.py", True), ("/a", False), ("../a", False), ("a/../../b", False), ("", False)],
)
def test_a_path_stays_in_its_folder(path: str, *, inside: bool) -> None:
    assert is_inside(path) is inside
