"""An agent runs this when a session starts and ends: `python3 -I -S session.py AGENT`, with the hook's JSON on stdin.

It writes notes into the spool, a folder that only the person can read: at the start the project's folder and commit,
at the end the time. It copies no file, needs only Python from 3.8 on, no network and no model, returns at once, and
exits 0 whatever happens. Nothing depends on it: without its notes a night waits until a session rests, and looks up
which commit was checked out when it began.
"""

import json
import os
import re
import signal
import subprocess
import sys
import time

AGENTS = ("claude_code", "codex")
SECONDS = 3
MOST_INPUT = 1024 * 1024
KEPT_DAYS = 30


def main() -> None:
    """Do what the event asks for; other events are passed over."""
    agent = sys.argv[1]
    hook = json.loads(sys.stdin.buffer.read(MOST_INPUT))
    session = hook["session_id"]
    event = hook["hook_event_name"]
    if agent not in AGENTS or not re.fullmatch(r"[A-Za-z0-9_-]{1,128}", session):
        return
    state = state_folder()
    spool = os.path.join(state, "spool")
    os.umask(0o077)
    os.makedirs(os.path.join(spool, agent), exist_ok=True)
    note = os.path.join(spool, agent, session)
    if event == "SessionEnd":
        with open(note + ".ended", "w", encoding="utf-8") as file:
            file.write(f"{time.time()}\n")
    elif event == "SessionStart" and hook.get("source") != "compact":
        announce_proposals(state)
        remove_old(spool)
        note_commit(note + ".started", hook["cwd"])


def state_folder() -> str:
    """Return the folder in which the program keeps its state, by the program's own rules."""
    home = os.path.expanduser(os.environ.get("SKILLOPT_SLEEP_HOME", ""))
    if os.path.isabs(home):  # a relative one would be a folder of whatever project the agent is in
        return os.path.join(os.path.abspath(home), "data", "state")
    root = os.environ.get("XDG_DATA_HOME", "")
    if not os.path.isabs(root):
        root = "~/Library/Application Support" if sys.platform == "darwin" else "~/.local/share"
    return os.path.join(os.path.expanduser(root), "skillopt-sleep", "state")


def announce_proposals(state: str) -> None:
    """Tell the person that proposals wait: once a day, and not in a session of a program."""
    if os.environ.get("CLAUDE_CODE_ENTRYPOINT", "").startswith("sdk"):
        return
    try:
        with open(os.path.join(state, "proposals_waiting.json"), "rb") as file:
            waiting = json.loads(file.read(MOST_INPUT))["waiting"]
        if type(waiting) is int and waiting > 0:
            open(os.path.join(state, "spool", time.strftime("told-%Y-%m-%d")), "x").close()
            what = "1 proposal waits" if waiting == 1 else f"{waiting} proposals wait"
            line = {"systemMessage": f"skillopt-sleep: {what} for you; go through them with: skillopt-sleep review"}
            print(json.dumps(line), flush=True)
    except (OSError, ValueError, LookupError, TypeError):
        return  # no night has run yet, or the person was told today


def remove_old(spool: str) -> None:
    """Remove notes older than a month."""
    for folder, _, names in os.walk(spool):
        for path in (os.path.join(folder, name) for name in names):
            if os.stat(path).st_mtime < time.time() - KEPT_DAYS * 86400:
                os.remove(path)


def note_commit(path: str, cwd: str) -> None:
    """Let git write the repository's folder and commit into the note, once a session; nobody waits for it."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    argv = ["git", "rev-parse", "--show-toplevel", "HEAD"]
    null = subprocess.DEVNULL
    with open(path, "x", encoding="utf-8") as note:
        subprocess.Popen(argv, cwd=cwd, env=environ, stdin=null, stdout=note, stderr=null, start_new_session=True)


if __name__ == "__main__":
    try:
        # Its default action ends the process, and a hook that hangs must not hold the agent up.
        signal.signal(signal.SIGALRM, lambda _signal, _frame: os._exit(0))
        signal.alarm(SECONDS)
        main()
    except BaseException:  # noqa: BLE001, S110 - whatever it is, the agent must not see it
        pass
    finally:
        # The interpreter's own way to exit may fail on a pipe that the agent has closed.
        os._exit(0)
