from pathlib import Path

from msgspec.structs import replace

from skillopt_sleep.records import FreshRound, Pair, Proof
from skillopt_sleep.reporters.page.decisions import MOST_CHANGED, decisions
from tests.builders import a_proposal, a_report

PROVEN = a_proposal(before=0.0, after=1.0, n=4, interval=(0.2, 1.0))
EARLY = replace(PROVEN, id="P-0002", proof=Proof.EARLY)


def test_those_that_wait_come_first_and_the_best_proven_of_them_on_top() -> None:
    report = a_report(proposals=(EARLY, PROVEN))
    cards = decisions(report, None, ["P-0001", "P-0002"])
    assert [card.rule.id for card in cards] == ["P-0001", "P-0002"]
    cards = decisions(report, None, ["P-0002.1"])
    assert [(card.rule.id, card.waits) for card in cards] == [("P-0002", True), ("P-0001", False)]


def test_the_round_after_the_choice_is_measured_apart() -> None:
    fresh = FreshRound(pairs=(Pair(task="v", sample=9, before=0, after=1),), before=0.0, after=1.0, n=1)
    (card,) = decisions(a_report(proposals=(replace(PROVEN, fresh=fresh),)), None, ["P-0001"])
    assert [name for name, _ in card.dots] == ["trial", "asked once more"]


def test_words_that_were_never_tried_have_no_measured_gain() -> None:
    (card,) = decisions(a_report(proposals=(replace(PROVEN, proof=Proof.EDITED),)), None, ["P-0001"])
    assert card.dots == []


def test_the_change_of_each_file_is_read_from_what_was_staged_and_cut_if_it_is_long(tmp_path: Path) -> None:
    night = tmp_path / PROVEN.night
    staged = night / "proposals" / PROVEN.id
    staged.mkdir(parents=True)
    (staged / "base").write_text("# Shop\n")
    lines = "".join(f"- Rule {number}.\n" for number in range(MOST_CHANGED + 10))
    (staged / "result").write_text(f"# Shop\n{lines}")
    (card,) = decisions(a_report(night=PROVEN.night, proposals=(PROVEN,)), night, ["P-0001"])
    (file,) = card.files
    assert sum(len(place) for place in file.places) == MOST_CHANGED
    assert file.more == 11
    assert "tokens in every session" in card.rule.cost[0]
