"""Serve the few files that pages load: each is named here, so no other can be asked for."""

from functools import cache
from importlib.resources import files

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from skillopt_sleep.pages.render import LOOK, NIGHT, look

_CSS = "text/css; charset=utf-8"
_SCRIPT = "text/javascript; charset=utf-8"
_KINDS = {
    LOOK: _CSS,
    NIGHT: _CSS,
    "web.css": _CSS,
    "decisions.css": _CSS,
    "htmx.min.js": _SCRIPT,
    "alive.js": _SCRIPT,
    "icon.svg": "image/svg+xml",
}


def static_file(request: Request) -> Response:
    """Return a file by its name."""
    name = request.path_params["name"]
    if name not in _KINDS:
        raise HTTPException(404)
    return Response(_text(name), media_type=_KINDS[name])


@cache
def _text(name: str) -> str:
    if name in {LOOK, NIGHT}:
        return look(name)
    return files(__package__ or "").joinpath("static", name).read_text(encoding="utf-8")
