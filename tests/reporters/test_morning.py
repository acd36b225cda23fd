"""The morning report: its first lines say what to decide, on what proof, at what cost, and what went wrong."""

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from skillopt_sleep.records import (
    CUT_SHORT,
    OUTCOMES,
    Calibrations,
    Decider,
    Decision,
    EditEffect,
    EditOp,
    Effect,
    FreshRound,
    NightReport,
    Note,
    Outcome,
    Pair,
    Proof,
    RuleWarning,
    SealedReplay,
    Solved,
    Spend,
    StepOutcome,
    Trust,
    Verdict,
    WarningKind,
)
from skillopt_sleep.reporters.morning import MorningReporter, render
from skillopt_sleep.reporters.page import render as page
from skillopt_sleep.reporters.page.page import facts
from skillopt_sleep.reporters.rate import of_night
from tests.builders import a_document, a_proposal, a_report, an_edit, an_outcome, with_parts
from tests.reporters.reports import NASTY, REPORTS, SECRET, TESTED, WHOLE, improved, rejected


def first_lines(report: NightReport) -> list[str]:
    """Everything above the first section."""
    return [line.rstrip() for line in render(report).split("\n## ")[0].splitlines() if line]


# the first lines ----------------------------------------------------------------------------------------


def test_the_first_lines_answer_what_to_decide_whether_it_is_better_the_cost_and_what_went_wrong() -> None:
    counts = Solved(before=3, after=11, n=12, requests=4)
    (proposal,) = WHOLE.proposals
    night = replace(WHOLE, proposals=(replace(proposal, edits=(an_edit(),), solved=counts),))

    title, decide, proof, to_do, rate, cost, problems = first_lines(night)

    assert title == "# Night of 2026-03-02: found something to propose"
    assert decide.startswith("**To decide: 1 proposal.**")
    assert proof == (
        "P-0001, `shop:CLAUDE.md`: add «Use pnpm, never npm.»"
        " Without the rule 3 of 12 answers did as you asked, with it 11 of 12 (on 4 new requests)."
    )
    assert to_do == "What to do: decide on what waits: skillopt-sleep review."
    assert rate == "Error rate: unknown, with the gate's rule `strict, mixed`."
    assert cost == "Cost: 41 calls (limit 300), 12,345 tokens, $0.50, 75 s; model `m`."
    assert problems == "Problems: one call failed, and 1 more below."


def test_a_night_that_was_resumed_tells_no_time_as_nobody_knows_how_long_it_lay_still() -> None:
    *_, cost, _problems = first_lines(replace(WHOLE, resumed=True))
    assert cost == "Cost: 41 calls (limit 300), 12,345 tokens, $0.50; model `m`."
    assert "Time" in dict(facts(WHOLE))
    assert "Time" not in dict(facts(replace(WHOLE, resumed=True)))


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS)
def test_every_outcome_says_its_four_things_first(report: NightReport) -> None:
    lines = first_lines(report)

    assert lines[0] == f"# Night of {report.night}: {OUTCOMES[report.verdict]}"
    assert lines[1].startswith("**To decide:" if report.proposals else "**Nothing new to decide.**")
    assert any(line.startswith("What to do: ") for line in lines)
    assert lines[-2].startswith("Cost: ")
    assert lines[-1].startswith(("Problems: ", "No other problems."))
    assert len(lines) <= 8


def test_a_night_without_a_proposal_says_why_and_what_to_do() -> None:
    lines = first_lines(a_report(verdict=Outcome.NO_CHANGE, because="no better", remedy="nothing; it was dropped"))

    assert lines[1] == "**Nothing new to decide.** No better."
    assert lines[2] == "What to do: nothing; it was dropped."


def test_a_document_that_begins_the_sentence_keeps_its_name() -> None:
    outcome = an_outcome(document=a_document(id="shop-api/CLAUDE.md"))
    report = a_report(verdict=Outcome.NO_CHANGE, because="shop-api/CLAUDE.md: no better", documents=(outcome,))

    assert first_lines(report)[1] == "**Nothing new to decide.** shop-api/CLAUDE.md: no better."


