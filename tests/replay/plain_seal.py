"""A seal that seals nothing: it runs a program plainly in the copy, for tests of what is made of its answer."""

from collections.abc import Sequence
from pathlib import Path

from skillopt_sleep.kit import process
from skillopt_sleep.kit.process import ProcessResult
from skillopt_sleep.protocols.sealing import HOME, Denial, Policy, Probe


class PlainSeal:
    """Counts what it ran."""

    name = "plain"

    def __init__(self) -> None:
        self.ran: list[tuple[str, ...]] = []

    def probe(self, folder: Path, /) -> Probe:
        return Probe(self.name, denied=frozenset(Denial))

    def run(self, argv: Sequence[str], policy: Policy, *, stdin: bytes = b"") -> ProcessResult:
        self.ran.append(tuple(argv))
        line = ["/usr/bin/env", *argv]  # found by the policy's PATH, and 127 if it isn't there
        cwd = policy.tree.upper / policy.cwd.relative_to(policy.root)
        environ = {name: value.replace(str(HOME), str(policy.home)) for name, value in policy.environ.items()}
        return process.run(line, stdin=stdin, cwd=cwd, environ=environ, timeout=policy.bounds.seconds)
