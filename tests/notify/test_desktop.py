from pathlib import Path

import pytest

from skillopt_sleep.errors import ItemError
from skillopt_sleep.notify import command, show
from tests.doctor.machine import script

SCREEN = {"DISPLAY": ":0"}


def path_with(folder: Path, program: str, text: str = "exit 0") -> dict[str, str]:
    script(folder / "bin" / program, text)
    return {"PATH": f"{folder / 'bin'}:/usr/bin:/bin"}


def test_linux_uses_notify_send(tmp_path: Path) -> None:
    arguments = tmp_path / "arguments"
    environ = {**path_with(tmp_path, "notify-send", f'printf "%s\\n" "$@" > "{arguments}"'), **SCREEN}
    assert show("a title", "--body of words", environ=environ, platform="linux")
    assert arguments.read_text(encoding="utf-8").splitlines() == [
        "--app-name=skillopt-sleep",
        "--",
        "a title",
        "--body of words",
    ]


def test_nothing_is_shown_without_a_screen(tmp_path: Path) -> None:
    environ = path_with(tmp_path, "notify-send", "exit 1")
    assert not show("a title", "a body", environ=environ, platform="linux")


def test_a_session_bus_is_enough_to_show_it(tmp_path: Path) -> None:
    environ = {**path_with(tmp_path, "notify-send"), "XDG_RUNTIME_DIR": str(tmp_path)}
    assert command("t", "b", environ=environ, platform="linux") == []
    (tmp_path / "bus").touch()
    assert command("t", "b", environ=environ, platform="linux")[-2:] == ["t", "b"]


def test_nothing_is_shown_without_the_program(tmp_path: Path) -> None:
    assert not show("a title", "a body", environ={"PATH": str(tmp_path), **SCREEN}, platform="linux")


def test_macos_gets_the_words_as_arguments_and_never_as_a_script(tmp_path: Path) -> None:
    environ = path_with(tmp_path, "osascript")
    words = '" & (do shell script "touch owned") & "'
    program, *arguments = command("a title", words, environ=environ, platform="darwin")
    assert program.endswith("osascript")
    assert arguments[-2:] == ["a title", words]
    assert all(words not in line for line in arguments[:-1])


def test_a_failing_program_is_reported_with_its_error(tmp_path: Path) -> None:
    environ = {**path_with(tmp_path, "notify-send", "echo 'no such bus' >&2; exit 1"), **SCREEN}
    with pytest.raises(ItemError, match="no such bus") as error:
        show("a title", "a body", environ=environ, platform="linux")
    assert "notify.when never" in error.value.remedy
