"""An agent runs this when a session starts and ends: `python3 -I -S session.py AGENT`, with the hook's JSON on stdin.

It writes notes into the spool, a folder that only the person can read: at the start the commit and the work that
isn't committed, at the end a marker. It needs only Python from 3.8 on, no network and no model, and it returns at
once, while git works on in the background. Running it twice does no harm, and it exits 0 whatever happens. Nothing
depends on it: without its notes a night waits until a session rests, and doesn't know in which state the session
found the project.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import time

AGENTS = ("claude_code", "codex")
SECONDS = 3  # for the hook itself
GIT_SECONDS = 10  # for all questions to git, in the background
MOST_INPUT = 1024 * 1024
MOST_PATCH = 2 * 1024 * 1024
MOST_FILE = 256 * 1024  # of a file that git doesn't know yet
MOST_SETTINGS = 64 * 1024  # of a project's own settings
MOST_INDEX = 256 * 1024 * 1024
MOST_FILES = 500
KEPT_DAYS = 30
MOST_SPOOL = 200 * 1024 * 1024
_SECRET = tuple(
    """
    .env .env.* .envrc .netrc _netrc .npmrc .pypirc .git-credentials .pgpass .my.cnf .htpasswd .s3cfg .boto
    .vault-token .dockercfg .docker/config.json .kube/config *.kubeconfig .aws/config .ssh .gnupg
    id_rsa* id_dsa* id_ecdsa* id_ed25519* *.key *.pem *.p12 *.pfx *.ppk *.jks *.keystore *.kdbx
    *.tfvars *.tfvars.json *.tfstate service-account*.json service_account*.json
    """.split()  # noqa: SIM905
)
_SECRETS = (*_SECRET, "credentials*", "secrets.*", "kubeconfig*")


class Unusable(Exception):
    """Git failed, or what it printed can't be used."""


def main() -> None:
    """Do what the event asks for; other events are passed over."""
    agent = sys.argv[1]
    hook = json.loads(sys.stdin.buffer.read(MOST_INPUT))
    session = hook["session_id"]
    event = hook["hook_event_name"]
    if agent not in AGENTS or not re.fullmatch(r"[A-Za-z0-9_-]{1,128}", session):
        return
    state = state_folder()
    spool = os.path.join(state, "spool", agent)
    os.umask(0o077)
    os.makedirs(spool, exist_ok=True)
    if event == "SessionEnd":
        write_note(os.path.join(spool, session + ".ended.json"), {"at": time.time()})
    elif event == "SessionStart" and hook.get("source") != "compact":
        announce_proposals(state)
        if go_to_background():
            take_snapshot(os.path.join(spool, session), hook["cwd"])
            prune(os.path.join(state, "spool"))


def state_folder() -> str:
    """Return the folder in which the program keeps its state, by the program's own rules."""
    environ = os.environ
    home = os.path.expanduser(environ.get("SKILLOPT_SLEEP_HOME", ""))
    if os.path.isabs(home):  # a relative one would be a folder of whatever project the agent is in
        return os.path.join(os.path.abspath(home), "data", "state")
    if sys.platform == "win32":
        return os.path.join(environ["LOCALAPPDATA"], "skillopt-sleep", "state")
    root = environ.get("XDG_DATA_HOME", "")
    if not os.path.isabs(root):
        root = "~/Library/Application Support" if sys.platform == "darwin" else "~/.local/share"
        root = os.path.expanduser(root)
    return os.path.join(root, "skillopt-sleep", "state")


def announce_proposals(state: str) -> None:
    """Tell the person that proposals wait: once a day, and not in a session of a program."""
    if os.environ.get("CLAUDE_CODE_ENTRYPOINT", "").startswith("sdk"):
        return
    try:
        with open(os.path.join(state, "proposals_waiting.json"), "rb") as file:
            waiting = json.loads(file.read(MOST_FILE))["waiting"]
        if type(waiting) is int and waiting > 0:
            create(os.path.join(state, "spool", time.strftime("told-%Y-%m-%d")))
            what = "1 proposal waits" if waiting == 1 else f"{waiting} proposals wait"
            line = {"systemMessage": f"skillopt-sleep: {what} for you; go through them with: skillopt-sleep review"}
            print(json.dumps(line), flush=True)
    except (OSError, ValueError, LookupError, TypeError):
        return  # no night has run yet, or the person was told today


