"""What every seal promises: each way out is tried for real, and none leads out. Seals that aren't there are skipped."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import pytest

from skillopt_sleep.errors import SealBroken
from skillopt_sleep.kit.scratch import remove_tree
from skillopt_sleep.protocols.sealing import HOME, SOCKET, Denial, Probe, Seal
from skillopt_sleep.replay.seals import SEALS
from skillopt_sleep.replay.seals.machine import system_program
from tests.sealed import BOUNDS, Place, a_place, alive_with

pytestmark = pytest.mark.seal


TRIES = 3
_PROBES: dict[str, Probe] = {}


def _probe(seal: Seal) -> Probe:
    if seal.name not in _PROBES:
        _PROBES[seal.name] = _probed(seal)
    return _PROBES[seal.name]


def _probed(seal: Seal) -> Probe:
    """Try the seal; again if it is installed and fails, as another worker's storm of processes may have been why."""
    tries = 0
    while True:
        tries += 1
        with tempfile.TemporaryDirectory(prefix="seal-", dir="/tmp", ignore_cleanup_errors=True) as folder:
            probe = seal.probe(Path(folder))
        if probe.holds or not probe.version or tries == TRIES:
            return probe


@pytest.fixture(params=SEALS, ids=lambda seal: seal.name)
def seal(request: pytest.FixtureRequest) -> Seal:
    probe = _probe(request.param)
    if not probe.holds:
        pytest.skip(f"{probe.seal}: {probe.problem}")
    return request.param


@pytest.fixture(params=[False, True], ids=["layers", "whole"])
def place(request: pytest.FixtureRequest, seal: Seal) -> Iterator[Place]:
    with a_place(seal, whole=request.param) as made:
        yield made
        assert made.is_untouched()


@pytest.mark.skipif(system_program() is None, reason="bubblewrap isn't installed")
def test_a_machine_that_has_bubblewrap_has_a_seal() -> None:
    probe = _probe(SEALS[0])
    assert (probe.denied, probe.problem) == (frozenset(Denial), "")


# What a program may do.


def test_a_program_gets_its_input_and_its_output_and_status_come_back(place: Place) -> None:
    ran = place.run(["/bin/sh", "-c", "cat; echo problem >&2; exit 7"], stdin=b"words")
    assert (ran.status, ran.stdout, ran.stopped) == (7, b"words", "")
    assert b"problem" in ran.stderr


def test_a_program_reads_the_base_and_writes_only_its_copy(place: Place) -> None:
    ran = place.sh("cat file && echo changed > file && echo new > other && mkdir made && cat file")
    assert ran.stdout == b"base\nchanged\n", ran.stderr
    assert (place.upper / "file").read_text() == "changed\n"
    assert (place.upper / "other").read_text() == "new\n"
    assert (place.upper / "made").is_dir()


def test_a_program_can_write_its_home_and_reach_the_relay(place: Place) -> None:
    ran = place.python(
        "open(given['home'] + '/x', 'w').write('y')\n"
        "with socket.socket(socket.AF_UNIX) as s: print(tried(s.connect, given['relay']))",
        home=str(HOME),
        relay=str(SOCKET),
    )
    assert ran.stdout == b"done\n", ran.stderr
    assert (place.folder / "home" / "x").read_text() == "y"


def test_a_program_that_is_not_there_is_a_broken_seal_or_a_failure_and_never_a_success(place: Place) -> None:
    try:
        ran = place.run(["/nowhere/program"])
    except SealBroken:
        return
    assert ran.status != 0


def test_no_word_of_a_program_or_path_is_read_as_a_command(place: Place) -> None:
    odd = "'; touch pwned; \" $(touch pwned) `touch pwned` \\ \n --bind / /"
    ran = place.run(["/usr/bin/printf", "%s", odd])
    assert ran.stdout == odd.encode()
    assert not list(place.folder.rglob("pwned"))


# Reading and writing elsewhere.


