"""One night, start to finish. The folders are the pipeline, in this order; the nouns are in records/."""

from skillopt_sleep.mining.mined import Mined
from skillopt_sleep.night.conclude import conclude
from skillopt_sleep.night.documents import learn
from skillopt_sleep.night.error_rate import with_nights_rate
from skillopt_sleep.night.judge_check import NightJudge, measure, preflight
from skillopt_sleep.night.tonight import mined_tasks, route, tonight, wanted_again
from skillopt_sleep.night.work import NightWork, close, ending, staged, unread
from skillopt_sleep.protocols.crew import Crew, NightPlan
from skillopt_sleep.records import NightReport


def run_night(crew: Crew, plan: NightPlan) -> NightReport:
    """Learn from the unread sessions and stage what passed the gate; adopt nothing."""
    with crew.store.open_night() as page:
        work = NightWork(unread(crew, plan, page), NightJudge(crew.judge))
        plan = with_nights_rate(plan, page)
        with ending(work):
            if work.harvested.has_work or wanted_again(plan, page.bank, now=page.started):
                preflight(crew.preflights, night=page.night, until=crew.clock() + plan.longest)
                sessions, reviewed = work.harvested, work.harvested.reviewed
                work.mined = page.keep("mined", Mined, lambda: mined_tasks(sessions, crew=crew, plan=plan, page=page))
                work.found = tonight(work.mined, reviewed, crew=crew, plan=plan, page=page)
                work.routing = route(work.found, crew, page)
                work.judge = measure(work.routing, work.mined.refused, crew=crew, page=page)
                tried, ended = work.judge.tried(work.routing), work.found.ended
                work.learned(learn(tried, crew=crew, plan=plan, page=page, judge=work.judge, ended=ended))
                crew.meter.check()
        report = conclude(staged(work, crew, plan, page), page, plan)
        for reporter in crew.reporters:
            reporter.write(report, page.folder)
        close(work, report, page)
    return report
