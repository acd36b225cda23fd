"""report.md and report.html are the same page, as text and as HTML; nothing of others can pass for it."""

import re
from pathlib import Path

import pytest

from skillopt_sleep.records import NightReport, Note
from skillopt_sleep.reporters.morning import MorningReporter
from tests.builders import a_document, a_report, an_outcome
from tests.reporters.reports import NASTY, REPORTS, SECRET, WHOLE, render


def test_the_file_is_the_report_as_text(tmp_path: Path) -> None:
    path = MorningReporter().write(WHOLE, tmp_path)

    assert path == tmp_path / "report.md"
    assert path.read_text(encoding="utf-8") == render(WHOLE, folder=tmp_path)


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS)
def test_it_reads_as_plain_text(report: NightReport) -> None:
    text = render(report)
    assert text.startswith(f"# Night of {report.night}: ")
    assert "\n\n\n" not in text
    assert text.endswith("\n")
    assert not text.endswith("\n\n")


def test_what_stands_behind_the_first_screen_comes_with_verbose_and_how_is_said() -> None:
    assert "## What was tried" not in render(WHOLE)
    assert "## What was tried" in render(WHOLE, verbose=True)
    assert f"More: `skillopt-sleep report {WHOLE.night} --verbose`" in render(WHOLE)
    assert "More: " not in render(WHOLE, verbose=True)


def test_text_of_others_can_not_pass_for_the_report() -> None:
    text = render(REPORTS["nasty"], verbose=True)
    outside_code = re.sub(r"`[^`\n]*`", "", text)

    assert "\n# a heading" not in text
    assert "**bold**" not in outside_code
    assert "<img" not in re.sub(r"\\<", "", outside_code)
    assert "[link]" not in re.sub(r"\\\[", "", outside_code)
    assert not re.search("[\u202e\u200b\x1b]", text)
    assert SECRET not in text.replace("\\", "")


def test_long_text_is_cut() -> None:
    report = a_report(documents=(an_outcome(because="x" * 5_000),), errors=(Note(stage="mine", summary="y" * 5_000),))

    assert len(render(report)) < 3_000


def test_a_document_with_a_strange_name_is_named() -> None:
    outcome = an_outcome(document=a_document(id="a`\n b"), because="so it was")
    assert "so it was" in render(a_report(documents=(outcome,)), verbose=True)


def test_what_is_nasty_is_really_nasty() -> None:
    assert {"*", "`", "[", "<", "|", "#", "\u202e", "\u200b", "\x1b", "\n"} <= set(NASTY)
