"""No gain is told without its n and its interval, nor as better than it was measured."""

from msgspec.structs import replace

from skillopt_sleep.records import Solved
from skillopt_sleep.reporters.gains import in_numbers, sentence


def test_words_become_a_sentence_of_their_own() -> None:
    assert [sentence(words) for words in ("", "if so, so", "Done.")] == ["", "If so, so.", "Done."]


def test_what_was_measured_is_said_in_whole_numbers_once_for_each_side_and_with_its_requests() -> None:
    counts = Solved(before=3, after=11, n=12, requests=3)
    said = "without the rule 3 of 12 answers did as you asked, with it 11 of 12 (on 3 new requests)"
    assert in_numbers(counts) == said
    assert in_numbers(replace(counts, requests=1)).endswith("(on 1 new request)")
    several = "without the rules 3 of 12 answers did as you asked, with them 11 of 12 (on 3 new requests)"
    assert in_numbers(counts, rules=2).startswith(several)
    removed = "with the rule 3 of 12 answers did as you asked, without it 11 of 12"
    assert in_numbers(counts, removing=True).startswith(removed)
    assert "0 of 1 answer did as you asked" in in_numbers(replace(counts, before=0, n=1, after=1))
