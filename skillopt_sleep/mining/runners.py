"""Know the programs that test, build, lint and check types, and what a repository has for them to run."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path, PurePosixPath
from posixpath import normpath
from typing import Literal, NamedTuple

from skillopt_sleep.kit.shell import launched, read_line
from skillopt_sleep.records import Workspace

LONGEST = 400
MOST_FILES = 100_000

_CHECK_NAME = re.compile(
    r"(?:.*[-_:.])?(?:tests?|checks?|lint|linters?|types?|typecheck|verify|build|compile|ci|specs?|unit|integration"
    r"|e2e|format|fmt|style|quality|all)(?:[-_:.].*)?"
)
_OPTION = re.compile(r"([^\s=!]+)(=|!|)")
_PYTHON = re.compile(r"python(?:3(?:\.\d+)?)?")
_TEST_FILE = re.compile(
    r"(?:.*/)?(?:test_[^/]*\.py|[^/]*_test\.(?:py|go|rb)|conftest\.py|[^/]*[.-](?:test|spec)\.[cm]?[jt]sx?"
    r"|[^/]*_spec\.rb|__tests__/.*|[^/]*Test\.(?:java|php|kt))"
)
# What a runner's plain arguments are: files of tests, paths, names of its own, or what the repository defines.
Takes = Literal["tests", "paths", "names", "nothing", "defined"]

_PACKAGE = ("package.json",)
_DEFINED_IN = {"make": ("GNUmakefile", "makefile", "Makefile"), "just": ("justfile", "Justfile", ".justfile")}


class Runner(NamedTuple):
    """A program, by the words that a command of it begins with, and the options that are kept with their marks."""

    words: tuple[str, ...]
    takes: Takes
    options: Mapping[str, str]

    @property
    def defined_in(self) -> tuple[str, ...]:
        """The names of the files that define what it runs, of which the first counts."""
        return _DEFINED_IN.get(self.words[0], _PACKAGE) if self.takes == "defined" else ()

    def lacks(self, words: Sequence[str]) -> bool:
        """Tell whether none of the options is there without which it doesn't check, but change files."""
        needed = {option for option, mark in self.options.items() if mark == "!"}
        return bool(needed) and needed.isdisjoint(words)


_OF_CARGO = "--all --workspace --all-targets --all-features --lib --tests -p= --package= --features="
# Each line: the words it begins with (a/b: one of them) and the options that are kept. Their marks: `=` with a value
# that is no path outside, `!` one of these has to be there. `python -m` may stand before each.
_TABLE: Mapping[Takes, str] = {
    "tests": """
        pytest | --strict-markers --runxfail -k= -m=
        jest | --ci -t=
        vitest run | -t=
        vitest/mocha/rspec/phpunit
        node --test
    """,
    "names": f"""
        python -m unittest | -s= --start-directory= -t= -k=
        cargo test | {_OF_CARGO} --release --test= --bin=
        go test/vet/build | -race -short -run= -count=
    """,
    "nothing": f"""
        cargo check/build | {_OF_CARGO} --release --bin=
        cargo clippy | {_OF_CARGO} -- -D warnings -Dwarnings
        cargo fmt | --all --check!
        tox/nox/ctest | -e=
        dotnet/mix/swift/flutter/deno/bazel/rake test
        gradle/gradlew/mvn/mvnw test/check/verify
        pre-commit run | --all-files -a
    """,
    "defined": """
        npm/pnpm/yarn/bun test
        npm/pnpm/yarn/bun run
        npm/pnpm/yarn/bun/make/just
    """,
    "paths": """
        ruff check | --no-fix --preview
        ruff format | --check! --diff!
        black/isort/prettier | --check!
        flake8/pylint/eslint/shellcheck/rubocop/pyright/basedpyright
        biome check/lint/ci
        golangci-lint run
        mypy | --strict
        tsc | --noEmit -b --build --strict -p= --project=
    """,
}
# They only change what is printed, or how soon a run ends.
_LOOKS = (
    "-q -qq -v -vv -vvv --quiet --verbose --silent -s --color --no-color --colour -x --exitfirst --tb -ra -rA -rf"
    " -rs --no-header --no-summary --lf --ff --sw --durations --failfast --pretty --if-present --locked --offline"
)
LOOKS = frozenset(_LOOKS.split())


