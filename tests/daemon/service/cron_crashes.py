"""A program that kills installs and uninstalls at every operation, on a machine with cron alone, and counts lost lines.

Run as `python tests/daemon/service/cron_crashes.py FOLDER CRONTAB EVERY`: CRONTAB is the program to use, "" a stand-in.
A child process is killed before its k-th operation, k being a multiple of EVERY, and cron's own program together with it
before each of its steps; then either command is run again, and the user's table is looked at. Last line: JSON.
"""

import ctypes
import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from skillopt_sleep.daemon.service.install import install, uninstall
from skillopt_sleep.daemon.service.machine import Machine
from tests.installs import machine, program

TABLE = b"MAILTO=me\n# backups\n5 4 * * * backup 50\\%\n\n@daily tidy up\n"
OPERATIONS = {
    *("os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.chmod", "os.chown", "os.setxattr", "os.removexattr"),
    *("subprocess.Popen", "_thread.start_new_thread", "os.kill", "os.killpg"),
}
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT
VERBS: dict[str, Callable[[Machine], object]] = {"install": install, "uninstall": uninstall}
SUBREAPER = 36
MOST_STEPS = 400
CALLS = ["openat", "chdir", "write", "fchown", "fchmod", "chmod", "rename", "unlink", "utimensat", "exit_group"]
# Cron's program dies before the step that the file `dies` names, and whoever called it dies too. A genuine program is
# told so by strace at each of its calls of the system; the stand-in says itself where it is.
GENUINE = """#!/bin/sh
if [ "$1" != -l ] && [ -e "$HOME/dies" ]; then
  read -r at call < "$HOME/dies"
  rm "$HOME/dies"
  strace -o "$HOME/trace" -e "inject=$call:signal=KILL:when=$at" {program} "$@"
  grep -q "killed by SIGKILL" "$HOME/trace" && {{ touch "$HOME/died"; kill -9 $PPID $$; }}
  exit 0
fi
exec {program} "$@"
"""
STAND_IN = """#!/bin/sh
step=0
[ "$1" != -l ] && [ -e "$HOME/dies" ] && read -r at call < "$HOME/dies"
next() {
  step=$((step + 1))
  [ "$step" = "$at" ] && { rm "$HOME/dies"; touch "$HOME/died"; kill -9 $PPID $$; }
  return 0
}
table="$HOME/table"
[ "$1" = - ] && set -- /dev/stdin
case "$1" in
-l) if [ -f "$table" ]; then cat "$table"; else echo "no crontab for me" >&2; exit 1; fi ;;
-r) next; rm "$table"; next ;;
*) next; : > "$table.new"; next; cat "$(echo "$1" | cut -c 1-99)" > "$table.new"
   next; mv "$table.new" "$table"; next ;;
esac
"""


class World(NamedTuple):
    """A home with Claude Code's settings on a machine that has nothing but cron."""

    home: Path
    crontab: str

    def build(self, table: bytes | None) -> None:
        shutil.rmtree(self.home, ignore_errors=True)
        self.home.mkdir(parents=True)
        machine(self.home)
        shutil.rmtree(self.home / ".codex")
        text = GENUINE.format(program=self.crontab) if self.crontab else STAND_IN
        program(self.home, "crontab", text)
        if self.read() is not None:
            self.cron("-r")
        if table is not None:
            (self.home / "given").write_bytes(table)
            self.cron(str(self.home / "given"))

    def cron(self, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        argv = [str(self.home / "bin" / "crontab"), *arguments]
        return subprocess.run(argv, env={**os.environ, "HOME": str(self.home)}, capture_output=True, check=False)

    def read(self) -> bytes | None:
        ran = self.cron("-l")
        return ran.stdout if ran.returncode == 0 else None

    def run(self, verb: str, *, dies_at: int = 0) -> bool:
        """Run the command in a child that dies before this operation, of none where it is 0; whether it died."""
        child = os.fork()
        if child == 0:
            status = 1
            try:
                if dies_at:
                    _die_before(dies_at)
                VERBS[verb](machine(self.home, platform="freebsd14", has_systemd=False))
                status = 0
            except BaseException:  # noqa: BLE001
                traceback.print_exc()
            finally:
                os._exit(status)
        status = os.waitpid(child, 0)[1]
        with suppress(ChildProcessError):
            while True:
                os.wait()  # cron's program and its warden, which are ours now
        assert os.WIFSIGNALED(status) or os.waitstatus_to_exitcode(status) == 0, f"{verb} failed"
        return os.WIFSIGNALED(status)


def _die_before(step: int) -> None:
    seen = 0

    def count(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal seen
        if event in OPERATIONS or (event == "open" and (arguments[2] or 0) & WRITES):
            seen += 1
            if seen == step:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)


def points(world: World, verb: str, table: bytes | None, every: int) -> Iterator[tuple[str, int]]:
    """Leave the world as a kill leaves it, for one point after the other."""
    of_cron = ["step"] if not world.crontab else CALLS if shutil.which("strace") else []
    for kind in ("ours", *of_cron):
        first = every if kind == "ours" else 1
        for step in range(first, MOST_STEPS, first):
            world.build(table)
            if verb == "uninstall":
                world.run("install")
            if kind == "ours":
                died = world.run(verb, dies_at=step)
            else:
                (world.home / "dies").write_text(f"{step} {kind}\n")
                world.run(verb)
                died = (world.home / "died").exists()
            if not died:
                break
            (world.home / "dies").unlink(missing_ok=True)
            yield kind, step


def sweep(world: World, every: int) -> dict[str, int]:
    """Count the points, those of cron's own program among them, and the lines of the user's that were lost."""
    told = {"points": 0, "points_of_cron": 0, "lost_lines": 0, "tables_not_as_before": 0}
    for verb, then, table in itertools.product(VERBS, VERBS, (TABLE, None)):
        for kind, step in points(world, verb, table, every):
            world.run(then)
            lines = (world.read() or b"").splitlines()
            lost = [line for line in (table or b"").splitlines() if line not in lines]
            world.run("uninstall")
            odd = world.read() != table
            told["points"] += 1
            told["points_of_cron"] += kind != "ours"
            told["lost_lines"] += len(lost)
            told["tables_not_as_before"] += odd
            if lost or odd:
                print(f"{verb} killed before {step} ({kind}), then {then}: lost {lost}, now {world.read()!r}")
    return told


def main() -> None:
    folder, crontab, every = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    ctypes.CDLL(None).prctl(SUBREAPER, 1)
    print(json.dumps(sweep(World(folder / "home", crontab), every)))


if __name__ == "__main__":
    main()
