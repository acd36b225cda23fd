import time

import msgspec
import pytest
from hypothesis import given, strategies as st

from skillopt_sleep.errors import ItemError
from skillopt_sleep.kit.codec import from_json
from skillopt_sleep.records import ACTING_OPS, Check, Checks, Exact, Op, Score, Trajectory
from skillopt_sleep.replay.judges.checks import REFUSAL_CHARS, score_checks, score_exact
from tests.builders import a_trajectory

REPORT = """# Summary
All good.

## Test plan ##
Run pytest.

**Risk:**
Low.
### Rollback
Revert the commit.
"""


def _score(op: Op, answer: str, arg: str = "", *, section: str = "") -> Score:
    return score_checks(Checks(items=(Check(op=op, arg=arg, section=section),)), a_trajectory(answer))


@pytest.mark.parametrize(
    ("op", "arg", "good", "bad"),
    [
        (Op.CONTAINS, "pnpm install", "Run PNPM install.", "Run npm install."),
        (Op.CONTAINS, "straße", "STRASSE", "Gasse"),
        (Op.NOT_CONTAINS, "npm", "pnpm install", "npm install"),
        (Op.NOT_CONTAINS, "npm", "use pnpm, npmrc or xnpm2", "use `NPM`."),
        (Op.NOT_CONTAINS, "--force", "git push --forced", "git push --force"),
        (Op.NOT_CONTAINS, "c++", "c and c+", "in C++."),
        (Op.NOT_CONTAINS, "a.b", "axb", "a.b"),
        (Op.REGEX, r"^feat(\(\w+\))?: ", "feat(api): add", "added a feature"),
        (Op.REGEX, r"^second$", "first\nsecond\n", "first second"),
        (Op.REGEX, r"TODO", "TODO", "todo"),
        (Op.MAX_CHARS, "5", "12345", "123456"),
        (Op.MIN_CHARS, "5", "12345", "1234"),
        (Op.JSON_VALID, "", ' {"a": [1]} ', "{'a': 1}"),
        (Op.JSON_VALID, "", "[]", "```json\n{}\n```"),
        (Op.NO_REFUSAL, "", "Here is the fix.", "I'm sorry, I can't help with that."),
        (Op.NO_REFUSAL, "", "I can see the bug.", "I cannot do this."),
        (Op.NO_REFUSAL, "", "Done.", "  "),
    ],
)
def test_a_check_holds_for_the_good_answer_and_not_for_the_bad_one(op: Op, arg: str, good: str, bad: str) -> None:
    assert (_score(op, good, arg).hard, _score(op, bad, arg).hard) == (1.0, 0.0)


def test_a_long_answer_that_opens_politely_is_no_refusal() -> None:
    polite = "I'm sorry for the mix-up. Here is the fix: "
    assert _score(Op.NO_REFUSAL, polite.ljust(REFUSAL_CHARS, "x")).hard == 1
    assert _score(Op.NO_REFUSAL, polite.ljust(REFUSAL_CHARS - 1, "x")).hard == 0


@pytest.mark.parametrize(
    ("section", "arg"), [("test plan", "PYTEST"), ("Summary", "all good"), ("risk", "low"), ("Rollback", "revert")]
)
def test_a_section_is_found_by_its_heading(section: str, arg: str) -> None:
    assert _score(Op.SECTION_CONTAINS, REPORT, arg, section=section).hard == 1


@pytest.mark.parametrize(("section", "arg"), [("Risk", "pytest"), ("Summary", "Summary"), ("Owner", "all good")])
def test_what_stands_in_another_section_or_in_the_heading_does_not_count(section: str, arg: str) -> None:
    assert _score(Op.SECTION_CONTAINS, REPORT, arg, section=section).hard == 0


def test_a_tool_was_called_or_was_not() -> None:
    check = Checks(items=(Check(op=Op.TOOL_CALLED, arg="Bash"),))
    assert score_checks(check, Trajectory(response="done", tool_calls=("Read", "Bash"))).hard == 1
    assert score_checks(check, Trajectory(response="done", tool_calls=("Read",))).hard == 0


def test_a_text_only_attempt_is_not_blamed_for_tools_it_could_not_call() -> None:
    with pytest.raises(ItemError, match="text-only"):
        _score(Op.TOOL_CALLED, "done", "Bash")


@pytest.mark.parametrize(
    ("op", "arg", "answer"),
    [
        (Op.MAX_CHARS, "6", "$ pnpm install\nDone.\n"),
        (Op.JSON_VALID, "", '{"a": 1}\n$ make format\n'),
    ],
)
def test_a_line_for_a_command_is_done_and_not_said(op: Op, arg: str, answer: str) -> None:
    check = Checks(items=(Check(op=op, arg=arg),))
    assert _score(op, answer, arg).hard == 1
    assert score_checks(check, Trajectory(response=answer)).hard == 0
    assert _score(Op.MIN_CHARS, answer, "20").hard == 0
    assert _score(Op.CONTAINS, answer, answer.splitlines()[0]).hard == 1


def test_every_op_has_a_check_here() -> None:
    for op in Op:
        if op not in ACTING_OPS:
            assert _score(op, "plain", "1", section="s").hard in {0.0, 1.0}


