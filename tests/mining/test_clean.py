"""Terminal escapes, invisible characters and our own markers are removed."""

import pytest

from skillopt_sleep.mining.words import clean


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("plain\ttext\nof two lines, 中文, é, 👍", "plain\ttext\nof two lines, 中文, é, 👍"),
        ("a\x1b[31mred\x1b[0m", "ared"),
        ("a\x1b]8;;https://evil.example\x07link\x1b]8;;\x07", "alink"),
        ("a\x1b]52;c;ZXZpbA==\x1b\\b", "ab"),
        ("a\x9b2Jb", "ab"),
        ("a\x1bcb\x00\x08", "ab"),
        ("a\u202eb\u200bc\U000e0041d\u3164", "abcd"),
        ("a<!-- skillopt-sleep:begin -->b<!--slow-update:end-->c", "abc"),
        ("a<!-- SKILLOPT-SLEEP:begin", "a"),
        ("a<!-- skill<!-- skillopt-sleep:end -->opt-sleep:begin -->b", "ab"),
        ("a<!-- skill\u200bopt-sleep:begin -->b", "ab"),
        ("a <!-- another comment -->", "a <!-- another comment -->"),
    ],
)
def test_only_what_is_seen_is_kept(text: str, kept: str) -> None:
    assert clean(text) == kept
