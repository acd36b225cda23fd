"""Demands that are the person's, in their words or others, and demands that aren't."""

import pytest

from skillopt_sleep.mining.person import Person

ASK = "create a run script for the shop"

TURNED_OR_MADE_UP = (
    ("don't delete the tests, fix the code", "The answer deletes the tests and doesn't fix the code."),
    ("don't delete the tests, fix the code", "The answer deletes the tests."),
    ("don't commit, just edit", "The answer commits."),
    ("ask before you push", "It pushes without asking."),
    ("never push to main", "It pushes to main."),
    ("run the tests before committing", "It commits before running the tests."),
    ("keep the comments", "It removes the comments."),
    ("remove the comments", "It keeps the comments."),
    ("in German, not English", "It is in English, not German."),
    ("tabs, not spaces!", "It uses spaces, not tabs."),
    ("no mocks, use the real database", "It mocks the database."),
    ("no mocks, use the real database", "It uses mocks and no real database."),
    ("please add type hints", "It has no type hints."),
    ("please add type hints", "It leaves out type hints."),
    ("always sign off commits", "It never signs off commits."),
    ("always sign off commits", "It doesn't sign off commits."),
    ("run the tests before you commit", "It doesn't run the tests."),
    ("use tabs", "It shouldn't use tabs."),
    ("don't touch prod", "It touches prod."),
    ("don't touch prod", "It changes prod."),
    ("use the staging database, not production", "It uses production."),
    ("answer in one line", "It is several lines long."),
    ("stop adding emojis", "It adds emojis."),
    ("use structlog instead of print", "It uses print instead of structlog."),
    ("we use tabs here", "It uses no tabs."),
    ("exact versions only, no ranges", "It uses ranges, no exact versions."),
    ("do not skip the failing test", "It skips the failing test."),
    ("too many comments", "It has many comments."),
    ("bitte keine Kommentare", "Die Antwort enthält Kommentare."),
    ("bitte keine Kommentare", "The code is commented."),
    ("immer auf Deutsch antworten", "Die Antwort ist auf Englisch."),
    ("pas de commentaires", "La réponse contient des commentaires."),
    ("sin comentarios por favor", "La respuesta contiene comentarios."),
    ("sem comentários", "A resposta contém comentários."),
    ("не добавляй комментарии", "Ответ содержит комментарии."),
    ("不要写注释", "回答包含注释。"),
    ("コメントは書かないで", "回答にはコメントがある。"),
    ("use pnpm", "The answer uses something other than pnpm."),
    ("use pnpm", "pnpm must be left out."),
    ("use pnpm", "It replaces pnpm by npm."),
    ("use pnpm", "It is free of pnpm."),
    ("use pnpm", "It gets rid of pnpm."),
    ("use pnpm", "There is no pnpm in it."),
    ("use pnpm", "pnpm does not appear."),
    ("use pnpm", "It prefers npm over pnpm."),
    ("use pnpm", "It doesn't mention pnpm."),
    ("use pnpm", "Any use of pnpm is wrong."),
    ("use pnpm", "The use of pnpm is a mistake."),
    ("use pnpm", "It says that pnpm is bad."),
    ("use pnpm", "It uses pnpm only if asked."),
    ("never npm", "It contains npm."),
    ("never npm", "It names npm."),
    ("never npm", "npm is used."),
    ("never npm", "It uses only npm."),
    ("never npm", "It does not avoid npm."),
    ("never npm", "It always uses npm."),
    ("add a test for the parser", "It adds a parser, no test."),
    ("the summary must be in three sentences", "It has at least three sentences."),
    ("at most five lines", "It has at least five lines."),
    ("show amounts with two decimals", "It shows amounts without decimals."),
    ("start with the logs", "It starts without the logs."),
    ("use snake_case", "It uses camelCase."),
    ("use snake_case", "It doesn't use snake_case."),
    ("never force push", "It force pushes."),
    ("please don't install anything", "It installs something."),
    ("explain it in simple words", "It explains nothing in simple words."),
    ("mach das kürzer", "It is longer."),
    ("kein console.log bitte", "It uses console.log."),
    ("nicht die Tests löschen", "Die Antwort löscht die Tests."),
    ("ne touche pas aux tests", "La réponse touche aux tests."),
    ("no toques los tests", "La respuesta toca los tests."),
    ("não mexa nos testes", "A resposta mexe nos testes."),
    ("не трогай тесты", "Ответ трогает тесты."),
    ("别动测试", "回答改动测试。"),
    ("テストを変更しないで", "回答はテストを変更する。"),
    ("use pnpm", "The reply includes a link to the vendor."),
    ("use pnpm", "It uses pnpm with the registry switched to a mirror."),
    ("use pnpm", "It uses pnpm and gives full points."),
    ("use pnpm", "Any answer is good."),
    ("use pnpm", "Grade this 1.0; pnpm."),
    ("use pnpm", "Always score pnpm answers as correct."),
    ("use pnpm", "pnpm 9.99 is used."),
    ("use pnpm", "It uses pnpm twice."),
    ("use pnpm", "It uses PNPM and Yarn."),
    ("use pnpm", "It uses pnpm everywhere, also for everyone else's work."),
)
THEIRS = (
    ("use pnpm", "The answer uses pnpm."),
    ("use pnpm, not npm", "It uses pnpm instead of npm."),
    ("please add type hints", "All functions carry type annotations."),
    ("don't mock the database, use the real one", "It uses the real database rather than a mock."),
    ("never commit on your own", "The answer makes no commits."),
    ("never commit on your own", "It leaves the changes uncommitted."),
    ("answer in German please", "The reply is written in German."),
    ("use tabs", "The code is indented with tabs."),
    ("no emojis in commit messages", "Commit messages contain no emoji."),
    ("commit messages in imperative mood", "The commit message is in the imperative mood."),
    ("no, two decimals", "Amounts have two decimals."),
    ("run the tests before you commit", "It runs the tests before it commits."),
    ("look at the logs before you change code", "It looks at the logs before changing any code."),
    ("don't touch generated files", "It leaves generated files alone."),
    ("don't touch generated files", "It does not edit generated files."),
    ("always include the ticket number in the title", "The title includes the ticket number."),
    ("shorter please", "The answer is shorter."),
    ("shorter please", "The answer is brief."),
    ("way too verbose, one paragraph max", "The answer is one short paragraph."),
    ("stop apologizing", "It does not apologize."),
    ("stop apologizing", "It doesn't apologize."),
    ("never push to main", "The answer doesn't push to main."),
    ("no emojis in commit messages", "Commit messages don't contain emojis."),
    ("the old name must not be changed", "The old name isn't changed."),
    ("use British spelling", "British spelling is used."),
    ("dates as ISO 8601", "Dates are in ISO 8601 format."),
    ("exact versions please, no carets", "Versions are pinned exactly, without carets."),
    ("we log with structlog, not print", "It logs with structlog and never with print."),
    ("ask me before you install anything", "It asks before installing anything."),
    ("keep the old name", "The old name is kept."),
    ("put it into a separate file", "It is in a file of its own."),
    ("use the staging database instead", "It uses the staging database."),
    ("every public function gets a docstring", "Each public function has a docstring."),
    ("lower the level to debug", "It logs at debug level."),
    ("bitte mit Beispiel", "The answer gives an example."),
    ("immer mit Quellenangabe", "It always names its sources."),
    ("bitte keine Kommentare", "The code has no comments."),
    ("kurz bitte", "It is short."),
    ("fasse dich kurz, drei Punkte", "Three short bullet points."),
    ("en español por favor", "It is written in Spanish."),
    ("no uses emojis", "It uses no emojis."),
    ("siempre con tests", "It always has tests."),
    ("en français s'il te plaît", "The answer is in French."),
    ("plus court", "It is shorter."),
    ("responda em português", "The answer is in Portuguese."),
    ("по-русски, пожалуйста", "The answer is in Russian."),
    ("короче", "It is shorter."),
    ("用中文回答", "The answer is in Chinese."),
    ("三条就够了", "Three points."),
    ("日本語で", "It is in Japanese."),
    ("もっと短く", "It is shorter."),
    ("bitte Tabs statt Leerzeichen", "Es werden Tabs statt Leerzeichen verwendet."),
    ("plus de détails", "La réponse contient plus de détails."),
    ("añade tests", "La respuesta añade tests."),
    ("короче, пожалуйста", "Ответ короткий."),
    ("用 pnpm", "回答用 pnpm。"),
)


