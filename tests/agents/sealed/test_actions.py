"""Of what a program printed only so much is kept, and no secret."""

from skillopt_sleep.agents.sealed.actions import MOST_COMMAND, MOST_OUTPUT, Actions, answer, ending

SECRET = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"


def test_the_end_of_an_output_is_kept() -> None:
    assert ending("short\n") == "short\n"
    kept = ending("x" * 10_000 + "\n3 failed")
    assert len(kept) == MOST_OUTPUT
    assert kept.startswith("…")
    assert kept.endswith("3 failed")


def test_secrets_are_taken_out_even_where_the_output_is_cut() -> None:
    assert SECRET not in ending(f"token {SECRET}\n")
    for gap in range(0, 60, 7):
        kept = ending("y" * 9_000 + f" token {SECRET} " + "z" * (MOST_OUTPUT - gap))
        assert not any(SECRET[at : at + 12] in kept for at in range(len(SECRET) - 12))


def test_a_command_and_an_answer_are_bounded_and_redacted_too() -> None:
    actions = Actions()
    actions.begin("1", f"curl -H 'Authorization: Bearer {SECRET}' " + "a" * 9_000)
    actions.end("1", 2, "out")
    (run,) = actions.commands
    assert MOST_COMMAND - 100 < len(run.text) <= MOST_COMMAND
    assert SECRET not in run.text
    assert (run.status, run.output) == (2, "out")
    assert SECRET not in answer(f"the token is {SECRET}")


def test_a_command_that_did_not_run_is_forgotten_and_a_call_is_counted_once() -> None:
    actions = Actions()
    for name in ("1", "2", "1"):
        actions.call(name, "Bash")
        actions.begin(name, "ls")
    actions.drop("2")
    actions.end("3", 0)
    assert actions.tool_calls == ("Bash", "Bash")
    assert [(run.text, run.status) for run in actions.commands] == [("ls", None)]
