"""A night's calls go to the documents where they are worth most."""

from skillopt_sleep.night.allot import allot, least_calls
from skillopt_sleep.records import Document, Effect, Past, PastEdit, Split, Task
from tests.builders import a_document, a_task, an_edit

ONE, TWO = a_document(id="one"), a_document(id="two")


def tasks(document: Document, sessions: int) -> list[Task]:
    """Of so many sessions, train and val in turn."""
    sides = [Split.TRAIN, Split.VAL]
    return [
        a_task(id=f"{document.id}{n}", session=f"{document.id}{n}", document=document.id, split=sides[n % 2])
        for n in range(sessions)
    ]


def order(*, past: dict[str, Past] | None = None, scores: dict[str, float] | None = None, two: int = 2) -> list[str]:
    asked = [*tasks(ONE, 2), *tasks(TWO, two)]
    found = allot([ONE, TWO], asked, past=past or {}, scores=scores or {}, calls=1_000)
    return [document.id for document in found.documents]


def test_documents_of_equal_worth_stay_in_their_order() -> None:
    assert order() == ["one", "two"]


def test_what_recurs_more_often_goes_first() -> None:
    assert order(two=4) == ["two", "one"]


def test_what_has_more_to_gain_goes_first() -> None:
    assert order(scores={"one0": 0.9, "one1": 0.9}) == ["two", "one"]


def test_where_edits_did_not_help_before_comes_later() -> None:
    tried = tuple(PastEdit(night="n", edit=an_edit(), effect=effect) for effect in (Effect.NEUTRAL, Effect.HARMFUL))

    assert order(past={"one": Past(tried=tried)}) == ["two", "one"]
    helped = Past(tried=tuple(PastEdit(night="n", edit=an_edit(), effect=Effect.HELPED) for _ in range(3)))
    assert order(past={"two": helped}) == ["two", "one"]


def test_what_the_calls_do_not_reach_is_left_out_but_never_the_first() -> None:
    asked = [*tasks(ONE, 4), *tasks(TWO, 2)]

    found = allot([ONE, TWO], asked, past={}, scores={}, calls=least_calls(asked) - 1)
    assert ([d.id for d in found.documents], [d.id for d in found.left_out]) == (["one"], ["two"])
    none = allot([ONE, TWO], asked, past={}, scores={}, calls=0)
    assert [d.id for d in none.documents] == ["one"]


def test_a_document_without_anything_to_test_costs_nothing() -> None:
    assert least_calls([a_task(split=Split.TRAIN)]) == 0
