"""What a trial was judged by is told by kind, most trusted first."""

from skillopt_sleep.records import Check, Checks, Command, Exact, Op, Rubric, Trust, decided_by, deciders

PYTEST = Command(argv=("pytest", "tests/test_api.py"))
LINTED = Checks(items=(Check(op=Op.COMMAND_RUN, arg="make lint"), Check(op=Op.CONTAINS, arg="done")))


def test_each_judge_is_named_once_with_its_tasks_and_the_most_trusted_first() -> None:
    found = deciders([Rubric(text="It is kind."), PYTEST, LINTED, PYTEST, Exact(answer="4")])
    assert [(one.by, one.what, one.tasks) for one in found] == [
        (Trust.COMMAND, "pytest tests/test_api.py", 2),
        (Trust.ACTS, "make lint", 1),
        (Trust.CHECKS, "", 1),
        (Trust.EXACT, "", 1),
        (Trust.RUBRIC, "", 1),
    ]


def test_a_command_is_told_with_its_folder() -> None:
    said = decided_by(deciders([Command(argv=("npm", "test"), folder="web")]))
    assert said == "the project's own command `npm test (in web)`"


def test_an_act_is_told_in_words_and_many_judges_are_counted() -> None:
    alone = decided_by(deciders([Checks(items=(Check(op=Op.FILE_UNTOUCHED, arg="gen"),))]))
    assert alone == "what the agent did (whether it left `gen` alone)"
    commands = [Command(argv=("pytest", name)) for name in "abcde"]
    assert decided_by(deciders(commands)).endswith("and 2 more")
    assert decided_by(()) == ""
