"""Small repositories with the genuine runners of their languages, none of which needs a network."""

import json
import os
import shutil
import sys
import sysconfig
import venv
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

FRUITS = ("apple", "banana", "cherry", "date", "elder")


@dataclass(frozen=True, kw_only=True)
class Runner:
    """A language's way to test: the command, the file with the prices, and how all of it is written.

    `files` are there from the beginning. `prices` writes the tested file for so many fruits, `tests` its tests.
    """

    name: str
    program: str
    command: str
    source: str
    tests: str
    files: Mapping[str, str]

    @property
    def missing(self) -> str:
        """What has to be installed for it, "" if nothing."""
        return "" if shutil.which(self.program) else self.program

    def prices(self, count: int, *, wrong: int = 0) -> str:
        """The tested file, right for the first fruits; of those the last `wrong` ones have the price 0."""
        priced = [(fruit, 0 if index >= count - wrong else len(fruit)) for index, fruit in enumerate(FRUITS[:count])]
        return _SOURCES[self.name](dict(priced))

    def tested(self, count: int) -> dict[str, str]:
        """The file with the tests of the first fruits."""
        return {self.tests: _TESTS[self.name](FRUITS[:count])}


def _python(prices: Mapping[str, int]) -> str:
    return f"PRICES = {prices!r}\n\n\ndef price(fruit):\n    return PRICES[fruit]\n"


def _python_tests(fruits: tuple[str, ...]) -> str:
    tests = [f"def test_{fruit}():\n    assert price({fruit!r}) == {len(fruit)}\n" for fruit in fruits]
    return "\n\n".join(("from api import price\n", *tests))


def _script(prices: Mapping[str, int]) -> str:
    return f"const PRICES = {json.dumps(prices)};\nexports.price = (fruit) => PRICES[fruit];\n"


def _script_tests(fruits: tuple[str, ...]) -> str:
    head = 'const test = require("node:test");\nconst assert = require("node:assert");\n'
    head += 'const { price } = require("../src/api.js");\n'
    tests = [f'test("{fruit}", () => assert.equal(price("{fruit}"), {len(fruit)}));\n' for fruit in fruits]
    return head + "".join(tests)


def _rust(prices: Mapping[str, int]) -> str:
    arms = "".join(f'        "{fruit}" => {price},\n' for fruit, price in prices.items())
    return f"pub fn price(fruit: &str) -> u32 {{\n    match fruit {{\n{arms}        _ => 0,\n    }}\n}}\n"


def _rust_tests(fruits: tuple[str, ...]) -> str:
    tests = [f'#[test]\nfn {name}() {{\n    assert_eq!(shop::price("{name}"), {len(name)});\n}}\n' for name in fruits]
    return "\n".join(tests)


def _go(prices: Mapping[str, int]) -> str:
    table = "".join(f'\t"{fruit}": {price},\n' for fruit, price in prices.items())
    head = "package shop\n\nvar prices = map[string]int{\n"
    return f"{head}{table}}}\n\nfunc Price(fruit string) int {{ return prices[fruit] }}\n"


def _go_tests(fruits: tuple[str, ...]) -> str:
    tests: list[str] = []
    for name in fruits:
        wrong = f'\tif Price("{name}") != {len(name)} {{\n\t\tt.Fail()\n\t}}\n'
        tests.append(f"func Test{name.title()}(t *testing.T) {{\n{wrong}}}\n")
    return "\n".join(('package shop\n\nimport "testing"\n', *tests))


_SOURCES = {"python": _python, "javascript": _script, "rust": _rust, "go": _go}
_TESTS = {"python": _python_tests, "javascript": _script_tests, "rust": _rust_tests, "go": _go_tests}

PYTHON = Runner(
    name="python",
    program=sys.executable,
    command="pytest tests/test_api.py",
    source="api.py",
    tests="tests/test_api.py",
    files={
        "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\naddopts = "-p no:cacheprovider"\n',
        ".gitignore": ".venv/\n",
    },
)
SCRIPT = Runner(
    name="javascript",
    program="npm",
    command="npm test",
    source="src/api.js",
    tests="test/api.test.js",
    files={
        "package.json": '{"name": "shop", "version": "1.0.0", "scripts": {"test": "node --test test/"}}\n',
        "gen/prices.json": '{"apple": 5}\n',
        "data/prices.csv": "apple,5\n",
    },
)
RUST = Runner(
    name="rust",
    program="cargo",
    command="cargo test",
    source="src/lib.rs",
    tests="tests/api.rs",
    files={
        "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n',
        "Cargo.lock": 'version = 3\n\n[[package]]\nname = "shop"\nversion = "0.1.0"\n',
        ".gitignore": "target/\n",
    },
)
GO = Runner(
    name="go",
    program="go",
    command="go test ./...",
    source="api.go",
    tests="api_test.go",
    files={"go.mod": "module example.org/shop\n\ngo 1.18\n"},
)
RUNNERS = (PYTHON, SCRIPT, RUST, GO)


def installed_beside(root: Path, runner: Runner) -> None:
    """Lay the folder of installed dependencies beside the files, as the runner's own tools do."""
    if runner is PYTHON:
        _virtual_environment(root / ".venv")
    if runner is RUST:
        (root / "target" / "debug").mkdir(parents=True)
        (root / "target" / "CACHEDIR.TAG").write_text("Signature: 8a477f597d28d172789f06886806bc55\n")


def _virtual_environment(folder: Path) -> None:
    """An environment with the genuine pytest, copied from the one that runs these tests."""
    base = Path(sys.base_prefix, "bin", f"python{sys.version_info[0]}.{sys.version_info[1]}")
    venv.EnvBuilder(symlinks=True, with_pip=False).create(folder)
    program = folder / "bin" / "python"
    program.unlink()
    program.symlink_to(base)
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(folder), "platbase": str(folder)}))
    for name in ("pytest", "pluggy", "iniconfig", "packaging", "pygments"):
        found = metadata.distribution(name)
        for file in found.files or ():
            if ".." not in file.parts and "__pycache__" not in file.parts:
                target = packages / str(file)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(str(found.locate_file(file)), target)
    script = folder / "bin" / "pytest"
    script.write_text(f"#!{program}\nimport sys\nimport pytest\nsys.exit(pytest.main())\n")
    script.chmod(0o755)


def toolchain_variables() -> dict[str, str]:
    """Say where the toolchains of this machine are, for a night whose HOME is another one."""
    home = Path.home()
    named = {"RUSTUP_HOME": home / ".rustup", "CARGO_HOME": home / ".cargo"}
    return {name: os.environ.get(name, "") or str(folder) for name, folder in named.items()}
