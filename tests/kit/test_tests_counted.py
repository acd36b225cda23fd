"""How many tests passed and failed, by what the genuine runners print."""

import pytest

from skillopt_sleep.kit.tests_counted import Counts, count_tests

PYTEST = "FAILED tests/test_a.py::test_b - assert 1 == 2\n===== 1 failed, 1 passed, 2 errors in 0.04s =====\n"
CARGO = """\
running 2 tests
test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
   Doc-tests m
test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
"""
NODE = "# tests 3\n# suites 0\n# pass 2\n# fail 1\n# cancelled 0\n# duration_ms 125.57\n"
JEST = "Test Suites: 1 failed, 1 passed, 2 total\nTests:       2 failed, 5 passed, 7 total\nTime: 1.2 s\n"
VITEST = " Test Files  1 failed | 1 passed (2)\n      Tests  1 failed | 3 passed (4)\n   Duration  1.20s\n"


@pytest.mark.parametrize(
    ("output", "counts"),
    [
        (PYTEST, Counts(1, 3)),
        ("2 passed in 0.03s", Counts(2, 0)),
        (CARGO, Counts(4, 1)),
        (NODE, Counts(2, 1)),
        (NODE.replace("#", "ℹ"), Counts(2, 1)),
        (JEST, Counts(5, 2)),
        (VITEST, Counts(3, 1)),
        ("  3 passing (10ms)\n  1 failing\n", Counts(3, 1)),
        ("Ran 5 tests in 0.001s\n\nFAILED (failures=1, errors=1)\n", Counts(3, 2)),
        ("Ran 5 tests in 0.001s\n\nOK\n", Counts(5, 0)),
        ("All checks passed!", None),
        ("make: *** [Makefile:2: lint] Error 1", None),
        ("", None),
    ],
)
def test_the_counts_of_each_runner_are_read(output: str, counts: Counts | None) -> None:
    assert count_tests(output) == counts
