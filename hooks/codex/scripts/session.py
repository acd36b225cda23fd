"""What an agent runs when a session starts and ends: `python3 -I -S session.py AGENT`, the hook's JSON on stdin.

It leaves notes in the spool, a folder that only the person can read: at the start the commit and whether all work is
in it, at the end a marker. Of the work itself it keeps nothing: there may be secrets in it. It needs nothing but a
Python from 3.8 on, no network and no model, it is done at once (git works on behind it), running it twice is as good
as once, and it exits 0 whatever happens. Nothing depends on it: without its notes a night waits until a session
rests, and doesn't know in which state it found the project.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import time

AGENTS = ("claude_code", "codex")
SECONDS = 3  # for a hook
GIT_SECONDS = 10  # for all that git is asked, behind it
MOST_SAID = 1024 * 1024
MOST_FILE = 256 * 1024
KEPT_DAYS = 30


class Unfit(Exception):
    """What git said can't be used."""


def main() -> None:
    """Do what the event asks for; an event of no interest is none."""
    agent, said = sys.argv[1], json.loads(sys.stdin.buffer.read(MOST_SAID))
    session, event = said["session_id"], said["hook_event_name"]
    if agent not in AGENTS or not re.fullmatch(r"[A-Za-z0-9_-]{1,128}", session):
        return
    state = state_folder()
    spool = os.path.join(state, "spool", agent)
    os.umask(0o077)
    os.makedirs(spool, exist_ok=True)
    if event == "SessionEnd":
        put(os.path.join(spool, session + ".ended.json"), {"at": time.time()})
    elif event == "SessionStart" and said.get("source") != "compact":
        tell(state)
        if leave():
            take_snapshot(os.path.join(spool, session), said["cwd"])
            prune(os.path.join(state, "spool"))


def state_folder() -> str:
    """Where the program keeps its state, by the same rules as its own."""
    environ = os.environ
    home = os.path.expanduser(environ.get("SKILLOPT_SLEEP_HOME", ""))
    if os.path.isabs(home):  # a relative one would be a folder of whatever project the agent is in
        return os.path.join(os.path.abspath(home), "data", "state")
    if sys.platform == "win32":
        return os.path.join(environ["LOCALAPPDATA"], "skillopt-sleep", "state")
    root = environ.get("XDG_DATA_HOME", "")
    if not os.path.isabs(root):
        mac = sys.platform == "darwin"
        root = os.path.expanduser("~/Library/Application Support" if mac else "~/.local/share")
    return os.path.join(root, "skillopt-sleep", "state")


def tell(state: str) -> None:
    """Say that proposals wait: once a day, and not where no person reads it."""
    if os.environ.get("CLAUDE_CODE_ENTRYPOINT", "").startswith("sdk"):
        return
    try:
        with open(os.path.join(state, "proposals_waiting.json"), "rb") as file:
            waiting = json.loads(file.read(MOST_FILE))["waiting"]
        if type(waiting) is int and waiting > 0:
            claim(os.path.join(state, "spool", time.strftime("told-%Y-%m-%d")))
            what = "1 proposal waits" if waiting == 1 else f"{waiting} proposals wait"
            line = {"systemMessage": f"skillopt-sleep: {what} for you; look with: skillopt-sleep show"}
            print(json.dumps(line), flush=True)
    except (OSError, ValueError, LookupError, TypeError):
        return  # no night has run yet, or it was told today


def leave() -> bool:
    """Go on behind the agent's back, in a process that holds none of its pipes; False in the one it waits for."""
    if not hasattr(os, "fork"):
        return True
    if os.fork():
        return False
    os.setsid()
    os.nice(10)
    null = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(null, stream)
    signal.alarm(2 * GIT_SECONDS)
    return True


def take_snapshot(base: str, cwd: str) -> None:
    """Keep the commit, and whether all work is in it, once a session; nothing of a project that opted out."""
    note = base + ".started.json"
    if os.path.exists(note):
        return
    until = time.monotonic() + GIT_SECONDS
    try:
        root, commit = os.fsdecode(git(cwd, until, "rev-parse", "--show-toplevel", "HEAD")).splitlines()
    except (Unfit, OSError, ValueError):
        return  # no repository, no git, or no commit yet
    if opted_out(root):
        return
    found = {"at": time.time(), "root": root, "commit": commit, "clean": is_clean(root, until)}
    with open(claim(note), "w", encoding="utf-8") as file:
        json.dump(found, file)


def is_clean(root: str, until: float) -> bool:
    """Whether git knows of nothing that isn't committed, new files among it; False where it can't tell."""
    plain = ("--porcelain", "--no-renames", "--untracked-files=normal", "--ignore-submodules=dirty")
    try:
        return not git(root, until, "status", *plain)
    except (Unfit, OSError):
        return False


def git(folder: str, until: float, *arguments: str) -> bytes:
    """What git says; Unfit where it fails, isn't done by then, or says too much."""
    import subprocess
    import threading

    own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    # Nothing is locked, asked for, fetched, or run because a repository says so.
    own.update(GIT_OPTIONAL_LOCKS="0", GIT_TERMINAL_PROMPT="0", GIT_NO_LAZY_FETCH="1", GIT_ALLOW_PROTOCOL="none")
    process = subprocess.Popen(
        ["git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + os.devnull, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        env=own,
    )
    timer = threading.Timer(max(0.0, until - time.monotonic()), process.kill)
    timer.daemon = True
    timer.start()
    try:
        said = process.stdout.read(MOST_SAID + 1) if process.stdout else b""
        if len(said) > MOST_SAID or process.wait():
            raise Unfit
    finally:
        timer.cancel()
        process.kill()
        process.wait()
    return said


def opted_out(root: str) -> bool:
    """Whether the project says that nothing is to be learned from it; no TOML reader is older than Python 3.11."""
    try:
        with open(os.path.join(root, ".skillopt-sleep", "project.toml"), "rb") as file:
            return re.search(rb"(?m)^\s*enabled\s*=\s*false\b", file.read(MOST_FILE)) is not None
    except OSError:
        return False


def claim(path: str) -> int:
    """The file, new and open; FileExistsError where another hook, or this one before, has it."""
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)


def put(path: str, note: dict[str, object]) -> None:
    """Write the note in one step, over the one before."""
    new = f"{path}.{os.getpid()}"
    with open(claim(new), "w", encoding="utf-8") as file:
        json.dump(note, file)
    os.replace(new, path)


def prune(spool: str) -> None:
    """Drop the notes that are older than a month, and the patches that earlier versions kept, secrets and all."""
    oldest = time.time() - KEPT_DAYS * 86400
    for folder, _, names in os.walk(spool):
        for name in names:
            path = os.path.join(folder, name)
            try:
                if name.endswith(".patch") or os.stat(path).st_mtime < oldest:
                    os.remove(path)
            except OSError:
                continue


def give_up(_signal: int, _frame: object) -> None:
    """End here, as if all were well."""
    os._exit(0)


if __name__ == "__main__":
    try:
        if hasattr(signal, "SIGALRM"):
            # The alarm isn't handed on to the process that git works for.
            signal.signal(signal.SIGALRM, give_up)
            signal.alarm(SECONDS)
        main()
    except BaseException:  # noqa: BLE001, S110 - whatever it is, it is none of the agent's business
        pass
    finally:
        # Not by way of the interpreter's own end, which may fail on a pipe the agent has closed.
        os._exit(0)
