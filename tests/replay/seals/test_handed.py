"""Files in memory and pipes that a program is handed."""

import os
import sys

import pytest

from skillopt_sleep.replay.seals.handed import Handed

if sys.platform != "linux":
    pytest.skip("only Linux has files in memory", allow_module_level=True)


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
