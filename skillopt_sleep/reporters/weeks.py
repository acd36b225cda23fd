"""Draw how often each lesson had to be said, as bars by week."""

from datetime import date, timedelta

from skillopt_sleep.kit.words import counted
from skillopt_sleep.pages.blocks import Block, Sentence, Table
from skillopt_sleep.pages.chart import Bar, Bars, Scale
from skillopt_sleep.records import LessonTrend, Trend

MOST_LESSONS = 3
_BAR = 0.6  # of a week's width


def weeks(trend: Trend) -> tuple[Block, ...]:
    """Return a table of a trend, a line of bars for each lesson and one for the sessions; () if nothing was said."""
    if trend.first is None or not trend.lessons:
        return ()
    days = [trend.first + timedelta(weeks=number) for number in range(len(trend.lessons[0].corrections))]
    across = Scale(low=0, high=len(days))
    models = tuple((across.share(change.week), change.models) for change in trend.models)
    most = max(max(lesson.corrections) for lesson in trend.lessons)
    rows = [_of_lesson(lesson, days, most=most, models=models) for lesson in trend.lessons[:MOST_LESSONS]]
    sessions = bars_of(trend.sessions, days, most=max([*trend.sessions, 1]))
    rows.append(("your sessions", sessions, f"{sum(trend.sessions):,}"))
    changed = f"; dashed: other models from then on ({', '.join(name for _, name in models)})" if models else ""
    caption = f"Corrections by week, {day_of(days[0])} to {day_of(days[-1])}. ▼ a rule was adopted{changed}."
    blocks: list[Block] = [Table(("lesson", "by week", "in all"), tuple(rows), caption, right=(2,))]
    left_out = len(trend.lessons[MOST_LESSONS:]) + trend.left_out
    if left_out:
        blocks.append(Sentence(f"{counted(left_out, 'more lesson')} came up less often.", "soft"))
    blocks.append(Sentence("Fewer corrections alone prove nothing.", "soft"))
    return tuple(blocks)


def _of_lesson(
    lesson: LessonTrend, days: list[date], *, most: int, models: tuple[tuple[float, str], ...]
) -> tuple[str, Bars, str]:
    across = Scale(low=0, high=len(days))
    bars = bars_of(lesson.corrections, days, most=most)
    marks = tuple((across.share(week + 0.5), "a rule was adopted") for week in lesson.adopted)
    adopted = "".join(f"; a rule was adopted in the week of {day_of(days[week])}" for week in lesson.adopted)
    drawn = bars._replace(told=f"{bars.told}{adopted}", marks=marks, lines=models)
    return lesson.wording, drawn, f"{sum(lesson.corrections):,}"


def bars_of(counts: tuple[int, ...], days: list[date], *, most: int) -> Bars:
    """Lay out the counts of weeks that begin on these days as a row of bars; the highest possible has `most`."""
    across, up = Scale(low=0, high=len(counts)), Scale(low=0, high=most)
    bars: list[Bar] = []
    for week, count in enumerate(counts):
        height = up.share(count)
        bars.append(
            Bar(
                x=across.share(week + (1 - _BAR) / 2),
                width=across.share(_BAR),
                y=round(100 - height, 2),
                height=height,
                number=count,
                told=f"week of {day_of(days[week])}: {count}",
            )
        )
    said = [f"{count} in the week of {day_of(day)}" for count, day in zip(counts, days, strict=True) if count]
    return Bars(tuple(bars), ", ".join(said) or "none", " ".join(map(str, counts)))


def day_of(day: date) -> str:
    """Return a day as in "3 Nov"."""
    return f"{day.day} {day:%b}"
