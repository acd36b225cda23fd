"""Sharing a long list of files out among processes; what comes back is as if one had read them all."""

import os
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple

import msgspec

from skillopt_sleep.protocols import Reading, Stamp

Found = tuple[Stamp, Reading]
Parse = Callable[[str], Found]

_THREADS = Path("/proc/self/task")
_LENGTH = 8
_PIPE_SIZE = 1 << 20  # a worker goes on so far while its results are being stored
_BATCH_BYTES = 2 << 20
_BATCH_FILES = 64

_encode = msgspec.msgpack.Encoder().encode
_found = msgspec.msgpack.Decoder(list[Found])


class _Worker(NamedTuple):
    pid: int
    results: BinaryIO


def can_share() -> bool:
    """Whether this process may fork: on Linux, with no other thread, whose locks nobody would let go in the copy."""
    try:
        return len(list(_THREADS.iterdir())) == 1
    except OSError:
        return False


def read_shared(paths: Sequence[str], sizes: Sequence[int], parse: Parse, *, workers: int) -> Generator[Found]:
    """What `parse` finds in each file, in order; what a worker that died was to read is read here.

    The files are cut into batches of like size, which the workers take in turn, so that the next batch always comes
    from a known one and none has to be told what to do.
    """
    batches = list(_batches(paths, sizes))
    crew = [_start(batches[number::workers], parse) for number in range(min(workers, len(batches)))]
    try:
        for number, batch in enumerate(batches):
            found = _receive(crew[number % workers].results)
            yield from map(parse, batch) if found is None else found
    finally:
        # A worker whose results nobody takes any more ends at its next one.
        for worker in crew:
            worker.results.close()
        for worker in crew:
            with suppress(ChildProcessError):
                os.waitpid(worker.pid, 0)


def _batches(paths: Sequence[str], sizes: Sequence[int]) -> Iterator[Sequence[str]]:
    begun, held = 0, 0
    for number, size in enumerate(sizes, start=1):
        held += size
        if held >= _BATCH_BYTES or number - begun == _BATCH_FILES:
            yield paths[begun:number]
            begun, held = number, 0
    if begun < len(paths):
        yield paths[begun:]


def _start(batches: Sequence[Sequence[str]], parse: Parse) -> _Worker:
    results, sink = os.pipe()
    _widen(sink)
    pid = os.fork()
    if pid:
        os.close(sink)
        return _Worker(pid, os.fdopen(results, "rb"))
    try:
        os.close(results)
        _work(sink, batches, parse)
    finally:
        # After an error too nothing of the parent's may be run or written twice; missing results tell it enough.
        os._exit(0)


def _widen(pipe: int) -> None:
    # Windows has no such module, nor does it come here.
    from fcntl import F_SETPIPE_SZ, fcntl

    with suppress(OSError):
        fcntl(pipe, F_SETPIPE_SZ, _PIPE_SIZE)


def _work(sink: int, batches: Sequence[Sequence[str]], parse: Parse) -> None:
    with os.fdopen(sink, "wb") as results:
        for batch in batches:
            body = _encode([parse(path) for path in batch])
            results.write(len(body).to_bytes(_LENGTH, "big") + body)
            results.flush()


def _receive(results: BinaryIO) -> list[Found] | None:
    """A worker's next batch; None where it died."""
    head = results.read(_LENGTH)
    size = int.from_bytes(head, "big")
    body = results.read(size) if len(head) == _LENGTH else b""
    return _found.decode(body) if body and len(body) == size else None
