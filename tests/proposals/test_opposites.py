import pytest

from skillopt_sleep.proposals.opposites import opposites
from tests.builders import a_document
from tests.growth import LINEAR_WITH_NOISE, growth
from tests.proposals.guard_cases import HARMLESS

CONTRADICT = [
    ("Use pnpm, never npm.", "Install everything with npm."),
    ("Use pnpm for installs.", "Always use npm for installs."),
    ("Never use semicolons.", "End statements with semicolons."),
    ("Indent with tabs.", "Use spaces, not tabs."),
    ("Write tests with pytest.", "Use unittest for tests, never pytest."),
    ("Use single quotes, not double quotes.", "Always use double quotes."),
    ("Do not commit lock files.", "Commit lock files with each change."),
    ("Answer in German.", "Never answer in German."),
    ("Verwende immer Tabs.", "Nie Tabs verwenden, nutze Leerzeichen."),
    ("Never push to main directly.", "Push to main directly."),
]
AGREE = [
    ("Use pnpm, never npm.", "Use pnpm, not npm."),
    ("Use pnpm, never npm.", "The npm registry is mirrored at work."),
    ("Run the tests before you commit.", "Never commit without running the tests."),
    ("Use spaces, not tabs.", "Indent with four spaces."),
    ("Never use semicolons.", "Semicolons are a matter of taste."),
    ("Don't forget to run make test.", "Run make test first."),
    ("Never use npm unless the lock file says so.", "Use npm in legacy/."),
    ("Comments say why, not what.", "Run make check and fix what it says."),
    ("Answer in one sentence.", "Never answer in German."),
    ("Use pytest.", "Use jest for the front end."),
]


@pytest.mark.parametrize(("rule", "own"), CONTRADICT)
def test_a_line_that_asks_for_what_the_rule_forbids_is_shown_beside_it(rule: str, own: str) -> None:
    document = a_document(lead=f"# Shop\n\n- {own}\n")
    assert opposites(f"- {rule}", document) == (f"your own line 3: «- {own}»",)


@pytest.mark.parametrize(("rule", "own"), AGREE)
def test_a_line_that_agrees_or_speaks_of_something_else_is_not(rule: str, own: str) -> None:
    assert opposites(f"- {rule}", a_document(lead=f"# Shop\n\n- {own}\n")) == ()


def test_lines_after_our_block_are_counted_in_the_file_and_code_and_our_own_lines_are_not_taken() -> None:
    document = a_document(
        "- Use npm.\n",
        lead="# Shop\n```\nUse npm.\n```\n",
        open="<!-- begin -->\n",
        close="<!-- end -->\n",
        trail="\nUse npm here.\n",
    )
    (found,) = opposites("Use pnpm, never npm.", document)
    number = document.text.split("\n").index("Use npm here.") + 1
    assert found == f"your own line {number}: «Use npm here.»"


def test_few_pairs_of_rules_that_people_write_are_taken_for_opposites() -> None:
    lines = [line for rule in HARMLESS for line in rule.splitlines() if line.strip()]
    document = a_document(lead="\n".join(lines))
    taken = {line: found for line in lines if (found := opposites(line, document))}
    # These really are: the rules were collected from projects with different package managers.
    assert [line for line in taken if "npm" not in line and "pip" not in line] == []
    assert len(taken) <= 9


@pytest.mark.parametrize("piece", ["use npm, ", "never npm ", "with the ", "a"])
def test_a_long_line_is_judged_at_once(piece: str) -> None:
    document = a_document(lead="Use npm.")
    assert growth(lambda text: opposites(text, document), piece, length=8_000) < LINEAR_WITH_NOISE
