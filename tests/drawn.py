"""Read a page that stands by itself, and refuse what it must not have."""

import base64
import hashlib
import html
import re
from html.parser import HTMLParser


class Elements(HTMLParser):
    """The elements of a page with their attributes, and whether each is closed in its turn."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def refuse_what_loads_or_runs(page: str) -> None:
    """Check that every element is closed, that nothing is loaded or runs, and that the policy allows our style alone."""
    elements = Elements(page)
    assert elements.open == []
    tags = {tag for tag, _ in elements.found}
    assert not tags & {"script", "link", "img", "iframe", "object", "embed", "base", "form"}
    for _, attributes in elements.found:
        assert not {"src", "style"} & set(attributes)
        assert (attributes.get("href") or "#").startswith("#")
        assert not [name for name in attributes if name.startswith("on")]
    assert not re.search(r"url\(|@import", page)
    (style,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    assert policy[1] == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def text_of(page: str) -> str:
    """Return the words of a page, without its style."""
    words = re.sub(r"<style>.*?</style>|<[^>]+>", " ", page, flags=re.DOTALL)
    return " ".join(html.unescape(words).split())