def test_other_folders_can_not_be_read_not_even_through_links(place: Place) -> None:
    secret = str(place.outside / "secret")
    ran = place.sh(
        'cat "$1"; ln -s "$1" link; cat link; ln "$1" hard; cat hard; cat ../outside/secret; '
        'cat "/proc/self/cwd/../outside/secret"; cat "/proc/1/root$1"; ls "$(dirname "$1")"',
        secret,
    )
    assert place.secret.encode() not in ran.stdout + ran.stderr
    assert b"secret\n" not in ran.stdout


def test_the_machines_passwords_can_not_be_read(place: Place) -> None:
    ran = place.sh("ln -s /etc/shadow link; cat link /etc/shadow /etc/gshadow /etc/sudoers; ls /var/lib /boot; true")
    assert b":" not in ran.stdout.replace(b"/var/lib:", b"").replace(b"/boot:", b"")
    assert not {path.name.encode() for path in Path("/var/lib").glob("*")} & set(ran.stdout.split())


def test_nothing_outside_can_be_written(place: Place) -> None:
    ran = place.sh(
        'for f in "$1/new" "$1/secret" "$2/file" /usr/bin/seal-pwned /etc/seal-pwned /var/tmp/seal-pwned '
        '"$HOME/.bashrc" /seal-pwned; do echo x >> "$f"; done; rm -rf "$1"; mv "$1/secret" .; true',
        str(place.outside),
        str(place.folder / "base"),
    )
    assert ran.stopped == ""
    assert not [*Path("/").glob("seal-pwned"), *Path("/").glob("*/seal-pwned"), *Path("/").glob("*/*/seal-pwned")]


# The network and other processes.


@pytest.mark.parametrize("kind", ["loopback", "ipv6", "abstract", "path", "outside", "vsock", "name"])
def test_no_connection_leads_out(place: Place, kind: str) -> None:
    servers: list[socket.socket] = []
    address: object = None
    family: int = socket.AF_INET
    if kind == "loopback":
        servers.append(socket.create_server(("127.0.0.1", 0)))
        address = servers[0].getsockname()
    elif kind == "ipv6":
        if not socket.has_ipv6 or not Path("/proc/net/if_inet6").exists():
            pytest.skip("this machine has no IPv6")
        servers.append(socket.create_server(("::1", 0), family=socket.AF_INET6))
        family, address = socket.AF_INET6, servers[0].getsockname()
    elif kind in {"abstract", "path"}:
        if kind == "abstract" and sys.platform != "linux":
            pytest.skip("only Linux has abstract sockets")
        family, address = socket.AF_UNIX, "\0" + place.secret if kind == "abstract" else str(place.folder / "other")
        servers.append(socket.socket(family))
        servers[0].bind(str(address))
        servers[0].listen()
    elif kind == "outside":
        address = ("192.0.2.1", 80)
    elif kind == "vsock":
        family, address = 40, (2, 1024)
    else:
        address = ("example.invalid", 80)
    code = """
def connect():
    with socket.socket(given["family"]) as s:
        s.settimeout(2)
        at = given["address"]
        s.connect(tuple(at) if isinstance(at, list) else at)
print(tried(connect))
"""
    ran = place.python(code, family=int(family), address=address)
    for server in servers:
        server.settimeout(0)
        with pytest.raises(BlockingIOError):
            server.accept()
        server.close()
    assert ran.stdout.startswith(b"refused"), ran.stdout + ran.stderr
    assert b"timed out" not in ran.stdout


def test_processes_outside_can_not_be_signalled_traced_or_read(place: Place) -> None:
    code = """
pid = given["pid"]
for number in (signal.SIGTERM, signal.SIGKILL):
    tried(os.kill, pid, number)
    tried(os.killpg, pid, number)
def vm_read():
    class Part(ctypes.Structure): _fields_ = [("at", ctypes.c_void_p), ("size", ctypes.c_size_t)]
    here = ctypes.create_string_buffer(8)
    called("process_vm_readv", pid, ctypes.byref(Part(ctypes.addressof(here), 8)), 1, ctypes.byref(Part(0x400000, 8)), 1, 0)
print("trace", tried(called, "ptrace", 16, pid, 0, 0))
print("memory", tried(vm_read))
for name in ("environ", "maps", "cwd/file", "root/etc/shadow", "mem"):
    print(name, tried(lambda: len(open(f"/proc/{pid}/{name}", "rb").read(10))))
"""
    if sys.platform != "linux":
        pytest.skip("it is tried by Linux's own calls")
    ran = place.python(code, pid=place.sleeper.pid)
    assert ran.status == 0, ran.stderr
    assert b"done" not in ran.stdout


