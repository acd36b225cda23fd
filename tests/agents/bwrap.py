"""A plain seal by bubblewrap, for the tests of what agents do in one: no network but the relay's socket."""

import shutil
from collections.abc import Sequence
from pathlib import Path

from skillopt_sleep.kit.process import ProcessResult, run
from skillopt_sleep.protocols.sealing import HOME, Policy

PROGRAM = shutil.which("bwrap")
SECONDS = 60.0
_FIXED = (
    *("--unshare-all", "--die-with-parent", "--new-session", "--clearenv", "--cap-drop", "ALL"),
    *("--uid", "1000", "--gid", "1000", "--hostname", "replay", "--ro-bind", "/usr", "/usr"),
    *("--symlink", "usr/bin", "/bin", "--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64"),
    *("--symlink", "usr/sbin", "/sbin", "--ro-bind-try", "/etc/ssl", "/etc/ssl"),
    *(
        "--ro-bind-try",
        "/etc/alternatives",
        "/etc/alternatives",
        "--proc",
        "/proc",
        "--dev",
        "/dev",
        "--tmpfs",
        "/tmp",  # noqa: S108 - its own
    ),
)


def sealed(argv: Sequence[str], policy: Policy, *, stdin: bytes, seconds: float = SECONDS) -> ProcessResult:
    """Run the program in a whole copy, with nothing else of the machine than the policy names."""
    assert PROGRAM
    shown: list[str] = []
    for inside, outside in policy.reads.items():
        shown += ["--ro-bind", str(outside), str(inside)]
    shown += ["--bind", str(policy.home), str(HOME), "--bind", str(policy.tree.upper), str(policy.root)]
    shown += ["--bind", str(policy.socket), "/run/model.sock", "--chdir", str(policy.cwd)]
    for name, value in policy.environ.items():
        shown += ["--setenv", name, value]
    command = [PROGRAM, *_FIXED, *shown, "--", *argv]
    return run(command, stdin=stdin, cwd=Path("/"), environ={"PATH": "/usr/bin:/bin"}, timeout=seconds)
