"""A model's patterns are accepted only if they can be read and searched quickly."""

from contextlib import suppress

import pytest

from skillopt_sleep.errors import ItemError
from skillopt_sleep.mining.patterns import MOST_VARIANTS, read_pattern


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("pnpm", {("pnpm",)}),
        (r"(?i)\bpnpm\b", {("pnpm",)}),
        (r"(?m)^\W*(feat|fix): *\S", {("feat",), ("fix",)}),
        ("colou?r", {("color",), ("colour",)}),
        ("[Pp]npm", {("Pnpm",), ("pnpm",)}),
        (r"pnpm\.lock", {("pnpm", "lock")}),
        ("pnpm|", {("pnpm",), ()}),
        ("(pnpm)?", {("pnpm",), ()}),
        (".*", {()}),
        (r"\w+", {()}),
        ("^", {()}),
        ("a{0}", {()}),
        (r"[A-Z]{2,5}-\d+", {()}),
        ("[e][v][i][l]", {("evil",)}),
        ("ab{2}", {("abb",)}),
    ],
)
def test_the_words_of_every_form_are_read(source: str, words: set[tuple[str, ...]]) -> None:
    assert set(read_pattern(source).words()) == words


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("", "1 to"),
        ("a" * 201, "1 to"),
        ("(", "bracket"),
        ("a)", "bracket"),
        ("(?!a)b", "looks ahead"),
        ("(?<=a)b", "looks ahead"),
        ("(?P<x>a)", "looks ahead"),
        (r"(a)\1", "isn't accepted"),
        (r"\x61", "isn't accepted"),
        (r"\p{L}", "isn't accepted"),
        ("(a+)+", "repeats what repeats"),
        (r"(\w+\s?)*", "repeats what repeats"),
        ("(a*|b)*", "repeats what repeats"),
        ("(a|aa)*", "repeats what repeats"),
        ("a++", "isn't accepted"),
        ("a{21}", "more than"),
        ("[ab][ab][ab][ab][ab][ab][ab][ab]", "too many forms"),
        ("a^", "finds nothing"),
        ("$a", "finds nothing"),
        (".*.*.*.*=", "too long"),
        ("(" * 20 + "a{1,2}" + "){1,2}" * 20, "spells out to more than"),
    ],
)
def test_what_cannot_be_read_or_does_not_end_is_refused(source: str, why: str) -> None:
    with pytest.raises(ItemError, match=why):
        read_pattern(source)


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "source",
    [
        "(a|aa)*b" * 9,
        "a?" * 90,
        "(" * 90 + "a" + ")" * 90,
        "(a|b|c|d)" * 20,
        "a{20}" * 40,
        "(" * 30 + "a{20}" + "){20}" * 30,
        "(" * 20 + "a{1,2}" + "){1,2}" * 20,
        "(" * 20 + "a{2}" + "){2}" * 20,
        "(" * 25 + "a?" + ")?" * 25,
    ],
)
def test_a_pattern_that_grows_without_end_is_read_or_refused_at_once(source: str) -> None:
    with suppress(ItemError):
        assert len(read_pattern(source).variants) <= MOST_VARIANTS
