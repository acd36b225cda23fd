import json

import pytest

from skillopt_sleep.daemon.service.hook_files import Hook
from skillopt_sleep.daemon.service.hooks_json import add_hooks, has, has_any, is_empty, remove_hooks
from tests.installs import COMMENTED, THEIRS

OURS = {"type": "command", "command": "run us # skillopt-sleep"}
THEIR_OWN = {"type": "command", "command": "run them"}
HOOKS = (Hook("SessionStart", {"hooks": [OURS]}), Hook("SessionEnd", {"hooks": [OURS]}))


@pytest.mark.parametrize("text", ["{}\n", THEIRS, COMMENTED, '{"hooks":{"SessionEnd":[]}}', '{"hooks": {}, "a": 1}'])
def test_what_is_put_in_is_taken_out_to_the_byte(text: str) -> None:
    there = add_hooks(text, HOOKS)
    assert has(there.text, HOOKS)
    assert remove_hooks(there.text, there.made) == text
    assert not has_any(text)


def test_what_we_did_not_begin_stays_when_it_is_empty() -> None:
    there = add_hooks('{"hooks": {"SessionEnd": []}}', HOOKS)
    assert there.made == ("SessionStart",)
    assert json.loads(remove_hooks(there.text, there.made)) == {"hooks": {"SessionEnd": []}}


def test_a_handler_of_theirs_in_our_group_stays() -> None:
    text = json.dumps({"hooks": {"SessionEnd": [{"hooks": [OURS, THEIR_OWN]}, {"hooks": [THEIR_OWN, OURS]}]}})
    assert json.loads(remove_hooks(text, ())) == {"hooks": {"SessionEnd": [{"hooks": [THEIR_OWN]}] * 2}}


@pytest.mark.parametrize("text", ["[]", '{"hooks": []}', '{"hooks": {"SessionEnd": {}}}', "{", "null"])
def test_a_file_that_cant_have_hooks_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        add_hooks(text, HOOKS)


def test_other_hooks_of_ours_are_not_these() -> None:
    there = add_hooks("{}", HOOKS[:1]).text
    assert has_any(there)
    assert not has(there, HOOKS)


def test_a_file_without_a_word_is_empty() -> None:
    assert is_empty("\ufeff{}\n")
    assert not is_empty("{} // mine")
