"""skillopt-sleep harvest: what is in the history, what became of every file, and why."""

from typing import Annotated

import typer

from skillopt_sleep.cli.console import say, say_json, warn
from skillopt_sleep.settings import find_paths, load


def harvest(
    *,
    why: Annotated[str, typer.Option("--why", metavar="SESSION", help="Explain one: its id, file, or a part.")] = "",
    include_headless: Annotated[bool, typer.Option("--include-headless", help="Also what programs started.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON, with every session's turns.")] = False,
) -> None:
    """Read the agents' sessions, redacted, and say what became of every file and why; nothing is sent."""
    from skillopt_sleep.cli.account import History, account
    from skillopt_sleep.cli.harvest_shown import account_data, account_lines, noted
    from skillopt_sleep.cli.harvest_why import explain, explained, find
    from skillopt_sleep.night.harvest import harvest as read
    from skillopt_sleep.stores.user import open_store
    from skillopt_sleep.wiring import Exclusions, agent_sources, harvest_rules

    paths = find_paths()
    settings = load(paths, flags={"harvest.include_headless": include_headless or None})
    store = open_store(settings, paths)
    try:
        sources = agent_sources(settings)
        rules = harvest_rules(settings, paths, unread=False)
        found = read(sources, store.index, rules)
        names = [source.name for source in sources]
        history = History.of(found, store.index, rules, sources=names, horizon=store.horizon())
        one = find(history, why) if why else None
        stored = store.index.sessions([one.id] if one else [])
    finally:
        store.close()
    if store.notice:
        warn(store.notice)
    if one:
        explanation = explain(history, one, stored[0], settings)
        data, lines = explanation.data(), explained(explanation, now=rules.now)
    else:
        notes = (*found.notes, *(rules.excluded.notes if isinstance(rules.excluded, Exclusions) else ()))
        total = account(history)
        data, lines = account_data(total, notes), (*account_lines(total, settings.harvest), *noted(notes))
    if as_json:
        say_json(data)
        return
    for line in lines:
        say(line)
