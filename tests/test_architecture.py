import ast
import importlib
import pkgutil
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import msgspec
import pytest

from skillopt_sleep.kit.toml import to_toml
from skillopt_sleep.settings import ProjectSettings, Settings
from skillopt_sleep.trainer import TrainerConfig

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "skillopt_sleep"
MODULES = sorted(path for path in PACKAGE.rglob("*.py"))
MOST_LINES = 400
MOST_FUNCTION_LINES = 90
MOST_FIELDS = 16
# What others write, as they write it, and the files of a training.
LONG_RECORDS = {
    "skillopt_sleep.agents.claude_code.records.SessionRecord",
    "skillopt_sleep.agents.codex.records.Payload",
}
NEEDS_AN_EXTRA = ("skillopt_sleep.pools.ray",)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
# Parts of one thing, which are tested by testing that thing.
TESTED_AS_A_WHOLE = {
    "records/*.py": "test_records.py",
    "mining/mined.py": "mining/test_mine.py",
    "protocols/*.py": "contracts/test_backend.py",
    "agents/claude_code/*.py": "agents/claude_code/test_sessions.py",
    "agents/codex/*.py": "agents/codex/test_sessions.py",
    "proposals/live.py": "proposals/test_targets.py",
    "proposals/guard/*.py": "proposals/test_guard.py",
    "proposals/rules.py": "proposals/test_stage.py",
    "stores/bank_rows.py": "stores/test_bank.py",
    "kit/clock.py": "test_wiring.py",
    "wiring/night.py": "test_wiring.py",
    "kit/secrets/*.py": "kit/test_redact.py",
    "replay/workspaces/git.py": "replay/workspaces/test_changes.py",
    "replay/workspaces/objects.py": "replay/workspaces/test_bases.py",
    "settings/*.py": "test_settings.py",
    "web/card.py": "web/pages/test_inbox.py",
    "web/changes.py": "web/pages/test_documents.py",
    "web/lesson.py": "web/pages/test_lessons.py",
    "trainer/epochs.py": "trainer/test_loop.py",
    "trainer/final.py": "trainer/test_loop.py",
    "trainer/parts.py": "trainer/test_gate.py",
    "trainer/manifest.py": "trainer/test_run.py",
    "trainer/envs/recipes.py": "trainer/envs/test_dataset.py",
    "trainer/summary.py": "trainer/test_loop.py",
}
BANNED_NAMES = {"utils", "helpers", "common", "manager", "base", "core", "engine"}


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.fixture(scope="module")
def parsed() -> dict[Path, list[ast.AST]]:
    """Return every node of every module, which is read once for all rules."""
    return {path: list(ast.walk(ast.parse(path.read_text(encoding="utf-8")))) for path in MODULES}


def test_no_file_or_function_is_too_long(parsed: dict[Path, list[ast.AST]]) -> None:
    too_long = [_name(path) for path in MODULES if path.read_text(encoding="utf-8").count("\n") > MOST_LINES]
    for path, nodes in parsed.items():
        for node in nodes:
            if isinstance(node, FUNCTIONS) and (node.end_lineno or 0) - node.lineno >= MOST_FUNCTION_LINES:
                too_long.append(f"{_name(path)}: {node.name}")
    assert too_long == []


def test_no_record_has_more_than_sixteen_fields() -> None:
    for found in pkgutil.walk_packages([str(PACKAGE)], "skillopt_sleep."):
        if not found.name.startswith(NEEDS_AN_EXTRA) and not found.name.endswith("__main__"):
            importlib.import_module(found.name)
    long: set[str] = set()
    waiting: list[type[msgspec.Struct]] = [msgspec.Struct]
    while waiting:
        for kind in waiting.pop().__subclasses__():
            waiting.append(kind)
            if kind.__module__.startswith("skillopt_sleep.") and len(kind.__struct_fields__) > MOST_FIELDS:
                long.add(f"{kind.__module__}.{kind.__name__}")
    assert long == LONG_RECORDS


def test_a_night_reads_as_one_page() -> None:
    assert (PACKAGE / "night" / "night.py").read_text(encoding="utf-8").count("\n") <= 50


