from skillopt_sleep.records import NEXT_STEPS, Became, Correction, Corrections
from skillopt_sleep.reporters.page.page import MOST_QUOTES, NOT_USED, WAITS, fates


def of(became: Became, *quotes: str, because: str = "") -> Corrections:
    listed = tuple(Correction(session="s", turn=1, quote=quote, became=became, because=because) for quote in quotes)
    return Corrections(counts={became.value: len(quotes)}, listed=listed)


def test_words_that_were_said_often_stand_once_and_long_lists_are_cut() -> None:
    (fate,) = fates(of(Became.NEEDS_SESSION, "no, bash", "no, bash", *map(str, range(MOST_QUOTES + 2))), WAITS)
    assert fate.number == MOST_QUOTES + 4
    assert fate.quotes[:2] == ["«no, bash»", "«0»"]
    assert (len(fate.quotes), fate.more) == (MOST_QUOTES, 3)


def test_what_is_dropped_does_not_wait_and_says_why_in_its_case() -> None:
    corrections = of(Became.TAKEN_BACK, "tabs", because="by «spaces»")
    assert fates(corrections, WAITS) == []
    (fate,) = fates(corrections, NOT_USED)
    assert fate.quotes == ["«tabs» (by «spaces»)"]
    assert fate.remedy == NEXT_STEPS[Became.TAKEN_BACK]


def test_what_was_proposed_is_told_elsewhere_and_all_else_here_once() -> None:
    for became in Became:
        told = fates(of(became, "q"), (*WAITS, *NOT_USED))
        assert len(told) == (became is not Became.PROPOSED)
