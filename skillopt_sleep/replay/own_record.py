"""Read what a sealed agent noted of its session, in a home that it could write anything to."""

from itertools import islice
from pathlib import Path

from skillopt_sleep.kit.files import readable

MOST = 64 * 1024 * 1024
_MOST_FILES = 1_000


def own_record(home: Path, pattern: str, *, most: int = MOST) -> bytes:
    """Return the newest plain file of this pattern, b"" without one or if it is larger than `most`.

    No link is followed, neither to a file nor to a folder.
    """
    real = home.resolve()
    found: list[tuple[float, Path]] = []
    for path in islice(home.glob(pattern), _MOST_FILES):
        own = real / path.relative_to(home)
        try:
            if path.resolve() == own and own.is_file():
                found.append((own.lstat().st_mtime, own))
        except (OSError, RuntimeError):
            continue  # it leads nowhere, or round in circles
    if not found:
        return b""
    return readable(max(found)[1], most=most, inside=real)
