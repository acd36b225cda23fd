"""The recorded answers of a language model still belong to today's prompts, and found the lessons they did."""

import tempfile
from pathlib import Path

import pytest

from bench.lessons import by_night, harvested, over_nights
from bench.lessons_measures import compare, read_truth
from bench.lessons_recorded import Recorded


@pytest.mark.slow
def test_what_a_model_answered_to_the_prompts_is_still_understood() -> None:
    with tempfile.TemporaryDirectory() as name:
        nights = by_night(harvested(Path(name)))
    recorded = Recorded()
    lessons, tasks = over_nights(nights, recorded)
    found = compare(read_truth(), lessons)

    assert len(tasks) >= 50
    assert (found.for_once_kept, found.taken_back_alive) == (0, 0)
    assert min(found.pair_precision or 0, found.pair_recall or 0) >= 0.95
    assert (found.wishes_found or 0) > 0.85
