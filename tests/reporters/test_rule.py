"""What is said of a rule before a person decides on it is what was measured and what they said."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from skillopt_sleep.kit.codec import to_json
from skillopt_sleep.pages.blocks import Answer, Answers
from skillopt_sleep.pages.render import environment
from skillopt_sleep.records import (
    CheckResult,
    Deed,
    DeedKind,
    EditEffect,
    EditOp,
    Effect,
    Evidence,
    FreshRound,
    NightReport,
    Pair,
    Proof,
    Proposal,
    Solved,
    Split,
)
from skillopt_sleep.reporters.rule import (
    Change,
    answers,
    came_up,
    cost,
    in_order,
    reaches,
    rule_of,
    said,
    strength,
    wording,
)
from skillopt_sleep.reporters.words import checked_in_words
from tests.builders import (
    a_document,
    a_proposal,
    a_report,
    a_rollout,
    a_task,
    a_trajectory,
    an_edit,
    an_outcome,
    changed,
)
from tests.reporters.arms import Arms, tried

NOW = datetime(2026, 3, 4, 8, tzinfo=UTC)
COUNTS = Solved(before=3, after=11, n=12, requests=3)
DOCUMENT = a_document()


def proof(proposal: Proposal, whole: Proposal) -> list[str]:
    rule = rule_of(proposal, [], None, now=NOW, whole=whole)
    return [rule.tried, *rule.proof]


def test_the_strongest_proof_comes_first() -> None:
    ranked = [
        a_proposal(id="1", interval=(0.5, 0.9)),
        a_proposal(id="2", interval=(0.1, 1.0)),
        a_proposal(id="3", proof=Proof.EARLY, interval=(0.7, 1.0)),
        a_proposal(id="4", proof=Proof.WORDS),
    ]
    assert sorted((ranked[2], ranked[3], ranked[1], ranked[0]), key=strength) == ranked


def test_the_rules_of_one_file_and_proposal_stay_together() -> None:
    mixed = [
        a_proposal(id="P-0001.1", path="/a", interval=(0.5, 0.9)),
        a_proposal(id="P-0002", path="/b", interval=(0.4, 0.9)),
        a_proposal(id="P-0001.2", path="/a", proof=Proof.UNTESTED),
        a_proposal(id="P-0003", path="/a", interval=(0.3, 0.9)),
        a_proposal(id="P-0004", path="/b", interval=(0.6, 0.9)),
    ]
    assert [one.id for one in in_order(mixed)] == ["P-0004", "P-0002", "P-0001.1", "P-0001.2", "P-0003"]


def test_how_often_a_rule_came_up_is_said_of_all_rules_if_there_are_several() -> None:
    quotes = tuple(
        Evidence(session=f"s{days}", turn=1, quote="q", at=NOW - timedelta(days=days)) for days in (20, 9, 2)
    )
    one = a_proposal(evidence=quotes)
    two = replace(one, edits=(an_edit("- One."), an_edit("- Two.")))
    assert came_up(one, now=NOW) == "in 3 sessions, 12 Feb – 2 Mar"
    assert came_up(two, now=NOW) == "for these 2 rules, in 3 sessions, 12 Feb – 2 Mar"
    assert came_up(changed(one, evidence=quotes[:1]), now=NOW) == ""


@pytest.mark.parametrize(
    ("edits", "words"),
    [
        ((an_edit("- Use pnpm, never npm."),), "Use pnpm, never npm."),
        ((an_edit("", op=EditOp.DELETE, target="- Use npm."),), "Remove: Use npm."),
        ((an_edit("- One."), an_edit("- Two.")), "Adds 1 rule in shop:CLAUDE.md."),
    ],
)
def test_a_rule_is_named_by_its_own_words(edits: tuple[object, ...], words: str) -> None:
    assert wording(replace(a_proposal(), edits=edits)) == words


def test_what_the_person_said_and_did_comes_newest_first_with_how_long_ago() -> None:
    spoken = tuple(
        Evidence(session=f"s{days}", turn=1, quote=f"words {days}", at=NOW - timedelta(days=days)) for days in (5, 2)
    )
    deed = Deed(kind=DeedKind.RAN, session="s9", turn=1, what="make lint", at=NOW - timedelta(hours=3))
    told = said(a_proposal(evidence=spoken, deeds=(deed,)), now=NOW)
    assert [one.when for one in told] == ["3 hours ago", "2 days ago", "5 days ago"]
    assert [one.words for one in told] == ["you ran a command: «make lint»", "«words 2»", "«words 5»"]
    undated = a_proposal(evidence=(Evidence(session="s", turn=1, quote="q"),))
    assert [one.when for one in said(undated, now=NOW)] == [""]


def test_the_proof_is_in_whole_numbers_and_names_the_fresh_round() -> None:
    pairs = tuple(Pair(task="t", sample=n, before=0, after=1, solved=(n == 0, True)) for n in range(4))
    proposal = a_proposal(solved=COUNTS, before=0.2, after=0.9, n=12, fresh=FreshRound(pairs=pairs))
    first, second = proof(proposal, proposal)
    assert first == "Without the rule 3 of 12 answers did as you asked, with it 11 of 12 (on 3 new requests)."
    assert (
        second
        == "Asked once more after it was chosen: without the rule 1 of 4 answers did as you asked, with it 4 of 4."
    )


def test_without_counts_the_grades_are_told_and_without_a_trial_that_there_was_none() -> None:
    graded = a_proposal(before=0.25, after=0.9, n=1)
    assert proof(graded, graded)[0].startswith("Graded 0.25 before and 0.90 with")
    assert proof(a_proposal(), a_proposal()) == ["No trial was run."]


def test_a_rule_of_several_has_its_own_numbers_or_is_said_not_to_have_been_tried_by_itself() -> None:
    whole = a_proposal(solved=COUNTS)
    effect = EditEffect(
        edit=an_edit(), effect=Effect.HELPED, because="measured with the proposal's other rule already in place", n=4
    )
    own = changed(whole, id="P-0001.1", n=4, solved=replace(COUNTS, n=4, before=0, after=4), effects=(effect,))
    assert proof(own, whole)[1] == "Measured with the proposal's other rule already in place."
    untried = changed(whole, id="P-0001.2", n=0, solved=None, effects=())
    (sentence,) = proof(untried, whole)
    assert sentence.startswith("Not tried by itself.")
    assert "11 of 12" in sentence


@pytest.mark.parametrize(
    ("name", "old", "new", "words"),
    [
        ("CLAUDE.md", "a" * 8, "a" * 20, "about 3 tokens in every session"),
        ("CLAUDE.md", "a" * 8, "a" * 4, "saves about 1 token in every session"),
        ("SKILL.md", "a" * 8, "a" * 20, "about 3 tokens when the skill is used"),
        ("SKILL.md", "", "a" * 20, "about 5 tokens when the skill is used, and its name and description in every"),
    ],
)
def test_what_it_costs_is_told_for_every_session_or_for_those_that_use_the_skill(
    name: str, old: str, new: str, words: str
) -> None:
    (told,) = cost([Change(f"shop/{name}", old, new)])
    assert told.startswith(words)
    both = list(cost([Change("shop/CLAUDE.md", "", "a"), Change(f"shop/{name}", old, new)]))
    assert both[1].startswith(words)
    assert both[1].endswith(f"({name})")


def test_of_a_persons_own_words_only_what_the_old_ones_did_is_told() -> None:
    old = a_proposal(solved=COUNTS, before=0.2, after=0.9, n=12)
    own = changed(
        a_proposal(id="P-0001.1", proof=Proof.EDITED, edits=(an_edit("- Use pnpm only."),)), before=None, n=0
    )
    first, second = proof(own, old)
    assert first == "No trial was run with these words."
    assert second.startswith("Of «Use pnpm, never npm.»: without the rule 3 of 12 answers did as you asked, with it")
    told = Answers("ask", Answer("a"), Answer("b"))
    shown = rule_of(own, [], told, now=NOW, whole=old)
    assert shown.answers
    assert shown.answers.titles == ("Without the rule", "With what was tried")
    several = replace(old, edits=(an_edit(), an_edit("- Two.")))
    both = rule_of(several, [], told, now=NOW, whole=several)
    assert both.answers
    assert both.answers.titles == ("Without the rules", "With both rules")
    part = rule_of(a_proposal(id="P-0001.2"), [], told, now=NOW, whole=several)
    assert part.answers
    assert part.answers.titles == ("Without both rules", "With both rules of P-0001")
    removal = a_proposal(edits=(an_edit("", op=EditOp.DELETE, target="- Use npm."),))
    taken = rule_of(removal, [], told, now=NOW, whole=removal)
    assert taken.answers
    assert taken.answers.titles == ("As it is", "With it removed")


def test_whom_it_reaches_is_told_with_the_project(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    shop = tmp_path / "shop"
    named = a_proposal(read_by=("Claude Code", "Codex"), root=str(shop), path=str(shop / "CLAUDE.md"))
    assert reaches(named) == "Claude Code and Codex, in ~/shop"
    for file in ("CLAUDE.md", ".claude/skills/run/SKILL.md"):
        assert reaches(changed(named, path=str(shop / "api" / file))) == "Claude Code and Codex, in ~/shop/api"
    assert reaches(replace(named, root=str(tmp_path))) == "Claude Code and Codex, in all your projects"
    said_in = (("s1", "shop"), ("s2", "blog"), ("s3", "shop"))
    assert reaches(replace(named, root=str(tmp_path), said_in=said_in)).endswith(
        "projects: you said it in shop, blog"
    )


def night(folder: Path, *answered: tuple[str, float, str, float]) -> tuple[Proposal, NightReport]:
    """A night that asked these unseen requests: the answer before with its grade, and after."""
    changed = a_document("- Use pnpm, never npm.")
    proposal = a_proposal(edits=(an_edit(lessons=("l",)),), path=DOCUMENT.path)
    tasks, rollouts = [], []
    for number, (old, before, new, after) in enumerate(answered):
        task = a_task(id=f"t{number}", split=Split.VAL, lesson="l", document=DOCUMENT.id, prompt=f"ask {number}")
        tasks.append(task)
        for text, grade, sha in ((old, before, DOCUMENT.sha), (new, after, changed.sha)):
            made = a_rollout(grade, task=task.id, document_sha=sha, trajectory=a_trajectory(text))
            rollouts.append(made)
    for name, rows in (("tasks", tasks), ("rollouts", rollouts)):
        (folder / f"{name}.jsonl").write_bytes(b"".join(to_json(row) + b"\n" for row in rows))
    return proposal, a_report(documents=(an_outcome(document=DOCUMENT, candidate=changed),))


def test_the_answers_are_of_the_request_that_tells_most(tmp_path: Path) -> None:
    proposal, report = night(tmp_path, ("npm", 1.0, "npm", 1.0), ("I use npm", 0.0, "I use pnpm", 1.0))
    told = answers(proposal, report, tmp_path)
    assert told is not None
    assert (told.request, told.before, told.after) == (
        "ask 1",
        Answer("I use npm", (), solved=False),
        Answer("I use pnpm", (), solved=True),
    )


def test_a_long_common_beginning_of_both_answers_is_left_out(tmp_path: Path) -> None:
    same = "I look at the files first and then do what was asked. " * 3
    proposal, report = night(tmp_path, (f"{same}npm.", 0.0, f"{same}pnpm.", 1.0))
    told = answers(proposal, report, tmp_path)
    assert told is not None
    assert told.before.text.startswith("… ")
    assert told.before.text.endswith("npm.")
    assert len(told.before.text) < len(same)


def test_without_a_kept_answer_to_both_sides_nothing_is_shown(tmp_path: Path) -> None:
    proposal, report = night(tmp_path)
    assert answers(proposal, report, tmp_path) is None
    assert answers(proposal, None, tmp_path) is None


def test_of_an_attempt_in_a_sealed_copy_it_is_told_what_was_run_and_changed(tmp_path: Path) -> None:
    proposal, report = tried(tmp_path, Arms())
    told = answers(proposal, report, tmp_path)
    assert told is not None
    assert told.before.did == ("edited app.py",)
    assert told.after.did == (
        "$ make lint  (exit 0)",
        "edited app.py",
        "the project's own check fails: 9 of 12 tests",
    )
    assert (told.before.text, told.after.text) == ("Done.", "Done, and linted.")
    assert (told.before.turns, told.after.turns) == (2, 3)
    assert "+++ b/app.py" in "\n".join(told.after.whole)


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (
            CheckResult(name="rubric", passed=False, arg="It names the ticket."),
            "✗ graded by the judge: It names the ticket.",
        ),
        (CheckResult(name="contains", passed=True, arg="pnpm"), "✓ checked in code: contains «pnpm»"),
    ],
)
def test_what_the_judge_graded_is_told_apart_from_what_code_checked(result: CheckResult, words: str) -> None:
    parts: Any = environment("skillopt_sleep.pages").get_template("blocks.html.j2").module
    answer = Answer("Done.", solved=result.passed, checked=((result.passed, checked_in_words(result)),))
    shown = str(parts.answered("With the rule", answer))
    assert words in re.sub(r"<[^>]+>", "", shown)
