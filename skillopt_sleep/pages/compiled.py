"""Compile each template once per process: compiling one takes longer than filling it."""

from types import CodeType

from jinja2 import BytecodeCache
from jinja2.bccache import Bucket


class Compiled(BytecodeCache):
    """Keeps compiled templates in memory, for environments that have the same options."""

    def __init__(self) -> None:
        self._codes: dict[tuple[str, str], CodeType] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Hand out the code of a template whose text was compiled before."""
        bucket.code = self._codes.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep the code of a template."""
        if bucket.code is not None:
            self._codes[bucket.key, bucket.checksum] = bucket.code


_ALL: dict[str, Compiled] = {}


def compiled(kind: str) -> Compiled:
    """Return the cache that all environments of this kind share."""
    return _ALL.setdefault(kind, Compiled())