@pytest.mark.parametrize("outcome", sorted(CUT_SHORT))
def test_a_night_that_was_cut_short_says_why_and_that_nothing_is_lost(outcome: Outcome) -> None:
    asked = Spend(calls=1, purposes={"mine": 1})
    report = a_report(verdict=outcome, because="no route to it.", remedy="check the address", spend=asked)
    text = "\n".join(first_lines(report))

    assert "cut short" in text
    assert "stay unread" in text
    assert "No other problems." in text
    assert "What to do: check the address." in text


def test_what_is_unknown_is_called_unknown_and_never_nothing() -> None:
    (cost,) = [
        line for line in first_lines(a_report(spend=Spend(calls=3, tokens=None, usd=None))) if line[:4] == "Cost"
    ]

    assert "an unknown number of tokens" in cost
    assert "dollars unknown" in cost
    assert "$0.00" not in cost


def test_free_is_free() -> None:
    assert "$0.00" in render(a_report(spend=Spend(calls=1, usd=0.0)))


def test_nothing_that_went_wrong_is_said_so() -> None:
    assert first_lines(a_report())[-1] == "Problems: none."


def test_several_improved_documents_are_proved_each() -> None:
    other = improved()
    report = a_report(
        verdict=Outcome.IMPROVED,
        documents=(improved(), other, rejected()),
        proposals=(a_proposal(), a_proposal(id="P-0002")),
    )

    lines = first_lines(report)

    assert lines[1].startswith("**To decide: 2 proposals.**")
    assert [line[:7] for line in lines[2:4]] == ["P-0001,", "P-0002,"]
    assert not any("blog:AGENTS.md" in line for line in lines)


# the sections -------------------------------------------------------------------------------------------


def test_no_number_stands_without_its_n_and_its_interval() -> None:
    text = render(WHOLE, verbose=True)
    arrows = re.findall(r"\d\.\d\d → \d\.\d\d(.{0,40})", text)

    assert arrows
    assert all(re.search("tries|1 try", after) for after in arrows)
    assert all(
        "90 % interval" in after for after in re.findall(r"[+-]\d\.\d\d (.{0,20})", text) if after.startswith("(")
    )


def test_a_proposal_shows_its_change_its_evidence_and_the_commands() -> None:
    text = render(WHOLE)

    assert "### P-0001: `shop:CLAUDE.md`" in text
    assert "add «Use pnpm, never npm.»" in text
    assert "- You said in shop: «No, use pnpm, not npm.»" in text
    assert "claude_code:s1" not in text
    assert "«No, use pnpm, not npm.» (`claude_code:s1`, turn 2)" in render(WHOLE, verbose=True)
    assert "`skillopt-sleep adopt P-0001`" in text
    assert "`skillopt-sleep reject P-0001`" in text


@pytest.mark.parametrize(
    ("op", "said"),
    [
        (EditOp.APPEND, "add «new»"),
        (EditOp.INSERT_AFTER, "add «new» after «old»"),
        (EditOp.REPLACE, "replace «old» with «new»"),
        (EditOp.DELETE, "remove «old»"),
    ],
)
def test_every_kind_of_change_is_told_in_words(op: EditOp, said: str) -> None:
    report = a_report(proposals=(a_proposal(edits=(an_edit("new", op=op, target="old"),)),))

    assert said in render(report)


def test_every_edit_is_listed_with_its_fate_and_reason() -> None:
    text = render(WHOLE)

    assert "- helped: add «Use pnpm, never npm.» (the change did worse without it)\n" in text
    numbers = "(the change did worse without it): 0.25 → 1.00 (2 tries), +0.75 (90 % interval -0.61 to +1.00)\n"
    assert numbers in render(WHOLE, verbose=True)
    assert re.search(r"- undecided since the night of 2026-03-01, .*: add «Waits\.»", text)
    text = render(WHOLE, verbose=True)
    assert "- unmatched: replace «Y.» with «X.» (its target isn't there)" in text
    assert "- duplicate: add «After.» after «Z.» (said already)" in text
    assert "- refused: remove «Gone.» (it is protected)" in text


def test_what_waits_since_this_very_night_is_told_once() -> None:
    tonight = msgspec.structs.replace(WHOLE, night="2026-03-01")

    assert "undecided since" not in render(tonight)


