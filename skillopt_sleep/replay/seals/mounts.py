"""Say what bubblewrap shows a sealed program, as its options.

A program that mounts in a tree which another one filled may be led out of it by a symbolic link that stands where the
mount point should be (CVE-2026-87766 in bubblewrap before 0.12). So we make each mount point ourselves, before.
Nobody can change the tree in between: what ran in it has ended, and what will run in it hasn't begun.
"""

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from skillopt_sleep.errors import SealBroken
from skillopt_sleep.protocols.sealing import HOME, SOCKET, Bounds, Policy

# What a program of the system needs of /etc; no accounts, keys or names of hosts.
_ETC = (
    *("/etc/ssl/certs", "/etc/ssl/cert.pem", "/etc/ssl/openssl.cnf", "/etc/ca-certificates"),
    *("/etc/pki/tls/certs", "/etc/pki/tls/cert.pem", "/etc/pki/tls/openssl.cnf", "/etc/pki/ca-trust/extracted"),
    *("/etc/alternatives", "/etc/ld.so.cache", "/etc/localtime"),
)
_OWN = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/proc",
    "/dev",
    "/sys",
    "/tmp",  # noqa: S108
    "/run",
)
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_STORES = ("/nix/store", "/gnu/store")  # where some systems keep all programs


class Mount(NamedTuple):
    """One file or folder of the disk, and where it stands inside."""

    source: Path
    inside: PurePosixPath
    writable: bool = False


def check(policy: Policy) -> None:
    """Raise SealBroken if the policy names paths that a seal can't show."""
    for inside in (policy.root, HOME, SOCKET, *policy.reads):
        if not inside.is_absolute() or ".." in inside.parts:
            raise SealBroken(f"{inside} can't be a path in a seal")
    for inside in (policy.root, HOME):
        if any(PurePosixPath(own).is_relative_to(inside) for own in _OWN):
            raise SealBroken(f"{inside} belongs to the system, so that a copy can't stand there in a seal")
    if HOME.is_relative_to(policy.root) or policy.root == HOME:
        raise SealBroken(f"the repository {policy.root} contains the home of a sealed program")


def mounts(policy: Policy) -> tuple[Mount, ...]:
    """Return what is mounted, outer folders first; make the mount points that lie in the copy and in the home."""
    wanted = [
        Mount(policy.home, HOME, writable=True),
        Mount(policy.tree.upper, policy.root, writable=True),
        *(Mount(source, inside) for inside, source in policy.reads.items()),
    ]
    if policy.socket:
        wanted.append(Mount(policy.socket, SOCKET))
    wanted.sort(key=lambda mount: len(mount.inside.parts))
    for place, mount in enumerate(wanted):
        around = [outer for outer in wanted[:place] if mount.inside.is_relative_to(outer.inside)]
        if around:
            _make_ready(mount, around[-1], policy)
    return tuple(wanted)


def _make_ready(mount: Mount, around: Mount, policy: Policy) -> None:
    """Make the mount point in the mount around it, so that bubblewrap never has to; a base is never written."""
    inside = mount.inside.relative_to(around.inside)
    if not inside.parts:
        raise SealBroken(f"two things can't both stand at {mount.inside} in a seal")
    try:
        mode = mount.source.lstat().st_mode
    except OSError as error:
        raise SealBroken(f"{mount.source} can't be shown in a seal: {error.strerror}") from error
    if around.source == policy.tree.upper and not stat.S_ISDIR(mode):
        raise SealBroken(f"{mount.source} is no folder, so that it can't be shown in a copy of the repository")
    if around.writable:
        make_mount_point(around.source, inside, is_folder=stat.S_ISDIR(mode))
        return
    place = around.source / inside
    if place.resolve() != around.source.resolve() / inside or not place.exists():
        raise SealBroken(f"{mount.inside} can't be shown in a seal: {around.inside} has no such folder of its own")


def make_mount_point(top: Path, inside: PurePosixPath, *, is_folder: bool = True) -> None:
    """Make this folder (or empty file) below `top`, one name at a time and without following any link.

    Raises SealBroken if a link or a file is in the way.
    """
    names = inside.parts
    if not names or inside.is_absolute() or ".." in names:
        raise SealBroken(f"{inside} is not a path below {top}")
    try:
        with ExitStack() as opened:
            folder = _open(opened, str(top))
            for name in names[:-1]:
                _make(folder, name, is_folder=True)
                folder = _open(opened, name, folder)
            _make(folder, names[-1], is_folder=is_folder)
    except OSError as error:
        raise SealBroken(f"nothing can be mounted on {inside} in the copy: {error.strerror}") from error


def _make(folder: int, name: str, *, is_folder: bool) -> None:
    """Make the folder or file, unless it is there."""
    try:
        mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    except FileNotFoundError:
        if is_folder:
            os.mkdir(name, 0o755, dir_fd=folder)
        else:
            os.close(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=folder))
        return
    if stat.S_IFMT(mode) != (stat.S_IFDIR if is_folder else stat.S_IFREG):
        noun = "folder" if is_folder else "file"
        raise SealBroken(f"something else is named {name} in the copy, where a {noun} has to be mounted")


def _open(opened: ExitStack, name: str, folder: int | None = None) -> int:
    handle = os.open(name, _FOLDER, dir_fd=folder)
    opened.callback(os.close, handle)
    return handle


def options(policy: Policy, shown: tuple[Mount, ...], data: Mapping[str, int]) -> tuple[str, ...]:
    """Return bubblewrap's options; `data` are files of ours, by their path inside and as open file descriptors."""
    return (
        *("--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session", "--clearenv"),
        *("--cap-drop", "ALL", "--uid", "1000", "--gid", "1000", "--hostname", "replay"),
        *_system(policy.bounds, data),
        *(word for mount in shown for word in _bind(mount)),
        # Last, as nothing can be mounted on what can't be written. Each mount below keeps its own rights.
        *("--remount-ro", "/", "--chdir", str(policy.cwd)),
        *(word for name, value in policy.environ.items() for word in ("--setenv", name, value)),
    )


def _system(bounds: Bounds, data: Mapping[str, int]) -> Iterator[str]:
    """Yield the options for what is the same in each seal: the system's programs, and folders in memory."""
    yield from ("--ro-bind", "/usr", "/usr")
    for name in ("bin", "sbin", "lib", "lib32", "lib64", "libx32"):
        path = Path("/", name)
        if path.is_symlink():
            yield from ("--symlink", str(path.readlink()), str(path))
        elif path.is_dir():
            yield from ("--ro-bind", str(path), str(path))
    for path in (*_STORES, *_ETC):
        yield from ("--ro-bind-try", path, path)
    for inside, handle in data.items():
        yield from ("--perms", "0444", "--ro-bind-data", str(handle), inside)
    # Folders in memory have a size: what is in them counts for no process.
    # For root, the settings of the whole machine below /proc would be files of its own: no part of it is written.
    yield from ("--proc", "/proc", "--remount-ro", "/proc", "--dev", "/dev")
    yield from ("--size", str(bounds.memory // 4), "--tmpfs", "/dev/shm", "--remount-ro", "/dev")  # noqa: S108
    yield from ("--perms", "1777", "--size", str(bounds.memory // 2), "--tmpfs", "/tmp")  # noqa: S108


def _bind(mount: Mount) -> tuple[str, str, str]:
    return ("--bind" if mount.writable else "--ro-bind", str(mount.source), str(mount.inside))
