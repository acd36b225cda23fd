"""What a person typed is told from Claude Code's own texts by the wording alone."""

import pytest

from skillopt_sleep.agents.transcripts.harness import is_interruption, typed_of


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("fix it", "fix it"),
        ("<b>fix it</b>", "<b>fix it</b>"),
        ("<bash-input>ls</bash-input>", ""),
        ("<bash-input>ls</bash-input> what is this?", "<bash-input>ls</bash-input> what is this?"),
        ("<command-message>fix</command-message>\n<command-name>/fix</command-name>\n<command-args>tax</command-args>", "tax"),
        ("<command-name>/model</command-name>\n<command-args>opus</command-args>", ""),
        ("<system-reminder>a file changed</system-reminder>\nfix it", "fix it"),
    ],
)  # fmt: skip
def test_what_was_typed_is_left(text: str, typed: str) -> None:
    assert typed_of(text) == typed


def test_a_stop_is_told_by_its_note() -> None:
    assert is_interruption("[Request interrupted by user for tool use]")
    assert not is_interruption("stop")