def _runners() -> Iterator[Runner]:
    for takes, listed in _TABLE.items():
        for line in listed.strip().splitlines():
            words, _, options = line.partition("|")
            for chosen in product(*(word.split("/") for word in words.split())):
                yield Runner(chosen, takes, dict(_OPTION.findall(options)))


# Those with more words come first, so that `vitest run` isn't taken for `vitest`.
RUNNERS = tuple(sorted(_runners(), key=lambda runner: -len(runner.words)))


class Checkout(NamedTuple):
    """The files of a repository, and where in it an agent stands: in `folder`, below the absolute path `root`.

    Its files and folders are named by their paths below the root.
    """

    files: frozenset[str] = frozenset()
    folders: frozenset[str] = frozenset()
    root: str = "/"
    folder: str = ""

    def has(self, path: str) -> bool:
        """Return whether there is such a file or folder."""
        plain = path.rstrip("/")
        return plain in self.files or plain in self.folders

    def inside(self, path: str) -> str | None:
        """Return a path below the root, "" for the root itself, or None for one outside."""
        full = PurePosixPath(normpath(PurePosixPath(self.root, self.folder, path)))
        inside = full.relative_to(self.root) if full.is_relative_to(self.root) else None
        if inside is None or ".git" in inside.parts:
            return None
        return "/".join(inside.parts)

    def may_define(self, runner: Runner, names: Sequence[str]) -> bool:
        """Tell whether these are named like checks, and a file is there that may define such targets or scripts."""
        is_there = any(str(PurePosixPath(self.folder, name)) in self.files for name in runner.defined_in)
        return is_there and bool(names) and all(map(_CHECK_NAME.fullmatch, names))


def checkout_of(tree: Path, workspace: Workspace) -> Checkout:
    """Return what the repository in this folder has; links are never followed, and nothing of it is run."""
    files: list[str] = []
    for at, below, names in os.walk(tree):
        below[:] = sorted(name for name in below if name != ".git")
        files += [str(Path(at, name).relative_to(tree)) for name in sorted(names)]
        if len(files) > MOST_FILES:
            break
    return Checkout(
        files=frozenset(files[:MOST_FILES]),
        folders=frozenset(str(parent) for path in files for parent in PurePosixPath(path).parents) - {"."},
        root=workspace.root,
        folder=workspace.folder,
    )


def is_test(path: str) -> bool:
    """Tell whether a file's name says that it holds tests, or what they share."""
    return _TEST_FILE.fullmatch(path) is not None


def known_runner(words: Sequence[str]) -> Runner | None:
    """Return the runner that these words start, also as a module of Python."""
    bare = tuple(words)
    if bare and _PYTHON.fullmatch(bare[0]):
        bare = ("python", *bare[1:])
    beginnings = (bare, bare[2:]) if bare[:2] == ("python", "-m") else (bare,)
    for beginning in beginnings:
        for runner in RUNNERS:
            if beginning[: len(runner.words)] == runner.words:
                return runner
    return None


def is_check(text: str) -> bool:
    """Tell whether a line for a shell runs a program that checks, wherever and with whatever options."""
    for step in read_line(text[:LONGEST]).steps:
        words = launched(step.bare)
        if not words:
            continue
        words[0] = words[0].rpartition("/")[2]
        runner = known_runner(words) or known_runner([word for word in words if not word.startswith("-")])
        if runner is None or runner.lacks(words):
            continue
        if not runner.defined_in or any(map(_CHECK_NAME.fullmatch, words[1:])):
            return True
    return False
