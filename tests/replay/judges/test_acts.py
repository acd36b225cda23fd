"""What an agent did is told from the commands and files of an attempt, however a shell line says it."""

import pytest

from skillopt_sleep.errors import ItemError
from skillopt_sleep.records import Check, Checks, CommandRun, Op, Trajectory
from skillopt_sleep.replay.judges.acts import names, ran
from skillopt_sleep.replay.judges.checks import score_checks


def acted(*lines: str, changed: tuple[str, ...] = (), status: int | None = 0) -> Trajectory:
    commands = tuple(CommandRun(text=line, status=status) for line in lines)
    return Trajectory(response="Done.", commands=commands, changed_files=changed)


@pytest.mark.parametrize(
    "line",
    [
        "make lint",
        "make lint && make test",
        "cd /work/shop && make lint 2>&1 | tail -20",
        "FOO=1 BAR='a b' make lint",
        "bash -lc 'cd gen; make lint'",
        "uv run make lint",
        "/usr/bin/make lint -j4",
        "(make lint)",
        "git add .\nmake lint",
        "make  lint > /tmp/out; cat /tmp/out",
    ],
)
def test_a_command_is_found_wherever_it_stands_in_a_line(line: str) -> None:
    assert ran(acted("ls", line), "make lint")


@pytest.mark.parametrize(
    "line",
    [
        "echo make lint",
        "make linting",
        "cat 'make lint'",
        "grep -n 'make lint' Makefile",
        "make test # make lint",
        "echo 'never ending make lint",
        "echo hi > make lint",
        "",
    ],
)
def test_a_command_that_is_only_named_was_not_run(line: str) -> None:
    assert not ran(acted(line), "make lint")


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("false && make lint", 1),
        ("git pull && make lint; git status", 0),  # the pull may have failed
        ("test -f x || make lint", 0),
        ("make lint || true", 0),
        ("make lint && make test || true", 0),
        ("(make lint) || echo failed", 0),
        ("bash -c 'make lint || true'", 0),
        ("make lint &", 0),
        ("git pull && (cd gen; make lint); git status", 0),
        ("exit 0; make lint", 0),
        ("if test -f x; then cd gen; make lint; fi", 0),
        ("cat > notes <<'EOF'\nit's time:\nmake lint\nEOF\n", 0),
        ("ls # then; make lint", 0),
    ],
)
def test_a_command_that_may_not_have_run_or_whose_failure_is_hidden_does_not_count(line: str, status: int) -> None:
    assert not ran(acted(line, status=status), "make lint")


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("make lint", 2),
        ("cd gen && make lint", 2),
        ("make lint && make test", 2),  # one of the two
        ("make lint", None),
        ("make test | make lint", 2),
    ],
)
def test_a_command_that_failed_or_whose_end_is_not_known_does_not_count(line: str, status: int | None) -> None:
    assert not ran(acted(line, status=status), "make lint")


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("make lint | tail -3", 0),  # its own status isn't known, but that it ran is
        ("make lint | tail -3", 1),
        ("make lint; make test", 2),
        ("make test; make lint && echo fine", 0),
        ("make test | tail -3 && make lint", 0),
    ],
)
def test_a_command_that_ran_counts_although_the_status_of_its_line_is_that_of_another(line: str, status: int) -> None:
    assert ran(acted(line, status=status), "make lint")


@pytest.mark.parametrize(
    "line", ["false && make lint", "make lint || true", "make lint &", "if x; then y; make lint; fi"]
)
def test_what_was_ruled_out_must_not_even_have_been_tried(line: str) -> None:
    trajectory = acted(line, status=None)
    score = score_checks(Checks(items=(Check(op=Op.COMMAND_NOT_RUN, arg="make lint"),)), trajectory)
    assert score.hard == 0


def test_what_a_wrapper_starts_is_the_command() -> None:
    assert ran(acted("poetry run python -m pytest tests/test_api.py -q"), "pytest tests/test_api.py")


def test_shells_within_shells_end_somewhere() -> None:
    line = "true"
    for _ in range(8):
        line = f"bash -c {line!r}" if "'" not in line else f'bash -c "{line}"'
    assert not ran(acted(line), "make lint")


@pytest.mark.parametrize(
    ("pattern", "path", "named"),
    [
        ("gen/", "gen/api.py", True),
        ("gen", "gen/deep/api.py", True),
        ("gen/", "generic.py", False),
        ("./src/a.py", "src/a.py", True),
        ("*.lock", "Cargo.lock", True),
        ("src/*.py", "src/a.py", True),
        ("src/a.py", "src/a.pyc", False),
    ],
)
def test_a_pattern_names_a_file_a_folder_or_a_glob(pattern: str, path: str, named: bool) -> None:
    assert names(pattern, path) is named


@pytest.mark.parametrize(
    ("op", "arg", "passes"),
    [
        (Op.COMMAND_RUN, "make lint", True),
        (Op.COMMAND_RUN, "make test", False),
        (Op.COMMAND_NOT_RUN, "make test", True),
        (Op.COMMAND_NOT_RUN, "make lint", False),
        (Op.FILE_CHANGED, "src/", True),
        (Op.FILE_CHANGED, "docs/", False),
        (Op.FILE_UNTOUCHED, "gen/", False),
        (Op.FILE_UNTOUCHED, "docs/", True),
    ],
)
def test_checks_of_acts_are_decided_by_what_happened(op: Op, arg: str, passes: bool) -> None:
    trajectory = acted("make lint", changed=("src/a.py", "gen/b.py"))
    score = score_checks(Checks(items=(Check(op=op, arg=arg),)), trajectory)
    assert (score.hard, bool(score.why)) == (float(passes), not passes)
    assert arg not in score.why


@pytest.mark.parametrize("op", [Op.COMMAND_RUN, Op.COMMAND_NOT_RUN, Op.FILE_CHANGED, Op.FILE_UNTOUCHED])
def test_an_answer_in_words_shows_no_act(op: Op) -> None:
    with pytest.raises(ItemError, match="can't call tools"):
        score_checks(Checks(items=(Check(op=op, arg="x"),)), Trajectory(response="$ x", text_only=True))
