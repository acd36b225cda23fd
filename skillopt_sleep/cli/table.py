"""Every command: where it is, its group in `--help`, its one-line help, and an example to copy.

Each line of help repeats the first sentence of the command's docstring, so that `--help` imports no command.
"""

from skillopt_sleep.cli.lazy import Later

START = "Start"
MORNING = "In the morning"
CLOSER = "Look closer"
NIGHTS = "Every night"
RESEARCH = "Train a skill on a dataset"

COMMANDS = {
    "init": Later(
        "init:init",
        START,
        "Find your agents and sessions, ask what you want, and write config.toml. Sends no session.",
        "skillopt-sleep init",
    ),
    "run": Later(
        "run:run",
        START,
        "Run a night now: learn from new sessions and stage the changes that prove themselves.",
        "skillopt-sleep run --plan",
    ),
    "doctor": Later(
        "doctor:doctor",
        START,
        "Check programs, logins, limits and folders, and say what to fix. Changes nothing, calls no model.",
        "skillopt-sleep doctor --project ~/work/shop-api",
    ),
    "config": Later(
        "config:app", START, "Show, change and check the settings.", "skillopt-sleep config set budget.calls 200"
    ),
    "status": Later(
        "status:status",
        MORNING,
        "Show the last night, the next one, and the proposals waiting for you.",
        "skillopt-sleep status --watch",
    ),
    "report": Later(
        "report:report",
        MORNING,
        "Print a night's report, and what of it still waits for you; --open shows it as a page.",
        "skillopt-sleep report",
    ),
    "web": Later(
        "web:web",
        MORNING,
        "Open the dashboard in your browser: everything this program knows and does, on this machine only.",
        "skillopt-sleep web",
    ),
    "review": Later(
        "review:review",
        MORNING,
        "Go through what waits, and say yes, no or later to each rule.",
        "skillopt-sleep review",
    ),
    "show": Later(
        "proposals:show",
        MORNING,
        "Show a proposal as `review` does: your words, the answers with and without it, the proof and the change.",
        "skillopt-sleep show P-0001",
    ),
    "adopt": Later(
        "decide:adopt",
        MORNING,
        "Put proposals live. Whatever else you wrote in their files stays.",
        "skillopt-sleep adopt P-0001",
    ),
    "reject": Later(
        "decide:reject",
        MORNING,
        "Turn proposals down: the same edit is not tried again, until you take that back with --undo.",
        'skillopt-sleep reject P-0001 --reason "we moved to bun"',
    ),
    "snooze": Later(
        "decide:snooze",
        MORNING,
        "Decide later: proposals are not shown among what waits for some time. Nights go on with them as before.",
        "skillopt-sleep snooze P-0001 --for 7d",
    ),
    "undo": Later(
        "undo:undo",
        MORNING,
        "Take out of the files exactly what proposals put there. What you wrote since stays.",
        "skillopt-sleep undo P-0001",
    ),
    "redo": Later(
        "undo:redo",
        MORNING,
        "Adopt again what was undone. With no name it asks before it adopts the one undone last.",
        "skillopt-sleep redo P-0001",
    ),
    "versions": Later(
        "undo:versions",
        CLOSER,
        "List the versions of a file: every adoption and undo that changed our part of it.",
        "skillopt-sleep versions CLAUDE.md",
    ),
    "why": Later(
        "why:why",
        CLOSER,
        "Show why a rule is there or was proposed: your words, what was tried, and what you decided.",
        "skillopt-sleep why CLAUDE.md:12",
    ),
    "why-not": Later(
        "why:why_not",
        CLOSER,
        "Show why something you said is no rule: how far it came, what stopped it, and what to do.",
        'skillopt-sleep why-not "use tabs"',
    ),
    "blame": Later(
        "blame:blame",
        CLOSER,
        "Show for each line we manage in a file whose words it rests on, its trial, and when you approved it.",
        "skillopt-sleep blame CLAUDE.md",
    ),
    "harvest": Later(
        "harvest:harvest",
        CLOSER,
        "Show which sessions were found, which are used or left out, and why. Sends nothing.",
        "skillopt-sleep harvest --why 3f2a",
    ),
    "tasks": Later(
        "tasks:app",
        CLOSER,
        "List and edit the tasks: the requests that nights learn from and test with.",
        "skillopt-sleep tasks list",
    ),
    "history": Later(
        "history:history",
        CLOSER,
        "List past nights: outcome, documents, gains and cost.",
        "skillopt-sleep history --last 30",
    ),
    "cost": Later(
        "cost:cost",
        CLOSER,
        "Show what the nights cost, in calls, tokens and dollars.",
        "skillopt-sleep cost --since 30d",
    ),
    "logs": Later("logs:logs", CLOSER, "Print the log of the nights and the daemon.", "skillopt-sleep logs -f"),
    "purge": Later(
        "purge:purge",
        CLOSER,
        "Delete a project, a session or some words from everything that is kept. It can't be undone.",
        "skillopt-sleep purge --project ~/work/shop-api --dry-run",
    ),
    "install": Later(
        "install:install",
        NIGHTS,
        "Run nights automatically: install the background service and the agents' hooks.",
        "skillopt-sleep install --dry-run",
    ),
    "uninstall": Later(
        "install:uninstall",
        NIGHTS,
        "Remove everything `install` added. Nights, proposals and adopted changes stay.",
        "skillopt-sleep uninstall",
    ),
    "pause": Later(
        "daemon:pause",
        NIGHTS,
        "Stop starting nights automatically, for a given time or until you resume.",
        "skillopt-sleep pause 7d",
    ),
    "resume": Later("daemon:resume", NIGHTS, "Start nights automatically again.", "skillopt-sleep resume"),
    "cancel": Later(
        "daemon:cancel",
        NIGHTS,
        "Stop the running night. Paid results are kept, and the next night continues from them.",
        "skillopt-sleep cancel",
    ),
    "daemon": Later(
        "daemon:daemon",
        NIGHTS,
        "Stay in the foreground and start each night at its time. The installed service runs this.",
        "skillopt-sleep daemon",
    ),
    "train": Later(
        "train:train",
        RESEARCH,
        "Train a skill on a dataset with SkillOpt's training loop.",
        "skillopt-sleep train training.toml",
    ),
    "eval": Later(
        "train:evaluate",
        RESEARCH,
        "Score a skill on one split of a training's dataset.",
        "skillopt-sleep eval training.toml --skill run/best_skill.md",
    ),
    "runs": Later("runs:app", RESEARCH, "List, show, plot, compare and fork trainings.", "skillopt-sleep runs list"),
}
