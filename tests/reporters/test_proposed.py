"""A proposal is told by its rule and in whole numbers; statistics and ids are for who asks."""

from msgspec.structs import replace

from skillopt_sleep.records import Deed, DeedKind, Evidence, FreshRound, Pair, Proof, Solved
from skillopt_sleep.reporters.proposed import each_edit, headline, proof, said
from tests.builders import a_proposal, an_edit
from tests.fakes import NOON

COUNTS = Solved(before=3, after=11, n=12, requests=4)
PAIR = Pair(task="v", sample=9, before=0.0, after=1.0, solved=(False, True))
PROPOSAL = a_proposal(
    edits=(an_edit(),),
    solved=COUNTS,
    before=0.25,
    after=0.94,
    n=12,
    interval=(0.21, 0.8),
    fresh=FreshRound(pairs=(PAIR,), before=0.0, after=1.0, n=1, interval=(-0.9, 1.0)),
    evidence=(Evidence(session="claude_code:s1", turn=2, quote="No, use pnpm.", at=NOON),),
    deeds=(Deed(kind=DeedKind.CHECKED, session="codex:s2", turn=4, what="make lint"),),
)


def test_the_headline_quotes_the_rule_and_says_what_was_solved() -> None:
    numbers = "Without the rule 3 of 12 answers did as you asked, with it 11 of 12 (on 4 new requests)."
    assert headline(PROPOSAL) == f"P-0001, `shop:CLAUDE.md`: add «Use pnpm, never npm.» {numbers}"
    several = replace(PROPOSAL, edits=(an_edit(), an_edit("- B.")), proof=Proof.EARLY)
    assert "«Use pnpm, never npm.», and 1 more. Without the rules 3 of 12" in headline(several)
    assert "(early: proven on one" in headline(several)


def test_statistics_are_for_who_asks() -> None:
    assert proof(PROPOSAL) == [
        "Asked once more after it was chosen: without the rule 0 of 1 answer did as you asked, with it 1 of 1."
    ]
    assert "90 % interval +0.21 to +0.80" in "\n".join(proof(PROPOSAL, verbose=True))
    assert each_edit(PROPOSAL, verbose=True) == [(an_edit(), "")]


def test_words_come_before_ids() -> None:
    deed, words = said(PROPOSAL)
    assert words.startswith("You said on Mon 2026-03-02 ")
    assert words.endswith(" in shop: «No, use pnpm.»")
    assert deed == "You checked the work in shop: «make lint»"
    many = [Evidence(session=f"s{n}", turn=2, quote="pnpm", at=NOON) for n in range(8)]
    assert said(a_proposal(evidence=tuple(many)))[-1] == "and 3 times before"
    assert said(a_proposal(evidence=tuple(many[:6])))[-1] == "and 1 time before"
    in_all = replace(PROPOSAL, root="/home/ada", said_in=(("claude_code:s1", "shop"), ("codex:s2", "blog_*")))
    why, deed_there, words_there = said(in_all)
    assert why == r"You said it in 2 projects (shop, blog\_\*), so it goes to your own file"
    assert (words_there, r"in blog\_\*" in deed_there) == (words, True)
    assert said(PROPOSAL, verbose=True)[0] == f"{deed} (`codex:s2`, turn 4)"
