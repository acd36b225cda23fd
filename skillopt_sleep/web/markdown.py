"""Show a report that was written as Markdown."""

from functools import cache

from markdown_it import MarkdownIt
from markupsafe import Markup

_FOREIGN = ["link", "image", "autolink", "html_inline", "html_block", "reference"]


def as_html(text: str) -> Markup:
    """Return Markdown of ours as HTML, without its title; nothing in it becomes a link, a picture or a tag."""
    lines = text.split("\n")
    if lines[0].startswith("# "):
        lines = lines[1:]
    return Markup(_parser().render("\n".join(lines)))  # noqa: S704 - what it holds of other texts is escaped by it


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).disable(_FOREIGN)
