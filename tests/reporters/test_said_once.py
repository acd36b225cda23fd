"""The report says each thing once, and of each trial what was measured."""

from msgspec.structs import replace

from skillopt_sleep.records import (
    CandidateKind,
    Copy,
    Decision,
    EditEffect,
    EditOp,
    Effect,
    JudgeReading,
    Note,
    Outcome,
    Pair,
    Solved,
    Spend,
    Trial,
    Verdict,
)
from skillopt_sleep.reporters.morning import render
from skillopt_sleep.reporters.page import render as page
from tests.builders import a_document, a_proposal, a_report, an_edit, an_outcome
from tests.reporters.reports import TESTED, improved

REMOVES = an_edit("", op=EditOp.DELETE, target="- Never force-push.")
LOST = tuple(Pair(task=f"v{n}", sample=0, before=1.0, after=0.0, solved=(True, False)) for n in range(6))
WORSE = Trial(pairs=LOST, rounds=1, interval=(-1.0, 0.1))
STAYS = "tried without it: 6 of 6 as you asked with it, 0 of 6 without; it stays"


def test_a_removal_says_what_was_solved_with_the_rule_and_without_it() -> None:
    verdict = Verdict(decision=Decision.REJECT, reason="lower")
    removal = replace(TESTED, kind=CandidateKind.REMOVAL, edits=(REMOVES,), trial=WORSE, verdict=verdict)
    effect = EditEffect(
        edit=REMOVES,
        effect=Effect.UNDECIDED,
        n=6,
        before=1.0,
        after=0.0,
        solved=Solved(before=6, after=0, n=6, requests=6),
    )
    text = render(a_report(documents=(an_outcome(tested=(removal,), effects=(effect,)),)))

    assert text.count(STAYS) == 1
    assert "no gain seen" not in text


def test_what_cut_a_night_short_is_told_once() -> None:
    because = "the model isn't there: connection refused"
    report = a_report(
        verdict=Outcome.BACKEND_FAILED,
        because=because,
        errors=(Note(stage="mine", summary=because, remedy="start it"),),
    )

    text = render(report)

    assert text.count("connection refused") == 1
    assert "No other problems." in text


def test_a_night_that_never_began_says_so() -> None:
    report = a_report(
        verdict=Outcome.BACKEND_FAILED,
        because="the key was refused",
        login_needed=True,
        spend=Spend(calls=1, purposes={"preflight": 1}),
    )

    text = render(report)

    assert text.startswith(f"# Night of {report.night}: did not start, the login or key was refused\n")
    assert "The night did not start: the key was refused; its sessions stay unread" in text
    assert "cut short" not in text
    later = replace(report, login_needed=False)
    assert ": did not start, the model failed\n" in render(later)
    assert ": cut short, the model failed\n" in render(replace(later, spend=Spend(calls=2, purposes={"mine": 1})))


def test_a_judge_of_which_nothing_is_known_is_not_counted() -> None:
    reading = JudgeReading(right=0, n=0, because="no answer of known worth could be graded")

    text = render(a_report(verdict=Outcome.UNVERIFIED, judge=reading, because="so"))

    assert "0 of 0" not in text
    assert "The judge decides nothing tonight: no answer of known worth could be graded." in text


def test_the_head_names_every_file_that_a_proposal_changes() -> None:
    other = Copy(document="shop:AGENTS.md", path="/p/AGENTS.md", base="", result="", sha="")

    text = render(a_report(verdict=Outcome.IMPROVED, proposals=(a_proposal(copies=(other,)),)))

    assert "P-0001, `shop:CLAUDE.md` and `shop:AGENTS.md`: " in text


def test_numbers_stand_once_in_the_line_of_a_document() -> None:
    reason = (
        "better: solved 0 of 4 before and 4 of 4 with the change, on 4 unseen requests;"
        " about 7 more tries like these would decide it"
    )
    won = tuple(Pair(task=f"v{n}", sample=0, before=0.0, after=1.0, solved=(False, True)) for n in range(4))
    trial = Trial(pairs=won, rounds=1, interval=(-0.1, 1.0))
    verdict = Verdict(decision=Decision.UNDECIDED, reason=reason)
    outcome = an_outcome(outcome=Outcome.UNDECIDED, because=reason, verdict=verdict, trial=trial)

    (line,) = [line for line in render(a_report(documents=(outcome,))).splitlines() if line.startswith("- **")]

    assert line.count("4 of 4") == 1
    assert line.endswith("; about 7 more tries like these would decide it")


def test_an_accepted_change_names_its_proposal_and_every_trial_is_listed_if_one_is() -> None:
    verdict = Verdict(decision=Decision.REJECT, reason="lower")
    removal = replace(TESTED, kind=CandidateKind.REMOVAL, edits=(REMOVES,), trial=WORSE, verdict=verdict)
    other = an_outcome(document=replace(improved().document, id="blog:AGENTS.md", path="/b"), tested=(removal,))
    report = a_report(verdict=Outcome.IMPROVED, documents=(improved(), other), proposals=(a_proposal(),))

    text = render(report)

    assert "- **`shop:CLAUDE.md`**: seemed better, " in text
    assert "see P-0001" in text
    every = render(report, verbose=True).partition("### Every trial")[2]
    assert "| `shop:CLAUDE.md` | add «Use pnpm, never npm.» | seemed better |" in every
    assert "| `blog:AGENTS.md` | remove «Never force-push.» | not proven |" in every


def test_a_step_without_a_new_edit_but_with_a_trial_says_no_new_edit() -> None:
    verdict = Verdict(decision=Decision.REJECT, reason="lower")
    removal = replace(TESTED, kind=CandidateKind.REMOVAL, edits=(REMOVES,), trial=WORSE, verdict=verdict)

    text = render(a_report(documents=(an_outcome(tested=(removal,), because="no edit was proposed"),)))

    assert "nothing new to propose; no new edit was proposed" in text


def test_a_reason_that_the_head_gives_is_not_given_again() -> None:
    because = "2 lessons were seen in one session only"
    tried = an_outcome(document=a_document(id="blog:AGENTS.md"), tested=(TESTED,), because=because)
    untried = an_outcome(outcome=Outcome.UNVERIFIED, because=because)
    report = a_report(verdict=Outcome.UNVERIFIED, because=f"shop:CLAUDE.md: {because}", documents=(untried, tried))

    for text in (render(report), page(report)):
        assert text.count(because) == 1
        assert "blog:AGENTS.md" in text, "what was tried is told"
    assert "## What was tried" not in render(replace(report, documents=(untried,)))
    assert "What was tried" not in page(replace(report, documents=(untried,)))


def test_a_report_is_short_unless_it_is_verbose() -> None:
    notes = tuple(Note(stage="mine", summary=f"wish {n} was for once", expected=True) for n in range(9))
    report = a_report(errors=notes, documents=(improved(),))

    assert "wish 2 was for once" in render(report)
    assert "wish 3 was for once" not in render(report)
    assert "and 6 more" in render(report)
    assert "wish 8 was for once" in render(report, verbose=True)
    assert "its target isn't there" not in render(report)
    assert "--verbose" in render(report).splitlines()[-1]
