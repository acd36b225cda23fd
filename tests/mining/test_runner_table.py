"""The list of known runners."""

from skillopt_sleep.mining.runner_table import RUNNERS

# Options by which a program runs, loads or writes what a session names.
DANGEROUS = {
    "--fix",
    "--write",
    "-w",
    "-c",
    "--config",
    "-p",
    "--rootdir",
    "--exec",
    "-exec",
    "-f",
    "--file",
    "-C",
    "-o",
}
KNOWN = {("cargo", "-p"), ("tsc", "-p"), ("prettier", "-c")}  # a package, a project inside, and to check


def test_longer_beginnings_come_first_and_none_stands_twice() -> None:
    words = [runner.words for runner in RUNNERS]
    assert len(set(words)) == len(words)
    for number, earlier in enumerate(words):
        assert not any(later[: len(earlier)] == earlier for later in words[number + 1 :])


def test_no_option_is_kept_that_could_run_load_or_write_something_else() -> None:
    kept = {(runner.words[0], option) for runner in RUNNERS for option in (*runner.flags, *runner.valued)}
    assert {option for option in kept if option[1] in DANGEROUS} == KNOWN
