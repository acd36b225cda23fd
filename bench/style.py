"""How the code reads, in figures, beside the codebases this project learns from.

`make bench NAME=style`. The anchors' current releases are downloaded from PyPI and measured by the same functions: only
the package itself counts, without its tests. The mood of docstrings is ruff's D401. The last line is one JSON object.
"""

import ast
import json
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from bench.reduced import size
from skillopt_sleep.settings import Settings, sections_of

ROOT = Path(__file__).parents[1]
ANCHORS = {
    "pre-commit": "pre_commit",
    "starlette": "starlette",
    "import-linter": "importlinter",
    "stamina": "stamina",
}
COMPLEX = 10
DEFINITIONS = f"""
ternaries_per_kloc         conditional expressions per 1,000 lines
comprehensions_per_kloc    comprehensions and generator expressions per 1,000 lines
complex_functions_percent  functions of a complexity of {COMPLEX} or more: 1, and 1 for each branch, loop, handler, assertion,
                           case, conditional expression, comprehension and its conditions, `and` and `or`
d401                       docstrings whose first word is not an imperative
product_lines, test_lines  lines of Python of the product, and of its tests without bench/
config_keys                keys of config.toml
"""


class Style(NamedTuple):
    """The figures of one codebase."""

    lines: int
    ternaries_per_kloc: float
    comprehensions_per_kloc: float
    complex_functions_percent: float
    longest_95: int
    d401: int


def main() -> None:
    """Measure this project and the anchors, print a table and the figures."""
    ours = style_of(ROOT / "skillopt_sleep")
    rows = {"skillopt-sleep": ours}
    with tempfile.TemporaryDirectory(prefix="bench-style-") as name:
        for project, package in size(ANCHORS, {}).items():
            rows[project] = style_of(_downloaded(project, Path(name) / project) / package)
    print(f"{'':16}" + "".join(f"{field:>27}" for field in Style._fields))
    for project, row in rows.items():
        print(f"{project:16}" + "".join(f"{value:>27}" for value in row))
    print(DEFINITIONS)
    figures = {
        "ternaries_per_kloc": ours.ternaries_per_kloc,
        "comprehensions_per_kloc": ours.comprehensions_per_kloc,
        "complex_functions_percent": ours.complex_functions_percent,
        "d401": ours.d401,
        "product_lines": ours.lines,
        "test_lines": sum(map(_lines, _python(ROOT / "tests"))),
        "config_keys": sum(len(msgspec.structs.fields(kind)) for kind in sections_of(Settings).values() if kind),
    }
    print(json.dumps(figures))


def style_of(package: Path) -> Style:
    """The figures of all Python files below a folder."""
    files = _python(package)
    nodes = [node for path in files for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
    lines = sum(map(_lines, files))
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    lengths = sorted((node.end_lineno or node.lineno) - node.lineno + 1 for node in functions)
    comprehensions = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
    return Style(
        lines=lines,
        ternaries_per_kloc=_per_kloc(sum(isinstance(node, ast.IfExp) for node in nodes), lines),
        comprehensions_per_kloc=_per_kloc(sum(isinstance(node, comprehensions) for node in nodes), lines),
        complex_functions_percent=round(100 * sum(map(_is_complex, functions)) / len(functions), 1),
        longest_95=lengths[int(0.95 * len(lengths))],
        d401=_not_imperative(package),
    )


def _python(folder: Path) -> Sequence[Path]:
    return sorted(path for path in folder.rglob("*.py") if "tests" not in path.relative_to(folder).parts)


def _lines(path: Path) -> int:
    return path.read_text(encoding="utf-8").count("\n")


def _per_kloc(count: int, lines: int) -> float:
    return round(1000 * count / lines, 1)


def _is_complex(function: ast.AST) -> bool:
    return 1 + sum(_decisions(node) for node in ast.walk(function)) >= COMPLEX


def _decisions(node: ast.AST) -> int:
    """How many ways part at this node."""
    if isinstance(node, ast.BoolOp):
        return len(node.values) - 1
    if isinstance(node, ast.comprehension):
        return 1 + len(node.ifs)
    parting = (ast.If, ast.IfExp, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.Assert, ast.match_case)
    return int(isinstance(node, parting))


def _not_imperative(package: Path) -> int:
    """How often ruff finds a docstring that isn't, whatever the codebase's own settings are."""
    command = ["ruff", "check", "--isolated", "--ignore-noqa", "--exit-zero", "--output-format=json", "--select=D401"]
    convention = 'lint.pydocstyle.convention="pep257"'
    done = subprocess.run(
        [sys.executable, "-m", *command, "--config", convention, str(package)],
        capture_output=True,
        text=True,
        check=True,
    )
    return len(json.loads(done.stdout))


def _downloaded(project: str, folder: Path) -> Path:
    """The unpacked wheel of its current release."""
    pip = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--disable-pip-version-check",
        "--no-deps",
        "--only-binary=:all:",
    ]
    subprocess.run([*pip, "--dest", str(folder), project], check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "unpacked")
    return folder / "unpacked"


if __name__ == "__main__":
    main()
