"""What a model wrote runs in a seal, or not at all."""

import os
import socket
import tempfile
from pathlib import Path

import pytest

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.replay.seals import SealChoice
from skillopt_sleep.trainer.envs.programs import Ended, of_several, program_of, run_sealed, usual_seal, why_failed
from tests.sealing import seal_or_skip

pytestmark = pytest.mark.seal


def run(code: str, *, seconds: int = 20, wanted: str = "", packages: tuple[str, ...] = ()) -> Ended:
    seal_or_skip()
    return run_sealed(
        ["python3", "main.py"], {"main.py": code.encode()}, seconds=seconds, wanted=wanted, packages=packages
    )


def test_without_a_seal_nothing_is_run_and_the_remedy_is_named() -> None:
    with pytest.raises(ConfigError, match=r"only run sealed, and nothing is sealed on this system") as refused:
        usual_seal(())
    assert refused.value.remedy == SealChoice(None, ()).remedy != ""


def test_a_program_runs_with_its_files_and_leaves_what_is_asked_for() -> None:
    ended = run("open('out.txt', 'w').write('done'); print('hello')", wanted="out.txt")
    assert (ended.status, ended.printed.strip(), ended.stdout) == (0, "hello", "hello\n")
    assert ended.file == b"done"
    assert run("pass", wanted="out.txt").file is None


def test_a_link_that_leads_out_is_no_file_that_was_left(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    ended = run(f"import os; os.symlink({str(tmp_path / 'secret')!r}, 'out.txt')", wanted="out.txt")
    assert ended.file is None


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
    ("reply", "program"),
    [
        ("So:\n```python\nx = 1\n```\nDone.", "x = 1\n"),
        ("```\na\n```\nbetter:\n```py\nb\n```", "b\n"),
        ("````md\n```\nb\n```\n````", "```\nb\n```\n"),
        ("```python\nx = 1\ny", "x = 1\ny"),
        ("x = 1", ""),
        ("", ""),
    ],
)
def test_the_last_code_block_is_the_program(reply: str, program: str) -> None:
    assert program_of(reply) == program


def test_that_a_reply_has_several_code_blocks_is_said() -> None:
    assert of_several("```\na\n```\n") == ""
    assert of_several("```\na\n```\nUse:\n```\nb\n```\n").startswith("; it was the last of 2 code blocks")


@pytest.mark.parametrize(
    ("ended", "why"),
    [
        (Ended(None, "Killed"), "it was ended: it took too long, or more than it may"),
        (
            Ended(1, "Traceback …\nNameError: name 'x' is not defined"),
            "it failed with NameError: name 'x' is not defined",
        ),
        (
            Ended(1, "  File …\njson.decoder.JSONDecodeError: Extra data"),
            "it failed with json.decoder.JSONDecodeError: Extra data",
        ),
        (Ended(1, "AssertionError: 17 != 18"), "an assertion failed"),
        (Ended(1, "assert f(2) == 17\nAssertionError"), "an assertion failed"),
        (Ended(3, "2 failed in 0.31 s"), "it ended with status 3"),
    ],
)
def test_why_a_program_failed_is_said_without_what_was_expected(ended: Ended, why: str) -> None:
    assert why_failed(ended) == why
