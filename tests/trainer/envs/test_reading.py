import gzip
import math
from pathlib import Path

import pytest

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.trainer.envs.reading import kind_of_row, optional, read_rows, text_of, texts_of


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.json", '[{"q": "a", "n": "1"}]'),
        ("x.json", '{"version": "1", "data": [{"q": "a", "n": "1"}]}'),
        ("x.jsonl", '\n{"q": "a", "n": "1"}\n\n'),
        ("x.csv", "q,n\na,1\n"),
        ("x.tsv", "q\tn\na\t1\n"),
        ("x.csv", "\ufeffq,n\na,1\n"),
    ],
)
def test_rows_are_read_from_every_usual_form(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert read_rows(tmp_path / name) == ({"q": "a", "n": "1"},)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.json.gz", '[{"q": "a"}]'),
        ("x.jsonl.gz", '{"q": "a"}\n'),
        ("x.csv.GZ", "\ufeffq\na\n"),
        ("x.tsv.gz", "q\na\n"),
    ],
)
def test_a_compressed_text_is_read_as_the_text(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_bytes(gzip.compress(text.encode()))
    assert read_rows(tmp_path / name) == ({"q": "a"},)


def test_a_compressed_text_that_ends_early_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl.gz").write_bytes(gzip.compress(b'{"q": "a"}' * 99)[:-20])
    with pytest.raises(ConfigError, match=r"x\.jsonl\.gz: "):
        read_rows(tmp_path / "x.jsonl.gz")


def test_mmlus_table_without_a_header_gets_the_names_of_its_columns(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text('why?,"b\nc",d,A\nhow?,e,f,B\n', encoding="utf-8")
    assert read_rows(tmp_path / "x.csv") == (
        {"question": "why?", "A": "b\nc", "B": "d", "answer": "A"},
        {"question": "how?", "A": "e", "B": "f", "answer": "B"},
    )


def test_a_line_separator_inside_a_text_ends_no_line(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"q": "a\u2028b"}\n', encoding="utf-8")
    assert read_rows(tmp_path / "x.jsonl") == ({"q": "a\u2028b"},)


def test_a_long_cell_with_lines_in_it_is_one_cell(tmp_path: Path) -> None:
    page = "line\n" * 60_000
    (tmp_path / "x.csv").write_text(f'q,page\na,"{page}"\n', encoding="utf-8")
    assert read_rows(tmp_path / "x.csv")[0]["page"] == page


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("x.json", "{", "x.json"),
        ("x.json", "[1]", "row 1"),
        ("x.jsonl", '{"q": 1}\n{"q"', "line 2"),
        ("x.csv", "q,n\nb,1\na\n", "row 2 has more or fewer cells than the first line"),
        ("x.csv", "q\na,b\n", "row 1 has more"),
        ("x.csv", 'q,n\nb,1\na,"1\n', "row 2: unexpected end of data"),
        ("x.csv", "q,n,q\nb,1,2\n", "two columns are called 'q'"),
        ("x.tsv", "q\tq\nb\t1\n", "two columns are called 'q'"),
        ("x.json", "[" * 100_000, "recursion"),
        ("x.jsonl", '{"q": 1}\n' + "[" * 100_000, "recursion"),
        ("x.arrow", "", ".jsonl"),
        ("x.jsonl.gz", "{}", "gzip"),
    ],
)
def test_a_file_that_can_not_be_read_is_named(tmp_path: Path, name: str, text: str, said: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        read_rows(tmp_path / name)
    assert name in caught.value.message
    assert said in caught.value.message


def test_a_line_that_is_not_utf_8_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes(b"\xef\xbb\xbfq\nfine\ncaf\xe9\n")
    with pytest.raises(ConfigError, match=r"x\.csv: line 3 is not UTF-8"):
        read_rows(tmp_path / "x.csv")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="No such file"):
        read_rows(tmp_path / "x.json")


def test_the_first_field_that_says_something_counts() -> None:
    row = {"id": " ", "uid": 7}
    assert optional(row, "id", "uid") == "7"
    assert optional(row, "id", "name") == ""
    with pytest.raises(ValueError, match="'id' or 'name'"):
        text_of(row, "id", "name")


@pytest.mark.parametrize(
    ("value", "said"), [([1], "a list"), ({"text": "a"}, "a dict"), (b"x", "a bytes"), ({1}, "a set")]
)
def test_what_is_no_text_is_never_left_out_as_if_it_were_empty(value: object, said: str) -> None:
    with pytest.raises(ValueError, match=f"its 'context' is {said}"):
        optional({"context": value}, "context")


@pytest.mark.parametrize(
    ("row", "kind"),
    [
        ({"type": "a"}, "a"),
        ({"type": ["", "b"]}, "b"),
        ({"type": None, "category": 7}, "7"),
        ({"type": {"x": 1}}, ""),
        ({}, ""),
    ],
)
def test_a_kind_is_the_first_text_that_names_it(row: dict[str, object], kind: str) -> None:
    assert kind_of_row(row, "type", "category") == kind


@pytest.mark.parametrize(
    ("value", "texts"),
    [
        (["a", 1], ("a", "1")),
        ('["a", "b"]', ("a", "b")),
        ("['it''s', \"b\"]", ("its", "b")),
        ("[sic] a note", ("[sic] a note",)),
        ("two\nlines", ("two\nlines",)),
        (None, ()),
        (4, ("4",)),
        ('["a\\/b", "c"]', ("a/b", "c")),
        ([{"text": "x", "answer_start": 0}, "y"], ("x", "y")),
        ({"text": ["x", "y"], "answer_start": [0, 9]}, ("x", "y")),
    ],
)
def test_a_list_is_read_in_every_notation(value: object, texts: tuple[str, ...]) -> None:
    assert texts_of(value) == texts


def test_nan_is_missing() -> None:
    row = {"a": math.nan, "b": "x"}
    assert optional(row, "a", "b") == kind_of_row(row, "a", "b") == "x"
    assert optional(row, "a") == kind_of_row(row, "a") == ""
    with pytest.raises(ValueError, match="NaN is neither"):
        texts_of([math.nan])


@pytest.mark.parametrize("value", [[["x"]], [{"answer": "x"}], {"answer": "x"}, [None], [{"text": ["x"]}]])
def test_what_is_neither_text_nor_number_is_no_gold(value: object) -> None:
    with pytest.raises(ValueError, match="neither a text nor a number"):
        texts_of(value)
