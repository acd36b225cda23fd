"""Two lists of lines as changes that each stand alone."""

import pytest

from skillopt_sleep.kit.linediff import COARSER, FINEST, Change, changes


def told(old: str, new: str, grain: object = FINEST) -> tuple[Change, ...] | None:
    assert isinstance(grain, type(FINEST))
    return changes(old.split("\n"), new.split("\n"), within=old, at=0, grain=grain)


def test_new_lines_go_behind_the_line_before_them() -> None:
    assert told("a\nb", "a\nx\nb") == (Change("a", "x", behind=True),)
    assert told("a\nb", "a\nx\nb", FINEST.without_behind) == (Change("a", "a\nx"),)


def test_new_lines_at_the_top_go_before_the_first_line() -> None:
    assert told("a", "x\na") == (Change("a", "x\na"),)


def test_deleted_lines_go_with_their_line_end() -> None:
    assert told("a\nb\nc", "a\nc") == (Change("b\n", ""),)
    assert told("a\nb", "a") == (Change("\nb", ""),)
    assert changes(["a"], [], within="a", at=0, grain=FINEST) == (Change("a", ""),)


def test_of_several_new_ones_the_most_alike_replaces_the_old_one() -> None:
    assert told("x\n- Be kind.\ny", "x\n- One.\n- Be kind, always.\n- Two.\ny") == (
        Change("- Be kind.", "- One.\n- Be kind."),
        Change("- Be kind.", "- Two.", behind=True),
        Change("- Be kind.", "- Be kind, always."),
    )


def test_a_target_that_stands_further_up_takes_along_what_is_beside_it() -> None:
    assert told("x\na\nx", "x\na\ny") == (Change("a\nx", "a\ny"),)


def test_points_that_were_all_reworded_are_changes_of_their_own() -> None:
    assert told("- a\n- b", "- c\n- d") == (Change("- a", "- c"), Change("- b", "- d"))


def test_a_point_is_one_with_what_is_under_it_and_a_heading_with_what_follows() -> None:
    assert told("x", "x\n- a\n  more\n- b\n\n## H\n\ntext") == (
        Change("x", "\n## H\n\ntext", behind=True),
        Change("x", "- b", behind=True),
        Change("x", "- a\n  more", behind=True),
    )


def test_a_block_of_code_is_not_cut() -> None:
    assert told("x", "x\n```\n- a\n\n- b\n```") == (Change("x", "```\n- a\n\n- b\n```", behind=True),)


def test_nothing_new_is_no_change() -> None:
    assert told("a\nb", "a\nb") == ()


@pytest.mark.parametrize(("grain", "count"), [(FINEST, 2), (COARSER[1], 1), (COARSER[-1], 1)])
def test_coarser_ones_take_along_what_is_between(grain: object, count: int) -> None:
    found = told("a\nb\nc", "x\nb\ny", grain)
    assert found is not None
    assert len(found) == count
