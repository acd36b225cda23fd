"""Know the programs that test, build, lint and check types, and what a repository defines to be run by them."""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import product
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import msgspec

from skillopt_sleep.kit.files import readable
from skillopt_sleep.kit.shell import launched, read_line

LONGEST = 400
MOST_FILES = 100_000
MOST_BYTES = 512 * 1024
MOST_OF_A_NAME = 200  # files with targets, scripts or names of tools that are read

_TARGETS = re.compile(r"^([A-Za-z0-9][\w./ -]*?)\s*::?(?![=:])", re.MULTILINE)
_RECIPE = re.compile(r"^@?([A-Za-z][\w-]*)(?:\s+[^:\n]*)?:(?!=)", re.MULTILINE)
_NAME = re.compile(r"[A-Za-z0-9][\w.:-]{0,60}")
# In these files a project names the tools that it uses.
_NAMES_TOOLS = re.compile(
    r"pyproject\.toml|setup\.(?:py|cfg)|tox\.ini|noxfile\.py|requirements[\w.-]*\.txt|[\w.-]*requirements\.txt|Pipfile"
    r"|package\.json|[Mm]akefile|GNUmakefile|\.?[Jj]ustfile|\.pre-commit-config\.ya?ml|Cargo\.toml|go\.mod|Gemfile"
)
_TOOL = re.compile(r"[A-Za-z][\w-]{1,40}")
_CHECKS = re.compile(r"(?:.*[-_:.])?(?:tests?|checks?|verify|lint|types|typecheck|ci)(?:[-_:.].*)?")
_PYTHON = re.compile(r"python(?:3(?:\.\d+)?)?")
_TEST_FILE = re.compile(
    r"(?:.*/)?(?:test_[^/]*\.py|[^/]*_test\.(?:py|go|rb)|conftest\.py|[^/]*[.-](?:test|spec)\.[cm]?[jt]sx?"
    r"|[^/]*_spec\.rb|__tests__/.*|[^/]*Test\.(?:java|php|kt))"
)


class Kind(StrEnum):
    """What a command tells."""

    TEST = "test"
    BUILD = "build"
    LINT = "lint"
    TYPE = "type"


class Takes(StrEnum):
    """What a runner's plain arguments are: paths, names of its own, or what a file of the repository defines."""

    PATHS = "paths"
    NAMES = "names"
    NOTHING = "nothing"
    TARGETS = "targets"
    RECIPES = "recipes"
    SCRIPTS = "scripts"


_DEFINED_IN = {
    Takes.TARGETS: ("GNUmakefile", "makefile", "Makefile"),
    Takes.RECIPES: ("justfile", "Justfile", ".justfile"),
    Takes.SCRIPTS: ("package.json",),
}


class Runner(NamedTuple):
    """A program, by the words that a command of it begins with.

    `flags` and `valued` options are kept, those that are `placed` with a path; one of `needs` has to be there.
    """

    words: tuple[str, ...]
    kind: Kind
    takes: Takes
    flags: frozenset[str] = frozenset()
    valued: frozenset[str] = frozenset()
    needs: frozenset[str] = frozenset()
    placed: frozenset[str] = frozenset()

    @property
    def narrows(self) -> bool:
        """Whether it can run single files of tests."""
        return self.kind is Kind.TEST and self.takes is Takes.PATHS

    @property
    def defined_in(self) -> tuple[str, ...]:
        """The names of the files that define what it runs, of which the first counts."""
        return _DEFINED_IN.get(self.takes, ())


# Each line: the kind, what it takes, the words it begins with (a/b: one of them) and the options that are kept, `=`
# with a value, `=/` with a path; one of those with `!` has to be there. `python -m` may stand before each.
_TABLE = """
test paths: pytest | --strict-markers --runxfail -k= -m=
test names: python -m unittest discover | -s=/ --start-directory=/ -t=/ -k=
test names: python -m unittest | -s=/ --start-directory=/ -t=/ -k=
test nothing: tox | -e=
test nothing: nox | -s=
test paths: vitest run | -t=
test paths: jest | --ci -t=
test paths: vitest/mocha/rspec/phpunit
test paths: node --test
test names: cargo test | CARGO --release --test= --bin=
test names: go test | -race -short -run= -count=
test nothing: dotnet/mix/swift/flutter/deno/bazel/rake test
test nothing: gradle/gradlew test/check
test nothing: mvn/mvnw test/verify
test nothing: ctest
test scripts: npm/pnpm/yarn/bun test
build scripts: npm/pnpm/yarn/bun run
build scripts: npm/pnpm/yarn/bun
build targets: make
build recipes: just
build paths: python -m compileall
build nothing: cargo build | CARGO --release --bin=
build names: go build | -race
lint paths: ruff check | --no-fix --preview
lint paths: ruff format | --check! --diff!
lint paths: black | --check!
lint paths: isort | --check! --check-only!
lint paths: prettier | --check! -c!
lint paths: gofmt | -l!
lint paths: flake8/pylint/eslint/shellcheck/rubocop
lint paths: biome check/lint/ci
lint paths: golangci-lint run
lint nothing: pre-commit run | --all-files -a
lint nothing: cargo clippy | CARGO -- -D warnings -Dwarnings
lint nothing: cargo fmt | --all --check!
lint names: go vet
type nothing: cargo check | CARGO
type paths: mypy | --strict
type paths: pyright/basedpyright
type paths: tsc | --noEmit -b --build --strict -p=/ --project=/
""".replace(
    "CARGO",
    "--all --workspace --all-targets --all-features --lib --bins --tests --no-default-features -p= --package= "
    "--features=",
)
# They only change what is printed, or how soon a run ends.
_LOOKS = (
    "-q -qq -v -vv -vvv --quiet --verbose --silent -s --color --no-color --colour -x --exitfirst --tb -ra -rA -rf -rs"
    " --no-header --no-summary --lf --ff --sw --durations --failfast --pretty --if-present --locked --offline"
    " --frozen"
)
LOOKS = frozenset(_LOOKS.split())


