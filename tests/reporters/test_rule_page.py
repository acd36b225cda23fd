"""The first screen of a rule is what it is decided by, in order and in few words; the rest is behind it."""

from datetime import UTC, datetime, timedelta
from typing import Any

from msgspec.structs import replace

from skillopt_sleep.pages.blocks import Act, Answer, Answers, Block, Diff, Heading, Interval, Quotes, Sentence
from skillopt_sleep.pages.text import markdown
from skillopt_sleep.records import EditEffect, Effect, Evidence, Proof, Proposal, Solved
from skillopt_sleep.reporters.night_words import of_proposal
from skillopt_sleep.reporters.rule import Change, Rule, rule_of
from skillopt_sleep.reporters.rule_page import QUOTE_WORDS, changed, decide, first_screen, more, statistics, whole
from tests.builders import a_fresh_round, a_proposal, an_edit

NOW = datetime(2026, 3, 4, 8, tzinfo=UTC)
CLAIM = "the chance that the night proposed any rule that does nothing was at most 3 %; this one helped in 2 of 2"
COUNTS = Solved(before=3, after=11, n=12, requests=3)
SAID = tuple(
    Evidence(session=f"s{day}", turn=1, quote=f"no, always use pnpm in this shop {day}", at=NOW - timedelta(days=day))
    for day in range(8, 0, -1)
)
ANSWERS = Answers("add zod", Answer("npm " * 99, solved=False), Answer("pnpm", ("$ pnpm add zod",), solved=True))


def proven(**fields: Any) -> Proposal:
    known = {"before": 0.25, "after": 1.0, "n": 2, "interval": (-0.61, 1.0), "gain": 0.6, "error_rate": CLAIM}
    return a_proposal(**(known | fields))


def rule(proposal: Proposal | None = None) -> Rule:
    proposal = proposal or proven(evidence=SAID, solved=COUNTS)
    return rule_of(proposal, [Change("shop:CLAUDE.md", "", "- Use pnpm.\n")], ANSWERS, now=NOW, whole=proposal)


def statistics_of(proposal: Proposal) -> list[str]:
    return [*statistics(proposal, proposal)]


def test_the_first_screen_has_what_a_rule_is_decided_by_in_order() -> None:
    text = markdown([*first_screen(rule(), night_cost="The night took 3 calls."), decide(rule())])
    wanted = (
        "## Use pnpm, never npm.",
        "P-0001, in shop:CLAUDE.md",
        "You said so in 8 sessions, 24 Feb – 3 Mar; the last 3:",
        "«no, always use pnpm in this shop 1» 1 day ago",
        "Asked «add zod»",
        "- Without the rule ✗ not as you asked: npm npm",
        "- With the rule ✓ as you asked: $ pnpm add zod; pnpm",
        "Without the rule 3 of 12 answers did as you asked, with it 11 of 12 (on 3 new requests).",
        "It costs about 3 tokens in every session. The night took 3 calls.",
        "Yes: `skillopt-sleep adopt P-0001`. No: `skillopt-sleep reject P-0001`.",
    )
    places = [text.find(words) for words in wanted]
    assert -1 not in places
    assert places == sorted(places)


def test_what_needs_a_second_look_stands_below_the_name() -> None:
    early = rule()._replace(label="early", cautions=("«run it» (a command)",))
    assert [block.text for block in first_screen(early) if isinstance(block, Sentence)][1:3] == [
        "Early.",
        "«run it» (a command)",
    ]


def test_the_first_screen_quotes_what_fits_and_the_whole_page_all() -> None:
    def quoted(blocks: list[Block]) -> Quotes:
        return next(block for block in blocks if isinstance(block, Quotes))

    few = quoted([*first_screen(rule())])
    assert 1 < len(few.said) < len(SAID)
    assert sum(len(said.words.split()) for said in few.said) <= QUOTE_WORDS
    every = [*whole(rule())]
    assert len(quoted(every).said) == len(SAID)
    assert ANSWERS in every
    assert any(isinstance(block, Diff) for block in every)


def test_a_quote_that_is_cut_stays_a_quote() -> None:
    long = replace(SAID[0], quote="pnpm " * 60)
    said = next(block for block in first_screen(rule(proven(evidence=(long,)))) if isinstance(block, Quotes)).said
    assert said[0].words.endswith("…»")


def test_to_decide_is_a_command_and_in_the_dashboard_a_link() -> None:
    act = decide(rule())
    assert isinstance(act, Act)
    assert act.link.address == "/inbox/P-0001"


def test_files_that_change_alike_are_shown_once() -> None:
    changes = [Change(name, "", "- Use pnpm.\n") for name in ("a", "b")] + [Change("c", "", "- Other.\n")]
    assert [(diff.document, diff.same_in) for diff in changed(changes)] == [("a", ("b",)), ("c", ())]


def test_a_secret_that_changed_is_redacted_before_its_words_are_compared() -> None:
    secret = "sk-ant-api03-" + "Zx9" * 31 + "AA"
    (diff,) = changed([Change("a", f"key {secret}\n", f"the key {secret}\n")])
    assert secret not in markdown([diff])


def test_a_rule_is_named_first() -> None:
    assert isinstance(next(first_screen(rule())), Heading)
    assert isinstance(next(whole(rule())), Heading)


def test_the_statistics_have_each_number_with_its_n_and_its_interval() -> None:
    fresh = a_fresh_round(0.5, 0.75, 4, (-0.4, 0.8))
    blocks = more(proven(fresh=fresh), proven(fresh=fresh))
    lines = [block.text for block in blocks if isinstance(block, Sentence)]
    assert lines[:2] == [f"The{CLAIM[3:]}.", of_proposal(CLAIM)]
    (drawn,) = (block for block in blocks if isinstance(block, Interval))
    assert [(name, dot.told.partition(", ")[2]) for name, dot in drawn.dots] == [
        ("trial", "90 % interval of the gain −0.61 to 1.00, 2 tries"),
        ("second trial", "90 % interval of the gain −0.40 to 0.80, 4 tries"),
    ]


def test_of_a_persons_own_words_no_gain_is_drawn() -> None:
    own = proven(proof=Proof.EDITED)
    assert not any(isinstance(block, Interval) for block in more(own, own))


def test_the_places_where_it_was_said_are_named() -> None:
    text = markdown(more(proven(evidence=SAID[:1]), proven()))
    assert "You said in s8, turn 1: «no, always use pnpm in this shop 8»" in text


def test_a_rule_of_several_names_the_others() -> None:
    one, other = an_edit("- One."), an_edit("- Two.")
    whole = proven(edits=(one, other))
    part = proven(id="P-0001.1", edits=(one,))
    assert list(statistics(part, whole))[-1] == "P-0001 also has: «- Two.»"


def test_without_a_trial_nothing_is_claimed() -> None:
    assert (statistics_of(proven(before=None, after=None, error_rate=""))) == []


def test_of_several_rules_each_is_shown_with_its_own_numbers() -> None:
    rules = tuple(an_edit(f"- Rule {n}.") for n in range(2))
    effects = tuple(
        EditEffect(edit=rule, effect=Effect.HELPED, n=6, before=0.0, after=0.5, interval=(0.1, 0.9)) for rule in rules
    )

    lines = statistics_of(proven(edits=rules, effects=effects))

    assert "  «- Rule 0.»: by itself +0.50 (90 % interval +0.10 to +0.90) (6 tries)" in lines
    assert sum("by itself" in line for line in lines) == 2
    assert not any("by itself" in line for line in statistics_of(proven(edits=rules[:1], effects=effects[:1])))
