"""Nights of every kind to report on, full of what must not get through."""

from collections.abc import Collection, Mapping
from datetime import timedelta
from pathlib import Path

from skillopt_sleep.records import (
    AppliedEdit,
    CandidateKind,
    Decision,
    EditEffect,
    EditFate,
    EditOp,
    Effect,
    Evidence,
    Judged,
    Lost,
    NightReport,
    Note,
    Outcome,
    Pair,
    SessionCounts,
    Spend,
    StepOutcome,
    Trial,
    Verdict,
    WaitingCandidate,
)
from skillopt_sleep.reporters import morning
from skillopt_sleep.reporters.night import Night
from tests.builders import a_document, a_fresh_round, a_proposal, a_report, a_trial, an_edit, an_outcome
from tests.fakes import NOON

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9" * 2
NASTY = (
    "**bold** `code` [link](http://x.example) <img src=x> | cell | # head\n# a heading\n\u202ehidden\u200b\x1b[31m"
)
TRIAL = Trial(
    pairs=(Pair(task="v1", sample=0, before=0.0, after=1.0), Pair(task="v2", sample=0, before=0.5, after=1.0)),
    rounds=1,
    lost=Lost(after=1),
    interval=(-0.61, 1.0),
    calls=6,
)
ACCEPTED = Verdict(
    decision=Decision.ACCEPT, reason="better: grade 0.25 → 1.00 on unseen requests (2 tries)", rule="strict, mixed", error_rate="error rate unknown"
)  # fmt: skip
EDITS = (
    AppliedEdit(edit=an_edit(), fate=EditFate.APPLIED),
    AppliedEdit(edit=an_edit("- X.", op=EditOp.REPLACE, target="- Y."), fate=EditFate.UNMATCHED, because="its target isn't there"),
    AppliedEdit(edit=an_edit("- After.", op=EditOp.INSERT_AFTER, target="- Z."), fate=EditFate.DUPLICATE, because="said already"),
    AppliedEdit(edit=an_edit("", op=EditOp.DELETE, target="- Gone."), fate=EditFate.REFUSED, because="it is protected"),
)  # fmt: skip


TESTED = Judged(kind=CandidateKind.RULE, edits=(an_edit(),), trial=TRIAL, verdict=ACCEPTED)
UNDECIDED = Verdict(decision=Decision.UNDECIDED, reason="n is small")
WAITS = WaitingCandidate(
    night="2026-03-01",
    path=a_document().path,
    crew="m v",
    tested=Judged(kind=CandidateKind.RULE, edits=(an_edit("- Waits."),), trial=TRIAL, verdict=UNDECIDED),
)


def improved() -> StepOutcome:
    """A step that was accepted."""
    return an_outcome(
        candidate=a_document("- Use pnpm, never npm."),
        outcome=Outcome.IMPROVED,
        because=ACCEPTED.reason,
        verdict=ACCEPTED,
        trial=TRIAL,
        edits=EDITS,
        tested=(TESTED,),
        effects=(
            EditEffect(
                edit=an_edit(),
                effect=Effect.HELPED,
                because="the change did worse without it",
                n=2,
                before=0.25,
                after=1.0,
                interval=(-0.61, 1.0),
                calls=6,
            ),
        ),
        waits=(WAITS,),
        train=3,
        val=3,
        test=1,
        kept_back=a_fresh_round(0.0, 1.0, 1, (-0.95, 1.0)),
        waiting=2,
        text_only=True,
        sessions=("claude_code:s1",),
    )


def rejected(after: float = 0.1, interval: tuple[float, float] = (-1.0, 0.9)) -> StepOutcome:
    """A step whose trial was lost, or won nothing."""
    trial = a_trial((0.25, after), (0.25, after), interval=interval, calls=4)
    verdict = Verdict(decision=Decision.REJECT, reason="worse", rule="strict, mixed", error_rate="error rate unknown")
    return an_outcome(
        document=a_document(id="blog:AGENTS.md"),
        because="worse",
        verdict=verdict,
        trial=trial,
        candidate=a_document("x"),
    )


