"""Serve a page that brings its own style and loads nothing: a night's report, the page of a training."""

import base64
import hashlib
import re

from starlette.responses import Response

from skillopt_sleep.web.guard import POLICY

_ALONE = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
_STYLE = re.compile(b"<style>(.*?)</style>", re.DOTALL)


def alone(page: bytes, *, again: int = 0) -> Response:
    """Return a whole page as it is, which may use its own style and nothing else.

    The browser loads it `again` after so many seconds, 0 for never.
    """
    style = _STYLE.search(page)
    digest = base64.b64encode(hashlib.sha256(style[1] if style else b"").digest()).decode()
    response = Response(page, media_type="text/html; charset=utf-8")
    response.headers[POLICY.decode()] = f"{_ALONE}; style-src 'sha256-{digest}'"
    if again:
        response.headers["refresh"] = str(again)
    return response
