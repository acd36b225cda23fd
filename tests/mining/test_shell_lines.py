"""Lines for a shell, read as simple commands or not at all."""

import pytest
from hypothesis import given, strategies as st

from skillopt_sleep.mining.shell_lines import Line, shown_lines, simple_lines


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("pytest -q", [Line(("pytest", "-q"))]),
        ("  make lint 2>&1 ", [Line(("make", "lint"))]),
        ("cd web && npm test", [Line(("npm", "test"), "web")]),
        ("cd a && cd b && make test", [Line(("make", "test"), "a/b")]),
        ("ruff check . && pytest", [Line(("ruff", "check", ".")), Line(("pytest",))]),
        ("source .venv/bin/activate && pytest", [Line(("pytest",))]),
        ("CI=1 NO_COLOR=1 pytest", [Line(("pytest",))]),
        ("pytest -k 'a and not b'", [Line(("pytest", "-k", "a and not b"))]),
        ('pytest -k "(a or b)"', [Line(("pytest", "-k", "(a or b)"))]),
    ],
)
def test_simple_commands_are_read_with_the_folder_they_run_in(text: str, lines: list[Line]) -> None:
    assert list(simple_lines(text)) == lines


@pytest.mark.parametrize(
    "text",
    [
        "",
        "pytest | tail -5",
        "pytest > out.txt",
        "pytest; true",
        "pytest || true",
        "pytest &",
        "(pytest)",
        "pytest $ARGS",
        "pytest `ls`",
        "pytest tests/*.py",
        "pytest ~/tests",
        "pytest 'never ends",
        "PYTHONPATH=/tmp/evil pytest",
        "LD_PRELOAD=x.so pytest",
        "PATH=/tmp make lint",
        "make lint\nrm -rf x",
        "source /tmp/x && pytest",
        "pytest 2>&1 1>out",
        "pytest " + "x " * 300,
        "&& pytest",
    ],
)
def test_a_line_with_anything_else_is_not_read(text: str) -> None:
    assert simple_lines(text) == ()


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("pytest -q", [Line(("pytest", "-q"))]),
        ("pytest 2>&1 | tail -5", [Line(("pytest",))]),
        ("cd web && npm test | grep -v ok | head", [Line(("npm", "test"), "web")]),
        ("pytest | sh", []),
        ("pytest | tail -5; rm x", []),
        ("ls | tail && pytest", []),
        ("tail x", [Line(("tail", "x"))]),
    ],
)
def test_that_a_command_ran_is_known_although_its_output_went_through_a_pipe(text: str, lines: list[Line]) -> None:
    assert list(shown_lines(text)) == lines


@given(st.text(alphabet="py .&|;<>()$`'\"=/-\n", max_size=40))
def test_no_word_that_is_read_holds_what_only_a_shell_understands(text: str) -> None:
    for line in (*simple_lines(text), *shown_lines(text)):
        assert line.words
        assert not set("".join(line.words)) & set("$`\n")
