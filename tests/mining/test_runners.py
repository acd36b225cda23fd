"""Commands of known runners, read into plain arguments."""

import pytest

from skillopt_sleep.mining.deeds import deeds
from skillopt_sleep.mining.grounds import Grounds
from skillopt_sleep.mining.runner_table import Kind
from skillopt_sleep.mining.runners import Place, Runnable, is_test, narrowed, runnables, starts_runner
from skillopt_sleep.records import DeedKind, TypedCommand
from tests.builders import a_session

ROOT = Place("/home/ada/shop")
GROUNDS = Grounds(
    files=frozenset(
        {"Makefile", "tests/test_api.py", "src/api.py", "web/package.json", "web/src/a.test.ts", "tsconfig.json"}
    ),
    folders=frozenset({"tests", "src", "web", "web/src"}),
    targets={"": frozenset({"lint", "test", "deploy"})},
    recipes={"": frozenset({"check"})},
    scripts={"web": frozenset({"test", "lint:fix", "lint", "start"})},
)


def read(text: str, place: Place = ROOT) -> list[tuple[str, str]]:
    return [(one.text, one.folder) for one in runnables(text, place, GROUNDS)]


@pytest.mark.parametrize(
    ("text", "argv", "folder"),
    [
        ("pytest", "pytest", ""),
        ("uv run pytest -q tests/test_api.py -x", "pytest tests/test_api.py", ""),
        (".venv/bin/pytest tests/test_api.py::test_a --tb=short", "pytest tests/test_api.py::test_a", ""),
        ("/home/ada/shop/.venv/bin/python -m pytest tests/", "python -m pytest tests", ""),
        ("python3 -m unittest discover -s tests", "python3 -m unittest discover -s tests", ""),
        ("/usr/bin/make -s lint 2>&1", "make lint", ""),
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
        "python -m http.server",
        "bash -c pytest",
        "mypy --python-executable /tmp/x src",
    ],
)
def test_what_is_no_known_runner_or_has_an_argument_that_is_not_known_is_not_read(text: str) -> None:
    assert read(text) == []


def test_paths_are_read_from_the_folder_that_the_agent_stood_in() -> None:
    place = Place(ROOT.root, "web")
    assert read("jest src/a.test.ts", place) == [("jest src/a.test.ts", "web")]
    assert read("cd .. && pytest tests", place) == [("pytest tests", "")]
    assert read("jest ../tests/test_api.py", place) == []


def test_the_kind_of_a_target_is_in_its_name() -> None:
    kinds = [runnables(text, ROOT, GROUNDS)[0].kind for text in ("make lint", "make test", "pytest", "mypy src")]
    assert kinds == [Kind.LINT, Kind.TEST, Kind.TEST, Kind.TYPE]


def one(text: str) -> Runnable:
    return runnables(text, ROOT, GROUNDS)[0]


def test_a_runner_of_files_is_narrowed_to_tests_and_widened_to_all() -> None:
    short = narrowed(one("pytest"), ["tests/test_api.py", "tests/conftest.py"])
    assert short is not None
    assert short.text == "pytest tests/test_api.py"
    assert short.whole.text == "pytest"
    assert narrowed(one("make test"), ["tests/test_api.py"]) is None
    assert narrowed(one("pytest"), []) is None
    assert narrowed(one("cd web && npx vitest run"), ["tests/test_api.py"]) is None


@pytest.mark.parametrize(
    ("path", "tests"),
    [
        ("tests/test_api.py", True),
        ("pkg/api_test.go", True),
        ("src/a.test.tsx", True),
        ("src/__tests__/a.js", True),
        ("tests/conftest.py", True),
        ("src/api.py", False),
        ("src/testing.py", False),
    ],
)
def test_files_with_tests_are_known_by_their_names(path: str, tests: bool) -> None:
    assert is_test(path) is tests


@pytest.mark.parametrize(
    "text",
    [
        "dotnet test", "mix test", "swift test", "flutter test", "deno test", "ctest", "gradle test", "mvn verify",
        "rake test", "bazel test", "golangci-lint run", "shellcheck", "rubocop", "nox", "npm test",
        "cargo test", "go vet", "ruff check", "tsc",
    ],
)  # fmt: skip
def test_a_check_that_counts_as_what_the_person_did_can_become_a_command(text: str) -> None:
    ran = TypedCommand(turn=2, text=text)
    assert [deed.kind for deed in deeds(a_session("do it", "Done.", commands=(ran,)))] == [DeedKind.CHECKED]
    assert starts_runner(text)
