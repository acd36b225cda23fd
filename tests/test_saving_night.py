"""A whole night through sealed copies finds a rule that halves the turns where all attempts succeed anyway."""

import json
from pathlib import Path

import pytest

from skillopt_sleep.records import Outcome, Proof
from skillopt_sleep.replay.seals import SEALS, chosen
from skillopt_sleep.reporters import REPORTERS
from tests.benchmarks.replay_nights import CELLS, RULE, World, reported

CELL = next(cell for cell in CELLS if cell.kind == "saving")


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_a_rule_that_halves_the_turns_is_staged_as_a_saving_and_never_called_better(tmp_path: Path) -> None:
    choice = chosen(SEALS, tmp_path)
    if choice.seal is None:
        pytest.skip(choice.why_not)

    report = reported(CELL, World(CELL, 1), choice.seal, tmp_path, reporters=REPORTERS)

    assert report.verdict is Outcome.SAVING
    (proposal,) = report.proposals
    assert (proposal.proof, proposal.saving) == (Proof.TRIAL, True)
    assert RULE.removeprefix("- ") in proposal.edits[0].content
    effort = proposal.effort
    assert effort is not None
    assert 0 < effort.interval[0] < effort.saved < 0.65
    assert effort.turns == (pytest.approx(6, abs=0.5), pytest.approx(3, abs=0.5))
    assert proposal.before == proposal.after == 1.0

    said = f"eaches the same with {100 * effort.saved:.0f} % fewer tokens (90 % interval"
    folder = Path(report.folder)
    text = (folder / "report.md").read_text(encoding="utf-8")
    assert said in text
    assert "improved" not in text
    assert "proven as a saving" in text
    assert said in report.because
    data = json.loads((folder / "report.json").read_bytes())
    assert (data["verdict"], data["proposals"][0]["saving"]) == ("saving", True)
    (document,) = json.loads((folder / "diagnostics.json").read_bytes())["documents"]
    assert document["outcome"] == "saving"
    assert (document["verdict"]["saving"], document["effort"]["n"]) == (True, effort.n)
