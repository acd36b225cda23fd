import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sweeps import WHOLE

ROOT = Path(__file__).parents[3]
# A spool of its own, so that nobody's table is touched.
SPOOL = "mount -t tmpfs none /var/spool && mkdir -p /var/spool/cron/crontabs && exec"

EVERY = 1 if WHOLE else 64


def swept(folder: Path, *, crontab: str, inside: tuple[str, ...] = ()) -> dict[str, int]:
    """How many kills there were, and what was lost by them."""
    sweep = [sys.executable, str(Path(__file__).with_name("cron_crashes.py")), str(folder), crontab, str(EVERY)]
    done = subprocess.run(
        [*inside, *sweep],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    *lost, figures = done.stdout.splitlines()
    print(f"cron {crontab or 'stand-in'}: {figures}")
    assert lost == []
    return json.loads(figures)


@pytest.mark.skipif(sys.platform != "linux", reason="needs a process that adopts orphans")
@pytest.mark.timeout(1200)
@pytest.mark.slow
def test_no_kill_loses_a_line_of_the_crontab(tmp_path: Path) -> None:
    figures = swept(tmp_path, crontab="")
    assert figures["points"] >= 450 // EVERY
    assert figures["points_of_cron"] >= 4
    assert (figures["lost_lines"], figures["tables_not_as_before"]) == (0, 0)


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_no_kill_loses_a_line_with_the_machines_own_cron(tmp_path: Path) -> None:
    crontab = os.environ.get("SKILLOPT_SLEEP_TEST_CRONTAB") or shutil.which("crontab")
    if not crontab:
        pytest.skip("there is no crontab here; SKILLOPT_SLEEP_TEST_CRONTAB names one")
    inside = ("unshare", "-m", *(() if os.geteuid() == 0 else ("-r",)), "sh", "-c", f'{SPOOL} "$@"', "sh")
    if not shutil.which("unshare") or subprocess.run((*inside, "true"), capture_output=True, check=False).returncode:
        pytest.skip("no mount namespace can be had here")
    figures = swept(tmp_path, crontab=crontab, inside=inside)
    assert figures["points"] >= 450 // EVERY
    assert (figures["lost_lines"], figures["tables_not_as_before"]) == (0, 0)
