"""Read how many tests passed and failed from what the usual runners print at their end."""

import re
from typing import NamedTuple

_CARGO = re.compile(r"^test result: \w+\. (\d+) passed; (\d+) failed", re.MULTILINE)
_NODE_PASSED = re.compile(r"^(?:#|ℹ) pass (\d+)$", re.MULTILINE)
_NODE_FAILED = re.compile(r"^(?:#|ℹ) fail (\d+)$", re.MULTILINE)
_UNITTEST = re.compile(r"^Ran (\d+) tests? in ", re.MULTILINE)
_UNITTEST_FAILED = re.compile(r"^FAILED \(([^)\n]*)\)$", re.MULTILINE)
_UNITTEST_PART = re.compile(r"(?:failures|errors|unexpected successes)=(\d+)")
_MOCHA_PASSED = re.compile(r"^\s*(\d+) passing\b", re.MULTILINE)
_MOCHA_FAILED = re.compile(r"^\s*(\d+) failing\b", re.MULTILINE)
# The last line of pytest, jest and vitest that counts.
_LINE = re.compile(r"^.*\b\d+ (?:passed|failed|errors?)\b.*$", re.MULTILINE)
_PASSED = re.compile(r"\b(\d+) passed\b")
_FAILED = re.compile(r"\b(\d+) (?:failed|errors?)\b")


class Counts(NamedTuple):
    """How many tests passed, and how many failed."""

    passed: int
    failed: int


def count_tests(output: str) -> Counts | None:
    """Return how many tests passed and failed by what a command printed, or None if it doesn't say."""
    if cargo := _CARGO.findall(output):
        return Counts(sum(int(passed) for passed, _ in cargo), sum(int(failed) for _, failed in cargo))
    for passed, failed in ((_NODE_PASSED, _NODE_FAILED), (_MOCHA_PASSED, _MOCHA_FAILED)):
        if passed.search(output) or failed.search(output):
            return Counts(_last(passed, output), _last(failed, output))
    if _UNITTEST.search(output):
        return _of_unittest(output)
    lines = _LINE.findall(output)
    if not lines:
        return None
    return Counts(_last(_PASSED, lines[-1]), sum(map(int, _FAILED.findall(lines[-1]))))


def _of_unittest(output: str) -> Counts:
    ran = _last(_UNITTEST, output)
    parts = _UNITTEST_FAILED.findall(output)
    failed = min(ran, sum(map(int, _UNITTEST_PART.findall(parts[-1])))) if parts else 0
    return Counts(ran - failed, failed)


def _last(pattern: re.Pattern[str], text: str) -> int:
    found = pattern.findall(text)
    return int(found[-1]) if found else 0
