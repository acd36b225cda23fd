"""What changes in a file is shown by its words, in its place."""

from hypothesis import given, strategies as st

from skillopt_sleep.pages.word_diff import AROUND, Piece, word_diff

lines = st.lists(st.sampled_from(["a", "b", "- Use pnpm.", "- Use npm.", ""]), max_size=8)


@given(lines, lines)
def test_the_rows_tell_how_each_text_reads_around_the_change(old: list[str], new: list[str]) -> None:
    for place in word_diff("\n".join(old), "\n".join(new)):
        for row in place:
            text = "".join(piece.text for piece in row.pieces)
            source = old if row.sign == "-" else new
            assert source[row.number - 1] == text


@given(lines)
def test_what_stays_the_same_has_no_place(text: list[str]) -> None:
    assert word_diff("\n".join(text), "\n".join(text)) == []


def test_only_the_words_that_differ_are_marked_and_the_lines_around_are_few() -> None:
    before = ["1", "2", "3", "Run make lint before a commit.", "4", "5", "6"]
    after = [*before[:3], "Run make test before a commit.", *before[4:]]
    (place,) = word_diff("\n".join(before), "\n".join(after))
    assert [row.sign for row in place] == [" "] * AROUND + ["-", "+"] + [" "] * AROUND
    assert place[2].pieces == (Piece("Run make "), Piece("lint", True), Piece(" before a commit."))
    assert [piece.text for piece in place[3].pieces if piece.changed] == ["test"]


def test_a_line_that_was_replaced_by_quite_another_one_is_shown_whole() -> None:
    (place,) = word_diff("Use npm.", "Write short answers to the person")
    assert [row.pieces for row in place] == [(Piece("Use npm."),), (Piece("Write short answers to the person"),)]
