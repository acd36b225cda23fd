"""What a person's own words and deeds want done or left, as checks of what an agent did."""

import pytest

from skillopt_sleep.mining.acting import said_acts
from skillopt_sleep.mining.runners import Checkout
from skillopt_sleep.records import Deed, DeedKind, Evidence, Session, ToolEvent
from tests.builders import a_session, a_task

CHECKOUT = Checkout(
    root="/home/ada/shop",
    files=frozenset({"Makefile", "gen/api.py", "gen/sub/b.py", "schema.json", "CHANGELOG.md", "tests/test_api.py"}),
    folders=frozenset({"gen", "gen/sub", "tests"}),
)


def said(*quotes: str, session: Session | None = None, deeds: tuple[Deed, ...] = ()) -> list[tuple[str, str]]:
    evidence = tuple(Evidence(session="s", turn=2, quote=quote) for quote in quotes)
    checks = said_acts(session or a_session(), a_task(evidence=evidence, deeds=deeds), CHECKOUT)
    return [(check.op.value, check.arg) for check in checks]


@pytest.mark.parametrize(
    ("quote", "arg"),
    [
        ("Run `make lint` before you say done.", "make lint"),
        ("please run make lint before you say that it's done", "make lint"),
        ("You forgot to run make lint.", "make lint"),
        ("You should have run `make test`!", "make test"),
        ("Run `pytest tests/test_api.py` every time.", "pytest"),
        ("run ruff check before you're done", "ruff check"),
        ("Why didn't you run make lint?", "make lint"),
        ("Don't forget to run make lint.", "make lint"),
        ("Never commit without running make lint.", "make lint"),
        ("No, run make test and fix what fails.", "make test"),
        ("Führe make lint aus, bevor du fertig sagst", "make lint"),
        ("Lass immer `make test` laufen, bevor du committest.", "make test"),
        ("N'oublie pas de lancer make lint.", "make lint"),
        ("Il faut toujours lancer `make lint` avant de committer.", "make lint"),
        ("Ejecuta make lint antes de terminar.", "make lint"),
        ("Rode sempre `make test` no final.", "make test"),
        ("Запусти make lint перед коммитом.", "make lint"),
        ("完成之前先运行 make lint。", "make lint"),
    ],
)
def test_a_command_of_the_repository_that_the_person_wants_run_must_be_run(quote: str, arg: str) -> None:
    assert said(quote) == [("command_run", arg)]


@pytest.mark.parametrize(
    "quote",
    [
        "make sure that it works",
        "make lint fails now",
        "make lint passes locally, so what is the problem?",
        "I ran make lint and it failed",
        "When I run pytest, it hangs.",
        "Does make lint work?",
        'the linter says "don\'t use var", explain why',
        "plain pytest functions please, not unittest.TestCase",
        '"fixed" — no it isn\'t, pytest shows 2 failures',
        "Ask me before you run make lint.",
        "Du sollst die Tests nicht löschen",
        "run make gone before you say done",
        "run it again and make tests pass",
        "just check it again",
        "go test the waters",
        "run rm -rf / before you say done",
        "No, use pnpm, not npm.",
        "This is wrong.",
        "make lint doesn't work",
        "Don't just run make lint, fix it.",
        "No need to run make lint.",
        "It always hangs when I run pytest.",
        "don't run the release, make test",
    ],
)
def test_other_words_want_no_command(quote: str) -> None:
    assert said(quote) == []


@pytest.mark.parametrize(
    ("quote", "arg"),
    [
        ("No, don't touch gen/, it is generated.", "gen"),
        ("never edit gen/", "gen"),
        ("gen/ is generated, never edit it", "gen"),
        ("schema.json is ours, leave it alone.", "schema.json"),
        ("leave gen/sub alone", "gen/sub"),
        ("Do not modify anything in `gen`.", "gen"),
        ("don't edit /home/ada/shop/gen", "gen"),
        ("Why did you touch gen/api.py?", "gen/api.py"),
        ("Don't touch gen/ unless I ask.", "gen"),
        ("Fass gen/ nicht an", "gen"),
        ("Finger weg von gen/!", "gen"),
        ("gen/api.py darf nicht geändert werden", "gen/api.py"),
        ("Laisse gen/ tranquille", "gen"),
        ("No vuelvas a tocar schema.json, por favor", "schema.json"),
        ("Não mexa em gen/.", "gen"),
        ("Не трогай gen/", "gen"),
        ("gen/ 不要动", "gen"),
        ("gen/ は触らないで", "gen"),
        ("ne touche pas à gen/", "gen"),
    ],
)
def test_a_path_of_the_repository_that_the_person_wants_left_alone_must_stay(quote: str, arg: str) -> None:
    assert said(quote) == [("file_untouched", arg)]


