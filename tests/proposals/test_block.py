import pytest
from hypothesis import given, strategies as st

from skillopt_sleep.errors import UnsafeEdit
from skillopt_sleep.proposals.block import BEGIN, END, change, check_encoding, find, parts
from tests.proposals.corpus import BOM, CORPUS, splice

ENDS = ["\n", "\r\n", "\r", "\n\n", "\u2028", "\x0b"]
WORDS = [" ", "\t", "text", "text and more of it", "- a rule", "é", "---", "\x00", BEGIN + " in prose", "> " + END]
FENCES = ["```", "~~~", "`"]
AROUND = ["- ", "1. ", "> ", "  ", "<!--", "<pre>"]
PIECES = st.sampled_from(ENDS + WORDS + FENCES + AROUND)
LISTED = "- ```sh\n  make\n  ```\n"


@pytest.mark.parametrize("name", CORPUS)
@pytest.mark.parametrize("body", ["rule", "- one\n- two\n\n```sh\nmake\n```", "trailing  \n\ttab"])
def test_a_block_that_is_added_and_removed_leaves_every_byte(name: str, body: str) -> None:
    before = CORPUS[name]
    added = splice(before, body)
    assert added.startswith(before)
    assert splice(added, "") == before
    (block,) = find(added)
    assert block.body == body
    assert splice(added, body) == added


@given(st.lists(PIECES, max_size=12), st.booleans(), st.sampled_from(["rule", "a\nb", "```\nx\n```"]))
def test_whatever_the_file_a_block_added_and_removed_leaves_every_byte(
    pieces: list[str], bom: bool, body: str
) -> None:
    before = (BOM if bom else b"") + "".join(pieces).encode()
    try:
        added = splice(before, body)
    except UnsafeEdit:
        return
    assert added.startswith(before)
    assert splice(added, "") == before
    assert splice(splice(added, "something else"), body) == added


@given(st.lists(PIECES, max_size=8), st.lists(PIECES, max_size=8), st.lists(PIECES, max_size=6))
def test_whatever_stands_around_a_block_only_its_body_changes(
    before: list[str], after: list[str], inside: list[str]
) -> None:
    head, tail = "".join(before).encode(), "".join(after).encode()
    data = head + f"\n{BEGIN}\n{''.join(inside)}\n{END}\n".encode() + tail
    try:
        changed = splice(data, "new rule")
    except UnsafeEdit:
        return
    if not find(data):  # a code fence around the markers makes them the user's text
        assert changed.startswith(data)
        return
    assert changed.startswith(head)
    assert changed.endswith(tail)
    (block,) = find(changed)
    assert block.body.strip() == "new rule"
    assert splice(data, "").endswith(tail)


@given(st.binary(max_size=200))
def test_any_bytes_are_either_kept_or_refused(data: bytes) -> None:
    try:
        added = splice(data, "rule")
    except UnsafeEdit:
        return
    assert splice(added, "") == data


def test_the_block_stands_after_a_blank_line_in_the_files_own_line_ends() -> None:
    assert splice(b"a\r\n", "b\nc") == f"a\r\n\r\n{BEGIN}\r\nb\r\nc\r\n{END}\r\n".encode()
    assert splice(b"a\n", "b") == f"a\n\n{BEGIN}\nb\n{END}\n".encode()
    assert splice(b"", "b") == f"{BEGIN}\nb\n{END}\n".encode()


def test_text_that_the_user_adds_after_the_block_stays() -> None:
    for before in (b"a\n", b"a", b""):
        grown = splice(before, "rule") + b"\nmine\n"
        assert splice(grown, "other").endswith(f"{END}\nmine\n".encode()) or splice(grown, "other").endswith(
            f"{END}\n\nmine\n".encode()
        )
        assert splice(grown, "").startswith(before)
        assert splice(grown, "").endswith(b"\nmine\n")


def test_what_the_user_writes_inside_the_block_is_read_as_its_body() -> None:
    data = splice(b"a\n", "rule").replace(b"rule\n", b"rule\n  and my note\n")
    (block,) = find(data)
    assert block.body == "rule\n  and my note"


@pytest.mark.parametrize(
    "fence",
    [
        LISTED,
        "* ~~~\n  make\n  ~~~\n",
        "1. ```\n   make\n   ```\n",
        "- a\n  - ```\n    make\n    ```\n",
        "> ```\n> make\n> ```\n",
        "> - ```\n>   make\n>   ```\n",
        "> ```\n> the end of the quote closes it\n",
        "- ```\n  the end of the list closes it\n",
        "```\n> ```\n- ```\n```\n",
        "    ```\n    code by indentation\n",
        "<pre>\n\n```\n</pre>\n```\n",
        "2. ```\n   make\n   ```\n",
    ],
)
def test_a_code_fence_is_where_markdown_has_it(fence: str) -> None:
    for eol in ("\n", "\r\n", "\r"):
        before = f"# Rules\n\n{fence}".replace("\n", eol).encode()
        added = splice(before, "rule")
        (block,) = find(added)
        assert block.body == "rule"
        around = added + fence.replace("\n", eol).encode()
        assert splice(around, "other").count(BEGIN.encode()) == 1
        assert splice(added, "") == before


