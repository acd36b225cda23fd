"""Real programs that end well, hang, flood, and leave children behind."""

import errno
import os
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

import skillopt_sleep
from skillopt_sleep.kit.process import MOST, ProcessResult, end_all, is_alive, run

PATIENCE = 300.0
SHORT = 1.5
DEAD_WITHIN = 2.0 * 2  # promised are two seconds; the rest is for a busy machine
MEGABYTES = 20


class Lifeline:
    """A named pipe that processes hold open as long as they live; each says a dot when it is ready."""

    def __init__(self, path: Path) -> None:
        os.mkfifo(path)
        self.handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        self.code = f"import os, signal, sys, time\nlife = os.open({str(path)!r}, os.O_WRONLY)\n"

    def hear(self, dots: int) -> None:
        """Wait until so many are ready."""
        while dots > 0:
            heard = len(self._read())
            assert heard, "all of them are gone"
            dots -= heard

    def ended(self) -> int:
        """Wait until all who held it are gone; returns how many have become ready meanwhile."""
        heard = 0
        while dots := self._read():
            heard += len(dots)
        return heard

    def _read(self) -> bytes:
        assert select.select([self.handle], [], [], PATIENCE)[0], "one is alive still, or never became ready"
        return os.read(self.handle, 100)


@pytest.fixture
def life(tmp_path: Path) -> Iterator[Lifeline]:
    line = Lifeline(tmp_path / "life")
    yield line
    os.close(line.handle)


def start(
    folder: Path,
    code: str,
    *,
    stdin: bytes = b"",
    timeout: float = PATIENCE,
    environ: Mapping[str, str] | None = None,
) -> ProcessResult:
    """Run Python code in a process of its own."""
    script = Path(tempfile.mkdtemp(dir=folder)) / "program.py"
    script.write_text(code)
    argv = [sys.executable, "-I", "-S", str(script)]
    return run(argv, stdin=stdin, cwd=folder, environ={} if environ is None else environ, timeout=timeout)


def begin_us(folder: Path, program: str, code: str) -> "subprocess.Popen[bytes]":
    """Code that uses the runner, in a process of its own: `go()` runs the program as long as it lasts."""
    hangs, script = folder / "hangs.py", folder / "us.py"
    hangs.write_text(program)
    script.write_text(
        dedent(f"""
        import os, resource, signal, sys, threading
        from pathlib import Path
        from skillopt_sleep.kit.process import end_all, run
        def go():
            argv = [sys.executable, "-I", "-S", {str(hangs)!r}]
            return run(argv, stdin=b"", cwd=Path("."), environ={{}}, timeout={PATIENCE})
        """)
        + dedent(code)
    )
    environ = {"PATH": os.environ["PATH"], "PYTHONPATH": str(Path(skillopt_sleep.__file__).parents[1])}
    return subprocess.Popen([sys.executable, str(script)], cwd=folder, env=environ, stdout=subprocess.PIPE)


def heard(us: "subprocess.Popen[bytes]") -> tuple[int, str]:
    """How it ended and what it said."""
    out, _ = us.communicate(timeout=PATIENCE)
    return us.returncode, out.decode()


DEAF = "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
HANG = "os.write(life, b'.')\nwhile True:\n    time.sleep(60)\n"
# The child is ready before its parent goes on.
WITH_CHILD = (
    "ready, told = os.pipe()\nif os.fork():\n    os.read(ready, 1)\n{parent}else:\n{child}    os.write(told, b'.')\n"
)


def test_a_program_that_ends_is_read_with_its_status(tmp_path: Path) -> None:
    ran = start(tmp_path, "import sys\nprint('out')\nprint('err', file=sys.stderr)\nsys.exit(3)\n")
    assert ran == ProcessResult(3, b"out\n", b"err\n", ran.seconds, "")
    assert ran.seconds > 0


def test_a_program_killed_by_others_says_by_which_signal(tmp_path: Path) -> None:
    ran = start(tmp_path, "import os, signal\nprint('half', flush=True)\nos.kill(os.getpid(), signal.SIGKILL)\n")
    assert (ran.status, ran.stdout, ran.stopped) == (-signal.SIGKILL, b"half\n", "")