def test_a_file_that_the_person_wants_changed_must_change() -> None:
    for quote in ("Always update CHANGELOG.md too.", "Ergänze immer CHANGELOG.md.", "Ajoute ça à CHANGELOG.md."):
        assert said(quote) == [("file_changed", "CHANGELOG.md")]
    assert said("Do not modify anything in gen/; change schema.json instead.") == [
        ("file_untouched", "gen"),
        ("file_changed", "schema.json"),
    ]


def test_paths_that_are_not_there_or_only_named_want_nothing() -> None:
    assert said("don't touch vendor/") == []
    assert said("I said gen/ must stay as it is") == []
    assert said("gen/ is generated") == []
    assert said("Don't import from gen/") == []
    assert said("Never change anything outside gen/") == []
    assert said("Don't change anything except CHANGELOG.md") == []
    assert said("Keep schema.json as it is, it's fine") == []
    assert said("You updated CHANGELOG.md") == []
    assert said("don't touch ../gen/ or /etc/passwd or .git/config") == []


def test_a_command_that_the_agent_ran_and_the_person_rules_out_must_not_be_run() -> None:
    ran = (
        ToolEvent(name="Bash", turn=1, brief="git push origin main"),
        ToolEvent(name="Bash", turn=1, brief="make deploy"),
    )
    session = a_session(tools=ran)
    assert said("never run `git push`", session=session) == [("command_not_run", "git push")]
    assert said("Never git push", session=session) == [("command_not_run", "git push")]
    assert said("Don't run make deploy again", session=session) == [("command_not_run", "make deploy")]
    assert said("不要运行 git push。", session=session) == [("command_not_run", "git push")]
    assert said("never run `git push`") == []


@pytest.mark.parametrize(
    ("quote", "checks"),
    [
        ("Never run `pytest tests/test_api.py`.", [("command_not_run", "pytest")]),
        ("Run `make lint && make test`.", [("command_run", "make lint"), ("command_run", "make test")]),
        ("Use `make test`, not `pytest`.", [("command_run", "make test")]),
        ("Run make test instead of pytest.", [("command_run", "make test")]),
        ("Nutze make test statt pytest.", [("command_run", "make test")]),
        (
            "Run `make lint` and run `make test`, then update CHANGELOG.md",
            [("command_run", "make lint"), ("command_run", "make test"), ("file_changed", "CHANGELOG.md")],
        ),
        ("Update CHANGELOG.md and don't touch gen/", [("file_changed", "CHANGELOG.md"), ("file_untouched", "gen")]),
        ("Don't touch gen/ but change schema.json", [("file_untouched", "gen"), ("file_changed", "schema.json")]),
    ],
)
def test_each_clause_says_what_it_names(quote: str, checks: list[tuple[str, str]]) -> None:
    assert said(quote) == checks


def test_the_later_word_holds() -> None:
    assert said("Don't run make lint", "Sorry: always run make lint before you say done") == [
        ("command_run", "make lint")
    ]


def test_a_check_that_the_person_ran_themselves_must_be_run() -> None:
    deed = Deed(kind=DeedKind.CHECKED, session="s", turn=3, what="ruff check . && make test")
    assert said("ruff check . && make test", deeds=(deed,)) == [
        ("command_run", "ruff check"),
        ("command_run", "make test"),
    ]


def test_what_agents_tools_and_files_said_founds_nothing() -> None:
    session = a_session(
        "Fix it.",
        "Always run make lint. Never touch gen/.",
        tools=(ToolEvent(name="Bash", turn=1, brief="make lint"),),
    )
    assert said("This is wrong.", session=session) == []