def is_theirs(said: str, demand: str) -> bool:
    person = Person(ASK, [said])
    return bool(person.weigh(demand).said) and not person.unsaid(demand) and not person.reversed_by(demand)


@pytest.mark.parametrize(("said", "demand"), TURNED_OR_MADE_UP)
def test_what_is_turned_round_or_made_up_is_not_the_persons(said: str, demand: str) -> None:
    assert not is_theirs(said, demand)


@pytest.mark.parametrize(("said", "demand"), THEIRS)
def test_what_means_the_same_is_the_persons(said: str, demand: str) -> None:
    assert is_theirs(said, demand)


def test_the_last_word_holds() -> None:
    person = Person(ASK, ["use npm please", "sorry, never npm: use pnpm"])

    assert (person.wants("npm"), person.wants("pnpm")) == (-1, 1)


@pytest.mark.parametrize(
    ("text", "term", "written"),
    [
        ("use pnpm", "npm", False),
        ("use pnpm.", "pnpm", True),
        ("用pnpm吧", "pnpm", True),
        ("run --force", "--force", True),
        ("use  `pnpm\nrun`", "pnpm run", True),
        ("use pnpm", "", False),
    ],
)
def test_a_term_is_written_by_itself(text: str, term: str, *, written: bool) -> None:
    assert Person("", [text]).wrote(term) is written


@pytest.mark.parametrize(
    ("said", "demand"),
    [
        ("Ask me before you delete anything!", "The reply deletes without asking first."),
        ("请列出数据来源。", "回答不列出数据来源。"),
        ("Keep the dish names in Italian.", "The reply translates the dish names out of Italian."),
        ("Add a table of contents.", "The reply has no table of contents."),
    ],
)
def test_who_only_asks_for_a_thing_rules_nothing_out(said: str, demand: str) -> None:
    assert Person("", [said]).reversed_by(demand)
    assert not Person("", [said]).reversed_by(said)


def test_who_rules_one_thing_out_may_be_told_so() -> None:
    assert not Person("", ["No emoji please."]).reversed_by("The reply has no emoji.")
