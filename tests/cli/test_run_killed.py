"""A night that is killed while its agent acts in sealed copies leaves nothing, and the next one pays for little again."""

import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from skillopt_sleep.replay.seals import SEALS, chosen
from tests.agents.acting_model import steps_of
from tests.cli.test_run_attacked import KEY, files_with, mounts_below
from tests.cli.test_run_deeds import CLAUDE, Part
from tests.cli.test_run_sealed import CHECK, RULE, Chatty, Sleeper
from tests.command import ONE_ROUND, PROGRAM
from tests.genuine import Programs
from tests.sealed import alive_with
from tests.server import Asked, ModelServer
from tests.server_protocols import Said
from tests.sweeps import WHOLE, sampled

WORKERS = 2
RUN = ("run", "--backend", "simulated", "--json")
LONGEST = 90.0


class Counting(Chatty):
    """Counts the attempts that began; `reached` is set with the request of this number."""

    def __init__(self, at: int) -> None:
        super().__init__(RULE, lint=CHECK)
        self.begun = 0
        self.asked = 0
        self.at = at
        self.reached = threading.Event()
        self._lock = threading.Lock()

    def __call__(self, asked: Asked) -> Said:
        if asked.body.get("tools"):
            with self._lock:
                self.asked += 1
                self.begun += steps_of(asked.body) == 0
                if self.asked == self.at:
                    self.reached.set()
        return super().__call__(asked)


class Killed(Sleeper):
    """A person whose temporary files lie in a folder of their own."""

    temporary: Path

    @property
    def environment(self) -> dict[str, str]:
        return super().environment | {
            "TMPDIR": str(self.temporary),
            "SKILLOPT_SLEEP_NIGHT_WORKERS": str(WORKERS),
            **({} if WHOLE else ONE_ROUND),  # the late moments of a whole sweep need a longer night
        }


@pytest.fixture
def temporary() -> Iterator[Path]:
    """A folder with a short path, as sockets need."""
    made = Path(tempfile.mkdtemp(prefix="k", dir="/tmp"))
    yield made
    shutil.rmtree(made, ignore_errors=True)


def a_night(folder: Path, program: Path, server: ModelServer, temporary: Path) -> Killed:
    """A person with sessions and a repository."""
    probes = folder / "probes"
    probes.mkdir()
    if chosen(SEALS, probes).seal is None:
        pytest.skip("nothing can be sealed here")
    home = Killed(folder / "home", program=program, address=server.root_url, model="claude-sonnet-5")
    home.temporary = temporary
    Part(source=CLAUDE, command=CHECK).had_by(home)
    home.stood_here()
    return home


def left_of(home: Killed) -> list[str]:
    """Mounts and command lines of what still runs of a night; it has a moment to end."""
    until = time.monotonic() + 5
    while (found := _left(home)) and time.monotonic() < until:
        time.sleep(0.05)
    return found


def _left(home: Killed) -> list[str]:
    running = [line for word in (str(home.folder), str(home.temporary)) for line in alive_with(word)]
    return running + mounts_below(home.folder)


@pytest.fixture(scope="session")
def attempts_of_a_whole_night(programs: Programs, tmp_path_factory: pytest.TempPathFactory) -> int:
    """How many attempts a night makes that nobody kills."""
    temporary = Path(tempfile.mkdtemp(prefix="k", dir="/tmp"))
    with ModelServer() as server:
        server.acts = model = Counting(0)
        home = a_night(tmp_path_factory.mktemp("whole"), programs.claude, server, temporary)
        assert home.command(*RUN).code == 0
    shutil.rmtree(temporary)
    return model.begun


class Moment(NamedTuple):
    """When a night is killed: so many seconds after its agent's request of this number, or after the start."""

    request: int
    seconds: float
    whole_group: bool


# In the agent's run, between two of them, in the check, at the end.
_LATER = [(at, after) for at in (1, 2, 3, 5, 8, 13, 21, 34) for after in (0.0, 0.05, 0.4)]
# In the probe of the seals, with a base half made, with the first copies.
_EARLY = [(0, after) for after in (0.6, 0.9, 1.2, 1.5, 1.8, 2.1, 2.5, 3.0)]
ALL = [Moment(at, after, group) for at, after in (*_LATER, *_EARLY) for group in (True, False)]
MOMENTS = sampled(ALL, every=48)


@pytest.mark.cli
@pytest.mark.slow
@pytest.mark.parametrize(
    "moment", MOMENTS, ids=lambda moment: f"{moment.request}-{moment.seconds}-{moment.whole_group}"
)
def test_a_killed_night_leaves_nothing_and_is_gone_on_with(
    tmp_path: Path, programs: Programs, temporary: Path, attempts_of_a_whole_night: int, moment: Moment
) -> None:
    with ModelServer() as server:
        server.acts = model = Counting(moment.request)
        home = a_night(tmp_path, programs.claude, server, temporary)
        night = subprocess.Popen(
            [str(PROGRAM), *RUN],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=home.environment,
            cwd=home.folder,
            start_new_session=True,
        )
        if moment.request:
            assert model.reached.wait(LONGEST)
        time.sleep(moment.seconds)
        was_running = night.poll() is None
        if moment.whole_group:
            os.killpg(night.pid, signal.SIGKILL)
        else:
            night.kill()
        night.wait()
        assert was_running

        assert left_of(home) == []
        assert files_with(home.folder, KEY) == files_with(temporary, KEY) == []

        done = home.command(*RUN)
    assert (done.code, done.json["verdict"]) == (0, "improved"), f"{done.err}\n{done.out}"
    assert model.begun <= attempts_of_a_whole_night + WORKERS
    assert home.git("status", "--porcelain") == ""
    replays = home.folder / "sleep" / "data" / "replays"
    assert [
        path.name
        for path in replays.rglob("*")
        if path.name.startswith(("call-", "attempt-", "copy-", "making-", "scratch-"))
    ] == []
    assert [path.name for path in temporary.iterdir() if path.name.startswith("relay-")] == []