@pytest.mark.parametrize(
    ("interval", "word"),
    [
        ((-1.0, 0.9), "not proven: no gain seen (2 tries)"),
        ((-0.86, 0.81), "not proven: no gain seen (2 tries)"),
        ((-1.0, -0.1), "made it worse"),
        ((-0.2, 0.04), "not proven: useless"),
    ],
)
def test_a_candidate_is_said_to_make_it_worse_or_to_be_useless_only_if_its_interval_says_so(
    interval: tuple[float, float], word: str
) -> None:
    report = a_report(documents=(rejected(0.1, interval),))
    assert f"| {word} |" in render(report, verbose=True)
    assert f"**: {word}, " in render(report)


FRESH = FreshRound(before=0.5, after=0.75, n=4, interval=(-0.4, 0.8))
CLAIM = "the chance that the night proposed any rule that does nothing was at most 3 %; this one helped in 2 of 2"


def a_night(*outcomes: StepOutcome, **fields: Any) -> str:
    proposals = (a_proposal(before=0.25, after=1.0, n=2, **fields),)
    return render(replace(WHOLE, documents=outcomes, proposals=proposals), verbose=True)


def test_the_gain_of_an_accepted_change_is_that_of_the_fresh_round_with_its_n_and_interval() -> None:
    text = a_night(replace(improved(), fresh=FRESH), fresh=FRESH, gain=0.6)

    said = "on fresh attempts after the trial 0.50 → 0.75 (4 tries), gain +0.25 (90 % interval -0.40 to +0.80)"
    assert text.count(said) == 1
    assert "flattered" not in text


def test_without_a_fresh_round_the_trials_own_gain_is_called_flattered() -> None:
    flattered = replace(improved(), trial=replace(improved().trial, gain=0.6))

    text = a_night(flattered, gain=0.6)

    said = "gain +0.60 (2 tries), shrunk, but possibly flattered: by the very trial that chose it"
    assert text.count(said) == 1
    assert "fresh attempts" not in text


def test_what_the_error_rate_is_of_stands_beside_the_proposal_as_one_sentence_and_nowhere_as_the_gates_rule() -> None:
    sequential = Verdict(decision=Decision.ACCEPT, reason="better", rule="sequential, mixed", error_rate=CLAIM)

    text = a_night(replace(improved(), verdict=sequential), error_rate=CLAIM)

    assert text.count(f"The{CLAIM[3:]}.") == 1
    assert CLAIM not in text
    assert "The gate's rule" not in text


def test_what_the_error_rate_of_the_night_is_of_stands_once_above_the_proposals() -> None:
    sequential = Verdict(decision=Decision.ACCEPT, reason="better", rule="sequential, mixed", error_rate=CLAIM)
    known = replace(improved(), verdict=sequential)

    head = a_night(known).partition("## Proposals")[0]

    assert head.count(of_night([known])) == 1
    assert "fewer than 1 of 20 simulated nights" in head
    assert "Error rate: unknown" in a_night(improved()), "that of the strict rule"


def test_of_several_rules_each_has_its_own_numbers() -> None:
    rules = [an_edit(f"- Rule {n}.", lessons=(str(n),)) for n in range(2)]
    effects = tuple(
        EditEffect(edit=rule, effect=Effect.HELPED, n=6, before=0.0, after=0.5 + place / 4, interval=(0.1, 0.9))
        for place, rule in enumerate(rules)
    )
    pair = Pair(task="v", lesson="1", session="s", sample=9, before=0.0, after=1.0)

    text = a_night(improved(), edits=tuple(rules), effects=effects, fresh=replace(FRESH, pairs=(pair,)))

    assert "Add «Rule 0.» (by itself +0.50 (90 % interval +0.10 to +0.90) (6 tries))" in text
    assert (
        "Add «Rule 1.» (by itself +0.75 (90 % interval +0.10 to +0.90) (6 tries); "
        "on fresh attempts at its lesson +1.00 (1 try))"
    ) in text


def test_the_noise_floor_is_printed_with_its_n() -> None:
    again = tuple(replace(pair, sample=1, before=1.0) for pair in TESTED.trial.pairs)
    noisy = replace(TESTED, trial=replace(TESTED.trial, pairs=TESTED.trial.pairs + again))

    text = a_night(with_parts(improved(), tested=(noisy,)))

    assert "Noise floor: 0.56, so far apart lie grades" in text
    assert "n=4 attempts at 2 requests" in text
    assert "Noise floor" not in a_night(improved())