def test_the_environment_and_the_folder_are_exactly_as_given(tmp_path: Path) -> None:
    environ = {"HOME": "/nowhere", "ODD": "a=b c"}
    env = run(["/usr/bin/env"], stdin=b"", cwd=tmp_path, environ=environ, timeout=PATIENCE)
    assert sorted(env.stdout.splitlines()) == [b"HOME=/nowhere", b"ODD=a=b c"]
    assert run(["/usr/bin/env"], stdin=b"", cwd=tmp_path, environ={}, timeout=PATIENCE).stdout == b""
    assert start(tmp_path, "import os\nprint(os.getcwd())\n").stdout.strip() == os.fsencode(tmp_path.resolve())


def test_a_program_has_a_session_of_its_own_and_none_of_our_files(tmp_path: Path) -> None:
    with (tmp_path / "ours").open("w") as ours:
        os.set_inheritable(ours.fileno(), True)
        code = f"import os\nprint(os.getpid() == os.getsid(0) == os.getpgid(0))\nos.fstat({ours.fileno()})\n"
        ran = start(tmp_path, code)
    assert ran.stdout == b"True\n"
    assert b"Bad file descriptor" in ran.stderr


def test_two_megabytes_of_prompt_arrive_whole_and_end(tmp_path: Path) -> None:
    prompt = os.urandom(2 * 1024 * 1024)
    ran = start(tmp_path, "import sys\nsys.stdout.buffer.write(sys.stdin.buffer.read())\n", stdin=prompt)
    assert (ran.status, ran.stdout == prompt) == (0, True)


@pytest.mark.parametrize(
    "code",
    ["print('done')\n", "import os\nos.read(0, 10)\nos.close(0)\nprint('done')\n"],
    ids=["unread", "closed early"],
)
def test_a_prompt_that_is_not_read_holds_nobody_up(tmp_path: Path, code: str) -> None:
    ran = start(tmp_path, code, stdin=b"x" * 2_000_000)
    assert (ran.status, ran.stdout, ran.stopped) == (0, b"done\n", "")


@pytest.mark.parametrize(
    ("code", "status", "processes"),
    [
        pytest.param(HANG, -signal.SIGTERM, 1, marks=pytest.mark.slow),
        pytest.param(DEAF + HANG, -signal.SIGKILL, 1, marks=pytest.mark.slow),
        ("os.fork()\n" + HANG, -signal.SIGTERM, 2),
        pytest.param(
            WITH_CHILD.format(parent="    pass\n", child=f"    {DEAF}") + HANG,
            -signal.SIGTERM,
            2,
            marks=pytest.mark.slow,
        ),
        (DEAF + "os.fork()\n" + HANG, -signal.SIGKILL, 2),
    ],
    ids=["itself", "deaf", "with a child", "with a deaf child", "deaf with a deaf child"],
)
def test_a_program_that_hangs_is_ended_with_all_its_group(
    tmp_path: Path, life: Lifeline, *, code: str, status: int, processes: int
) -> None:
    ran = start(tmp_path, life.code + "print('so far', flush=True)\n" + code, stdin=b"x" * 2_000_000, timeout=SHORT)
    assert life.ended() == processes
    assert (ran.status, ran.stdout, ran.stopped) == (status, b"so far\n", "timed_out")
    assert SHORT <= ran.seconds < SHORT + DEAD_WITHIN


def test_a_program_asked_to_end_may_say_goodbye(tmp_path: Path, life: Lifeline) -> None:
    leave = "def leave(*_):\n    print('bye', flush=True)\n    os._exit(143)\nsignal.signal(signal.SIGTERM, leave)\n"
    ran = start(tmp_path, life.code + leave + HANG, timeout=SHORT)
    assert (life.ended(), ran.status, ran.stdout, ran.stopped) == (1, 143, b"bye\n", "timed_out")


@pytest.mark.parametrize("pipes", ["held", "closed"])
def test_a_child_left_behind_by_a_program_that_ended_well_is_killed(
    tmp_path: Path, life: Lifeline, pipes: str
) -> None:
    parent = "    print('answer', flush=True)\n    os._exit(0)\n"
    child = f"    {DEAF}" + ("    os.closerange(0, 3)\n" if pipes == "closed" else "")
    ran = start(tmp_path, life.code + WITH_CHILD.format(parent=parent, child=child) + HANG)
    assert life.ended() <= 1
    assert (ran.status, ran.stdout, ran.stopped) == (0, b"answer\n", "")
    assert ran.seconds < PATIENCE / 2


