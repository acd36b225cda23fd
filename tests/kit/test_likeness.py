"""Words are found again in a longer text, whatever stands between them."""

import pytest

from skillopt_sleep.kit.likeness import LIKE, likeness


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ("pnpm", "- Use pnpm, never npm."),
        ("use pnpm not npm", "- Use pnpm, never npm."),
        ("BE CAREFUL", "you should be more careful with this data"),
        ("be careful with the data", "that is not good enough, be more careful with this data"),
        ("ne mets pas d'émojis", "Ne mets pas d'émojis dans les commits"),
    ],
)
def test_what_holds_the_words_is_like(asked: str, text: str) -> None:
    assert likeness(asked, text) >= LIKE


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ("use yarn", "- Use pnpm, never npm."),
        ("run the tests first", "always name the ticket and the owner"),
        ("", "- Use pnpm."),
        ("pnpm", ""),
        ("…!", "- Use pnpm."),
    ],
)
def test_anything_else_is_not(asked: str, text: str) -> None:
    assert likeness(asked, text) == 0


def test_of_two_that_hold_the_words_the_shorter_is_more_like() -> None:
    assert likeness("use pnpm", "Use pnpm.") > likeness("use pnpm", "Use pnpm in every project but the old one.")
