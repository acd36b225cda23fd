"""`blame` shows for each managed line whose words, which trial and which decision it rests on."""

import pytest

from tests.command import Home


@pytest.mark.slow
def test_every_managed_line_is_told_and_no_other(home: Home) -> None:
    assert home.command("adopt", "P-0001").code == 0
    path = home.project / "CLAUDE.md"
    lines = path.read_text().splitlines()
    number = lines.index("- Use pnpm, never npm.") + 1
    done = home.command("blame", str(path))
    assert done.code == 0
    assert f"{number:>4}  - Use pnpm, never npm." in done.out
    for part in ("«", "without the rule 0 of", "you adopted it on ", "P-0001"):
        assert part in done.out
    assert "vitest" not in done.out
    assert str(number) in done.out
    (line,) = home.command("blame", "--json", str(path)).json[str(path)]
    assert (line["number"], line["origin"]["proposal"], line["origin"]["state"]) == (number, "P-0001", "adopted")


def test_without_a_name_every_file_with_adopted_rules_is_told(home: Home) -> None:
    assert "No rule is adopted yet" in home.command("blame").out
    assert home.command("adopt", "P-0001").code == 0
    assert "CLAUDE.md: 1 line managed" in home.command("blame").out


def test_what_stands_in_our_part_by_hand_is_said(home: Home) -> None:
    assert home.command("adopt", "P-0001").code == 0
    path = home.project / "CLAUDE.md"
    path.write_text(path.read_text().replace("- Use pnpm, never npm.", "- Use pnpm, never npm.\n- By hand."))
    assert "no proposal is known that brought it" in home.command("blame", str(path)).out


def test_a_file_without_managed_lines_or_none_at_all_is_said(home: Home) -> None:
    assert "no line managed" in home.command("blame", str(home.project / "CLAUDE.md")).out
    assert home.command("blame", "nope.md").code == 2


def test_a_line_of_the_person_is_counted_as_theirs_and_a_missing_file_leads_on(home: Home) -> None:
    assert home.command("adopt", "P-0001").code == 0
    path = home.project / "CLAUDE.md"
    path.write_text(path.read_text().replace("- Use pnpm, never npm.", "- Use pnpm, never npm.\n- By hand."))
    assert "1 line managed by skillopt-sleep, and 1 of yours between" in home.command("blame", str(path)).out
    missing = home.command("blame", "CLAUDE.md")
    assert missing.code == 2
    assert missing.err.rstrip().endswith("skillopt-sleep blame")
