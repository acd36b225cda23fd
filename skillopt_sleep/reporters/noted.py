"""Choose the notes of a night that a person should read: what went wrong, and what a rule left out."""

from skillopt_sleep.records import CUT_SHORT, NightReport, Note

ERRORS, LEFT_OUT = "Errors", "Left out"


def noted(report: NightReport) -> list[tuple[str, tuple[Note, ...]]]:
    """Return the errors, and the notes on what a rule left out, each under its title."""
    expected = tuple(note for note in report.errors if note.expected)
    sections = [(ERRORS, trouble(report)), (LEFT_OUT, expected)]
    return [(title, notes) for title, notes in sections if notes]


def trouble(report: NightReport) -> tuple[Note, ...]:
    """Return the errors without what cut the night short, which its head says."""
    if report.verdict not in CUT_SHORT:
        return report.trouble
    return tuple(note for note in report.trouble if note.summary.rstrip(".") != report.because.rstrip("."))
