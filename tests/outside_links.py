"""A hook of mkdocs: a link to a file outside docs/, which the site doesn't have, becomes plain text."""

import posixpath
import re
from typing import Any

_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?![a-z]+:)([^)#\s]+)(?:#[^)\s]*)?\)")


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Rewrite a page as mkdocs reads it."""
    return inside(markdown, page=page.file.src_uri)


def inside(markdown: str, *, page: str) -> str:
    """Return the page, whose path in docs/ is this, without its links to files outside docs/."""

    def shown(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(page), link[2]))
        return link[1] if target.startswith("..") else link[0]

    return _LINK.sub(shown, markdown)