_KILLING = """
from tests.sealed import a_place
from skillopt_sleep.replay.seals import SEALS
import subprocess, sys
seal = next(seal for seal in SEALS if seal.name == sys.argv[1])
with subprocess.Popen(["/bin/sleep", "100"]) as other, a_place(seal) as place:
    ran = place.python("tried(os.kill, -1, signal.SIGTERM); tried(os.kill, -1, signal.SIGKILL); print('on')")
    print("alive" if other.poll() is None and place.is_untouched() else "killed", ran)
    other.kill()
"""


def test_killing_every_process_kills_nothing_outside(place: Place) -> None:
    # In a process namespace around it all, so that a seal that doesn't hold would kill nobody's work.
    around = ["unshare", "-U", "-r", "-p", "-f", "--kill-child", "--mount-proc"]
    if subprocess.run([*around, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no process namespace can be had to try it in")
    root = Path(__file__).parent.parent.parent
    command = [*around, sys.executable, "-c", _KILLING, place.seal.name]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.startswith("alive"), done.stdout + done.stderr


@pytest.mark.parametrize("number", [0x10000000, 0x00020000, 0x20000000, 0x40000000, 0x04000000, 0x08000000])
def test_no_namespace_can_be_made(place: Place, number: int) -> None:
    if sys.platform != "linux":
        pytest.skip("only Linux has namespaces")
    code = """
print(tried(called, "unshare", given["number"]))
libc.syscall.restype = ctypes.c_long
pid = libc.syscall(56 if os.uname().machine == "x86_64" else 220, given["number"] | 17, 0, 0, 0, 0)
if pid == 0:
    os._exit(0)
print("refused" if pid < 0 else "done")
"""
    ran = place.python(code, number=number)
    assert ran.stdout.splitlines()[0].startswith(b"refused"), ran.stdout
    assert ran.stdout.splitlines()[1] == b"refused", ran.stdout


def test_nothing_can_be_mounted_and_no_device_be_made(place: Place) -> None:
    if sys.platform != "linux":
        pytest.skip("it is tried by Linux's own calls")
    disk = Path("/").stat().st_dev
    code = """
print(tried(called, "mount", b"none", b".", b"tmpfs", 0, 0))
print(tried(called, "mount", b"/", b".", b"", 4096, 0))
print(tried(called, "umount2", b"/proc", 2))
print(tried(called, "pivot_root", b".", b"."))
def device(path):
    os.mknod(path, 0o60600, given["disk"])
    print("a device", len(open(path, "rb").read(512)))
print(tried(device, "device"))
print(tried(device, given["home"] + "/device"))
"""
    ran = place.python(code, disk=disk, home=str(HOME))
    assert ran.status == 0, ran.stderr
    assert b"done" not in ran.stdout
    assert b"a device" not in ran.stdout


def test_no_rights_are_won(place: Place) -> None:
    if sys.platform != "linux":
        pytest.skip("it is read from /proc")
    ran = place.sh(
        "cp /bin/sh shell; chown 0:0 shell; chmod u+s shell; ./shell -c 'cat /proc/self/status'; "
        "chroot / true && echo chroot; hostname pwned && echo hostname; date -s 2001-01-01 >/dev/null && echo date"
    )
    lines = dict(line.split(":", 1) for line in ran.stdout.decode().splitlines() if ":" in line)
    assert int(lines["CapEff"], 16) == int(lines["CapPrm"], 16) == 0
    assert int(lines["NoNewPrivs"]) == 1
    assert not {"chroot", "hostname", "date"} & set(ran.stdout.decode().splitlines())


def test_no_setting_of_the_machine_can_be_opened_for_writing(place: Place) -> None:
    if sys.platform != "linux":
        pytest.skip("it is tried in /proc")
    # Only opened: where a seal doesn't hold, nothing is changed. A seal may show files of its own instead.
    code = """
def opened(path):
    if path.endswith(("/ns_last_pid", "/pid_max")):
        return  # these are of the seal's own process namespace
    handle = os.open(path, os.O_WRONLY)
    if os.fstat(handle).st_dev in {os.stat("/proc").st_dev, given["sys"]}:
        print("opened", path)
    os.close(handle)
for folder in ("/proc/sys", "/proc/fs", "/proc/irq", "/proc/scsi", "/sys"):
    for top, _, names in os.walk(folder):
        for name in names:
            tried(opened, os.path.join(top, name))
for name in os.listdir("/proc"):
    if not os.path.isdir(f"/proc/{name}"):
        tried(opened, f"/proc/{name}")
print("all tried")
"""
    ran = place.python(code, sys=Path("/sys").stat().st_dev)
    assert ran.stdout.endswith(b"all tried\n"), ran.stderr
    assert b"opened" not in ran.stdout


# What the caller has.


def test_the_callers_environment_and_open_files_stay_outside(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEAL_SECRET", place.secret)
    with (place.outside / "secret").open() as file:
        os.set_inheritable(file.fileno(), True)
        code = """
print(dict(os.environ))
for number in range(3, 256):
    try:
        os.fstat(number)
    except OSError:
        continue
    print("open:", number)
    print(tried(lambda: os.read(number, 100)))
"""
        ran = place.python(code)
    assert ran.status == 0, ran.stderr
    assert place.secret.encode() not in ran.stdout
    assert b"open:" not in ran.stdout


def test_nothing_can_be_typed_into_the_terminal(place: Place) -> None:
    code = """
def push(handle): fcntl.ioctl(handle, given["push"], b"x")
for number in (0, 1, 2):
    print(tried(push, number))
print(tried(lambda: push(os.open("/dev/tty", os.O_RDWR))))
"""
    ran = place.python(code, push=0x5412 if sys.platform == "linux" else 0x80017472)
    assert ran.stdout.count(b"refused") == 4, ran.stdout + ran.stderr


# Bounds.


def test_a_file_can_not_outgrow_its_bound(place: Place) -> None:
    place.sh("head -c 20000000 /dev/zero > big; true")
    assert (place.upper / "big").stat().st_size <= BOUNDS.file_size


@pytest.mark.slow
def test_many_files_can_not_fill_the_disk(place: Place) -> None:
    bounds = BOUNDS._replace(disk=40 * 1024**2)
    ran = place.sh("i=0; while :; do i=$((i+1)); head -c 3000000 /dev/urandom > f$i; done", bounds=bounds)
    assert ran.stopped == "too_much_disk"


@pytest.mark.slow
def test_memory_can_not_be_taken_without_bound(place: Place) -> None:
    code = """
held = []
while True:
    held.append(bytearray(os.urandom(1 << 20) * 8))
    time.sleep(0.02)
"""
    ran = place.python(code, changed={"bounds": BOUNDS._replace(memory=200 * 1024**2)})
    # A seal may refuse the memory, in which case the program fails, or it is ended.
    assert ran.stopped == "too_much_memory" or ran.status != 0
    assert ran.stopped != "timed_out"


@pytest.mark.slow
def test_a_storm_of_processes_is_ended_with_all_of_them(place: Place) -> None:
    code = """
marker = given["marker"]
while True:
    try:
        os.fork()
    except OSError:
        time.sleep(0.01)
"""
    bounds = BOUNDS._replace(seconds=8)
    ran = place.python(code, marker=place.secret, changed={"bounds": bounds})
    assert ran.stopped in {"too_many_processes", "timed_out"} or ran.status != 0
    assert alive_with(place.secret) == []


@pytest.mark.slow
def test_a_run_that_takes_too_long_is_ended_with_what_it_left(place: Place) -> None:
    script = 'setsid sh -c "sleep 100; : $1" > /dev/null 2>&1 < /dev/null & sleep 100; : "$1"'
    began = time.monotonic()
    ran = place.sh(script, place.secret, bounds=BOUNDS._replace(seconds=2))
    assert ran.stopped == "timed_out"
    assert time.monotonic() - began < 30
    assert alive_with(place.secret) == []


def test_nothing_goes_on_when_the_program_has_ended(place: Place) -> None:
    script = '(setsid sh -c "while :; do echo x >> beats; sleep 0.02; done; : $1" > /dev/null 2>&1 < /dev/null &) ; sleep 0.3'
    place.sh(script, place.secret)
    size = (place.upper / "beats").stat().st_size
    time.sleep(0.3)
    assert size > 0
    assert (place.upper / "beats").stat().st_size == size
    assert alive_with(place.secret) == []


def test_output_is_bounded(place: Place) -> None:
    ran = place.sh("yes", bounds=BOUNDS._replace(output=100_000))
    assert ran.stopped == "flooded"
    assert len(ran.stdout) == 100_000


_KILLED = """
import sys
sys.path.insert(0, {root!r})
from tests.sealed import a_place
from skillopt_sleep.replay.seals import SEALS
seal = next(seal for seal in SEALS if seal.name == {name!r})
with a_place(seal) as place:
    print(place.folder, flush=True)
    place.sh('setsid sh -c "while :; do echo x >> beats; sleep 0.05; done; : $1" & sleep 100; : "$1"', {marker!r})
"""


@pytest.mark.slow
def test_when_we_are_killed_nothing_runs_on_and_nothing_stays_mounted(place: Place) -> None:
    if sys.platform != "linux":
        pytest.skip("it is seen in /proc")
    root = str(Path(__file__).parent.parent.parent)
    code = _KILLED.format(root=root, name=place.seal.name, marker=place.secret)
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as runner:
        assert runner.stdout
        folder = Path(runner.stdout.readline().strip())
        until = time.monotonic() + 20
        while not (folder / "upper" / "beats").exists() and time.monotonic() < until:
            time.sleep(0.05)
        sleeping = (folder / "upper" / "beats").exists()
        runner.send_signal(signal.SIGKILL)
    try:
        assert sleeping
        until = time.monotonic() + 10
        while alive_with(place.secret) and time.monotonic() < until:
            time.sleep(0.1)
        left = [line for line in alive_with(place.secret) if "_KILLED" not in line]
        assert left == []
        assert str(folder) not in Path("/proc/mounts").read_text()
    finally:
        remove_tree(folder)


# Links that stand in the copy where something would be mounted.


@pytest.mark.parametrize("where", ["deps", "sub/deps", "sub/deep/deps"])
def test_a_link_where_dependencies_are_mounted_leads_nowhere(place: Place, where: str) -> None:
    dependencies = place.folder / "dependencies"
    dependencies.mkdir()
    (dependencies / "library").write_text("library")
    link = place.upper / PurePosixPath(where).parts[0]
    link.symlink_to(place.outside)
    reads = {**place.policy.reads, place.policy.root / where: dependencies}
    with pytest.raises(SealBroken):
        place.sh("true", reads=reads)
    assert place.is_untouched()
    link.unlink()
    ran = place.sh(f"cat {where}/library; echo x > {where}/library; rmdir {where}; true", reads=reads)
    assert ran.stdout == b"library", ran.stderr
    assert (dependencies / "library").read_text() == "library"


def test_a_link_for_the_socket_or_the_home_leads_nowhere(place: Place) -> None:
    (place.upper / "run").symlink_to(place.outside)
    (place.upper / "home").symlink_to(place.outside)
    ran = place.sh('ls run/ home/ 2>/dev/null; echo x > run/new; cd home && echo x > new; test -S "$1" && echo socket',
                   str(SOCKET))  # fmt: skip
    assert b"secret" not in ran.stdout
    assert b"socket" in ran.stdout
