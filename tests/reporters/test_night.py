"""A night is one page: what to decide first, or why there is nothing and what would change it; the rest behind it."""

from collections.abc import Collection

import pytest
from msgspec.structs import replace

from skillopt_sleep.kit.words import counted
from skillopt_sleep.pages.blocks import Act, Block, Fold, Heading, Item, Items, Sentence
from skillopt_sleep.records import (
    CUT_SHORT,
    Became,
    Correction,
    Corrections,
    Decision,
    JudgeReading,
    NightReport,
    Note,
    Outcome,
    SealedReplay,
    SessionCounts,
    Spend,
    Verdict,
)
from skillopt_sleep.reporters.night import MOST_LINES, MOST_RULES, NOT_WAITING, Night, blocks, few_words
from skillopt_sleep.reporters.night_words import of_night
from tests.builders import a_document, a_proposal, a_report, an_outcome, changed, with_parts
from tests.reporters.reports import REPORTS, SECRET, TESTED, WAITS, WHOLE, improved, render

UNFINISHED = Corrections(
    counts={"not_reached": 2},
    listed=(Correction(session="s", turn=2, quote="pnpm!", became=Became.NOT_REACHED, document="web:CLAUDE.md"),),
)


def first(report: NightReport, waits: Collection[str] | None = None) -> list[Block]:
    """Everything that isn't folded."""
    return [block for block in blocks(Night(report, waits)) if not isinstance(block, Fold)]


def said(report: NightReport, waits: Collection[str] | None = None) -> list[str]:
    """The sentences of the first screen."""
    return [block.text for block in first(report, waits) if isinstance(block, Sentence)]


def folded(report: NightReport, title: str) -> str:
    """The text behind a title, "" if there is no such title."""
    text = render(report, verbose=True)
    return text.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def test_what_waits_is_shown_before_anything_else() -> None:
    blocks = first(WHOLE)
    assert said(WHOLE)[0] == "To decide: 1 proposal. Nothing changes until you say so."
    assert [block.name for block in blocks if isinstance(block, Heading)] == ["P-0001"]
    assert any(isinstance(block, Act) for block in blocks)
    assert said(WHOLE)[-1] == "one call failed, and 1 more error." or "one call failed, and 1 more error." in said(
        WHOLE
    )


def test_of_many_rules_the_first_are_shown_whole_and_the_others_in_a_line_each() -> None:
    names = [f"P-{number:04}" for number in range(MOST_RULES + MOST_LINES + 3)]
    report = a_report(verdict=Outcome.IMPROVED, proposals=tuple(a_proposal(id=name) for name in names))
    shown = first(report)
    assert len([block for block in shown if isinstance(block, Heading)]) == MOST_RULES
    (items,) = (block for block in shown if isinstance(block, Items))
    assert len(items.items) == MOST_LINES
    assert "3 more rules: `skillopt-sleep review`." in [block.text for block in shown if isinstance(block, Act)]


def test_the_cost_of_the_night_stands_on_one_line_with_that_of_the_last_rule() -> None:
    lines = [line for line in said(WHOLE) if "The night took" in line]
    assert lines == ["The night took 41 calls (limit 300), $0.50."]


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS)
def test_a_night_without_a_proposal_begins_with_the_reason_and_says_what_would_change_it(report: NightReport) -> None:
    if report.proposals:
        pytest.skip("it has something to decide")
    lines = said(report)
    assert lines[0].casefold().startswith(report.because.rstrip(".").casefold()[:20]) or report.verdict in CUT_SHORT
    assert lines[1].startswith("What to do: ")


def test_a_document_that_begins_the_sentence_keeps_its_name() -> None:
    outcome = an_outcome(document=a_document(id="shop-api/CLAUDE.md"))
    report = a_report(verdict=Outcome.NO_CHANGE, because="shop-api/CLAUDE.md: no better", documents=(outcome,))
    assert said(report)[0] == "shop-api/CLAUDE.md: no better."