def test_who_left_the_group_with_the_pipes_in_hand_holds_nobody_up(tmp_path: Path, life: Lifeline) -> None:
    child = "    os.setsid()\n    print(os.getpid(), flush=True)\n"
    ran = start(tmp_path, life.code + WITH_CHILD.format(parent="    os._exit(7)\n", child=child) + HANG)
    os.kill(int(ran.stdout), signal.SIGKILL)
    life.ended()
    assert (ran.status, ran.stopped) == (7, "")
    assert ran.seconds < PATIENCE / 2


def test_as_much_as_may_be_written_is_kept_whole(tmp_path: Path) -> None:
    ran = start(tmp_path, f"import sys\nsys.stdout.write('x' * {MOST})\n")
    assert (ran.status, len(ran.stdout), ran.stopped) == (0, MOST, "")


def test_one_byte_more_is_a_flood_though_the_program_has_ended(tmp_path: Path) -> None:
    argv = [sys.executable, "-I", "-S", "-c", "import os\nos.write(1, b'12345678901')\n"]
    ran = run(argv, stdin=b"", cwd=tmp_path, environ={}, timeout=PATIENCE, most=10)
    assert (ran.stdout, ran.stopped) == (b"1234567890", "flooded")


def test_of_what_a_program_complains_of_the_end_is_kept(tmp_path: Path) -> None:
    argv = [sys.executable, "-I", "-S", "-c", "import os\nos.write(2, b'working ' * 4 + b'no such model')\n"]
    ran = run(argv, stdin=b"", cwd=tmp_path, environ={}, timeout=PATIENCE, most=20)
    assert (ran.status, ran.stderr, ran.stopped) == (0, b"orking no such model", "")


@pytest.mark.parametrize(
    ("flood", "stdout", "stderr"),
    [
        ("for _ in range(1024): os.write(1, b'x' * (1 << 20))", MOST, 0),
        ("for _ in range(1024): os.write(2, b'x' * (1 << 20))", 0, 1 << 20),
        ("for n in range(10 ** 6): print(f'line {n:9}')", MOST, 0),
        ("for n in range(10 ** 6): print(f'line {n:99}', file=sys.stderr)", 0, 1 << 20),
    ],
    ids=["stdout", "stderr", "lines", "lines on stderr"],
)
def test_a_flood_is_ended_and_takes_no_memory(
    tmp_path: Path, life: Lifeline, *, flood: str, stdout: int, stderr: int
) -> None:
    # A fork starts its count of memory anew: after an exec it would begin at that of the test's own process.
    us = begin_us(
        tmp_path,
        life.code + "signal.signal(signal.SIGPIPE, signal.SIG_IGN)\nos.write(life, b'.')\n"
        f"def flood():\n    {flood}\nwhile True:\n    try: flood()\n    except OSError: pass\n",
        """
        def peak():
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1024 if sys.platform == "linux" else 1 << 20)
        if os.fork():
            sys.exit(os.waitstatus_to_exitcode(os.wait()[1]))
        run([sys.executable, "-c", "pass"], stdin=b"", cwd=Path("."), environ={}, timeout=60)
        before = peak()
        ran = go()
        print(ran.stopped, len(ran.stdout), ran.stdout.count(b"\\n") > 10**5, len(ran.stderr), peak() - before, flush=True)
        os._exit(0)
        """,
    )
    status, said = heard(us)
    life.ended()
    assert status == 0
    stopped, out, _, err, grown = said.split()
    assert stopped == "flooded"
    assert int(out) == stdout
    assert int(err) >= stderr
    assert int(grown) <= MEGABYTES


