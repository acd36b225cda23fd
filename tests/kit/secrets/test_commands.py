"""Passwords on command lines."""

import random

import pytest

from skillopt_sleep.kit.redact import redact
from tests.kit.password_samples import COMMANDS, HARMLESS_COMMANDS, a_password
from tests.kit.secrets.test_passwords_in_prose import leaks


@pytest.mark.parametrize("command", COMMANDS)
def test_a_password_handed_to_a_program_is_hidden(command: str) -> None:
    chance = random.Random(command)
    passwords = [a_password(chance) for _ in range(40)]
    # Unquoted, these are signs of the shell.
    plain = ["".join(char for char in password if char not in "&#*!~?$") for password in passwords]
    for password in plain:
        clean = redact(command.replace("§", password))
        assert not leaks(password, clean), clean
        assert redact(clean) == clean


@pytest.mark.parametrize("command", HARMLESS_COMMANDS)
def test_a_flag_that_takes_no_password_stays(command: str) -> None:
    assert redact(command) == command
    assert redact(f"run `{command}` first") == f"run `{command}` first"


def test_only_the_password_of_a_command_goes() -> None:
    password = "x9Qz" + "mmK2p"
    assert redact(f"mysql -u root -p{password} shop") == "mysql -u root -p[redacted:password] shop"
    assert redact(f"sshpass -p '{password}' ssh -p 2222 h") == "sshpass -p '[redacted:password]' ssh -p 2222 h"
