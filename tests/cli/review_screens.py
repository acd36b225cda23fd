"""Rules as a review shows them, and their screens as text: python -m tests.cli.review_screens writes these anew."""

from io import StringIO
from pathlib import Path

from rich.console import Console

from skillopt_sleep.cli.blocks import drawn as drawn_blocks
from skillopt_sleep.pages.blocks import Answer, Answers, Said
from skillopt_sleep.reporters.rule import Change, Rule
from skillopt_sleep.reporters.rule_page import screen

FOLDER = Path(__file__).parent / "screens"
WIDTHS = (60, 100, 160)

SHOP = "# shop-api\n\nA small web shop. Tests run with vitest.\n"
BLOCK = "\n<!-- skillopt-sleep:begin -->\n{}\n<!-- skillopt-sleep:end -->\n"
NPM = (
    "I look at package.json first. Then I add scripts/install.sh, which runs npm install and npm run build, and I"
    " commit package-lock.json together with it. To try it out, call sh scripts/install.sh in a fresh clone. CI can"
    " call the same script, so nobody has to remember the steps."
)
PNPM = (
    "The project has a pnpm-lock.yaml, so I add scripts/install.sh, which runs pnpm install --frozen-lockfile and"
    " pnpm build. To try it out, call sh scripts/install.sh in a fresh clone."
)

ADDED = Rule(
    id="P-0001",
    document="shop-api/CLAUDE.md",
    text="Use pnpm, never npm.",
    said=(
        Said("«that's wrong, we always use pnpm here, never npm»", "2 days ago"),
        Said("«wrong tool, we always use pnpm here, never npm»", "4 days ago"),
    ),
    heading="You said",
    often="in 3 sessions, 28 Feb – 2 Mar",
    sessions=3,
    answers=Answers(
        "add a script that installs the dependencies",
        Answer(NPM, ("npm install",), solved=False),
        Answer(PNPM, ("pnpm install",), solved=True),
    ),
    tried="Without the rule 3 of 12 answers did as you asked, with it 11 of 12 (on 4 new requests).",
    proof=("Asked once more after it was chosen: without the rule 1 of 4 answers did as you asked, with it 4 of 4.",),
    changes=(Change("shop-api/CLAUDE.md", SHOP, SHOP + BLOCK.format("- Use pnpm, never npm.")),),
    cost=("about 24 tokens in every session",),
    reaches="Claude Code, in ~/work/shop-api",
)

OLD = "- Amounts are cents, never floats.\n- Run make lint before a commit.\n- Answer in English."
NEW = OLD.replace("before a commit", "and make test before every commit")
REWORDED = Rule(
    id="P-0002.2",
    document="invoices/CLAUDE.md and invoices/AGENTS.md",
    text="Run make lint and make test before every commit.",
    label="early: proven on one of the two sessions it takes",
    cautions=("«Run make lint and make test before every commit.» (tests)",),
    said=(
        Said("«我说过:提交之前先运行 make test。为什么又忘了?»", "12 minutes ago"),
        Said("you stopped the agent", "3 weeks ago"),
    ),
    heading="You said",
    often="in 2 sessions",
    sessions=2,
    answers=Answers("split the pdf writer out of main.py", Answer("Done."), Answer("Done; make test passes.")),
    tried="Graded 0.00 before and 0.90 with the change, where 1 is all that was asked, in 10 attempts each.",
    changes=tuple(
        Change(f"invoices/{name}.md", "# invoices\n" + BLOCK.format(OLD), "# invoices\n" + BLOCK.format(NEW))
        for name in ("CLAUDE", "AGENTS")
    ),
    cost=("about 6 tokens in every session (CLAUDE.md)", "about 6 tokens in every session (AGENTS.md)"),
    reaches="Claude Code and Codex, in ~/work/invoices",
)

LONG = " ".join(f"word{number}" for number in range(300))
REMOVED = Rule(
    id="P-0003",
    document="~/.agents/skills/a-skill-with-a-name-that-is-longer-than-a-narrow-terminal/SKILL.md",
    text=f"Remove: {LONG}",
    label="by your own words: no trial was run",
    tried="No trial was run.",
    changes=(Change("SKILL.md", "\n".join([*map(str, range(30)), LONG]), "\n".join(map(str, range(30)))),),
    cost=("saves about 500 tokens when the skill is used",),
    reaches="every agent that reads the file, in all your projects",
)
RULES = {"added": ADDED, "reworded": REWORDED, "removed": REMOVED}


def drawn(rule: Rule, width: int) -> str:
    """Return a screen as text."""
    console = Console(file=StringIO(), width=width, record=True, highlight=False, markup=False, emoji=False)
    for line in drawn_blocks([*screen(rule)], width=width):
        console.print(line)
    return "".join(f"{line.rstrip()}\n" for line in console.export_text().splitlines())


if __name__ == "__main__":
    for name, shown in RULES.items():
        for columns in WIDTHS:
            (FOLDER / f"review_{name}_{columns}.txt").write_text(drawn(shown, columns), encoding="utf-8")