def test_an_undecided_night_names_the_rule_that_was_tried() -> None:
    outcome = an_outcome(outcome=Outcome.UNDECIDED, waits=(WAITS,))
    report = a_report(verdict=Outcome.UNDECIDED, because="n is small", documents=(outcome,))
    for waits in ((), ("P-0009",)):
        assert f"Being tried in {outcome.document.id}: add «Waits.»." in said(report, waits)


@pytest.mark.parametrize("outcome", sorted(CUT_SHORT))
def test_a_night_that_was_cut_short_says_why_once_and_that_nothing_is_lost(outcome: Outcome) -> None:
    cause = Note(stage="mine", summary="no route to it", remedy="check the address")
    asked = Spend(calls=1, purposes={"mine": 1})
    report = a_report(
        verdict=outcome, because="no route to it.", remedy="check the address", spend=asked, errors=(cause,)
    )
    text = render(report)
    assert "cut short" in text
    assert "stay unread" in text
    assert "What to do: check the address." in text
    assert text.count("no route") == (outcome is not Outcome.INTERRUPTED)


def test_a_night_that_never_began_says_so() -> None:
    report = a_report(
        verdict=Outcome.BACKEND_FAILED,
        because="the key was refused",
        login_needed=True,
        spend=Spend(calls=1, purposes={"preflight": 1}),
    )
    assert Night(report).title == f"Night of {report.night}: did not start, the login or key was refused"
    assert said(report)[0] == "The night did not start: the key was refused; its sessions stay unread."
    assert Night(changed(report, login_needed=False)).title.endswith(": did not start, the model failed")


def test_a_reason_that_is_too_long_for_the_first_screen_stands_whole_behind_it() -> None:
    because = "; ".join(f"{number} × something or other became of it" for number in range(7))
    report = a_report(verdict=Outcome.UNVERIFIED, because=because)
    assert "5 ×" not in " ".join(said(report))
    assert "5 × something" in folded(report, "The reason in full")
    assert folded(a_report(), "The reason in full") == ""


def test_why_nothing_was_sealed_stands_above_with_what_helps_and_is_no_error() -> None:
    helps = "sudo apt-get install -y bubblewrap"
    lines = said(a_report(sealed=SealedReplay(why_not="bwrap is too old", remedy=helps)))
    expected = "Nothing could be tried in a sealed copy of a repository: bwrap is too old. What helps: "
    assert f"{expected}{helps}." in lines
    assert not any("sealed" in line for line in said(a_report()))


def test_what_does_not_wait_any_more_says_what_was_decided() -> None:
    decided = {"P-0001": "You rejected it: «we moved to bun»."}
    assert "You rejected it: «we moved to bun»." in render(WHOLE, (), decided=decided)
    assert NOT_WAITING not in render(WHOLE, (), decided=decided)
    assert NOT_WAITING in render(WHOLE, ())
    assert not any(isinstance(block, Act) for block in first(WHOLE, ()))


def test_proposals_of_other_nights_are_named_and_the_reason_stays() -> None:
    report = a_report(verdict=Outcome.NOTHING_NEW, because="no corrected request found in 3 sessions")
    lines = said(report, ["P-0900"])
    assert lines[0].startswith("Nothing new to decide; 1 proposal of other nights waits: P-0900.")
    assert lines[1] == "No corrected request found in 3 sessions."


def test_what_was_tried_is_behind_with_the_error_rate_once() -> None:
    claim = "the chance that the night proposed any rule that does nothing was at most 3 %; this one helped in 2 of 2"
    sequential = Verdict(decision=Decision.ACCEPT, reason="better", rule="sequential, mixed", error_rate=claim)
    known = replace(with_parts(improved(), tested=(TESTED,)), verdict=sequential)
    report = replace(WHOLE, documents=(known,))
    assert folded(report, "What was tried").count(of_night([known])) == 1
    assert "## What was tried" not in render(report)
    assert folded(a_report(), "What was tried") == ""


