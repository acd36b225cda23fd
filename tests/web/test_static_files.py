import hashlib
from importlib.resources import files

import pytest

from tests.web.dashboard import Dashboard

# htmx.org 4.0.1 of the npm registry, dist/htmx.min.js
HTMX = "a0abb04f2f45a1f89d1d4844023245537e5e6014c87b144553e0607b4cc32130"


def test_the_one_script_is_the_one_that_was_published() -> None:
    script = files("skillopt_sleep.web").joinpath("static", "htmx.min.js").read_bytes()
    assert hashlib.sha256(script).hexdigest() == HTMX
    licence = files("skillopt_sleep.web").joinpath("static", "htmx.LICENSE.txt").read_text(encoding="utf-8")
    assert licence.startswith("Zero-Clause BSD")


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("look.css", "text/css"),
        ("web.css", "text/css"),
        ("htmx.min.js", "text/javascript"),
        ("alive.js", "text/javascript"),
        ("icon.svg", "image/svg"),
    ],
)
def test_the_files_of_pages_are_served(dashboard: Dashboard, name: str, kind: str) -> None:
    reply = dashboard.get(f"/static/{name}")
    assert reply.status == 200
    assert reply.headers["content-type"].startswith(kind)
    assert reply.body


def test_no_page_loads_or_runs_anything_of_its_own() -> None:
    """No inline script or style, and nothing from elsewhere: the policy forbids it, so it would only be broken."""
    for template in files("skillopt_sleep.web").joinpath("templates").iterdir():
        text = template.read_text(encoding="utf-8")
        for forbidden in ("style=", "<style", "onclick", "hx-on", "javascript:", "http://", "https://", "|safe"):
            assert forbidden not in text, template.name
        assert text.count("<script") == text.count('<script src="/static/')