def nasty() -> StepOutcome:
    """A step full of text that would like to be something else."""
    text = f"{NASTY} {SECRET}"
    effects = (EditEffect(edit=an_edit(text, reason=text), effect=Effect.UNDECIDED, because=text),)
    edits = (
        AppliedEdit(
            edit=an_edit(text, op=EditOp.REPLACE, target=text, reason=text), fate=EditFate.REFUSED, because=text
        ),
    )
    return an_outcome(document=a_document(id=text, path=text), because=text, edits=edits, effects=effects)


WHOLE = a_report(
    verdict=Outcome.IMPROVED,
    because=f"shop:CLAUDE.md: {ACCEPTED.reason}",
    remedy="look at the proposals, then adopt or reject them",
    ended=NOON + timedelta(seconds=75),
    folder="/data/nights/2026-03-02",
    model="openai:m",
    sessions=SessionCounts(seen=9, used=6, skipped={"headless": 2, "active": 1}),
    tasks={"train": 3, "val": 3, "test": 1},
    documents=(improved(), rejected()),
    proposals=(
        a_proposal(evidence=(Evidence(session="claude_code:s1", turn=2, quote="No, use pnpm, not npm."),), before=0.25, after=1.0, n=2),
    ),
    spend=Spend(calls=41, tokens=12_345, usd=0.5, purposes={"rollout": 40, "preflight": 1}),
    limits={"calls": 300.0, "tokens": 2_000_000.0, "minutes": 60.0},
    errors=(Note(stage="mine", summary="one call failed", remedy="try again"), Note(stage="stage", summary="second")),
)  # fmt: skip

REPORTS: dict[str, NightReport] = {
    "improved": WHOLE,
    "nothing new": a_report(),
    "backend failed": a_report(
        verdict=Outcome.BACKEND_FAILED, because=f"the key was refused {SECRET}", remedy="check the key", login_needed=True,
        spend=Spend(calls=1, purposes={"mine": 1}),
    ),
    "over budget": a_report(
        verdict=Outcome.OVER_BUDGET, because="the limit of 3 calls is reached", remedy="raise it", documents=(improved(),),
        proposals=(a_proposal(),),
    ),
    "interrupted": a_report(verdict=Outcome.INTERRUPTED, because="it was stopped", remedy="run it again", resumed=True),
    "undecided": a_report(
        verdict=Outcome.UNDECIDED, because="n is small",
        documents=(an_outcome(outcome=Outcome.UNDECIDED, verdict=Verdict(decision=Decision.UNDECIDED, reason="n is small"), trial=TRIAL),),
    ),
    "unverified": a_report(
        verdict=Outcome.UNVERIFIED, because="no unseen task", documents=(an_outcome(outcome=Outcome.UNVERIFIED, because="1 lesson was seen in one session only", waiting=1),)
    ),
    "no change": a_report(verdict=Outcome.NO_CHANGE, because="worse", documents=(rejected(), rejected(0.25))),
    "no headroom": a_report(
        verdict=Outcome.NO_HEADROOM, because="does it already", documents=(an_outcome(outcome=Outcome.NO_HEADROOM),)
    ),
    "nasty": a_report(
        verdict=Outcome.NO_CHANGE,
        because=f"{NASTY} {SECRET}",
        remedy=f"remedy {SECRET}",
        model=f"m {SECRET}",
        documents=(nasty(),),
        proposals=(
            a_proposal(
                document=NASTY, summary=f"{NASTY} {SECRET}", edits=(an_edit(f"{NASTY} {SECRET}"),),
                evidence=(Evidence(session="codex:1", turn=1, quote=f"{NASTY} {SECRET}"),),
            ),
        ),
        errors=(Note(stage="rollout", summary=f"{NASTY} {SECRET}", remedy=f"{NASTY} {SECRET}"),),
        spend=Spend(calls=1, tokens=None, usd=None),
    ),
}  # fmt: skip


def render(
    report: NightReport,
    waits: Collection[str] | None = None,
    *,
    folder: Path | None = None,
    decided: Mapping[str, str] | None = None,
    verbose: bool = False,
) -> str:
    """Return the report of a night as text."""
    return morning.text(Night(report, waits, folder, decided or {}), verbose=verbose)


def page(
    report: NightReport,
    waits: Collection[str] | None = None,
    *,
    folder: Path | None = None,
    decided: Mapping[str, str] | None = None,
) -> str:
    """Return the report of a night as a page."""
    return morning.page(Night(report, waits, folder, decided or {}))