def test_eight_at_once_keep_apart(tmp_path: Path) -> None:
    # Each ends only when all eight have begun.
    code = dedent("""
        import os, sys, time
        me = sys.stdin.read()
        open(f"began-{me}", "w").close()
        while sum(name.startswith("began-") for name in os.listdir(".")) < 8:
            time.sleep(0.01)
        print(me * 100_000)
        """)
    with ThreadPoolExecutor(8) as pool:
        rans = list(pool.map(lambda n: start(tmp_path, code, stdin=str(n).encode()), range(8)))
    assert [ran.stdout for ran in rans] == [str(n).encode() * 100_000 + b"\n" for n in range(8)]
    assert {(ran.status, ran.stopped) for ran in rans} == {(0, "")}


def test_all_that_run_are_ended_from_another_thread(tmp_path: Path, life: Lifeline) -> None:
    with ThreadPoolExecutor(4) as pool:
        codes = [life.code + HANG] * 3 + [life.code + DEAF + HANG]
        futures = [pool.submit(start, tmp_path, code) for code in codes]
        life.hear(4)
        end_all()
        rans = [future.result(PATIENCE / 2) for future in futures]
    life.ended()
    assert [ran.status for ran in rans] == [-signal.SIGTERM] * 3 + [-signal.SIGKILL]
    assert {ran.stopped for ran in rans} == {""}


def test_ending_all_where_nothing_runs_does_nothing() -> None:
    end_all()


class EndsAll(dict[str, str]):
    """An environment that ends all programs as soon as one is started in it."""

    def items(self) -> Any:
        end_all()
        return super().items()


def test_a_program_that_is_just_being_started_when_all_are_ended_ends_too(tmp_path: Path) -> None:
    ran = start(tmp_path, "import time\nwhile True:\n    time.sleep(60)\n", environ=EndsAll(), timeout=5)

    assert (ran.status, ran.stopped) == (-15, "")


def test_a_signal_handler_may_end_what_its_own_thread_waits_for(tmp_path: Path, life: Lifeline) -> None:
    us = begin_us(
        tmp_path,
        life.code + HANG,
        """
        signal.signal(signal.SIGTERM, lambda *_: end_all())
        threading.Thread(target=lambda: print(go().status, flush=True)).start()
        print(go().status, flush=True)
        """,
    )
    life.hear(2)
    us.terminate()
    assert heard(us) == (0, "-15\n-15\n")
    life.ended()


def test_an_exit_of_ours_ends_what_a_thread_left_running(tmp_path: Path, life: Lifeline) -> None:
    # It is asked to: whoever is only killed has no time to say a second dot.
    leave = "def leave(*_):\n    os.write(life, b'.')\n    os._exit(0)\nsignal.signal(signal.SIGTERM, leave)\n"
    us = begin_us(
        tmp_path,
        life.code + leave + HANG,
        # A pause would never end where the signal came just before it.
        "import time\nthreading.Thread(target=go, daemon=True).start()\nsignal.signal(signal.SIGINT, sys.exit)\n"
        "while True:\n    time.sleep(0.05)\n",
    )
    life.hear(1)
    us.send_signal(signal.SIGINT)
    heard(us)
    assert life.ended() == 1


def test_an_exit_while_a_thread_is_starting_a_program_leaves_nothing_running(tmp_path: Path, life: Lifeline) -> None:
    # The program runs, and what would kill it if we were gone is not there yet.
    slow = """
        import time
        def slowly(event, arguments):
            if event == "subprocess.Popen" and arguments[0] == "/bin/sh":
                time.sleep(0.5)
        sys.addaudithook(slowly)
        threading.Thread(target=go, daemon=True).start()
        signal.signal(signal.SIGINT, sys.exit)
        while True:
            time.sleep(0.05)
    """
    us = begin_us(tmp_path, life.code + HANG, slow)
    life.hear(1)
    us.send_signal(signal.SIGINT)
    heard(us)
    assert life.ended() == 0


@pytest.mark.parametrize("raised", [KeyboardInterrupt, SystemExit])
def test_an_interrupt_ends_the_group_and_goes_on(tmp_path: Path, life: Lifeline, raised: type[BaseException]) -> None:
    us = begin_us(
        tmp_path,
        life.code + DEAF + "os.fork()\n" + HANG,
        f"""
        def leave(*_):
            raise {raised.__name__}
        signal.signal(signal.SIGINT, leave)
        try:
            go()
        except {raised.__name__}:
            print("raised", flush=True)
        sys.stdin = open({str(tmp_path / "wait")!r})
        """,
    )
    os.mkfifo(tmp_path / "wait")
    life.hear(2)
    us.send_signal(signal.SIGINT)
    life.ended()
    with (tmp_path / "wait").open("w"):
        assert heard(us) == (0, "raised\n")


