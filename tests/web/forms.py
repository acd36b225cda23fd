"""Send the forms of a page as a browser does: what is hidden in them, and what the person filled in."""

import re
from html import unescape

from tests.web.dashboard import Dashboard, Reply

_FORM = re.compile(r'<form method="post" action="([^"]+)".*?</form>', re.DOTALL)
_HIDDEN = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)">')


def forms(page: str) -> dict[str, dict[str, str]]:
    """The hidden fields of each form of a page, by the address it is sent to."""
    return {
        found[1]: {name: unescape(value) for name, value in _HIDDEN.findall(found[0])}
        for found in _FORM.finditer(page)
    }


def send(dashboard: Dashboard, page: str, action: str, **fields: str) -> Reply:
    """Send the form of this page that goes to this address."""
    from urllib.parse import urlencode

    body = urlencode({**forms(page)[action], **fields}).encode()
    return dashboard.ask("POST", action, dashboard.form_headers(), body)


def follow(dashboard: Dashboard, reply: Reply) -> str:
    """The page that the answer to a form leads to."""
    assert reply.status == 303, reply.text
    page = dashboard.get(reply.headers["location"])
    assert page.status == 200
    return page.text
