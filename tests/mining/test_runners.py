"""Programs that check, and what a repository offers to be run."""

from pathlib import Path

import pytest

from skillopt_sleep.mining.deeds import deeds
from skillopt_sleep.mining.runners import RUNNERS, Checkout, checkout_of, is_check, is_test, known_runner
from skillopt_sleep.records import DeedKind, TypedCommand, Workspace
from tests.builders import a_session


def laid_out(folder: Path, files: dict[str, str]) -> Checkout:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return checkout_of(folder, Workspace(root="/home/ada/shop", commit="c" * 40))


def test_links_and_gits_own_files_are_not_read(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "Makefile").write_text("leak:\n")
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "Makefile").symlink_to(outside / "Makefile")
    (inside / "sub").symlink_to(outside)
    checkout = laid_out(inside, {".git/config": "x", "a.py": ""})
    assert "a.py" in checkout.files
    assert not any(path.startswith((".git", "sub/")) for path in checkout.files)
    assert (checkout.has("a.py"), checkout.has("a")) == (True, False)


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
    assert known_runner(text.split())


@pytest.mark.parametrize(
    ("text", "checks"),
    [
        ("cd shop && ./gradlew -q test", True),
        ("time uv run python3 -m pytest > out.txt; echo done", True),
        ("make -C shop test-unit", True),
        ("npm run lint:all", True),
        ("make build", True),
        ("npm install jest", False),
        ("prettier src --check", True),
        ("prettier src --write", False),
        ("npm run start", False),
        ("git commit -m 'mended; pytest is green'", False),
    ],
)
def test_a_check_is_a_program_that_is_run_and_tells_what_is_wrong(text: str, checks: bool) -> None:
    assert is_check(text) is checks


# Options by which a program runs, loads or writes what a session names.
DANGEROUS = {
    "--fix",
    "--write",
    "-w",
    "-c",
    "--config",
    "-p",
    "--rootdir",
    "--exec",
    "-exec",
    "-f",
    "--file",
    "-C",
    "-o",
}
KNOWN = {("cargo", "-p"), ("tsc", "-p")}  # a package, and a project inside


def test_longer_beginnings_come_first_and_none_stands_twice() -> None:
    words = [runner.words for runner in RUNNERS]
    assert len(set(words)) == len(words)
    for number, earlier in enumerate(words):
        assert not any(later[: len(earlier)] == earlier for later in words[number + 1 :])


def test_no_option_is_kept_that_could_run_load_or_write_something_else() -> None:
    kept = {(runner.words[0], option) for runner in RUNNERS for option in runner.options}
    assert {option for option in kept if option[1] in DANGEROUS} == KNOWN