def test_no_conditional_expression_is_inside_another(parsed: dict[Path, list[ast.AST]]) -> None:
    nested: list[str] = []
    for path, nodes in parsed.items():
        for node in nodes:
            if isinstance(node, ast.IfExp):
                inner = [child for child in ast.walk(node) if isinstance(child, ast.IfExp) and child is not node]
                nested.extend(f"{_name(path)}: line {child.lineno}" for child in inner)
    assert nested == []


def test_no_module_has_a_name_that_says_nothing() -> None:
    assert [_name(path) for path in MODULES if {path.stem, path.parent.name} & BANNED_NAMES] == []


def test_broad_excepts_stand_only_at_the_boundary(parsed: dict[Path, list[ast.AST]]) -> None:
    broad: list[str] = []
    # A session file holds whatever an agent of any version wrote.
    of_one_file = Path("agents", "transcripts", "files.py")
    inside = (
        path for path in MODULES if path.parent.name not in {"cli", "daemon"} and not path.match(str(of_one_file))
    )
    for path in inside:
        for node in parsed[path]:
            if isinstance(node, ast.ExceptHandler) and _catches_all(node) and not _reraises(node):
                broad.append(f"{_name(path)}: line {node.lineno}")
    assert broad == []


def _catches_all(handler: ast.ExceptHandler) -> bool:
    return handler.type is None or (
        isinstance(handler.type, ast.Name) and handler.type.id in {"Exception", "BaseException"}
    )


def _reraises(handler: ast.ExceptHandler) -> bool:
    """Cleaning up and raising again hides nothing."""
    return isinstance(handler.body[-1], ast.Raise) and handler.body[-1].exc is None


def test_every_module_has_its_test_file() -> None:
    missing: list[str] = []
    for path in MODULES:
        inside = path.relative_to(PACKAGE)
        whole = next((test for pattern, test in TESTED_AS_A_WHOLE.items() if inside.match(pattern)), None)
        mirrored = ROOT / "tests" / (whole or inside.parent / f"test_{inside.name}")
        if path.name not in {"__init__.py", "__main__.py"} and not mirrored.exists():
            missing.append(_name(mirrored))
    assert missing == []


def test_nothing_mocks_by_patching() -> None:
    words = re.compile(r"mock\.patch|monkeypatch\.set" + r"attr|unittest\.mock")
    offenders = [
        _name(path)
        for folder in ("tests", "bench")
        for path in (ROOT / folder).rglob("*.py")
        if words.search(path.read_text(encoding="utf-8")) and path.name != "test_architecture.py"
    ]
    assert offenders == []


def test_the_example_configuration_is_every_key_at_its_default() -> None:
    text = (ROOT / ".skillopt-sleep.example" / "config.toml").read_text(encoding="utf-8")
    assert text == to_toml(Settings())


def test_the_example_of_a_projects_file_is_every_narrowing_key() -> None:
    text = (ROOT / ".skillopt-sleep.example" / "project.toml").read_text(encoding="utf-8")
    assert text == to_toml(ProjectSettings())


def test_the_example_of_a_training_is_every_key_at_its_default() -> None:
    text = (ROOT / ".skillopt-sleep.example" / "training.toml").read_text(encoding="utf-8")
    assert text == to_toml(TrainerConfig(env={"name": "dataset"}))


@pytest.mark.parametrize("command", [["--help"], ["status"], ["config", "path"], ["harvest"]])
def test_quick_commands_import_nothing_heavy(command: list[str], tmp_path: Path) -> None:
    script = (
        "import sys\nfrom skillopt_sleep.cli import main\n"
        f"sys.argv = ['skillopt-sleep', *{command!r}]\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print('HEAVY', sorted({'openai', 'jinja2', 'apscheduler', 'watchdog', 'starlette'} & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        env={"SKILLOPT_SLEEP_HOME": str(tmp_path), "HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
        check=False,
    )
    assert "HEAVY []" in done.stdout, done.stdout + done.stderr


def test_every_dependency_has_a_tested_version() -> None:
    """`make` installs what constraints.txt names; `make lock` renews it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    locked = {_distribution(line) for line in (ROOT / "constraints.txt").read_text().splitlines()}
    assert {_distribution(line) for line in wanted} - locked == set()


def _distribution(line: str) -> str:
    """Return the normalized name that a requirement begins with."""
    return re.split(r"[^A-Za-z0-9._-]", line)[0].lower().replace("_", "-").replace(".", "-")
