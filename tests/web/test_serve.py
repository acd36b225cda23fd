import signal
import socket
import subprocess

import pytest

from tests.command import PROGRAM, Home
from tests.web.dashboard import served


@pytest.mark.slow
def test_it_listens_on_this_machine_only_at_a_free_port(slept: Home) -> None:
    with served(slept) as (one, _), served(slept) as (other, _):
        assert one.port != other.port
        assert one.enter().status == 303
        assert one.ask("GET", other.address.removeprefix(other.home)).status == 401
        listening = set()
        for family, address in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET, "127.0.0.2")):
            with socket.socket(family) as knock:
                knock.settimeout(5)
                if knock.connect_ex((address, one.port)) == 0:
                    listening.add(address)
        assert listening == {"127.0.0.1"}


def test_ctrl_c_ends_it_without_a_word_of_error(slept: Home) -> None:
    with served(slept) as (dashboard, process):
        dashboard.enter()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=120)
    assert process.returncode == 0
    assert "Traceback" not in err
    assert "skillopt-sleep:" not in err


@pytest.mark.slow
def test_a_port_that_is_taken_is_said_to_be(slept: Home) -> None:
    with served(slept) as (dashboard, _):
        done = slept.command("web", "--no-open", "--port", str(dashboard.port))
    assert done.code == 2
    assert f"port {dashboard.port}" in done.err
    assert "--port" in done.err


def test_the_address_is_printed_in_one_piece_in_a_narrow_terminal(slept: Home) -> None:
    with served(Narrow(slept)) as (dashboard, _):
        assert dashboard.enter().status == 303


class Narrow:
    """A home whose terminal is forty columns wide."""

    def __init__(self, home: Home) -> None:
        self._home = home

    def start(self, *arguments: str) -> "subprocess.Popen[str]":
        environ = {**self._home.environment, "FORCE_COLOR": "1", "COLUMNS": "40"}
        return subprocess.Popen(
            [PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environ
        )
