"""Lessons go to the file of the folder that they were taught in, of their project, or of the person's own."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from skillopt_sleep.proposals.targets import FileTargets
from skillopt_sleep.records import Document, Edit, EditOp, Place, PlaceKind, Task
from tests.builders import a_proposal, a_task
from tests.proposals.corpus import splice

CLAUDE, CODEX = "claude_code", "codex"
PERSON = Place(kind=PlaceKind.PERSON)
MANAGED = ".agents/skills/skillopt-sleep/SKILL.md"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return written(tmp_path / "home" / "notes.txt").parent


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return written(tmp_path / "shop" / "CLAUDE.md").parent


def written(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"rules of {path.parent.name}\n")
    return path


def told(lesson: str, folder: Path, project: Path, source: str = CLAUDE, **fields: Place) -> Task:
    return a_task(
        id=f"{lesson}{folder}{source}",
        lesson=lesson,
        session=str(folder),
        project=str(project),
        folder=str(folder),
        source=source,
        **fields,
    )


def routed(home: Path, tasks: Sequence[Task]) -> tuple[list[str], tuple[Document, ...]]:
    made = FileTargets(home, {"PATH": ""}).route(tasks, {})
    return [task.document for task in made.tasks], made.documents


# a folder inside a project ------------------------------------------------------------------------------


def test_lesson_by_lesson_what_was_taught_in_a_folder_with_a_file_of_its_own_goes_to_that_file(
    home: Path, shop: Path
) -> None:
    web, api = shop / "apps" / "web", shop / "apps" / "api"
    written(web / "CLAUDE.md")
    api.mkdir(parents=True)
    tasks = [
        told("exports", web, shop),
        told("exports", web / "src" / "pages", shop),
        told("cents", api, shop),
        told("both", web, shop),
        told("both", api, shop),
    ]
    (web / "src" / "pages").mkdir(parents=True)

    ids, documents = routed(home, [tasks[0], *tasks[2:]])

    assert ids == ["shop/apps/web/CLAUDE.md", "shop/CLAUDE.md", "shop/CLAUDE.md", "shop/CLAUDE.md"]
    inner, outer = documents
    assert (inner.path, inner.project, inner.text) == (str(web / "CLAUDE.md"), str(shop), "rules of web\n")
    assert [file.path for file in inner.loaded] == [str(shop / "CLAUDE.md"), inner.path]
    assert [file.path for file in outer.loaded] == [outer.path]
    assert routed(home, [tasks[1]])[0] == ["shop/apps/web/CLAUDE.md"], "from a folder below it, too"


def test_an_inner_folder_has_no_file_for_an_agent_that_was_not_told_there(home: Path, shop: Path) -> None:
    web = written(shop / "web" / "CLAUDE.md").parent
    tasks = [told("exports", web, shop), told("sign off", shop, shop, CODEX)]

    ids, (inner, outer) = routed(home, tasks)

    assert (ids[0], ids[1].startswith("shop/web")) == ("shop/web/CLAUDE.md", False)
    assert inner.twins == ()
    assert inner.read_by == ("Claude Code",)
    assert "Codex" in {name for one in (outer, *outer.twins) for name in one.read_by}


def test_a_folder_whose_file_the_agent_does_not_read_is_no_home(home: Path, shop: Path) -> None:
    web = written(shop / "web" / "AGENTS.md").parent

    assert routed(home, [told("exports", web, shop)])[0] == ["shop/CLAUDE.md"]


# the person's own ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "file", "goes_to"),
    [
        (CLAUDE, ".claude/CLAUDE.md", ".claude/CLAUDE.md"),
        (CLAUDE, "", ".claude/rules/skillopt-sleep.md"),
        (CODEX, ".codex/AGENTS.md", ".codex/AGENTS.md"),
        (CODEX, "", MANAGED),
        (CODEX, ".codex/AGENTS.override.md", MANAGED),
    ],
)
def test_a_lesson_of_the_person_goes_to_their_own_file_which_is_never_created_if_it_is_not_ours(
    home: Path, shop: Path, source: str, file: str, goes_to: str
) -> None:
    if file:
        written(home / file)
    blog = written(shop.parent / "blog" / "CLAUDE.md").parent
    tasks = [told("pnpm", one, one, source, holds=PERSON) for one in (shop, blog)]

    ids, (document,) = routed(home, [*tasks])

    assert ids == [f"~/{goes_to}"] * 2
    assert (document.path, document.project) == (str(home / goes_to), str(home))
    assert len(document.read_by) == 1
    assert (home / goes_to).exists() is (goes_to == file)


def test_an_agents_home_that_is_elsewhere_holds_the_persons_own_file(home: Path, shop: Path) -> None:
    elsewhere = home.parent / "claude"
    targets = FileTargets(home, {"CLAUDE_CONFIG_DIR": str(elsewhere)})

    (document,) = targets.route([told("pnpm", shop, shop, holds=PERSON)], {}).documents

    assert document.path == str(elsewhere / "rules" / "skillopt-sleep.md")
    assert document.read_by == ("Claude Code",)


def test_both_agents_get_a_lesson_of_the_person_that_both_were_told(home: Path, shop: Path) -> None:
    written(home / ".claude" / "CLAUDE.md")
    tasks = [told("pnpm", shop, shop, source, holds=PERSON) for source in (CLAUDE, CODEX)]

    _, (document,) = routed(home, tasks)

    assert {document.path, *(twin.path for twin in document.twins)} == {
        str(home / ".claude/CLAUDE.md"),
        str(home / MANAGED),
    }


def test_an_attempt_has_what_the_agent_loads_in_the_folder_of_its_task(home: Path, shop: Path) -> None:
    own = written(home / ".claude" / "CLAUDE.md")
    blog = written(shop.parent / "blog" / "CLAUDE.md").parent
    tasks = [told("pnpm", one, one, holds=PERSON) for one in (shop, blog)]

    _, (document,) = routed(home, tasks)

    for project in (shop, blog):
        there = document.tried_in(str(project))
        assert [file.path for file in there.loaded] == [str(own), str(project / "CLAUDE.md")]
    assert document.others == ()


def test_lessons_of_the_person_and_of_a_folder_that_is_gone_share_their_file(home: Path, shop: Path) -> None:
    gone = [replace(told("old", shop, shop), id=project, project=project) for project in ("/gone/old", "")]

    ids, (document,) = routed(home, [told("pnpm", shop, shop, CODEX, holds=PERSON), *gone])

    assert set(ids) == {document.id}
    assert [project for project, _ in document.loaded_at] == [str(shop)]


@pytest.mark.parametrize("of_all", [True, False])
def test_an_agent_that_joins_a_lesson_with_a_rule_that_it_does_not_read_is_asked_with_its_own_files(
    home: Path, shop: Path, *, of_all: bool
) -> None:
    """The rule stands in the other agent's file: that agent needs no second one."""
    rule = Edit(op=EditOp.APPEND, content="- Use pnpm.", lessons=("pnpm",))
    place = home / ".claude" if of_all else shop
    its = home / ".codex" / "AGENTS.md" if of_all else shop / "AGENTS.md"
    written(its)
    written(place / "CLAUDE.md").write_bytes(splice(b"mine\n", rule.content))
    holds = PERSON if of_all else Place()
    both = [told("pnpm", shop, shop, source, holds=holds) for source in (CLAUDE, CODEX)]
    other = [told("tabs", shop, shop, holds=holds), replace(told("tabs", shop, shop, holds=holds), id="again")]
    targets = FileTargets(home, {"PATH": ""})
    adopted = [a_proposal(edits=(rule,))]

    made = targets.route([*both, *other], {}, adopted)

    mine, theirs = made.documents
    assert [task.document for task in made.tasks] == [theirs.id] * 2 + [mine.id] * 2
    assert (theirs.path, theirs.read_by, theirs.twins, theirs.loaded_by) == (str(its), ("Codex",), (), CODEX)
    assert (mine.path, [twin.path for twin in mine.twins]) == (str(place / "CLAUDE.md"), [str(its)])
    its.write_bytes(splice(b"mine\n", rule.content))
    (document,) = targets.route([*both, *other], {}, adopted).documents
    assert document.path == mine.path
