from datetime import date

from msgspec.structs import replace

from skillopt_sleep.pages.blocks import Sentence, Table
from skillopt_sleep.pages.chart import Bars
from skillopt_sleep.records import LessonTrend, ModelChange, Trend
from skillopt_sleep.reporters.weeks import MOST_LESSONS, weeks

SAID = LessonTrend(lesson="l-1", wording="Use pnpm", project="/p", corrections=(3, 0, 1), adopted=(1,))
TREND = Trend(
    first=date(2026, 2, 23), sessions=(4, 9, 2), lessons=(SAID,), models=(ModelChange(week=1, models="m2"),)
)


def test_each_lesson_has_a_bar_a_week_and_the_sessions_stand_below() -> None:
    (table, *_) = weeks(TREND)
    assert isinstance(table, Table)
    (name, bars, total), (_, sessions, _) = table.rows
    assert (name, total) == ("Use pnpm", "4")
    assert isinstance(bars, Bars)
    assert isinstance(sessions, Bars)
    assert bars.told == "3 in the week of 23 Feb, 1 in the week of 9 Mar; a rule was adopted in the week of 2 Mar"
    assert [bar.number for bar in bars.bars] == [3, 0, 1]
    assert bars.bars[0].height == 100
    assert sessions.told.startswith("4 in the week of 23 Feb")
    assert bars.lines
    assert "m2" in table.caption


def test_without_corrections_there_is_no_chart() -> None:
    assert weeks(replace(TREND, lessons=())) == ()
    assert weeks(replace(TREND, first=None)) == ()


def test_lessons_that_are_left_out_are_counted() -> None:
    many = weeks(replace(TREND, lessons=(SAID,) * (MOST_LESSONS + 2), left_out=3))
    assert Sentence("5 more lessons came up less often.", "soft") in many


def test_bars_of_all_lessons_have_one_scale_and_those_of_sessions_their_own() -> None:
    lint = replace(SAID, wording="Lint", corrections=(0, 1, 2), adopted=())
    (table, *_) = weeks(replace(TREND, lessons=(replace(SAID, corrections=(4, 0, 0)), lint)))
    assert isinstance(table, Table)
    heights = [[bar.height for bar in row[1].bars] for row in table.rows if isinstance(row[1], Bars)]
    assert heights == [[100, 0, 0], [0, 25, 50], [44.44, 100, 22.22]]
