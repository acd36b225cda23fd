import base64
import hashlib
import re
from pathlib import Path
from typing import Any

import pytest
from markupsafe import escape

from skillopt_sleep.pages.render import (
    code,
    decimal,
    dollars,
    environment,
    look,
    safe_to_show,
    self_contained,
    signed,
    span,
)

KEY = "sk-ant-api03-" + "Zx9" * 31 + "AA"


def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, template: str, **values: Any) -> str:
    """Fill a template of a package that is made for the test."""
    package = tmp_path / "drawn"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "page.html.j2").write_text(template)
    (package / "own.css").write_text(".own { color: inherit; }\n")
    monkeypatch.syspath_prepend(tmp_path)
    return self_contained("drawn", "page.html.j2", values, style="own.css")


def test_a_page_allows_the_one_style_that_stands_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = page(tmp_path, monkeypatch, '{% extends "file.html.j2" %}{% block body %}{{ a }}{% endblock %}', a="<b>")
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)
    assert style is not None
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in text
    assert ".own {" in style[1]
    assert "&lt;b&gt;" in text


def test_what_a_page_shows_is_redacted_and_hides_nothing() -> None:
    assert KEY not in safe_to_show(f"the key is {KEY}")
    assert "\u202e" not in safe_to_show("a\u202eb")
    assert safe_to_show(3) == 3


def test_numbers_are_written_as_a_reader_expects() -> None:
    assert (decimal(0.5), decimal(None)) == ("0.500", "–")
    assert (span((-0.1, 0.25)), span(None)) == ("−0.10 to 0.25", "")
    assert (signed(0.25), signed(-0.1)) == ("+0.25", "−0.10")
    assert (dollars(None), dollars(1.5)) == ("unknown", "$1.5000")


def test_the_look_loads_nothing() -> None:
    assert "url(" not in look()
    assert "@import" not in look()


def test_a_value_that_is_missing_is_an_error() -> None:
    with pytest.raises(Exception, match="is undefined"):
        environment("skillopt_sleep.pages").from_string("{{ missing }}").render()


def test_what_stands_between_backticks_is_code_and_the_rest_is_as_inert_as_ever() -> None:
    assert code("Run `make lint` first") == "Run <code>make lint</code> first"
    hidden = "\u202e"
    assert code(f"`<b>` and {hidden} <i>") == f"<code>&lt;b&gt;</code> and {escape(safe_to_show(hidden))} &lt;i&gt;"
    assert code("one ` alone") == "one ` alone"
    assert KEY not in code(f"`export {KEY}`")