def _runners() -> Iterator[Runner]:
    for line in _TABLE.strip().splitlines():
        head, _, rest = line.partition(": ")
        kind, takes = head.split()
        words, _, listed = rest.partition("|")
        options = listed.split()
        needs = frozenset(option[:-1] for option in options if option.endswith("!"))
        valued = frozenset(option.partition("=")[0] for option in options if "=" in option)
        placed = frozenset(option[:-2] for option in options if option.endswith("=/"))
        flags = needs.union(option for option in options if option[-1] not in "!=/")
        for chosen in product(*(word.split("/") for word in words.split())):
            yield Runner(chosen, Kind(kind), Takes(takes), flags, valued, needs, placed)


# Those with more words come first, so that `ruff check` isn't taken for `ruff`.
RUNNERS = tuple(sorted(_runners(), key=lambda runner: -len(runner.words)))


class _Package(msgspec.Struct):
    scripts: dict[str, str] = {}


class Grounds(NamedTuple):
    """What a repository has, all by paths below its root.

    `defined` has the targets, recipes or scripts of each file that defines some; `tools` are the words of those in
    which a project names its tools.
    """

    files: frozenset[str] = frozenset()
    folders: frozenset[str] = frozenset()
    defined: Mapping[str, frozenset[str]] = {}
    tools: frozenset[str] = frozenset()

    def has(self, path: str) -> bool:
        """Return whether there is such a file or folder."""
        plain = path.rstrip("/")
        return plain in self.files or plain in self.folders


def grounds_of(tree: Path) -> Grounds:
    """Return what the repository in this folder offers; links are never followed, and nothing of it is run."""
    files = _files(tree)
    folders: set[str] = set()
    defined: dict[str, frozenset[str]] = {}
    tools: set[str] = set()
    left = dict.fromkeys([*_DEFINES, ""], MOST_OF_A_NAME)
    for path in sorted(files, key=lambda path: (path.count("/"), path)):
        folders.update(str(parent) for parent in PurePosixPath(path).parents)
        name = path.rpartition("/")[2]
        kind = name if name in _DEFINES else ""
        if (kind or _NAMES_TOOLS.fullmatch(name)) and left[kind]:
            left[kind] -= 1
            text = readable(tree / path, most=MOST_BYTES, inside=tree).decode(errors="replace")
            tools.update(_TOOL.findall(text))
            if kind:
                defined[path] = frozenset(filter(_NAME.fullmatch, _DEFINES[kind](text)))
    return Grounds(frozenset(files), frozenset(folders - {"."}), defined, frozenset(tools))


def _files(tree: Path) -> list[str]:
    found: list[str] = []
    for at, folders, names in os.walk(tree):
        folders[:] = sorted(name for name in folders if name != ".git")
        inside = PurePosixPath(at).relative_to(PurePosixPath(tree))
        for name in sorted(names):
            if len(found) == MOST_FILES:
                return found
            found.append(str(inside / name))
    return found


def _targets(text: str) -> list[str]:
    """Return the targets of a Makefile that are written out."""
    return [name for line in _TARGETS.findall(text) for name in line.split()]


def _scripts(text: str) -> list[str]:
    try:
        return list(msgspec.json.decode(text, type=_Package).scripts)
    except (msgspec.MsgspecError, RecursionError):
        return []


_DEFINES: Mapping[str, Callable[[str], list[str]]] = {
    **dict.fromkeys(("GNUmakefile", "makefile", "Makefile"), _targets),
    **dict.fromkeys(("justfile", "Justfile", ".justfile"), _RECIPE.findall),
    "package.json": _scripts,
}


def is_test(path: str) -> bool:
    """Tell whether a file's name says that it holds tests, or what they share."""
    return _TEST_FILE.fullmatch(path) is not None


def known_runner(words: Sequence[str]) -> Runner | None:
    """Return the runner that these words start, also as a module of Python."""
    program = "python" if _PYTHON.fullmatch(words[0]) else words[0]
    bare = (program, *words[1:])
    beginnings = (bare, bare[2:]) if bare[:2] == ("python", "-m") else (bare,)
    for beginning in beginnings:
        for runner in RUNNERS:
            if beginning[: len(runner.words)] == runner.words:
                return runner
    return None


def starts_runner(text: str) -> bool:
    """Tell whether a text begins like a command of a known runner."""
    words = text.split()
    return bool(words) and known_runner(words) is not None


def is_check(text: str) -> bool:
    """Tell whether a line runs a program that tests, lints or checks types, wherever and with whatever options."""
    for step in read_line(text[:LONGEST]).steps:
        words = launched(step.bare)
        if not words:
            continue
        words[0] = words[0].rpartition("/")[2]
        plain = [word for word in words if not word.startswith("-")]
        runner = known_runner(words) or (known_runner(plain) if plain else None)
        if runner is None or (runner.needs and runner.needs.isdisjoint(words)):
            continue
        if any(map(_CHECKS.fullmatch, words[1:])) if runner.defined_in else runner.kind is not Kind.BUILD:
            return True
    return False
