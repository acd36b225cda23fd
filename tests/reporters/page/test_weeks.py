from datetime import date

from skillopt_sleep.records import LessonTrend, ModelChange, Trend
from skillopt_sleep.reporters.page.weeks import weeks

TREND = Trend(
    first=date(2026, 2, 23),
    sessions=(2, 8),
    lessons=(
        LessonTrend(lesson="l-1", wording="Use pnpm", project="/p", corrections=(4, 0)),
        LessonTrend(lesson="l-2", wording="Lint", project="/p", corrections=(1, 2), adopted=(1,)),
    ),
    models=(ModelChange(week=1, models="opus-5"),),
)


def test_bars_of_all_lessons_have_one_scale_and_those_of_sessions_their_own() -> None:
    drawn = weeks(TREND)
    assert drawn is not None
    assert [[bar.height for bar in line.bars] for line in drawn.lessons] == [[100, 0], [25, 50]]
    assert [bar.height for bar in drawn.sessions.bars] == [25, 100]
    assert (drawn.first, drawn.last) == ("23 Feb", "2 Mar")


def test_a_rule_is_marked_in_the_middle_of_its_week_and_other_models_at_its_beginning() -> None:
    drawn = weeks(TREND)
    assert drawn is not None
    assert [line.adopted for line in drawn.lessons] == [[], [75]]
    assert drawn.models == [(50, "opus-5")]
    assert drawn.lessons[0].told == "Use pnpm: 4 in the week of 23 Feb"


def test_without_a_lesson_there_is_nothing_to_draw() -> None:
    assert weeks(Trend()) is None
    assert weeks(Trend(first=date(2026, 2, 23), sessions=(1,))) is None
