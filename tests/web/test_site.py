from skillopt_sleep.web.pages import GROUPS
from tests.web.dashboard import Dashboard


def test_every_page_of_the_navigation_can_be_opened_and_says_where_it_is(dashboard: Dashboard) -> None:
    for group in GROUPS:
        for page in group:
            reply = dashboard.get(page.path)
            assert reply.status == 200, page.path
            assert f'<a href="{page.path}" aria-current="page">{page.title}</a>' in reply.text
            assert reply.text.count("<h1") == 1
