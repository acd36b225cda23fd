"""Find the program in a reply, and say in words how it failed, without what its tests expect."""

import re

from skillopt_sleep.trainer.envs.sealed_runs import Ended

MOST_SAID = 200
NO_PROGRAM = "it gives no code block"

_FENCE = re.compile(
    r"^ {0,3}(?P<ticks>`{3,})[^\n`]*\n(?P<code>.*?)(?:^ {0,3}(?P=ticks)`*[ \t]*$|\Z)", re.DOTALL | re.MULTILINE
)
_ERROR = re.compile(
    r"^(?P<name>(?:\w+\.)*\w*(?:Error|Exception|Interrupt|Exit|Iteration))(?P<said>:.*)?$", re.MULTILINE
)


def program_of(reply: str) -> str:
    """Return the content of the last code block, closed or not; "" if there is none."""
    blocks = _blocks(reply)
    return blocks[-1] if blocks else ""


def of_several(reply: str) -> str:
    """Say, behind why a program failed, that it was the last of several code blocks; "" if it was the only one."""
    count = len(_blocks(reply))
    return f"; it was the last of {count} code blocks, of which only that is run" if count > 1 else ""


def _blocks(reply: str) -> list[str]:
    return [found["code"] for found in _FENCE.finditer(reply)]


def why_failed(ended: Ended) -> str:
    """Say how a program or its tests failed; of a failed assertion nothing but that, as it holds what is right."""
    if ended.status is None:
        return "it was ended: it took too long, or more than it may"
    errors = list(_ERROR.finditer(ended.printed))
    if not errors:
        return f"the tests ended with status {ended.status}"
    last = errors[-1]
    if last["name"].endswith("AssertionError"):
        return "a test failed"
    return f"it failed with {last['name']}{(last['said'] or '')[:MOST_SAID]}"
