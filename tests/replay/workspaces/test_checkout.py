"""No link of a base leads out of it, whatever links it goes through."""

import errno
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from skillopt_sleep.replay.workspaces.checkout import leads_out

_PART = st.sampled_from(["..", ".", "a", "b", "c", "a/b", "", "..."])
_TARGET = st.lists(_PART, min_size=1, max_size=6).map("/".join)


@pytest.mark.parametrize(
    ("path", "target", "out"),
    [
        ("a", "b", False),
        ("a/b/c", "../../d", False),
        ("a/b", "../../d", True),
        ("a", "/etc/passwd", True),
        ("a/b", "c/../../d", True),
        ("a/b", "", True),
        ("a", "..", True),
        ("a", "./b/.", False),
        ("a", "...", False),
    ],
)
def test_a_link_is_judged_by_its_words(path: str, target: str, out: bool) -> None:
    assert leads_out(path.encode(), target.encode()) is out


@settings(deadline=None)
@given(links=st.dictionaries(st.sampled_from(["a", "b/x", "b/y", "c/d/x", "c/d/y", "z"]), _TARGET))
def test_links_that_are_kept_never_leave_the_folder_together(links: dict[str, str]) -> None:
    with tempfile.TemporaryDirectory() as made:
        top = Path(made).resolve() / "one" / "two" / "top"
        for folder in ("b", "c/d"):
            (top / folder).mkdir(parents=True)
        for path, target in links.items():
            if not leads_out(path.encode(), target.encode()):
                (top / path).symlink_to(target)
        for path in links:
            if (top / path).is_symlink() and not _goes_in_circles(top / path):
                real = os.path.realpath(top / path)
                assert real == str(top) or real.startswith(f"{top}/")


def _goes_in_circles(link: Path) -> bool:
    try:
        link.stat()
    except OSError as error:
        return error.errno == errno.ELOOP
    return False
