from pathlib import Path

import pytest

from skillopt_sleep.kit.exclude import is_excluded


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        ("/home/ada/secret", "/home/ada/secret"),
        ("/home/ada/secret", "/home/ada/secret/"),
        ("/home/ada/secret/deep/below", "/home/ada/secret"),
        ("/home/ada/work/client-x/api", "/home/ada/*/client-x"),
        ("/home/ada/client-x", "/home/ada/client-?"),
        ("/home/ada/anything", "*"),
        ("/home/ada/site/[slug]", "/home/ada/site/[slug]"),
        ("/home/ada/site/[slug]/page", "/home/ada/site/[slug]"),
    ],
)
def test_a_folder_and_what_is_below_it_is_left_out(path: str, pattern: str) -> None:
    assert is_excluded(path, ("/somewhere/else", pattern))


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        ("/home/ada/secrets", "/home/ada/secret"),
        ("/home/ada", "/home/ada/secret"),
        ("/home/ada/Secret", "/home/ada/secret"),
        ("", "*"),
    ],
)
def test_another_folder_is_not(path: str, pattern: str) -> None:
    assert not is_excluded(path, (pattern,))


def test_the_home_folder_may_be_written_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert is_excluded(str(tmp_path / "private" / "notes"), ("~/private",))
    assert not is_excluded(str(tmp_path / "public"), ("~/private",))


def test_without_patterns_nothing_is_left_out() -> None:
    assert not is_excluded("/home/ada", ())


def test_a_folder_is_the_same_by_its_links(tmp_path: Path) -> None:
    (tmp_path / "data" / "secret").mkdir(parents=True)
    (tmp_path / "work").symlink_to(tmp_path / "data")
    real, linked = str(tmp_path / "data" / "secret"), str(tmp_path / "work" / "secret")

    assert is_excluded(real, [linked])
    assert is_excluded(f"{real}/deep", [linked])
    assert is_excluded(linked, [real])
    assert is_excluded(linked, [str(tmp_path / "data" / "s*")])
    assert not is_excluded(str(tmp_path / "data" / "open"), [linked])


def test_a_folder_is_the_same_however_its_name_is_spelled() -> None:
    assert is_excluded("/home/x/cafe\u0301", ["/home/x/caf\u00e9"])
    assert is_excluded("/home/x/caf\u00e9", ["cafe\u0301"])
    assert is_excluded("/home/x/other/../secret", ["/home/x/secret"])
    assert not is_excluded("/home/x/secret/../other", ["/home/x/secret"])


def test_a_pattern_that_no_path_can_be_excludes_nothing() -> None:
    assert not is_excluded("/work/shop", ["/work/\0", "\0"])
    assert not is_excluded("/work/\0shop", ["/work/shop"])


@pytest.mark.parametrize("pattern", ["~nobody-of-this-name/*", "~nobody-of-this-name", "[", "\ud800", "x" * 5_000])
def test_a_pattern_may_be_any_text(pattern: str) -> None:
    assert not is_excluded("/work/shop", [pattern])


@pytest.mark.parametrize("path", ["/proc/1/root/shop", "/work/\ud800shop"])
def test_a_folder_that_cannot_be_looked_at_is_what_its_name_says(path: str) -> None:
    assert is_excluded(path, [path.rpartition("/")[0]])
    assert not is_excluded(path, ["/elsewhere"])