@pytest.mark.parametrize("fence", [f"- ```\n  {BEGIN}\n  x\n  {END}\n  ```\n", f"~~~\n{BEGIN}\n```\n{END}\n~~~\n"])
def test_markers_in_a_fence_are_the_users_text(fence: str) -> None:
    added = splice(fence.encode(), "rule")
    assert added.startswith(fence.encode())
    assert splice(added, "other") == splice(fence.encode(), "other")


def test_a_fence_left_open_below_the_block_does_not_hide_it() -> None:
    below = b"\n```sh\nmake\n"
    added = splice(b"# Rules\n", "rule")
    assert splice(added + below, "other") == splice(b"# Rules\n", "other") + below
    assert splice(added + below, "") == b"# Rules\n" + below
    for hidden in (b"```\n" + added, added.replace(b"rule", b"```"), b"# Rules\n" + below):
        with pytest.raises(UnsafeEdit, match="never closed"):
            splice(hidden, "other")


def test_what_looks_like_a_fence_around_the_block_hides_it_not() -> None:
    """The closing line of the first was once taken for an opening one, and a second block was written."""
    data = f"{LISTED}\n{BEGIN}\nrule\n{END}\n\n{LISTED}".encode()
    assert splice(data, "other") == data.replace(b"rule", b"other")


def test_blanks_around_a_marker_are_allowed() -> None:
    (block,) = find(f"a\n\t{BEGIN}  \nrule\n {END}\t\nb\n".encode())
    assert block.body == "rule"
    assert (block.start, block.end) == (2, len(f"a\n\t{BEGIN}  \nrule\n {END}\t\n"))


@pytest.mark.parametrize(
    ("lines", "named"),
    [
        (["a", BEGIN, "b"], "begin in line 2"),
        (["a", "b", END], "end in line 3"),
        ([END, "a", BEGIN], "end in line 1, begin in line 3"),
        ([BEGIN, BEGIN, "a", END, END], "begin in line 1, begin in line 2, end in line 4, end in line 5"),
        ([BEGIN, "a", END, "mine", BEGIN, "b"], "begin in line 5"),
        (["```", BEGIN, "a", END], "line 1"),
        (["a", BEGIN, "```", END, "mine"], "line 3"),
        ([BEGIN, "```", END, "mine", "```"], "begin in line 1"),
        (["~~~", "```", "~~~", "x", "```"], "line 5"),
        (["> ```", "> a", "> ```", "```"], "line 4"),
        (["- a", "", "  ```", BEGIN, "x", END, "  ```"], "line 7"),
    ],
)
def test_damaged_markers_are_refused_with_their_lines(lines: list[str], named: str) -> None:
    for eol in ("\n", "\r\n", "\r"):
        with pytest.raises(UnsafeEdit) as caught:
            splice(eol.join(lines).encode(), "rule")
        assert named in caught.value.message
        assert caught.value.remedy


@pytest.mark.parametrize(
    "data",
    [
        "hello\n".encode("utf-16"),
        "hello\n".encode("utf-16-le"),
        "hello\n".encode("utf-16-be"),
        "Größe\n".encode("latin-1"),
    ],
)
def test_text_that_is_not_utf8_is_refused(data: bytes) -> None:
    with pytest.raises(UnsafeEdit, match="is not UTF-8"):
        check_encoding(data)


@pytest.mark.parametrize("body", [BEGIN, f"a\n{END}\nb", f"```\n{BEGIN}\n```", "```\nnever closed"])
def test_a_body_that_would_break_the_block_is_refused(body: str) -> None:
    with pytest.raises(UnsafeEdit):
        splice(b"a\n", body)


@pytest.mark.parametrize("body", ["", "\n\n", "  \n\t"])
def test_a_blank_body_is_no_block(body: str) -> None:
    assert splice(b"a\n", body) == b"a\n"
    assert splice(splice(b"a\n", "rule"), body) == b"a\n"


@pytest.mark.parametrize("name", CORPUS)
def test_the_parts_of_a_file_make_the_file(name: str) -> None:
    for data in (CORPUS[name], splice(CORPUS[name], "rule\nother")):
        cut = parts(data)
        assert change(cut, cut.body, cut.body).data == data