def test_a_document_that_was_not_tried_shows_no_number() -> None:
    assert "| the agent already does what you asked | not tried |" in render(REPORTS["no headroom"], verbose=True)
    (line,) = [line for line in render(REPORTS["no headroom"]).splitlines() if line.startswith("- **`")]
    assert line.endswith("**: the agent already does what you asked; no edit was proposed")


def test_a_rule_that_is_proposed_with_its_proof_is_not_told_again_among_what_was_tried() -> None:
    effect = EditEffect(edit=a_proposal().edits[0], effect=Effect.HELPED)
    outcome = with_parts(improved(), effects=(effect,))

    assert "- helped: " not in render(a_report(documents=(outcome,), proposals=(a_proposal(),)))
    assert "- helped: " in render(a_report(documents=(outcome,)))


def test_test_tasks_are_shown_and_called_what_they_are() -> None:
    said = r"kept back, .*: 0\.00 → 1\.00 \(1 try\), gain \+1\.00 \(90 % interval -0\.95 to \+1\.00\)"
    assert re.search(said, render(WHOLE, verbose=True))
    assert "which never decide" not in render(WHOLE)


def test_without_a_test_task_of_its_own_lesson_no_test_number_is_told() -> None:
    outcome = with_parts(improved(), test_before=None, test_after=None, test_n=0, test_interval=None)

    assert "which never decide" not in render(a_report(documents=(outcome,)), verbose=True)


def test_lessons_that_wait_are_counted() -> None:
    assert "2 other lessons wait for a second session" in render(WHOLE)
    assert "1 other lesson waits for a second session" in render(a_report(documents=(an_outcome(waiting=1),)))


def test_a_lesson_that_waits_alone_is_told_of_once() -> None:
    assert "for a second session" not in render(REPORTS["unverified"])


def test_text_only_evidence_is_called_so() -> None:
    (one, *_) = WHOLE.documents
    text = render(replace(WHOLE, documents=(one,)))
    assert "the evidence is text only" in text
    assert "The gate's rule is `strict, mixed`: error rate unknown." in text
    assert "text only" not in render(REPORTS["no headroom"])
    sealed = replace(one, tasks=replace(one.tasks, text_only=False))
    assert "text only" not in render(replace(WHOLE, documents=(one, sealed)))


def test_sessions_that_were_left_out_are_counted_by_reason() -> None:
    text = render(WHOLE)

    assert "9 files seen, 6 sessions used; left out: 2 started by a program, 1 still active." in text
    assert "still active. 7 requests to ask again: 3 to learn from, 3 to decide with, 1 kept back." in text


def test_one_task_is_one_task() -> None:
    said = "1 request to ask again: 1 to learn from, 0 to decide with, 0 kept back."
    assert f"None was new. {said}" in render(a_report(tasks={"train": 1}))
    waits = "2 requests to ask again: 1 to learn from, 0 to decide with, 0 kept back, 1 waiting for a second session."
    assert waits in render(a_report(tasks={"train": 1, "waiting": 1}))


def test_every_error_is_listed_with_its_remedy() -> None:
    text = render(WHOLE)

    assert "- one call failed → try again" in text
    assert "- second" in text


def test_the_file_is_the_rendered_report(tmp_path: Path) -> None:
    path = MorningReporter().write(WHOLE, tmp_path)

    assert path == tmp_path / "report.md"
    assert path.read_text(encoding="utf-8") == render(WHOLE)


def test_it_reads_as_plain_text() -> None:
    for report in REPORTS.values():
        text = render(report)
        assert "\n\n\n" not in text
        assert text.endswith("\n")
        assert not text.endswith("\n\n")


# text of others -----------------------------------------------------------------------------------------


def test_text_of_others_can_not_pass_for_the_report() -> None:
    text = render(REPORTS["nasty"])
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
    assert "`a b`" in render(a_report(documents=(an_outcome(document=a_document(id="a`\n b")),)))


