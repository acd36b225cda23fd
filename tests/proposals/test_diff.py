from skillopt_sleep.proposals.diff import diff


def test_a_difference_shows_invisible_characters_and_a_missing_last_line_end() -> None:
    shown = diff("a.md", b"one\r\n", "one\ntwo\u200b".encode())
    assert "+two\\u{200B}" in shown
    assert "No newline at end of file" in shown
    assert "\r" not in shown


def test_a_file_that_comes_or_goes_is_dev_null() -> None:
    assert "--- /dev/null\n+++ b/a.md" in diff("a.md", None, b"one\n")
    assert "--- a/a.md\n+++ /dev/null" in diff("a.md", b"one\n", None)


def test_text_that_is_not_utf8_is_shown_too() -> None:
    assert "+two" in diff("a.md", b"caf\xe9\n", b"caf\xe9\ntwo\n")
