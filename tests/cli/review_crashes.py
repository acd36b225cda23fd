"""A program that kills a review before each change of the disk or the store, and checks what is left each time.

Run as `python tests/cli/review_crashes.py HOME EVERY`. HOME is a person's home in which a proposal of three rules
waits. Each time a child goes through all of them at a terminal (yes; edit, then yes; no) and is killed before its
k-th change, for each EVERY-th k from the first; then another review goes on. Nothing may be torn, lost or stuck.
"""

import os
import pty
import select
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from skillopt_sleep.cli.decisions import consistent_journal
from skillopt_sleep.cli.review import review
from skillopt_sleep.deciding.stored import opened
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.proposals.undo import undo
from skillopt_sleep.stores.bank import ADOPTED, REJECTED, WITHDRAWN

CHANGES = {"os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.chmod", "os.chown", "os.setxattr", "os.removexattr"}
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT
STATEMENTS = ("INSERT", "UPDATE", "DELETE", "BEGIN", "COMMIT")
PROVEN, OWN, REFUSED = "- Use pnpm, never npm.", "- Be brief, always.", "- Answer in English."
SECONDS = 300.0
ENDED = {"P-0001": WITHDRAWN, "P-0001.1": ADOPTED, "P-0001.2": WITHDRAWN, "P-0001.2.1": ADOPTED, "P-0001.3": REJECTED}


def die_before(step: int) -> None:
    """Kill this process before its step-th change of the disk or the store."""
    seen = 0

    def count() -> None:
        nonlocal seen
        seen += 1
        if seen == step:
            os.kill(os.getpid(), signal.SIGKILL)

    def statement(text: str) -> None:
        if text.lstrip().startswith(STATEMENTS):
            count()

    opening: list[sqlite3.Connection] = []

    def event(name: str, args: tuple[Any, ...]) -> None:
        if name == "sqlite3.connect/handle":
            opening.append(args[0])  # it isn't ready yet; any later event will do
            return
        while opening:
            opening.pop().set_trace_callback(statement)
        if name in CHANGES or (name == "open" and (args[2] or 0) & WRITES):
            count()

    sys.addaudithook(event)


def walked(step: int) -> bool:
    """Go through what waits in a child that dies before this change (0: never); return whether it came to its end."""
    child, master = pty.fork()
    if child == 0:
        if step:
            die_before(step)
        review()
        os._exit(0)
    said, seen = "", 0
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        if not select.select([master], [], [], 1.0)[0]:
            continue
        try:
            said += os.read(master, 65_536).decode(errors="replace")
        except OSError:
            break  # the child is over
        key = answer(said[seen:])
        if key:
            time.sleep(0.05)  # what is typed before the question is dropped
            os.write(master, key.encode())
            seen = len(said)
    os.close(master)
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        return False
    assert os.waitstatus_to_exitcode(status) == 0, said
    return True


def answer(said: str) -> str:
    """Return what the person types next: by the rule they see, whatever was decided before."""
    if said.rstrip().endswith("(Enter for no reason)"):
        return "\n"
    if said.rstrip().endswith("[y/N]:"):
        return "y\n"
    if not said.rstrip().endswith("quit"):
        return ""
    rule = said.split("Asked", maxsplit=1)[0]
    if REFUSED[2:] in rule:
        return "n"
    if PROVEN[2:] in rule or "you changed its words" in said:
        return "y"
    return "e"


def check(project: Path, before: bytes, counts: Counter[str]) -> None:
    """After a kill the file and the store agree; a second review ends as one without a kill, and all is undone."""
    with opened() as store, consistent_journal(store):
        states = {decided.proposal.id: decided.state for decided in store.bank.proposals()}
    text = project.read_bytes()
    torn = before not in text
    for name, rule in (("P-0001.1", PROVEN), ("P-0001.2.1", OWN)):
        live = rule.encode() in text
        counts["lost"] += live != (states.get(name) == ADOPTED)
    torn = torn or REFUSED.encode() in text or text.count(b"skillopt-sleep:begin") > 1
    counts["torn"] += torn
    walked(0)
    with opened() as store, consistent_journal(store) as journal:
        states = {decided.proposal.id: decided.state for decided in store.bank.proposals()}
        counts["stuck"] += states != ENDED
        for name in ("P-0001.2.1", "P-0001.1"):
            undo(name, journal=journal, at=utc_now())
    counts["torn"] += project.read_bytes() != before


def main(home: Path, every: int) -> None:
    """Sweep all changes, and print how many reviews were killed and what became of them."""
    kept = Path(tempfile.mkdtemp(dir=home.parent)) / "kept"
    shutil.copytree(home, kept, symlinks=True)
    project = home / "work" / "shop-api" / "CLAUDE.md"
    before = project.read_bytes()
    counts: Counter[str] = Counter(killed=0, torn=0, lost=0, stuck=0)
    step = 1
    while not walked(step):
        counts["killed"] += 1
        check(project, before, counts)
        shutil.rmtree(home)
        shutil.copytree(kept, home, symlinks=True)
        step += every
    print(", ".join(f"{name} {count}" for name, count in counts.items()))
    assert not counts["torn"] + counts["lost"] + counts["stuck"]


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
