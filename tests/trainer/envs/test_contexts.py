import pytest

from skillopt_sleep.trainer.envs.contexts import context_of, shortened

MILL = ["Mill", ["It is old.", " Ada built it."]]
RIVER = ["River", ["It is long."]]
TEXT = "[DOC] Mill\nIt is old. Ada built it.\n\n[DOC] River\nIt is long."


@pytest.mark.parametrize("facts", [[["River", 0]], {"title": ["River"], "sent_id": [0]}])
@pytest.mark.parametrize(
    "context",
    [[MILL, RIVER], {"title": ["Mill", "River"], "sentences": [["It is old.", " Ada built it."], ["It is long."]]}],
)
def test_hotpotqas_paragraphs_are_documents_of_which_some_are_needed(context: object, facts: object) -> None:
    found = context_of({"context": context, "supporting_facts": facts})
    assert found.text == TEXT
    assert found.needed == ("[DOC] River\nIt is long.",)


def test_a_text_is_a_context_as_it_stands_and_texts_are_documents() -> None:
    assert context_of({"context": " a "}).text == "a"
    assert context_of({"text": "b"}).text == "b"
    assert context_of({}).text == ""
    assert context_of({"context": ["a", "b"]}).text == "[DOC] a\n\n[DOC] b"


@pytest.mark.parametrize(
    "context",
    [
        5,
        [5],
        [["title"]],
        [["title", 5]],
        [["title", [5]]],
        [[5, ["x"]]],
        {"title": ["a"]},
        {"title": ["a"], "sentences": []},
        {"a": 1},
    ],
)
def test_another_form_is_refused_by_name(context: object) -> None:
    with pytest.raises(ValueError, match="'context'"):
        context_of({"context": context})


@pytest.mark.parametrize(
    ("most", "left"), [(0, TEXT), (len(TEXT), TEXT), (len(TEXT) - 1, TEXT[:35]), (8, "[DOC] Mi")]
)
def test_documents_are_cut_between_them(most: int, left: str) -> None:
    assert shortened(TEXT, most) == left
