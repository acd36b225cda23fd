"""skillopt-sleep harvest: what is in the history, and what a night would leave out."""

import sys
from collections import Counter
from typing import Annotated

import typer

from skillopt_sleep.cli.console import say
from skillopt_sleep.records import Session
from skillopt_sleep.settings import find_paths, load


def harvest(
    *,
    include_headless: Annotated[bool, typer.Option("--include-headless", help="Also what programs started.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print every session with its turns.")] = False,
) -> None:
    """Read the agents' sessions, redacted, and say what was left out and why; nothing is sent."""
    from skillopt_sleep.kit.codec import to_json
    from skillopt_sleep.stages.harvest import harvest as read
    from skillopt_sleep.stores.user import open_store
    from skillopt_sleep.wiring import agent_sources, harvest_rules

    paths = find_paths()
    settings = load(paths, flags={"harvest.include_headless": include_headless or None})
    store = open_store(settings, paths)
    try:
        found = read(agent_sources(settings), store.index, harvest_rules(settings, paths, unread=False))
    finally:
        store.close()
    if as_json:
        answer = {"sessions": [_shown(session) for session in found.sessions], "skipped": found.counts.skipped}
        sys.stdout.write(to_json(answer, pretty=True).decode())
        return
    say(f"{found.counts.seen} sessions, {found.counts.used} of them people's:")
    for (source, project), count in sorted(Counter((s.source, s.project) for s in found.sessions).items()):
        say(f"  {count:4}  {source:11}  {project}")
    for reason, count in found.counts.skipped.items():
        say(f"  {count:4}  left out: {reason}")
    if found.reviewed:
        say(f"  {len(found.reviewed):4}  tasks written by hand")
    for note in found.notes:
        say(f"{note.summary}\n  → {note.remedy}")


def _shown(session: Session) -> dict[str, object]:
    return {
        "id": session.id,
        "source": session.source,
        "project": session.project,
        "cwd": session.cwd,
        "started": session.started,
        "turns": [{"role": turn.role, "origin": turn.origin, "text": turn.text} for turn in session.turns],
        "tools": len(session.tools),
        "errors": sum(event.error for event in session.tools),
    }
