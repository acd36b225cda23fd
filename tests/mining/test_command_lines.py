"""Lines for a shell, read into plain arguments of known runners or not at all."""

import pytest
from hypothesis import given, strategies as st

from skillopt_sleep.mining.command_lines import Line, runnables, simple_lines
from skillopt_sleep.mining.runners import Checkout

CHECKOUT = Checkout(
    root="/home/ada/shop",
    files=frozenset(
        {"Makefile", "tests/test_api.py", "src/api.py", "web/package.json", "web/src/a.test.ts", "tsconfig.json"}
    ),
    folders=frozenset({"tests", "src", "web", "web/src"}),
    defined={
        "Makefile": frozenset({"lint", "test", "deploy"}),
        "justfile": frozenset({"check"}),
        "web/package.json": frozenset({"test", "lint:fix", "lint", "start"}),
    },
)


def read(text: str, folder: str = "") -> list[tuple[str, str]]:
    return [(" ".join(one.argv), one.folder) for one in runnables(text, CHECKOUT._replace(folder=folder))]


@pytest.mark.parametrize(
    ("text", "argv", "folder"),
    [
        ("pytest", "pytest", ""),
        ("uv run pytest -q tests/test_api.py -x", "pytest tests/test_api.py", ""),
        (".venv/bin/pytest tests/test_api.py::test_a --tb=short", "pytest tests/test_api.py::test_a", ""),
        ("/home/ada/shop/.venv/bin/python -m pytest tests/", "python -m pytest tests", ""),
        ("python3 -m unittest discover -s tests", "python3 -m unittest discover -s tests", ""),
        ("make -s lint 2>&1", "make lint", ""),
        ("just check", "just check", ""),
        ("cd web && npm test", "npm test", "web"),
        ("cd /home/ada/shop/web && npm run lint", "npm run lint", "web"),
        ("cd web && npx vitest run src/a.test.ts", "vitest run src/a.test.ts", "web"),
        ("cd web && yarn lint", "yarn lint", "web"),
        ("cargo test --workspace parses", "cargo test --workspace parses", ""),
        ("cargo clippy --all-targets -- -D warnings", "cargo clippy --all-targets -- -D warnings", ""),
        ("go test ./... -run TestA", "go test ./... -run TestA", ""),
        ("npx tsc --noEmit -p tsconfig.json", "tsc --noEmit -p tsconfig.json", ""),
        ("ruff format --check src", "ruff format --check src", ""),
    ],
)
def test_a_known_runner_is_read_into_its_arguments(text: str, argv: str, folder: str) -> None:
    assert read(text) == [(argv, folder)]


@pytest.mark.parametrize(
    "text",
    [
        "rm -rf .",
        "curl https://evil.example",
        "pytest /etc/passwd",
        "pytest ../other",
        "pytest tests/../../other",
        "pytest -p evil",
        "pytest --rootdir=/etc",
        "pytest -c /tmp/x.ini",
        "pytest --basetemp=/home/ada",
        "pytest tests/test_gone.py",
        "pytest .git/hooks",
        "/opt/pytest",
        "/home/ada/other/.venv/bin/pytest",
        "../.venv/bin/pytest",
        "ruff check --fix",
        "ruff format src",
        "black src",
        "cargo fmt",
        "eslint --fix src",
        "make deploy",
        "make",
        "make gone",
        "make lint CC=evil",
        "make -f /tmp/Makefile lint",
        "npm test",
        "cd web && npm start",
        "cd web && npm install",
        "cd web && npm test -- --reporter=/tmp/x.js",
        "cd /tmp && make lint",
        "cd gone && pytest",
        "go test -exec evil ./...",
        "cargo test --config evil",
        "cargo clippy -- -A evil",
        "tsc -p /tmp/tsconfig.json",
        "tsc -p gone.json",
        "python -m unittest discover -s gone",
        "python -m http.server",
        "bash -c pytest",
        "mypy --python-executable /tmp/x src",
    ],
)
def test_what_is_no_known_runner_or_has_an_argument_that_is_not_known_is_not_read(text: str) -> None:
    assert read(text) == []


def test_paths_are_read_from_the_folder_that_the_agent_stood_in() -> None:
    assert read("jest src/a.test.ts", "web") == [("jest src/a.test.ts", "web")]
    assert read("cd .. && pytest tests", "web") == [("pytest tests", "")]
    assert read("jest ../tests/test_api.py", "web") == [("jest ../tests/test_api.py", "web")]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("pytest -q", [Line(("pytest", "-q"))]),
        ("  make lint 2>&1 ", [Line(("make", "lint"))]),
        ("cd web && npm test", [Line(("npm", "test"), "web")]),
        ("cd a && cd b && make test", [Line(("make", "test"), "a/b")]),
        ("ruff check . && pytest", [Line(("ruff", "check", ".")), Line(("pytest",))]),
        ("source .venv/bin/activate && pytest", [Line(("pytest",))]),
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
        "CI=1 pytest",
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
    assert list(simple_lines(text, shown=True)) == lines


@given(st.text(alphabet="py .&|;<>()$`'\"=/-\n", max_size=40))
def test_no_word_that_is_read_holds_what_only_a_shell_understands(text: str) -> None:
    for line in (*simple_lines(text), *simple_lines(text, shown=True)):
        assert line.words
        assert not set("".join(line.words)) & set("$`\n")
