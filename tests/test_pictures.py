"""The pictures of the documentation show the example night as it is today."""

import re
from collections.abc import Generator
from html import unescape

import pytest

from tests.documented import masked
from tests.example_home import ExampleHome, example_home
from tests.pictures import DOCS, drawn, screens, steady

ANEW = "make them anew: make pictures"


@pytest.fixture(scope="module")
def home() -> Generator[ExampleHome]:
    with example_home() as made:
        yield made


def words(svg: str) -> str:
    """What a picture shows, without its drawing."""
    texts = re.findall(r"<text [^>]*>([^<]*)</text>", svg)
    return masked(unescape("\n".join(texts)).replace("\u00a0", " "))


@pytest.mark.slow
def test_the_screens_show_what_the_commands_print_today(home: ExampleHome) -> None:
    home.restore()
    for path, svg in screens(home):
        if path.stem != "doctor":  # it tells of this machine
            assert words(path.read_text(encoding="utf-8")) == words(svg), ANEW


def test_a_picture_needs_nothing_from_elsewhere() -> None:
    for path in (*(DOCS / "pictures").glob("*.svg"), *(DOCS / "screens").glob("*.svg")):
        svg = path.read_text(encoding="utf-8")
        assert re.findall(r"url\([\"']?http|href=[\"']http|@import", svg) == []


def test_a_picture_shows_words_in_a_terminal() -> None:
    svg = drawn("a", "skillopt-sleep status", "2 proposals wait & more", width=40)
    assert words(svg) == masked("skillopt-sleep status\n2 proposals wait & more")


def test_what_is_of_this_machine_is_the_same_in_every_picture() -> None:
    assert steady("31.5 GiB free, 80 KiB") == steady("7 GiB free, 9 KiB")
