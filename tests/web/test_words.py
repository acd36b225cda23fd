"""No page says more than it has to: the words of each are counted, folded ones too."""

import re

import pytest

from tests.command import Home
from tests.web.dashboard import Dashboard, visible_text

MOST = {
    "/inbox": 250,
    "/tonight": 120,
    "/spend": 120,
    "/doctor": 100,
    "/documents": 60,
    "/nights": 120,
    "/settings": 800,
}
_HIDDEN = re.compile(r"<p [^>]* hidden>.*?</p>", re.DOTALL)


def words(page: str) -> int:
    """How many words stand on a page, without its navigation and what only shows when the dashboard has ended."""
    return len(visible_text(_HIDDEN.sub("", page.partition('<main id="content">')[2])).split())


@pytest.mark.parametrize("path", MOST)
def test_a_page_keeps_to_its_words(dashboard: Dashboard, path: str) -> None:
    assert words(dashboard.get(path).text) <= MOST[path]


def test_a_night_keeps_to_its_words(dashboard: Dashboard, slept: Home) -> None:
    (night,) = slept.command("report", "--list", "--json").json["nights"]
    assert words(dashboard.get(f"/nights/{night['night']}").text) <= 900
