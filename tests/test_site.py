"""The site of the documentation: every page, from disk, without anything from elsewhere."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.outside_links import inside

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"


@pytest.mark.parametrize(
    ("page", "link", "shown"),
    [
        ("a.md", "[the guide](../AGENTS.md)", "the guide"),
        ("a.md", "[the guide](../AGENTS.md#rules)", "the guide"),
        ("trainer/a.md", "[words](../glossary.md#night)", "[words](../glossary.md#night)"),
        ("trainer/a.md", "[an example](../../.skillopt-sleep.example/training.toml)", "an example"),
        ("a.md", "[`code`](https://example.com)", "[`code`](https://example.com)"),
        ("a.md", "![a picture](pictures/report.svg)", "![a picture](pictures/report.svg)"),
        ("a.md", "[here](#there)", "[here](#there)"),
    ],
)
def test_links_out_of_the_documentation_become_text(page: str, link: str, shown: str) -> None:
    assert inside(f"See {link}.", page=page) == f"See {shown}."


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.slow
def test_the_site_has_every_page(site: Path) -> None:
    for page in DOCS.rglob("*.md"):
        assert (site / page.relative_to(DOCS).with_suffix(".html")).exists()


@pytest.mark.slow
def test_the_site_loads_nothing_from_elsewhere(site: Path) -> None:
    loading = re.compile(r'<(?:script|img|iframe)\b[^>]*\bsrc="?https?:|<link\b[^>]*\bhref="?https?:', re.IGNORECASE)
    for page in site.rglob("*.html"):
        assert loading.findall(page.read_text(encoding="utf-8")) == []
    for style in site.rglob("*.css"):
        assert re.findall(r"url\(\"?https?:|@import", style.read_text(encoding="utf-8")) == []


@pytest.mark.slow
def test_the_site_can_be_searched_from_disk(site: Path) -> None:
    index = (site / "search" / "search_index.js").read_text(encoding="utf-8")
    assert "error rate" in index
    assert "iframe-worker.js" in (site / "index.html").read_text(encoding="utf-8")