def test_an_interrupt_just_as_a_program_has_been_started_ends_it(tmp_path: Path) -> None:
    # The moment in which whatever started it hands it over to what waits for it.
    us = begin_us(
        tmp_path,
        "import time\ntime.sleep(60)\n",
        """
        from skillopt_sleep.kit import process
        started = []
        def handed_over(frame, event, argument):
            if event == "return" and process._live and frame.f_back.f_code is process.run.__code__:
                sys.setprofile(None)
                started.extend(group.process.pid for group in process._live)
                raise KeyboardInterrupt
        sys.setprofile(handed_over)
        try:
            go()
        except KeyboardInterrupt:
            (pid,) = started
            try:
                os.kill(pid, 0)
                print("runs on")
            except ProcessLookupError:
                print("gone")
        """,
    )
    assert heard(us) == (0, "gone\n")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_no_group_outlives_us_where_we_are_killed(tmp_path: Path, life: Lifeline, number: signal.Signals) -> None:
    us = begin_us(tmp_path, life.code + DEAF + "os.fork()\n" + HANG, "go()\n")
    life.hear(2)
    us.send_signal(number)
    assert heard(us)[0] == -number
    life.ended()


def test_no_process_of_ours_is_left_unread(tmp_path: Path, life: Lifeline) -> None:
    us = begin_us(
        tmp_path,
        life.code + "os.write(life, b'.')\n",
        """
        for _ in range(3):
            go()
        try:
            print(os.waitpid(-1, os.WNOHANG))
        except ChildProcessError:
            print(len(os.listdir("/dev/fd")) < 10, threading.active_count(), flush=True)
        """,
    )
    assert heard(us) == (0, "True 1\n")
    assert life.ended() == 3


def test_a_program_that_cannot_be_started_raises_as_the_system_says(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("not a program\n")
    (tmp_path / "broken").write_text("not a program\n")
    (tmp_path / "broken").chmod(0o700)
    for name, number in {"missing": errno.ENOENT, "plain": errno.EACCES, "broken": errno.ENOEXEC}.items():
        with pytest.raises(OSError, match=name) as raised:
            run([str(tmp_path / name)], stdin=b"", cwd=tmp_path, environ={}, timeout=PATIENCE)
        assert raised.value.errno == number
    with pytest.raises(FileNotFoundError):
        run([sys.executable], stdin=b"", cwd=tmp_path / "gone", environ={}, timeout=PATIENCE)


def test_a_watch_ends_the_program_and_its_reason_is_told(tmp_path: Path) -> None:
    seen: list[int] = []

    def watch(pid: int) -> str:
        seen.append(pid)
        return "too_much" if len(seen) > 2 else ""

    ran = run(["/bin/sleep", "60"], stdin=b"", cwd=tmp_path, environ={}, timeout=30, watch=watch)
    assert ran.stopped == "too_much"
    assert ran.seconds < 30
    assert len(set(seen)) == 1


def test_only_what_is_handed_to_it_is_inherited(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("handed")
    with (tmp_path / "file").open() as file, (tmp_path / "file").open() as other:
        os.set_inheritable(other.fileno(), True)
        code = f"import os; print(os.read({file.fileno()}, 99).decode())\ntry: os.fstat({other.fileno()})\nexcept OSError: print('closed')"
        argv = [sys.executable, "-c", code]
        ran = run(argv, stdin=b"", cwd=tmp_path, environ={}, timeout=30, handed=[file.fileno()])
    assert ran.stdout.split() == [b"handed", b"closed"]


def test_a_process_is_alive_until_it_ends_and_also_before_it_is_waited_for() -> None:
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    since = datetime.now(UTC)
    assert is_alive(process.pid, since)
    process.kill()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert not is_alive(process.pid, since)
    process.communicate()
    assert not is_alive(process.pid, since)


def test_a_process_that_began_later_is_another_one_of_the_same_number() -> None:
    assert not is_alive(os.getpid(), datetime.now(UTC) - timedelta(days=30))
