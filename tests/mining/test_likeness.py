"""Two tasks are alike if they have the same wish, whatever the words; measured on likeness.toml."""

from typing import Any

import pytest

from skillopt_sleep.mining.likeness import SAME, contradicts, likeness
from skillopt_sleep.mining.profile import profile_of
from skillopt_sleep.records import Check, Checks, Evidence, Exact, Op, Rubric, Task
from tests.benchmarks.cluster import labelled, measure, pairs
from tests.builders import a_task, some_checks


def a_wish(said: str, ask: str = "do the thing", **fields: Any) -> Task:
    """A task whose correction are these words."""
    told = {"reference": Exact(answer="7"), "evidence": (Evidence(session="s", turn=2, quote=said),)}
    return a_task(prompt=ask, **(told | fields))


def alike(one: Task, other: Task) -> bool:
    score = likeness(profile_of(one), profile_of(other))
    assert score == likeness(profile_of(other), profile_of(one))
    return score >= SAME


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("use pnpm not npm", "we're a pnpm shop, please stop running npm"),
        ("keep it to one line", "way too long, one liner"),
        ("you forgot the ticket number", "always mention the ticket"),
        ("don't force push", "never push with --force"),
        ("no emojis", "keine Emojis bitte"),
        ("use camelCase", "camel case please"),
        ("ONE LINE ONLY!!", "one line only"),
    ],
)
def test_the_same_wish_in_other_words_is_the_same(one: str, other: str) -> None:
    assert alike(a_wish(one), a_wish(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("use tabs", "use spaces"),
        ("use pnpm, never npm", "use npm, never pnpm"),
        ("add tests for the parser", "remove the tests for the parser"),
        ("don't force push", "don't push yet"),
        ("shorter title", "shorter body"),
        ("too long", "too short"),
        ("indent by 2", "indent by 4"),
        ("answer in German", "answer in English"),
    ],
)
def test_another_wish_in_the_same_words_is_not(one: str, other: str) -> None:
    assert not alike(a_wish(one), a_wish(other))


def test_equal_checks_are_the_same_wish_in_any_order_and_case() -> None:
    turned = Checks(items=some_checks("PNPM", "npm").items[::-1])

    assert (
        likeness(profile_of(a_wish("x", reference=some_checks())), profile_of(a_wish("y", reference=turned))) == 1.0
    )


def test_checks_of_which_one_wants_what_the_other_avoids_contradict_each_other() -> None:
    one, other = (
        a_wish("like this", reference=some_checks()),
        a_wish("like this", reference=some_checks("npm", "bun")),
    )

    assert contradicts(profile_of(one), profile_of(other))
    assert likeness(profile_of(one), profile_of(other)) == 0.0


def test_lengths_that_no_answer_can_keep_contradict_each_other() -> None:
    most, least = (
        a_wish("the length!", reference=Checks(items=(Check(op=op, arg=arg),)))
        for op, arg in ((Op.MAX_CHARS, "100"), (Op.MIN_CHARS, "200"))
    )

    assert contradicts(profile_of(most), profile_of(least))
    assert contradicts(profile_of(least), profile_of(most))


def test_a_wish_about_the_shape_of_another_kind_of_thing_is_another_wish() -> None:
    message, mail = (
        a_wish("too long, make it shorter", ask=f"write a {kind}") for kind in ("commit message", "mail")
    )

    assert not alike(message, mail)
    assert alike(message, a_wish("shorter please", ask="commit msg for this"))


def test_without_a_wish_in_the_corrections_the_request_decides() -> None:
    assert alike(a_wish("no", "draw the org chart"), a_wish("wrong, again", "please draw the org chart"))
    assert not alike(a_wish("no", "draw the org chart"), a_wish("no", "load the march file"))


def test_where_the_words_say_nothing_the_rubric_does() -> None:
    one = a_wish("no!", "do the first thing", reference=Rubric(text="The message is a single line."))
    other = a_wish("wrong", "and another", reference=Rubric(text="The message must be one line."))

    assert alike(one, other)


def test_a_rubric_that_only_quotes_the_correction_says_nothing_more() -> None:
    one, other = (a_wish("no!", ask, reference=Rubric(text="They said «no!»")) for ask in ("first thing", "a chart"))

    assert not alike(one, other)


def test_a_task_without_any_words_is_like_its_own_request_only() -> None:
    assert alike(a_wish("", "sort the mail", evidence=()), a_wish("", "sort the mail", evidence=()))
    assert not alike(a_wish("", "", evidence=()), a_wish("", "sort the mail", evidence=()))


def test_those_worth_comparing_share_a_key() -> None:
    looks = {row.task.id: profile_of(row.task) for row in labelled()}

    for one, other, _ in pairs("held-out"):
        if likeness(looks[one.task.id], looks[other.task.id]) >= SAME:
            assert looks[one.task.id].keys & looks[other.task.id].keys


def test_the_labelled_set_is_large_and_no_wish_of_a_language_is_on_both_sides() -> None:
    sides = {(row.lang, row.wish): row.side for row in labelled()}

    assert all(sides[row.lang, row.wish] == row.side for row in labelled())
    assert sum(1 for side in ("dev", "held-out") for _ in pairs(side)) > 400


def test_the_dev_pairs_are_told_apart_as_well_as_we_say() -> None:
    found = measure("dev")["all"]

    assert found.precision >= 0.95
    assert found.recall >= 0.90


def test_the_held_out_pairs_are_told_apart_as_well_as_we_say() -> None:
    found = measure("held-out")["all"]

    assert found.precision >= 0.85
    assert found.recall >= 0.80
