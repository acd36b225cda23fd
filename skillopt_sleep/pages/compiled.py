"""Compile a template once for as long as the process lives: that takes longer than filling it."""

from types import CodeType

from jinja2 import BytecodeCache
from jinja2.bccache import Bucket


class Compiled(BytecodeCache):
    """The code of compiled templates, in memory; for environments that compile a template in the same way."""

    def __init__(self) -> None:
        self._codes: dict[tuple[str, str], CodeType] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Give a template the code that its text was compiled to before, if it was."""
        bucket.code = self._codes.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep what a template was compiled to."""
        if bucket.code is not None:
            self._codes[bucket.key, bucket.checksum] = bucket.code


_ALL: dict[str, Compiled] = {}


def compiled(environments: str) -> Compiled:
    """Return what keeps the templates of the environments of this name."""
    return _ALL.setdefault(environments, Compiled())
