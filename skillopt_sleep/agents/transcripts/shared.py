"""Sharing a long list of files out among processes; what comes back is as if one had read them all."""

import os
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from pathlib import Path
from selectors import EVENT_READ, BaseSelector, DefaultSelector

import msgspec

from skillopt_sleep.records import Reading, Stamp

BATCH = 16

Found = tuple[Stamp, Reading]
Parse = Callable[[str], Found]

_THREADS = Path("/proc/self/task")
_LENGTH = 8
_NUMBER = 4
_PIPE_SIZE = 1 << 20  # a worker goes on so far while its results are being stored

_encode = msgspec.msgpack.Encoder().encode
_results = msgspec.msgpack.Decoder(tuple[int, list[Found]])


def can_share() -> bool:
    """Whether this process may fork: on Linux, with no other thread, whose locks nobody would let go in the copy."""
    try:
        return len(list(_THREADS.iterdir())) == 1
    except OSError:
        return False


def read_shared(paths: Sequence[str], parse: Parse, *, workers: int) -> Generator[Found]:
    """What `parse` finds in each file, in order; what a worker that died was to read is read here.

    A worker takes the next batch of files when it is done with one, so that none waits for another that has larger
    files or has to share its processor.
    """
    batches = [paths[at : at + BATCH] for at in range(0, len(paths), BATCH)]
    crew = _start(batches, parse, min(workers, len(batches)))
    done: dict[int, list[Found]] = {}
    try:
        with DefaultSelector() as pipes:
            for pipe in crew.values():
                pipes.register(pipe, EVENT_READ)
            for number, batch in enumerate(batches):
                while number not in done and pipes.get_map():
                    _receive_any(pipes, done)
                yield from done.pop(number) if number in done else map(parse, batch)
    finally:
        # A worker whose results nobody takes any more ends at its next one.
        for pipe in crew.values():
            os.close(pipe)
        for worker in crew:
            with suppress(ChildProcessError):
                os.waitpid(worker, 0)


def _start(batches: Sequence[Sequence[str]], parse: Parse, count: int) -> dict[int, int]:
    """The workers' process ids, each with the pipe its results come through."""
    crew: dict[int, int] = {}
    # All share one place in this file: a number that one has read is taken.
    todo = os.memfd_create("batches")
    try:
        os.pwrite(todo, b"".join(number.to_bytes(_NUMBER, "big") for number in range(len(batches))), 0)
        for _ in range(count):
            results, sink = os.pipe()
            _widen(sink)
            worker = os.fork()
            if not worker:
                try:
                    # A pipe breaks, and ends its writer, only when nobody holds its other end any more.
                    for pipe in (results, *crew.values()):
                        os.close(pipe)
                    _work(todo, sink, batches, parse)
                finally:
                    # After an error too nothing of the parent's may be run or written twice.
                    os._exit(0)
            os.close(sink)
            crew[worker] = results
    finally:
        os.close(todo)
    return crew


def _widen(pipe: int) -> None:
    # Windows has no such module, nor does it come here.
    from fcntl import F_SETPIPE_SZ, fcntl

    with suppress(OSError):
        fcntl(pipe, F_SETPIPE_SZ, _PIPE_SIZE)


def _work(todo: int, sink: int, batches: Sequence[Sequence[str]], parse: Parse) -> None:
    with os.fdopen(sink, "wb") as results:
        while number := os.read(todo, _NUMBER):
            which = int.from_bytes(number, "big")
            body = _encode((which, [parse(path) for path in batches[which]]))
            results.write(len(body).to_bytes(_LENGTH, "big") + body)
            results.flush()


def _receive_any(pipes: BaseSelector, done: dict[int, list[Found]]) -> None:
    """Wait for a batch from any worker; the pipe of one that has ended is taken out."""
    for key, _ in pipes.select():
        size = int.from_bytes(_read(key.fd, _LENGTH), "big")
        body = _read(key.fd, size)
        if size and len(body) == size:
            number, found = _results.decode(body)
            done[number] = found
        else:
            pipes.unregister(key.fileobj)


def _read(pipe: int, size: int) -> bytes:
    """So many bytes, or fewer where the other end was closed."""
    parts: list[bytes] = []
    while size and (part := os.read(pipe, size)):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
