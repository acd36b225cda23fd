"""Every command: where it is, its group in `--help`, its one-line help, and an example of it.

Each line of help repeats the first sentence of the command's docstring, so that `--help` imports no command.
"""

from skillopt_sleep.cli.lazy import Later

NEEDED = "What you need"
MORE = "More"
RESEARCH = "Train a skill on a dataset"
UNLISTED = "Not in the first help"

COMMANDS = {
    "init": Later(
        "init:init", NEEDED, "Find your agents and sessions, ask what you want, and write config.toml.", "init"
    ),
    "run": Later(
        "run:run",
        NEEDED,
        "Run a night now: learn from new sessions and stage the changes that prove themselves.",
        "run --plan",
    ),
    "install": Later(
        "install:install",
        NEEDED,
        "Run nights automatically: install the background service, and a plugin in your agents.",
        "install --dry-run",
    ),
    "status": Later(
        "status:status", NEEDED, "Show the last night, the next one, and the proposals waiting for you.", "status"
    ),
    "report": Later("report:report", NEEDED, "Print a night's report; --open shows it as a page.", "report"),
    "review": Later(
        "review:review", NEEDED, "Go through what waits, and say yes, no or later to each rule.", "review"
    ),
    "undo": Later("undo:undo", NEEDED, "Take out of the files exactly what proposals put there.", "undo P-0001"),
    "why": Later(
        "why:why", NEEDED, "Show why a rule is there, or why something you said is no rule.", 'why "use tabs"'
    ),
    "adopt": Later(
        "decide:adopt", MORE, "Put proposals live. Whatever else you wrote in their files stays.", "adopt P-0001"
    ),
    "reject": Later(
        "decide:reject",
        MORE,
        "Turn proposals down: the same edit is not tried again.",
        'reject P-0001 --reason "we moved to bun"',
    ),
    "web": Later("web:web", MORE, "Open the dashboard in your browser. It stays on this machine.", "web"),
    "harvest": Later(
        "harvest:harvest",
        MORE,
        "Show which sessions were found, which are used or left out, and why. Sends nothing.",
        "harvest --why 3f2a",
    ),
    "tasks": Later(
        "tasks:app", MORE, "List and edit the tasks: the requests that nights learn from and test with.", "tasks list"
    ),
    "config": Later("config:app", MORE, "Show and change the settings.", "config set budget.calls 200"),
    "doctor": Later(
        "doctor:doctor",
        MORE,
        "Check programs, logins, limits and folders, and say what to fix.",
        "doctor --project ~/work/shop-api",
    ),
    "pause": Later(
        "daemon:pause", MORE, "Stop starting nights automatically; --now stops the running one.", "pause 7d"
    ),
    "purge": Later(
        "purge:purge",
        MORE,
        "Delete a project, a session or some words from all that is kept, for good.",
        "purge --project ~/work/shop-api --dry-run",
    ),
    "uninstall": Later(
        "install:uninstall",
        MORE,
        "Remove everything `install` added. Nights, proposals and adopted changes stay.",
        "uninstall",
    ),
    "train": Later(
        "train:app", RESEARCH, "Train a skill on a dataset, and score, list or plot trainings.", "train training.toml"
    ),
    "daemon": Later(
        "daemon:daemon",
        UNLISTED,
        "Stay in the foreground and start each night at its time. The installed service runs this.",
        "daemon",
        is_hidden=True,
    ),
    "logs": Later("logs:logs", UNLISTED, "Print the log of the nights and the daemon.", "logs -f", is_hidden=True),
}

# What to write for names that people try: those of other programs, and those that were commands of this one.
RENAMED = {
    "show": "review --show",
    "snooze": "review --later",
    "redo": "undo --redo",
    "versions": "undo --list",
    "why-not": "why",
    "blame": "why",
    "history": "report --list",
    "cost": "report --cost",
    "resume": "pause --off",
    "cancel": "pause --now",
    "eval": "train eval",
    "runs": "train list",
}
