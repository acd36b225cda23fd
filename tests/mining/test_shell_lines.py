"""Lines for a shell, read as simple commands or not at all."""

import pytest
from hypothesis import given, strategies as st

from skillopt_sleep.mining.shell_lines import Line, simple_lines


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


@given(st.text(alphabet="py .&|;<>()$`'\"=/-\n", max_size=40))
def test_no_word_that_is_read_holds_what_only_a_shell_understands(text: str) -> None:
    for line in simple_lines(text):
        assert line.words
        assert not set("".join(line.words)) & set("$`\n")
