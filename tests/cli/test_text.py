from skillopt_sleep.cli.text import block
from skillopt_sleep.kit.words import WIDTH


def test_a_block_keeps_line_breaks_and_wraps_long_lines() -> None:
    lines = block("one\n\n" + "word " * 30).splitlines()
    assert lines[:2] == ["    one", ""]
    assert len(lines) > 3
    assert all(len(line) <= WIDTH for line in lines)


def test_a_block_writes_control_characters_out() -> None:
    shown = block("def f():\n\treturn 1\n\x1b[2J")
    assert shown == "    def f():\n        return 1\n    \\u{1B}[2J"
