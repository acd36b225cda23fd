"""Lines for a shell, read into plain arguments of known runners or not at all."""

import pytest
from hypothesis import given, strategies as st

from skillopt_sleep.mining.command_lines import runnables
from skillopt_sleep.mining.runners import Checkout

CHECKOUT = Checkout(
    root="/home/ada/shop",
    files=frozenset(
        {
            "Makefile",
            "justfile",
            "tests/test_api.py",
            "src/api.py",
            "web/package.json",
            "web/src/a.test.ts",
            "tsconfig.json",
        }
    ),
    folders=frozenset({"tests", "src", "web", "web/src"}),
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
        "python -m unittest discover -s /tmp",
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
    ("text", "found"),
    [
        ("  make lint 2>&1 ", [("make lint", "")]),
        ("cd web && npm test", [("npm test", "web")]),
        ("cd web && cd .. && make test", [("make test", "")]),
        ("ruff check . && pytest", [("ruff check .", ""), ("pytest", "")]),
        ("source .venv/bin/activate && pytest", [("pytest", "")]),
        ("pytest -k 'a and not b'", [("pytest -k a and not b", "")]),
    ],
)
def test_commands_one_after_the_other_are_read_with_the_folder_they_run_in(
    text: str, found: list[tuple[str, str]]
) -> None:
    assert read(text) == found


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
        "pytest | sh",
        "ls | tail && pytest",
    ],
)
def test_a_line_with_anything_else_is_not_read(text: str) -> None:
    assert read(text) == []


@given(st.text(alphabet="py .&|;<>()$`'\"=/-\n", max_size=40))
def test_no_word_that_is_read_holds_what_only_a_shell_understands(text: str) -> None:
    for one in runnables(f"pytest {text}", CHECKOUT):
        assert not set("".join(one.argv)) & set("$`\n")
