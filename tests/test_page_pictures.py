"""The pictures of pages show what the pages say today."""

from typing import TYPE_CHECKING

import pytest

from tests.page_pictures import PICTURES, pictures

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.mark.browser
@pytest.mark.slow
def test_the_pictures_of_pages_say_what_the_pages_say_today(chromium: "Browser") -> None:
    for picture in pictures(chromium):
        kept = (PICTURES / f"{picture.name}.txt").read_text(encoding="utf-8")
        assert kept == picture.words, "take them anew: make pictures"
        assert (PICTURES / f"{picture.name}.png").stat().st_size > 10_000


def test_each_picture_has_its_words() -> None:
    assert {path.stem for path in PICTURES.glob("*.png")} == {path.stem for path in PICTURES.glob("*.txt")}
