import colorsys
import re
from importlib.resources import files

import pytest

from tests.web.dashboard import Dashboard


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("look.css", "text/css"),
        ("web.css", "text/css"),
        ("page.js", "text/javascript"),
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
        for forbidden in ("style=", "<style", "onclick", "javascript:", "http://", "https://", "|safe"):
            assert forbidden not in text, template.name
        assert text.count("<script") == text.count('<script src="{{ root }}/static/')


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_have_two_accents_and_no_colour_beside_them(scheme: str) -> None:
    found: dict[str, str] = {}
    for name in ("look.css", "web.css", "decisions.css"):
        light, _, rest = style(name).partition("@media screen and (prefers-color-scheme: dark)")
        dark, _, rest = rest.partition("\n}\n")
        assert not re.findall(r"#(?!ffffff)[0-9a-f]{6}", rest), f"{name}: a colour has a name"
        found |= dict(re.findall(r"(--[a-z-]+): ([^;]+);", light))
        found |= dict(re.findall(r"(--[a-z-]+): ([^;]+);", dark if scheme == "dark" else ""))
    accents = {round(hue(value) * 6) % 6 for value in found.values() if value.startswith("#") and is_strong(value)}
    assert len(accents) == 2, accents
    assert is_strong(found["--act"])
    assert is_strong(found["--care"])


def style(name: str) -> str:
    if name == "look.css":
        return files("skillopt_sleep.pages").joinpath(name).read_text(encoding="utf-8")
    return files("skillopt_sleep.web").joinpath("static", name).read_text(encoding="utf-8")


def hue(colour: str) -> float:
    return colorsys.rgb_to_hsv(*(int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)))[0]


def is_strong(colour: str) -> bool:
    return colorsys.rgb_to_hsv(*(int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)))[1] > 0.3
