"""The pages in docs/ name only what is there."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ROUTES = (ROOT / "docs" / "inside-the-code.md").read_text(encoding="utf-8")
STEPS = re.findall(r"`([\w/]+\.py)` ((?:`\w+`(?:, )?)+)", ROUTES)


def test_the_routes_have_steps() -> None:
    assert len(STEPS) > 20


@pytest.mark.parametrize(("path", "names"), STEPS)
def test_every_function_that_the_routes_name_is_in_its_file(path: str, names: str) -> None:
    tree = ast.parse((ROOT / "skillopt_sleep" / path).read_text(encoding="utf-8"))
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    assert set(re.findall(r"\w+", names)) <= defined


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target
