"""A night that wants to act in sealed copies and can't: it goes on in words and says why, and what helps."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.agents.acting_model import RuleKeeper
from tests.cli.test_run_deeds import CLAUDE, Part
from tests.cli.test_run_sealed import CHECK, RULE, Sleeper
from tests.command import ONE_ROUND, PROGRAM, Done
from tests.genuine import Programs
from tests.server import Asked, ModelServer
from tests.server_protocols import Said

SYSTEMS = Path("/usr/bin/bwrap")
NO_NAMESPACES = "echo 0 > /proc/sys/user/max_user_namespaces"
OLD = "#!/bin/sh\necho bubblewrap 0.4.1\n"
REFUSES = (
    "#!/bin/sh\n[ \"$1\" = --version ] && echo bubblewrap 0.8.0 && exit\necho 'bwrap: No permissions' >&2\nexit 1\n"
)

BREAKS = '#!/bin/sh\n[ -e "{flag}" ] && {{ echo "bwrap: No permissions" >&2; exit 1; }}\nexec {real} "$@"\n'

linux = pytest.mark.skipif(sys.platform != "linux", reason="the namespaces of Linux")


class Unsealed(Sleeper):
    """A person on whose machine something keeps every seal from holding; nothing else of the machine is changed."""

    around: tuple[str, ...] = ()

    def command(self, *arguments: str, cwd: Path | str | None = None, **environment: str) -> Done:
        done = subprocess.run(
            [*self.around, str(PROGRAM), *arguments],
            capture_output=True,
            text=True,
            env=self.environment | environment,
            cwd=cwd or self.folder,
            check=False,
            timeout=120,
        )
        return Done(done.returncode, done.stdout, done.stderr)


def a_person(folder: Path, programs: Programs, server: ModelServer) -> Unsealed:
    """Someone with Claude Code alone, whose sessions show a check that they ran again and again."""
    alone = folder / "bin"
    alone.mkdir()
    (alone / "claude").symlink_to(programs.claude.resolve())
    home = Unsealed(folder / "home", program=alone / "claude", address=server.root_url, model="claude-sonnet-5")
    Part(source=CLAUDE, command=CHECK).had_by(home)
    home.stood_here()
    return home


def in_a_namespace(script: str, *arguments: str) -> tuple[str, ...]:
    """Run what follows with the system as the script leaves it, for itself alone; skip where that can't be had."""
    around = ("unshare", "-U", "-r", "-m", "/bin/sh", "-c", f'set -e; {script}; shift "$0"; exec "$@"')
    words = (*around, str(len(arguments)), *arguments)
    if (
        shutil.which("unshare") is None
        or subprocess.run([*words, "true"], check=False, capture_output=True).returncode
    ):
        pytest.skip("namespaces of the test's own can't be had here")
    return words


def told(home: Unsealed) -> tuple[str, dict[str, Any]]:
    """The report in words, and what report.json and diagnostics.json say of what was sealed."""
    (night,) = (home.folder / "sleep" / "data" / "nights").iterdir()
    data, diagnostics = (json.loads((night / name).read_text()) for name in ("report.json", "diagnostics.json"))
    assert data["judging"] == diagnostics["judging"]
    return " ".join(home.command("report", "--verbose").out.split()), data["judging"]["sealed"]


@pytest.mark.cli
@linux
@pytest.mark.parametrize(
    ("program", "why", "helps"),
    [
        ("", "it isn't installed", "bubblewrap"),
        (OLD, "0.4.1 is too old", "newer bubblewrap"),
        (REFUSES, "No permissions", "namespaces"),
    ],
    ids=["not installed", "too old", "refuses"],
)
def test_a_night_whose_seals_fail_goes_on_in_words_and_says_why(
    tmp_path: Path, programs: Programs, program: str, why: str, helps: str
) -> None:
    if program and not SYSTEMS.exists():
        pytest.skip("no bubblewrap is installed in whose place another one can stand")
    ours = tmp_path / "bwrap"
    ours.write_text(program)
    ours.chmod(0o755 if program else 0o600)
    with ModelServer() as server:
        server.acts = RuleKeeper(RULE, lint=CHECK)
        home = a_person(tmp_path, programs, server)
        if SYSTEMS.exists():
            home.around = in_a_namespace(f'mount --bind "$1" {SYSTEMS}', str(ours))
        done = home.command("run", "--backend", "simulated", "--json", **ONE_ROUND)

    assert done.code == 0, f"{done.err}\n{done.out}"
    report, sealed = told(home)
    assert (sealed["agent"], sealed["seal"]) == ("", "")
    assert why in sealed["why_not"]
    assert helps in sealed["remedy"]
    assert "Nothing could be tried in a sealed copy" in report
    assert why in report
    assert sealed["remedy"] in report


@pytest.mark.cli
@linux
def test_a_machine_that_forbids_namespaces_is_told_what_helps(tmp_path: Path, programs: Programs) -> None:
    with ModelServer() as server:
        server.acts = RuleKeeper(RULE, lint=CHECK)
        home = a_person(tmp_path, programs, server)
        home.around = in_a_namespace(NO_NAMESPACES)
        done = home.command("run", "--backend", "simulated", "--json", **ONE_ROUND)

    assert done.code == 0, f"{done.err}\n{done.out}"
    report, sealed = told(home)
    assert "no seal holds on this machine" in sealed["why_not"]
    assert sealed["remedy"] in report
    assert "max_user_namespaces" in sealed["remedy"] or not SYSTEMS.exists()


@pytest.mark.cli
@linux
@pytest.mark.parametrize("after", [1, 2])
def test_a_seal_that_breaks_in_the_night_leaves_attempts_unscored_and_none_unsealed(
    tmp_path: Path, programs: Programs, after: int
) -> None:
    if not SYSTEMS.exists():
        pytest.skip("no bubblewrap is installed in whose place another one can stand")
    flag, real, ours = tmp_path / "broken", tmp_path / "real", tmp_path / "bwrap"
    shutil.copy2(SYSTEMS, real)
    ours.write_text(BREAKS.format(flag=flag, real=real))
    ours.chmod(0o755)
    keeper = RuleKeeper(RULE, lint=CHECK)
    sealed: list[Asked] = []

    def act(asked: Asked) -> Said:
        if asked.body.get("tools"):  # the agent asks, in its copy
            sealed.append(asked)
        if len(sealed) == after:
            flag.touch()
        return keeper(asked)

    with ModelServer() as server:
        server.acts = act
        home = a_person(tmp_path, programs, server)
        home.around = in_a_namespace(f'mount --bind "$1" {SYSTEMS}', str(ours))
        one_by_one = {"SKILLOPT_SLEEP_NIGHT_WORKERS": "1"}
        done = home.command("run", "--backend", "simulated", "--json", **ONE_ROUND, **one_by_one)

    assert flag.exists()
    (night,) = (home.folder / "sleep" / "data" / "nights").iterdir()
    report = json.loads((night / "report.json").read_text())
    rows = [json.loads(line) for line in (night / "rollouts.jsonl").read_text().splitlines()]
    broken = [row for row in rows if "seal didn't start" in row["trajectory"].get("failure", "")]
    assert broken, f"{done.err}\n{done.out}"
    assert all(row.get("score") is None for row in broken)
    assert {row["trajectory"].get("seal", "") for row in rows} == {report["judging"]["sealed"]["seal"]}
    assert "seal didn't start" in home.command("report", "--verbose").out
    assert (report["proposals"], done.code in {0, 1, 3}) == ([], True), report
    assert (home.project / "app.txt").read_text() == "old\n"
