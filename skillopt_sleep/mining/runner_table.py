"""List the programs that test, build, lint and check types, each with the options that may be taken over."""

from enum import StrEnum
from typing import NamedTuple


class Kind(StrEnum):
    """What a command tells."""

    TEST = "test"
    BUILD = "build"
    LINT = "lint"
    TYPE = "type"


class Takes(StrEnum):
    """What a runner's plain arguments are."""

    PATHS = "paths"
    NAMES = "names"
    TARGETS = "targets"
    RECIPES = "recipes"
    SCRIPTS = "scripts"
    NOTHING = "nothing"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


class Runner(NamedTuple):
    """A program, by the words that a command of it begins with.

    `flags` and `valued` options are kept, `looks` are dropped as they only change what is printed. One of `needs` has
    to be there. It `narrows` if it can run single files. `implied` is the target that it runs without one.
    """

    words: tuple[str, ...]
    kind: Kind
    takes: Takes = Takes.PATHS
    flags: frozenset[str] = frozenset()
    valued: frozenset[str] = frozenset()
    paths_valued: frozenset[str] = frozenset()
    looks: frozenset[str] = frozenset()
    needs: frozenset[str] = frozenset()
    after_dashes: frozenset[tuple[str, ...]] = frozenset()
    narrows: bool = False
    implied: tuple[str, ...] = ()


_QUIET = _words("-q -qq -v -vv -vvv --quiet --verbose --silent -s --color --no-color --colour")
_PYTEST = Runner(
    ("pytest",),
    Kind.TEST,
    flags=_words("--strict-markers --runxfail"),
    valued=_words("-k -m"),
    looks=_QUIET | _words("-x --exitfirst --tb -ra -rA -rf -rs --no-header --no-summary --lf --ff --sw --durations"),
    narrows=True,
)
_UNITTEST = Runner(
    ("python", "-m", "unittest"),
    Kind.TEST,
    takes=Takes.NAMES,
    valued=_words("-s --start-directory -t -k"),
    paths_valued=_words("-s --start-directory -t"),
    looks=_words("-q --quiet -v --verbose -f --failfast -b --buffer"),
)
_CLIPPY = frozenset({("-D", "warnings"), ("-Dwarnings",)})
_CARGO_FLAGS = _words(
    "--all --workspace --all-targets --all-features --lib --bins --tests --release --no-default-features"
)
_CARGO_VALUED = _words("-p --package --features --test --bin")


def _python(runner: Runner, module: str = "") -> Runner:
    return runner._replace(words=("python", "-m", module or runner.words[0], *runner.words[1:]))


def _cargo(word: str, kind: Kind, takes: Takes = Takes.NOTHING) -> Runner:
    dashes = _CLIPPY if word == "clippy" else frozenset[tuple[str, ...]]()
    looks = _QUIET | _words("--locked --offline --frozen")
    return Runner(("cargo", word), kind, takes, _CARGO_FLAGS, _CARGO_VALUED, looks=looks, after_dashes=dashes)


def _go(word: str, kind: Kind) -> Runner:
    return Runner(("go", word), kind, Takes.NAMES, _words("-race -short"), _words("-run -count"), looks=_QUIET)


def _linter(*words: str, kind: Kind = Kind.LINT, flags: str = "", needs: str = "") -> Runner:
    return Runner(words, kind, flags=_words(f"{flags} {needs}"), looks=_QUIET, needs=_words(needs))


def _scripts(program: str) -> tuple[Runner, ...]:
    """Return a package manager's ways to run a script that package.json defines."""
    looks = _QUIET | _words("--if-present")
    return (
        Runner((program, "run"), Kind.BUILD, Takes.SCRIPTS, looks=looks),
        Runner((program, "test"), Kind.TEST, Takes.SCRIPTS, looks=looks, implied=("test",)),
        Runner((program,), Kind.BUILD, Takes.SCRIPTS, looks=looks),
    )


_TABLE = (
    _PYTEST,
    _python(_PYTEST),
    _UNITTEST._replace(words=("python", "-m", "unittest", "discover")),
    _UNITTEST,
    Runner(("tox",), Kind.TEST, Takes.NOTHING, valued=_words("-e"), looks=_QUIET),
    Runner(("nox",), Kind.TEST, Takes.NOTHING, valued=_words("-s"), looks=_words("-v --verbose")),
    *(
        form
        for runner in (
            _linter("ruff", "check", flags="--no-fix --preview"),
            _linter("ruff", "format", needs="--check --diff"),
            _linter("black", needs="--check"),
            _linter("isort", needs="--check --check-only"),
            _linter("flake8"),
            _linter("pylint"),
            _linter("mypy", kind=Kind.TYPE, flags="--strict"),
            _linter("pyright", kind=Kind.TYPE),
            _linter("basedpyright", kind=Kind.TYPE),
        )
        for form in (runner, _python(runner))
    ),
    Runner(("python", "-m", "compileall"), Kind.BUILD, looks=_QUIET),
    *_scripts("npm"),
    *_scripts("pnpm"),
    *_scripts("yarn"),
    *_scripts("bun"),
    Runner(("vitest", "run"), Kind.TEST, valued=_words("-t"), looks=_QUIET, narrows=True),
    Runner(("vitest",), Kind.TEST, looks=_QUIET, narrows=True),
    Runner(("jest",), Kind.TEST, flags=_words("--ci"), valued=_words("-t"), looks=_QUIET, narrows=True),
    Runner(("mocha",), Kind.TEST, looks=_QUIET, narrows=True),
    Runner(("node", "--test"), Kind.TEST, looks=_QUIET, narrows=True),
    Runner(
        ("tsc",), Kind.TYPE, flags=_words("--noEmit -b --build --strict"), valued=_words("-p --project"),
        paths_valued=_words("-p --project"), looks=_words("--pretty"),
    ),
    _linter("eslint"),
    _linter("prettier", needs="--check -c"),
    _linter("biome", "check"),
    _linter("biome", "lint"),
    _linter("biome", "ci"),
    _cargo("test", Kind.TEST, Takes.NAMES),
    _cargo("clippy", Kind.LINT),
    _cargo("check", Kind.TYPE),
    _cargo("build", Kind.BUILD),
    Runner(("cargo", "fmt"), Kind.LINT, Takes.NOTHING, _words("--all --check"), needs=_words("--check")),
    _go("test", Kind.TEST),
    _go("vet", Kind.LINT),
    _go("build", Kind.BUILD),
    Runner(("rspec",), Kind.TEST, looks=_QUIET, narrows=True),
    Runner(("phpunit",), Kind.TEST, looks=_QUIET, narrows=True),
    *(
        Runner((program, word), Kind.TEST, Takes.NOTHING, looks=_QUIET)
        for program, words in {
            "dotnet": "test", "mix": "test", "swift": "test", "flutter": "test", "deno": "test", "bazel": "test",
            "rake": "test", "gradle": "test check", "mvn": "test verify",
        }.items()
        for word in words.split()
    ),
    Runner(("ctest",), Kind.TEST, Takes.NOTHING, looks=_QUIET),
    _linter("golangci-lint", "run"),
    _linter("shellcheck"),
    _linter("rubocop"),
    Runner(("make",), Kind.BUILD, Takes.TARGETS, looks=_words("-s --silent -k")),
    Runner(("just",), Kind.BUILD, Takes.RECIPES, looks=_words("-q --quiet")),
)  # fmt: skip

# Those with more words come first, so that `ruff check` isn't taken for `ruff`.
RUNNERS: tuple[Runner, ...] = tuple(sorted(_TABLE, key=lambda runner: -len(runner.words)))
