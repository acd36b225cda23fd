"""Lines for a shell, read as the simple commands in them and what connects them."""

import pytest
from hypothesis import given, strategies as st

from skillopt_sleep.kit.shell import launched, line_for_a_shell, read_line


@pytest.mark.parametrize(
    ("line", "commands"),
    [
        ("make lint", [("", "make lint", "")]),
        ("a && b || c", [("", "a", "&&"), ("&&", "b", "||"), ("||", "c", "")]),
        ("a | b; c &", [("", "a", "|"), ("|", "b", ";"), (";", "c", "&")]),
        ("a\n\nb", [("", "a", "\n"), ("\n", "b", "")]),
        ("a &&\n b", [("", "a", "&&"), ("&&", "b", "")]),
        ("(a; b) || c", [("", "a", ";"), (";", "b", "||"), ("||", "c", "")]),
        ("a 2>&1 > out | b", [("", "a", "|"), ("|", "b", "")]),
        ("a # b; c\nd", [("", "a", "\n"), ("\n", "d", "")]),
        ("cat <<'EOF'\nit's b\nEOF\nc", [("", "cat", "\n"), ("\n", "c", "")]),
        ("", []),
    ],
)
def test_commands_are_read_with_what_connects_them(line: str, commands: list[tuple[str, str, str]]) -> None:
    assert [(step.before, " ".join(step.words), step.after) for step in read_line(line).steps] == commands


def test_a_command_in_brackets_says_what_stands_before_them() -> None:
    assert [step.within for step in read_line("a && (b; (c)); d").steps] == [(), ("&&",), ("&&", ";"), ()]


def test_assignments_stand_in_front_of_a_command() -> None:
    (step,) = read_line("FOO=1 BAR='a b' make X=2").steps
    assert (step.assigned, step.bare) == (("FOO", "BAR"), ["make", "X=2"])


def test_a_quote_that_never_ends_is_told() -> None:
    line = read_line("make lint; echo 'never")
    assert (line.whole, line.steps[0].words) == (False, ("make", "lint"))


def test_what_only_starts_a_program_is_left_out_but_never_the_program() -> None:
    assert launched(["time", "uv", "run", "pytest", "-q"]) == ["pytest", "-q"]
    assert launched(["uv", "run"]) == ["uv", "run"]


def test_a_line_that_is_handed_to_a_shell_is_known() -> None:
    assert line_for_a_shell(["/bin/bash", "-lc", "make lint"]) == "make lint"
    assert line_for_a_shell(["bash", "lint.sh"]) is None


@given(st.text(alphabet="ab .&|;<>()$`'\"=/-#\n", max_size=60))
def test_any_line_is_read(line: str) -> None:
    for step in read_line(line).steps:
        assert step.words
