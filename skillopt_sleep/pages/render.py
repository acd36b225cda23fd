"""Fill HTML templates: every text is redacted, its invisible characters spelled out, and escaped."""

import base64
import hashlib
import re
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from skillopt_sleep.kit.markdown import visible
from skillopt_sleep.kit.redact import redact

if TYPE_CHECKING:
    from jinja2 import Environment

Filters = dict[str, Callable[..., str]]

LOOK = "look.css"
_HERE = "skillopt_sleep.pages"
_MINUS = "\u2212"
_CODE = re.compile(r"`([^`]+)`")


def environment(package: str, folder: str = ".") -> "Environment":
    """Return what fills the templates in a folder of a package, and those that all pages share."""
    import jinja2

    made = jinja2.Environment(
        loader=jinja2.ChoiceLoader([jinja2.PackageLoader(package, folder), jinja2.PackageLoader(_HERE, ".")]),
        undefined=jinja2.StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=safe_to_show,
    )
    made.filters.update(decimal=decimal, span=span, thousands=thousands, dollars=dollars, signed=signed, code=code)
    return made


def self_contained(
    package: str,
    template: str,
    values: dict[str, Any],
    *,
    style: str,
    filters: Filters | None = None,
) -> str:
    """Return a page in which nothing is loaded from elsewhere and nothing runs: its one style is named by its hash.

    `style` is the file of the package with what the page adds to the look of all pages, and `filters` are what its
    template calls beside those that all have.
    """
    text = f"{look()}{_text(package, style)}"
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    # What stands between the tags has to be the very text that was hashed.
    filled = _kept(package)
    for name, written in (filters or {}).items():
        filled.filters[name] = written
    return filled.get_template(template).render(style=text, digest=digest, **values)


@cache
def _kept(package: str) -> "Environment":
    """Return the environment of a package, the same each time: compiling a template takes longer than filling it."""
    return environment(package)


def look() -> str:
    """Return the style sheet of all pages."""
    return _text(_HERE, LOOK)


def safe_to_show(value: Any) -> Any:
    """Return a value as a page may show it; only what the template marks as safe stays as it is."""
    if type(value) is str:
        return visible(redact(value))
    return value


def code(text: str) -> Markup:
    """Return a text with what stands between backticks as code; all of it is shown as any other text is."""
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(safe_to_show(text)))))  # noqa: S704 - it was escaped


def decimal(number: float | None) -> str:
    """Return a number with three digits, a dash if it isn't known."""
    return "–" if number is None else f"{number:.3f}"


def span(interval: tuple[float, float] | None) -> str:
    """Return an interval in words, as in "−0.10 to 0.32"; "" without one."""
    if interval is None:
        return ""
    low, high = interval
    return f"{low:.2f} to {high:.2f}".replace("-", _MINUS)


def signed(number: float) -> str:
    """Return a number with its sign and two digits, as in "+0.25"."""
    return f"{number:+.2f}".replace("-", _MINUS)


def thousands(number: int) -> str:
    """Return a whole number with its thousands apart."""
    return f"{number:,}"


def dollars(usd: float | None) -> str:
    """Return an amount of dollars; "unknown" if it isn't known."""
    return "unknown" if usd is None else f"${usd:,.4f}"


def _text(package: str, name: str) -> str:
    return files(package).joinpath(name).read_text(encoding="utf-8")