def test_hard_wants_all_and_soft_is_the_share_that_holds() -> None:
    items = (
        Check(op=Op.CONTAINS, arg="pnpm"),
        Check(op=Op.NOT_CONTAINS, arg="npm"),
        Check(op=Op.MAX_CHARS, arg="10"),
        Check(op=Op.CONTAINS, arg="yarn"),
    )
    score = score_checks(Checks(items=items), a_trajectory("pnpm install"))
    assert (score.hard, score.soft) == (0.0, 0.5)
    assert [(result.name, result.passed) for result in score.checks] == [
        ("contains", True),
        ("not_contains", True),
        ("max_chars", False),
        ("contains", False),
    ]
    assert score.why == "it is too long; something that was asked for is missing"
    assert score_checks(Checks(items=items[:2]), a_trajectory("pnpm install")).why == ""


def test_a_task_without_checks_is_not_scored() -> None:
    with pytest.raises(ItemError, match="no checks"):
        score_checks(Checks(items=()), a_trajectory())


@pytest.mark.parametrize("op", ["sounds_like", "Contains", ""])
def test_an_unknown_op_is_an_error_when_it_is_read(op: str) -> None:
    with pytest.raises(msgspec.ValidationError, match="op"):
        from_json(msgspec.json.encode({"op": op, "arg": "x"}), Check)


@pytest.mark.parametrize("op", [Op.MAX_CHARS, Op.MIN_CHARS])
@pytest.mark.parametrize("arg", ["", "many", "-1", "1.5", "1e3"])
def test_a_length_that_is_no_number_is_not_scored(op: Op, arg: str) -> None:
    with pytest.raises(ItemError, match="whole number"):
        _score(op, "answer", arg)


def test_a_pattern_that_is_none_is_not_scored() -> None:
    with pytest.raises(ItemError, match="not a regular expression"):
        _score(Op.REGEX, "answer", "(unclosed")


@pytest.mark.parametrize("pattern", [r"^(a|aa)+$", r"(.*a){25}b", r"^(?:.*?a){30}$"])
def test_a_pattern_that_would_take_for_ever_is_stopped(pattern: str) -> None:
    before = time.perf_counter()
    with pytest.raises(ItemError, match="too long"):
        _score(Op.REGEX, "a" * 60 + "x" * 60 + "!", pattern)
    assert time.perf_counter() - before < 2


def test_an_answer_nested_without_end_is_not_valid_json() -> None:
    assert _score(Op.JSON_VALID, "[" * 100_000).hard == 0


# Words of another script than the reasons are written in, so that finding one is no accident.
ARGS = st.text(alphabet="абвгд", min_size=1, max_size=12)
TOLD = st.lists(
    st.builds(
        Check,
        op=st.sampled_from([op for op in Op if op not in ACTING_OPS and "chars" not in op]),
        arg=ARGS,
        section=ARGS,
    ),
    min_size=1,
    max_size=6,
)


@given(TOLD, st.text(alphabet="абвгд \n#"))
def test_why_never_tells_what_was_looked_for(checks: list[Check], answer: str) -> None:
    score = score_checks(Checks(items=tuple(checks)), a_trajectory(answer))
    assert not any(check.arg in score.why or check.section in score.why for check in checks)
    assert bool(score.why) == (score.hard == 0)


@given(TOLD, ARGS)
def test_why_depends_on_the_kinds_of_the_failed_checks_only(checks: list[Check], other: str) -> None:
    failing = [check for check in checks if check.op is Op.CONTAINS]
    renamed = [msgspec.structs.replace(check, arg=other) for check in failing]
    if failing:
        told = [score_checks(Checks(items=tuple(items)), a_trajectory("-")).why for items in (failing, renamed)]
        assert told[0] == told[1]


@given(st.text(), st.text(max_size=300))
def test_any_pattern_is_decided_or_refused(pattern: str, answer: str) -> None:
    try:
        score = _score(Op.REGEX, answer, pattern)
    except ItemError:
        return
    assert score.hard in {0.0, 1.0}


@given(st.text(min_size=1), st.text())
def test_a_term_that_stands_by_itself_is_always_found(term: str, answer: str) -> None:
    assert _score(Op.NOT_CONTAINS, f"{answer} {term} {answer}", term).hard == 0


@pytest.mark.parametrize("answer", ["pnpm install", " PNPM  Install\n", "pnpm\ninstall"])
def test_case_and_white_space_make_no_difference(answer: str) -> None:
    score = score_exact(Exact(answer="pnpm install"), a_trajectory(answer))
    assert (score.hard, score.soft, score.why) == (1.0, 1.0, "")


@pytest.mark.parametrize("answer", ["npm install", "pnpm install.", "Run pnpm install", ""])
def test_any_other_difference_does(answer: str) -> None:
    score = score_exact(Exact(answer="pnpm install"), a_trajectory(answer))
    assert (score.hard, score.soft) == (0.0, 0.0)
    assert [(result.name, result.passed, result.arg) for result in score.checks] == [("exact", False, "pnpm install")]


@given(st.text(alphabet="абвгд", min_size=1))
def test_why_never_tells_the_answer(answer: str) -> None:
    why = score_exact(Exact(answer=answer), a_trajectory("something else")).why
    assert why
    assert answer not in why


@given(st.text())
def test_a_text_is_equal_to_itself(text: str) -> None:
    assert score_exact(Exact(answer=text), a_trajectory(text)).hard == 1