def test_what_is_nasty_is_really_nasty() -> None:
    assert {"*", "`", "[", "<", "|", "#", "\u202e", "\u200b", "\x1b", "\n"} <= set(NASTY)


def test_why_nothing_was_sealed_stands_above_with_what_helps_and_is_no_error() -> None:
    helps = "sudo apt-get install -y bubblewrap"
    text = render(a_report(sealed=SealedReplay(why_not=f"bwrap is too old\u202e {SECRET}", remedy=helps)))
    (line,) = (line for line in text.split("\n## ")[0].splitlines() if "sealed copy" in line)
    assert "bwrap is too old\\u{202E}" in line.replace("\\\\", "\\").replace("\\{", "{").replace("\\}", "}")
    assert SECRET not in line.replace("\\", "")
    assert f"What helps: {helps}." in line
    assert "Problems: none." in text
    without = render(a_report(sealed=SealedReplay(why_not="the target is no agent's program")))
    assert "What helps" not in without
    assert "sealed" not in render(a_report())


def test_what_can_be_judged_in_the_repositories_stands_whole_beside_the_sessions() -> None:
    account = Calibrations(
        sessions=9, commands=1, refused=dict.fromkeys(("flaky", "always_green", "no_end_state"), 3)
    )
    sealed = SealedReplay(agent="Claude Code", version="2.1.330", seal="bubblewrap")
    told = render(a_report(calibrations=account, sealed=sealed), verbose=True).split("## Sessions")[1]
    assert account.in_words in told
    assert f"{sealed.in_words}." in told
    assert "repository" not in render(a_report()).split("## Sessions")[1]


def test_what_a_rule_leaves_out_is_told_and_is_no_error() -> None:
    left_out = Note(stage="prove", summary="1 of 9 tasks were dropped", expected=True)
    text = render(a_report(errors=(left_out,)))
    assert "Problems: none." in text
    assert "## Left out\n\n- 1 of 9 tasks were dropped" in text
    assert "## Errors" not in text
    both = render(a_report(errors=(left_out, Note(stage="mine", summary="a call failed"))))
    assert "Problems: a call failed." in both
    assert both.index("## Errors") < both.index("## Left out")


def test_what_a_rule_touches_stands_above_it_and_whose_word_the_proof_is_beside_that() -> None:
    warning = RuleWarning(kind=WarningKind.TESTS, line="Skip the *tests*.")
    text = render(a_report(proposals=(a_proposal(one_model="small", warnings=(warning,)),)))
    assert "Note that one model (small) wrote the rules, answered the requests and graded what no check can." in text
    assert text.index("**Look twice (tests)**: «Skip the \\*tests\\*.»") < text.index("See `skill")
    assert "Note that" not in render(a_report(proposals=(a_proposal(),)))


@pytest.mark.parametrize(("by", "noted"), [(Trust.CHECKS, False), (Trust.RUBRIC, True), (Trust.CHANGES, True)])
def test_a_model_graded_only_where_it_was_asked_to(by: Trust, noted: bool) -> None:
    text = render(a_report(proposals=(a_proposal(one_model="small", judges=(Decider(by=by),)),)))
    assert ("graded what no check can" in text) is noted


@pytest.mark.parametrize("proof", Proof)
def test_a_proposal_is_told_whatever_speaks_for_it(proof: Proof) -> None:
    report = a_report(proposals=(a_proposal(id="P-0042", proof=proof),))
    assert "### P-0042" in render(report)


def test_proposals_stand_in_the_order_of_the_inbox_and_of_the_page() -> None:
    weak = a_proposal(id="P-0001", document="blog:AGENTS.md", path="/b", proof=Proof.EARLY, before=0.0, after=1.0)
    strong = a_proposal(id="P-0002", before=0.0, after=1.0, n=12, interval=(0.5, 1.0))
    report = a_report(verdict=Outcome.IMPROVED, proposals=(weak, strong))
    for names, waiting in ((["P-0002", "P-0001"], None), (["P-0001", "P-0002"], ["P-0001"])):
        assert re.findall(r"^### (P-\d+)", render(report, waiting), re.MULTILINE) == names
        assert re.findall(r'<article class="proposal" id="(P-\d+)"', page(report, waiting)) == names
    assert "Early: proven on one of the two sessions it takes." in render(report)