def go_to_background() -> bool:
    """Go on in a process that holds none of the agent's pipes; return False in the one that the agent waits for."""
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
    """Note the commit and what isn't committed, once a session; nothing of a project that opted out."""
    import shutil

    until = time.monotonic() + GIT_SECONDS
    try:
        output = git(
            cwd, until, "rev-parse", "--show-toplevel", "--git-path", "index", "--git-path", "objects", "HEAD"
        )
        root, index, objects, commit = os.fsdecode(output).splitlines()
    except (Unusable, OSError, ValueError):
        return  # there is no repository, no git, or no commit yet
    if opted_out(root):
        return
    note: dict[str, object] = {"at": time.time(), "root": root, "commit": commit, "complete": False}
    work = base + ".work"
    with open(create(base + ".patch"), "wb") as patch:
        try:
            os.mkdir(work)
            text, is_complete = uncommitted(
                root, until, work, index=os.path.join(cwd, index), objects=os.path.join(cwd, objects)
            )
            patch.write(text)
            note["complete"] = is_complete
        except (Unusable, OSError):
            pass  # the commit alone is worth a note
        finally:
            shutil.rmtree(work, ignore_errors=True)
    write_note(base + ".started.json", note)


def uncommitted(root: str, until: float, work: str, *, index: str, objects: str) -> tuple[bytes, bool]:
    """Return all changes against HEAD as one patch, without files that may hold secrets, and whether that is all.

    Git works on a copy of the index and with a store of objects of its own: the repository stays as it is. Raises
    Unusable if git would run a filter that the repository's own settings name: that is a command, for every changed
    file.
    """
    import shutil

    if names_filters(root, until) or not (is_plain(index, MOST_INDEX) and is_own(root, until, index, objects)):
        raise Unusable

    wanted = (".", *(":(exclude,icase,glob)**/" + name for name in _SECRETS))
    secret = tuple(":(icase,glob)**/" + name for name in _SECRETS)

    # The copy keeps the index's time, by which git knows what may have changed since.
    shutil.copy2(index, os.path.join(work, "index"))
    os.mkdir(os.path.join(work, "objects"))
    aside = {
        "GIT_INDEX_FILE": os.path.join(work, "index"),
        "GIT_OBJECT_DIRECTORY": os.path.join(work, "objects"),
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": objects,
    }
    list_new = ("ls-files", "--others", "--exclude-standard", "-z", "--")
    new_files = git(root, until, *list_new, *wanted).split(b"\0")[:-1]
    added = [name for name in new_files if is_plain(os.path.join(os.fsencode(root), name), MOST_FILE)][:MOST_FILES]
    if added:
        add_to_index(root, until, added, work, aside)
    diff = ("--binary", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--submodule=short")
    diff += ("--ignore-submodules=dirty", "--src-prefix=a/", "--dst-prefix=b/", "HEAD", "--")
    patch = git(root, until, "diff", *diff, *wanted, environ=aside)
    left_out = git(root, until, *list_new, *secret)
    if not left_out:
        left_out = git(root, until, "diff", "--name-only", *diff, *secret, environ=aside)
    kept = without_secrets(patch)
    is_complete = len(added) == len(new_files) and not left_out and len(kept) == len(patch)
    return kept, is_complete


def add_to_index(root: str, until: float, names: list[bytes], work: str, aside: dict[str, str]) -> None:
    """Add these new files to the copy of the index, so that a diff shows them."""
    listed = os.path.join(work, "names")
    with open(listed, "wb") as file:
        file.write(b"\0".join(names))
    from_list = ("--pathspec-from-file=" + listed, "--pathspec-file-nul")
    git(root, until, "add", "--intent-to-add", *from_list, environ=dict(aside, GIT_LITERAL_PATHSPECS="1"))


def without_secrets(patch: bytes) -> bytes:
    """Return the patch without files in which something looks like a secret; one too many costs little."""
    looks_secret = re.compile(
        rb"(?:pass(?:word|wd|phrase|code)?|pwd|secret|token|credentials?|api.?key|(?:access|private|account).?key|auth)"
        rb"[\w.-]{0,40}[\"'`\]]{0,2}[ \t]{0,8}(?:[:=]|=>|:=)[ \t]{0,8}[rbfu]?[\"'`]?[^\s\"'`]{4}"
        rb"|(?:authorization|bearer|basic)[\"':= \t]{1,8}\S{8}|private key-----|://[^/\s:@]{0,128}:[^/\s@]{1,256}@"
        rb"|\b(?:[sprk]k[-_]|gh[pousr]_|github_pat_|glpat-|xox[a-z]-|hf_|npm_|pypi-|akia|asia|aiza|eyj|sg\.)[\w.-]{12}",
        re.IGNORECASE,
    )
    kept: list[bytes] = []
    for file in re.split(rb"^(?=diff --git )", patch, flags=re.MULTILINE):
        # Above the hunks are names and git's own hashes.
        hunks = file.partition(b"\n@@")[2]
        if not looks_secret.search(hunks) and not has_random_run(hunks):
            kept.append(file)
    return b"".join(kept)


def has_random_run(hunks: bytes) -> bool:
    """Return whether a long run of capitals, small letters and digits is in the hunks, as in a key."""
    kinds = [re.compile(kind) for kind in (rb"[A-Z]", rb"[a-z]", rb"[0-9]")]
    runs = re.findall(rb"[A-Za-z0-9+]{24,}", hunks)
    return any(all(kind.search(run) for kind in kinds) for run in runs)


def names_filters(root: str, until: float) -> bool:
    """Return whether the repository's own settings name filters; the person's own, such as those of LFS, may run."""
    settings = git(root, until, "config", "--show-scope", "--name-only", "--list").splitlines()
    return any(line.startswith((b"local\tfilter.", b"worktree\tfilter.")) for line in settings)


def is_own(root: str, until: float, index: str, objects: str) -> bool:
    """Return whether the folder's repository is its own, and reads the objects of no other.

    Anybody can write a `.git` that leads to somebody else's repository. That of a worktree or a submodule is
    elsewhere too, but names the folder in turn.
    """
    folder = os.path.realpath(os.path.dirname(index))
    store = os.path.realpath(objects)
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
    """Return whether the path is inside the folder; both have no links in them."""
    return path.startswith(os.path.join(folder, ""))


def is_plain(path: str | bytes, most: int) -> bool:
    """Return whether the path is a plain file of at most `most` bytes."""
    import stat

    try:
        status = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISREG(status.st_mode) and status.st_size <= most


def git(folder: str, until: float, *arguments: str, environ: dict[str, str] | None = None) -> bytes:
    """Return what git prints; raises Unusable if it fails, isn't done in time, or prints more than MOST_PATCH."""
    import subprocess
    import threading

    variables = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    # Nothing is locked, asked for, fetched, or run because a repository says so.
    variables.update(
        GIT_OPTIONAL_LOCKS="0", GIT_TERMINAL_PROMPT="0", GIT_NO_LAZY_FETCH="1", GIT_ALLOW_PROTOCOL="none"
    )
    variables.update(environ or {})
    process = subprocess.Popen(
        ["git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + os.devnull, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        env=variables,
    )
    timer = threading.Timer(max(0.0, until - time.monotonic()), process.kill)
    timer.daemon = True
    timer.start()
    try:
        output = process.stdout.read(MOST_PATCH + 1) if process.stdout else b""
        if len(output) > MOST_PATCH or process.wait():
            raise Unusable
    finally:
        timer.cancel()
        process.kill()
        process.wait()
    return output


def opted_out(root: str) -> bool:
    """Return whether the project's settings turn learning off, or can't be read.

    They are searched for the one line, because Python has no TOML reader before 3.11.
    """
    path = os.path.join(os.path.realpath(root), ".skillopt-sleep", "project.toml")
    if not os.path.lexists(path):
        return False
    real = os.path.realpath(path)
    if not (is_below(real, os.path.realpath(root)) and is_plain(real, MOST_SETTINGS)):
        return True
    with open(real, "rb") as file:
        return re.search(rb"(?m)^\s*enabled\s*=\s*false\b", file.read(MOST_SETTINGS)) is not None


def create(path: str) -> int:
    """Create the file and open it; raises FileExistsError if another hook, or this one earlier, has created it."""
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)


def write_note(path: str, note: dict[str, object]) -> None:
    """Write the note in one step, over the earlier one."""
    new = f"{path}.{os.getpid()}"
    with open(create(new), "w", encoding="utf-8") as file:
        json.dump(note, file)
    os.replace(new, path)


def prune(spool: str) -> None:
    """Remove the oldest notes: those older than a month, and those beyond the spool's greatest size."""
    notes: list[tuple[float, int, str]] = []
    for folder, _, names in os.walk(spool):
        for name in names:
            path = os.path.join(folder, name)
            try:
                status = os.stat(path)
            except OSError:
                continue
            notes.append((status.st_mtime, status.st_size, path))
    room = MOST_SPOOL
    oldest = time.time() - KEPT_DAYS * 86400
    for at, size, path in sorted(notes, reverse=True):
        room -= size
        if at < oldest or room < 0:
            os.remove(path)


def give_up(_signal: int, _frame: object) -> None:
    """Exit at once, as if all were well."""
    os._exit(0)


if __name__ == "__main__":
    try:
        if hasattr(signal, "SIGALRM"):
            # The alarm isn't handed on to the process that git works for.
            signal.signal(signal.SIGALRM, give_up)
            signal.alarm(SECONDS)
        main()
    except BaseException:  # noqa: BLE001, S110 - whatever it is, the agent must not see it
        pass
    finally:
        # The interpreter's own way to exit may fail on a pipe that the agent has closed.
        os._exit(0)
