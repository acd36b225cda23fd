"""skillopt-sleep run --plan: what a night would read, send and at most spend, without any call."""

import sys
from collections import Counter

from skillopt_sleep.cli.console import say
from skillopt_sleep.settings import Paths, Settings


def show_plan(settings: Settings, paths: Paths, *, only: str, as_json: bool) -> None:
    """Harvest as a night would, and say what would follow."""
    from skillopt_sleep.kit.codec import to_json
    from skillopt_sleep.stages.harvest import harvest
    from skillopt_sleep.stores.user import open_store
    from skillopt_sleep.wiring import agent_sources, harvest_rules

    store = open_store(settings, paths)
    rules = harvest_rules(settings, paths, only=only, horizon=store.horizon())
    try:
        found = harvest(agent_sources(settings), store.index, rules)
        reviewed = len(store.bank.unknown(found.reviewed))
    finally:
        store.close()
    projects = Counter(session.project for session in found.sessions)
    backend = settings.backend
    where = backend.base_url or {"openai": "https://api.openai.com/v1", "simulated": "nowhere"}.get(backend.name, "")
    destination = (
        f"{backend.name} {backend.model} at {where}".strip() if backend.name else "nobody: no backend is named"
    )
    answer = {
        "schema_version": 1,
        "sessions": {"seen": found.counts.seen, "used": found.counts.used, "skipped": found.counts.skipped},
        "projects": dict(projects),
        "reviewed_tasks": reviewed,
        "errors": [note.summary for note in found.notes],
        "sends_to": destination,
        "consent": backend.confirmed or backend.name == "simulated",
        "limits": {
            "calls": settings.budget.calls,
            "tokens": settings.budget.tokens,
            "minutes": settings.budget.minutes,
            "usd": None,
        },
    }
    if as_json:
        sys.stdout.write(to_json(answer, pretty=True).decode())
        return
    say(f"A night now would read {found.counts.used} of {found.counts.seen} unread sessions:")
    for project, count in projects.most_common():
        say(f"  {count:4}  {project}")
    for reason, count in found.counts.skipped.items():
        say(f"  {count:4}  left out: {reason}")
    if reviewed:
        say(f"  {reviewed:4}  tasks written by hand")
    for note in found.notes:
        say(f"        {note.summary}")
    say(f"It would send redacted excerpts of them to: {destination}")
    say(
        f"It would spend at most {settings.budget.calls} calls, {settings.budget.tokens:,} tokens, "
        f"{settings.budget.minutes} minutes; dollars are unknown, no price is looked up."
    )
    say("It would change no file of yours. Nothing was sent now.")
