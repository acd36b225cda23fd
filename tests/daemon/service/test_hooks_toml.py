import tomllib

import pytest

from skillopt_sleep.daemon.service.hook_files import Hook
from skillopt_sleep.daemon.service.hooks_toml import add_hooks, has, has_any, has_hooks, remove_hooks
from tests.installs import TOML_THEIRS

OURS = {"type": "command", "command": 'run "us" \x7f # skillopt-sleep', "timeout": 5}
HOOKS = (Hook("SessionStart", {"matcher": "startup", "hooks": [OURS]}), Hook("SessionEnd", {"hooks": [OURS]}))


@pytest.mark.parametrize("text", ["", TOML_THEIRS, TOML_THEIRS.replace("\n", "\r\n"), "\ufeff" + TOML_THEIRS])
def test_what_is_put_in_is_taken_out_to_the_byte(text: str) -> None:
    there = add_hooks(text, HOOKS)
    assert has(there, HOOKS)
    assert remove_hooks(there) == text
    assert not has_any(text)


def test_what_is_put_in_is_what_is_read() -> None:
    read = tomllib.loads(add_hooks(TOML_THEIRS, HOOKS))
    assert read["hooks"]["SessionStart"][1] == HOOKS[0].group
    assert read["model"] == "gpt-5"


def test_tables_that_came_between_ours_stay() -> None:
    text = add_hooks("a = 1\n", HOOKS)
    at = text.index("\n# skillopt-sleep", text.index("[[hooks.SessionStart]]"))
    between = "\n# of theirs\n[hooks.state.x]\ny = 1\n"
    assert remove_hooks(
        text[:at] + between + text[at:] + between.replace("x", "z")
    ) == "a = 1\n" + between + between.replace("x", "z")


def test_a_hook_of_theirs_in_our_entry_is_not_taken_out_by_guess() -> None:
    text = add_hooks("", HOOKS[1:]) + '[[hooks.SessionEnd.hooks]]\ntype = "command"\ncommand = "theirs"\n'
    with pytest.raises(ValueError, match="somebody else's"):
        remove_hooks(text)


@pytest.mark.parametrize("text", ["hooks = 1\n", "hooks = { SessionEnd = [] }\n", "[hooks]\nSessionEnd = []\n", "["])
def test_a_file_that_cant_have_hooks_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        add_hooks(text, HOOKS)


def test_codexs_own_notes_are_no_hooks() -> None:
    assert has_hooks(TOML_THEIRS)
    assert not has_hooks('[hooks.state."x"]\ntrusted_hash = "1"\n')


def test_a_text_with_what_looks_like_a_table_is_not_taken_apart() -> None:
    text = 'a = """\n[[hooks.SessionEnd]]\n# skillopt-sleep\n"""\n'
    assert remove_hooks(add_hooks(text, HOOKS)) == text
