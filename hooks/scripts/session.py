"""What an agent runs when a session starts and ends: `python3 -I -S session.py AGENT`, the hook's JSON on stdin.

It leaves notes in the spool, a folder that only the person can read: at the start the commit and the work that isn't
committed, at the end a marker. It needs nothing but a Python from 3.8 on, no network and no model, it is done at once
(git works on behind it), running it twice is as good as once, and it exits 0 whatever happens. Nothing depends on it:
without its notes a night waits until a session rests, and doesn't know in which state it found the project.
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
MOST_PATCH = 2 * 1024 * 1024
MOST_FILE = 256 * 1024  # a file git doesn't know yet
MOST_SETTINGS = 64 * 1024  # a project's own
MOST_INDEX = 256 * 1024 * 1024
MOST_FILES = 500
KEPT_DAYS = 30
MOST_SPOOL = 200 * 1024 * 1024
_SECRET = (".env", ".env.*", ".envrc", ".netrc", ".npmrc", ".pypirc", "id_rsa*", "id_ed25519*", "*.key", "*.pem")
_SECRETS = (*_SECRET, "*.p12", "*.pfx", "*.kdbx", "credentials*", "secrets.*")


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
    """Keep the commit and what isn't committed beside it, once a session; nothing of a project that opted out."""
    import shutil

    until = time.monotonic() + GIT_SECONDS
    try:
        found = git(
            cwd, until, "rev-parse", "--show-toplevel", "--git-path", "index", "--git-path", "objects", "HEAD"
        )
        root, index, objects, commit = os.fsdecode(found).splitlines()
    except (Unfit, OSError, ValueError):
        return  # no repository, no git, or no commit yet
    if opted_out(root):
        return
    note: dict[str, object] = {"at": time.time(), "root": root, "commit": commit, "complete": False}
    work = base + ".work"
    with open(claim(base + ".patch"), "wb") as patch:
        try:
            os.mkdir(work)
            text, everything = uncommitted(
                root, until, work, index=os.path.join(cwd, index), objects=os.path.join(cwd, objects)
            )
            patch.write(text)
            note["complete"] = everything
        except (Unfit, OSError):
            pass  # the commit alone is worth a note
        finally:
            shutil.rmtree(work, ignore_errors=True)
    put(base + ".started.json", note)


