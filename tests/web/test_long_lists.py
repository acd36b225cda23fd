"""Every list of the dashboard is shown a page at a time, however long its history is."""

import re
from collections.abc import Generator
from html import unescape

import pytest

from bench.web import grown
from tests.command import Home
from tests.web.dashboard import Dashboard, entered

MOST_ROWS = 60
ROW = re.compile(r"<li>|<li [^>]*>|<tr>")
NEXT = re.compile(r'<a rel="next" href="([^"]+)"')


@pytest.fixture(scope="module")
def months(tmp_path_factory: pytest.TempPathFactory) -> Generator[Dashboard]:
    """The dashboard over three months of nights, 600 tasks and several thousand rollouts."""
    folder = tmp_path_factory.mktemp("months")
    home, asleep = Home(folder / "ada"), Home(folder / "bea")
    grown(home, nights=90, tasks=600, rollouts=2_000)
    (home.folder / "sleep" / "data" / "example").rename(asleep.folder / "sleep")
    with entered(asleep) as dashboard:
        yield dashboard


def rows(page: str) -> int:
    """How many rows the lists of a page have together, without those of its navigation."""
    return len(ROW.findall(page.partition("<main")[2]))


@pytest.mark.slow
@pytest.mark.parametrize(
    "path", ["/inbox", "/inbox/decided", "/tonight", "/lessons", "/nights", "/sessions", "/spend?span=all"]
)
def test_a_page_has_a_few_rows_and_leads_on_to_the_others(months: Dashboard, path: str) -> None:
    page = months.get(path).text
    assert rows(page) <= 2 * MOST_ROWS
    seen = {path}
    for _ in range(12):
        found = NEXT.search(page.partition('class="pager"')[2]) if "rel=" in page else None
        if found is None:
            break
        address = unescape(found[1])
        assert address not in seen
        seen.add(address)
        reply = months.get(address)
        assert reply.status == 200
        page = reply.text
        assert rows(page) <= 2 * MOST_ROWS
    if path not in {"/inbox", "/tonight"}:
        assert len(seen) > 1, "there is more than one page"