def test_evidence_without_tools_is_called_text_only() -> None:
    one = with_parts(improved(), tested=(TESTED,))
    assert "the evidence is text only" in folded(replace(WHOLE, documents=(one,)), "What was tried")
    sealed = changed(one, tasks=replace(one.tasks, text_only=False))
    assert "text only" not in folded(replace(WHOLE, documents=(sealed,)), "What was tried")


def test_the_judge_and_what_the_night_did_not_reach_are_told() -> None:
    report = a_report(judge=JudgeReading(right=16, n=16), documents=(an_outcome(),), corrections=UNFINISHED)
    tried = folded(report, "What was tried")
    assert "We gave the judge 16 answers whose grade we know; it got 16 right." in tried
    assert "- `web:CLAUDE.md`: not decided, the night ended first." in tried


def test_what_waits_and_what_was_not_used_is_told_with_the_words_and_what_helps() -> None:
    listed = (
        Correction(session="s1", turn=1, quote="no, bash", became=Became.NEEDS_SESSION),
        Correction(session="s1", turn=3, quote="bash!", became=Became.NEEDS_SESSION),
        Correction(session="s2", turn=1, quote="just this once", became=Became.FOR_ONCE),
    )
    counts = {Became.NEEDS_SESSION.value: 2, Became.FOR_ONCE.value: 1}
    report = a_report(corrections=Corrections(counts=counts, listed=listed))
    waiting = folded(report, "Waiting")
    assert waiting.strip().startswith("- 2 × it waits for one more session")
    assert "  - «no, bash»\n  - and 1 more" in waiting
    assert "- 1 × by its own words it holds for one time only" in folded(report, "Not used, and why")
    lost = a_report(corrections=Corrections(counts={Became.UNUSED.value: 1}))
    assert "→ let another model read these sessions again" in folded(lost, "Not used, and why")


def test_what_was_read_and_what_it_cost_is_told_in_full() -> None:
    read = folded(a_report(sessions=SessionCounts(seen=29, used=26)), "What was read, and what it cost")
    assert "29 files seen, 26 sessions used." in read
    assert "Cost: 0 calls" in read


def test_errors_are_named_on_the_first_screen_and_listed_behind_it_with_their_remedy() -> None:
    assert "- one call failed → try again" in folded(WHOLE, "Errors")
    assert any(line.startswith("one call failed") for line in said(WHOLE))
    notes = tuple(Note(stage="mine", summary=f"wish {n} was for once", expected=True) for n in range(9))
    left_out = folded(a_report(errors=notes), "Left out")
    assert "wish 0 was for once" in left_out
    assert "wish 8 was for once" not in left_out
    assert "more notes in diagnostics.json" in left_out
    assert not any("wish" in line for line in said(a_report(errors=notes)))


def test_nothing_secret_is_shown() -> None:
    for report in REPORTS.values():
        assert SECRET not in render(report, verbose=True).replace("\\", "")


def test_a_text_is_cut_to_few_words_at_the_end_of_a_clause() -> None:
    assert few_words("one two three.", 5) == "one two three"
    assert few_words("one two three; four five six seven", 5) == "one two three"
    assert few_words("one two three four five six", 5) == "one two three four five …"
    assert counted(len(few_words("a " * 99, 7).split()) - 1, "word") == "7 words"


def test_a_line_of_another_rule_leads_to_it() -> None:
    report = a_report(verdict=Outcome.IMPROVED, proposals=tuple(a_proposal(id=f"P-{n}") for n in range(3)))
    (items,) = (block for block in first(report) if isinstance(block, Items))
    assert isinstance(items.items[0], Item)
    assert ".»" not in items.items[0].text
    assert items.items[0].link
    assert items.items[0].link.address == "/inbox/P-2"