def uncommitted(root: str, until: float, work: str, *, index: str, objects: str) -> tuple[bytes, bool]:
    """All changes against HEAD as one patch, but for files with secrets; whether that is everything.

    Git works on a copy of the index and with a store of objects of its own: the repository stays as it is. Unfit
    where git would run a filter that the repository's own settings name: that is a command, for every changed file.
    """
    import shutil

    if names_filters(root, until) or not (is_plain(index, MOST_INDEX) and is_own(root, until, index, objects)):
        raise Unfit

    paths = (".", *(":(exclude,icase,glob)**/" + name for name in _SECRETS))
    secrets = tuple(":(icase,glob)**/" + name for name in _SECRETS)

    shutil.copy2(index, os.path.join(work, "index"))  # with its time, by which git knows what may have changed since
    os.mkdir(os.path.join(work, "objects"))
    aside = {
        "GIT_INDEX_FILE": os.path.join(work, "index"),
        "GIT_OBJECT_DIRECTORY": os.path.join(work, "objects"),
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": objects,
    }
    unknown = ("ls-files", "--others", "--exclude-standard", "-z", "--")
    others = git(root, until, *unknown, *paths).split(b"\0")[:-1]
    fit = [name for name in others if is_plain(os.path.join(os.fsencode(root), name), MOST_FILE)][:MOST_FILES]
    if fit:
        listed = os.path.join(work, "names")
        with open(listed, "wb") as file:
            file.write(b"\0".join(fit))
        named = ("--pathspec-from-file=" + listed, "--pathspec-file-nul")
        git(root, until, "add", "--intent-to-add", *named, environ=dict(aside, GIT_LITERAL_PATHSPECS="1"))
    plain = ("--binary", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--submodule=short")
    same = ("--ignore-submodules=dirty", "--src-prefix=a/", "--dst-prefix=b/", "HEAD", "--")
    patch = git(root, until, "diff", *plain, *same, *paths, environ=aside)
    left_out = git(root, until, *unknown, *secrets) or git(
        root, until, "diff", "--name-only", *plain, *same, *secrets, environ=aside
    )
    kept = without_secrets(patch)
    return kept, len(fit) == len(others) and not left_out and len(kept) == len(patch)


def without_secrets(patch: bytes) -> bytes:
    """The patch without files in whose hunks something looks like a secret; one left out in error costs little."""
    import re

    looks = re.compile(
        rb"(?:pass(?:word|wd|phrase|code)?|pwd|secret|token|credentials?|api.?key|(?:access|private|account).?key|auth)"
        rb"[\w.-]{0,40}[\"'`\]]{0,2}[ \t]{0,8}(?:[:=]|=>|:=)[ \t]{0,8}[rbfu]?[\"'`]?[^\s\"'`]{4}"
        rb"|(?:authorization|bearer|basic)[\"':= \t]{1,8}\S{8}|private key-----|://[^/\s:@]{0,128}:[^/\s@]{1,256}@"
        rb"|\b(?:[sprk]k[-_]|gh[pousr]_|github_pat_|glpat-|xox[a-z]-|hf_|npm_|pypi-|akia|asia|aiza|eyj|sg\.)[\w.-]{12}",
        re.IGNORECASE,
    )
    runs = re.compile(rb"[A-Za-z0-9+]{24,}")
    mixed = [re.compile(kind) for kind in (rb"[A-Z]", rb"[a-z]", rb"[0-9]")]
    files = re.split(rb"^(?=diff --git )", patch, flags=re.MULTILINE)
    return b"".join(
        file
        for file in files
        for hunks in (file.partition(b"\n@@")[2],)  # above them stand names and git's own hashes
        if not looks.search(hunks) and not any(all(k.search(run) for k in mixed) for run in runs.findall(hunks))
    )


def names_filters(root: str, until: float) -> bool:
    """Whether the repository's own settings name filters; the person's own, such as those of LFS, may run."""
    said = git(root, until, "config", "--show-scope", "--name-only", "--list").splitlines()
    return any(line.startswith((b"local\tfilter.", b"worktree\tfilter.")) for line in said)


def is_own(root: str, until: float, index: str, objects: str) -> bool:
    """Whether the folder's repository is its own, and reads the objects of no other.

    Anybody can write a `.git` that leads to somebody else's repository. That of a worktree or a submodule lies
    elsewhere too, but names the folder in turn.
    """
    folder, store = os.path.realpath(os.path.dirname(index)), os.path.realpath(objects)
    if os.path.lexists(os.path.join(store, "info", "alternates")):
        return False
    home = os.path.realpath(root)
    if is_below(folder, home) and is_below(store, home):
        return True
    named = os.path.join(folder, "gitdir")
    if is_plain(named, MOST_SETTINGS):
        with open(named, "rb") as file:
            back = os.path.join(folder, os.fsdecode(file.read(MOST_SETTINGS).strip()))
        return os.path.realpath(os.path.dirname(back)) == home and is_below(
            store, os.path.dirname(os.path.dirname(folder))
        )
    back = os.fsdecode(git(root, until, "config", "--get", "core.worktree").rstrip(b"\n"))
    return os.path.realpath(os.path.join(folder, back)) == home and is_below(store, folder)


def is_below(path: str, folder: str) -> bool:
    """Whether the path is inside the folder; both are real ones."""
    return path.startswith(os.path.join(folder, ""))


def is_plain(path: str | bytes, most: int) -> bool:
    """Whether it is a plain file of at most so many bytes."""
    import stat

    try:
        found = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISREG(found.st_mode) and found.st_size <= most


def git(folder: str, until: float, *arguments: str, environ: dict[str, str] | None = None) -> bytes:
    """What git says; Unfit where it fails, isn't done by then, or says more than a patch may be long."""
    import subprocess
    import threading

    own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    # Nothing is locked, asked for, fetched, or run because a repository says so.
    own.update(GIT_OPTIONAL_LOCKS="0", GIT_TERMINAL_PROMPT="0", GIT_NO_LAZY_FETCH="1", GIT_ALLOW_PROTOCOL="none")
    own.update(environ or {})
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
        said = process.stdout.read(MOST_PATCH + 1) if process.stdout else b""
        if len(said) > MOST_PATCH or process.wait():
            raise Unfit
    finally:
        timer.cancel()
        process.kill()
        process.wait()
    return said


def opted_out(root: str) -> bool:
    """Whether the project says that nothing is to be learned from it, or says what can't be read.

    No TOML reader is older than Python 3.11.
    """
    path = os.path.join(os.path.realpath(root), ".skillopt-sleep", "project.toml")
    if not os.path.lexists(path):
        return False
    real = os.path.realpath(path)
    if not (is_below(real, os.path.realpath(root)) and is_plain(real, MOST_SETTINGS)):
        return True
    with open(real, "rb") as file:
        return re.search(rb"(?m)^\s*enabled\s*=\s*false\b", file.read(MOST_SETTINGS)) is not None


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
    """Drop the oldest notes: those older than a month, and what is more than a spool may hold."""
    found: list[tuple[float, int, str]] = []
    for folder, _, names in os.walk(spool):
        for name in names:
            path = os.path.join(folder, name)
            try:
                status = os.stat(path)
            except OSError:
                continue
            found.append((status.st_mtime, status.st_size, path))
    left, oldest = MOST_SPOOL, time.time() - KEPT_DAYS * 86400
    for at, size, path in sorted(found, reverse=True):
        left -= size
        if at < oldest or left < 0:
            os.remove(path)


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
