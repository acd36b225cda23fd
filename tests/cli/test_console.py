import pytest

from skillopt_sleep.cli.console import progress, say_markdown


def test_progress_is_quiet_where_nobody_watches(capfd: pytest.CaptureFixture[str]) -> None:
    with progress() as advance:
        advance("rollout", 0, 3)
        advance("rollout", 3, 3)
    assert capfd.readouterr() == ("", "")


def test_markdown_is_left_as_it_is_where_it_is_piped(capfd: pytest.CaptureFixture[str]) -> None:
    say_markdown("# Night\n\n**one**\n")
    assert capfd.readouterr().out == "# Night\n\n**one**\n"
