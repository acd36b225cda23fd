import os
from datetime import UTC, datetime
from pathlib import Path, PurePath

import msgspec
import pytest
from skills_ref import validate

from skillopt_sleep.agents import AGENTS
from skillopt_sleep.proposals import live
from skillopt_sleep.proposals.block import BEGIN, END
from skillopt_sleep.proposals.targets import FileTargets
from skillopt_sleep.protocols.agent import Start
from skillopt_sleep.records import Document, DocumentKind, Exact, Task
from tests.builders import changed
from tests.proposals.corpus import splice

CLAUDE, CODEX = "claude_code", "codex"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = tmp_path / "work" / "shop-api"
    folder.mkdir(parents=True)
    return folder


def task(project: Path | str, source: str = CLAUDE, name: str = "t1") -> Task:
    return Task(
        id=name,
        prompt="How do we test?",
        reference=Exact(answer="make test"),
        session=f"{source}:1",
        project=str(project),
        source=source,
        at=datetime(2026, 11, 20, tzinfo=UTC),
    )


def tree(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def route(home: Path, *tasks: Task) -> tuple[tuple[str, ...], tuple[Document, ...], tuple[str, ...]]:
    before = tree(home.parent)
    routed, documents, notes = FileTargets(home).route(tasks, {})
    assert tree(home.parent) == before
    assert {task.document for task in routed} - {""} == {document.id for document in documents}
    return tuple(task.document for task in routed), documents, tuple(note.summary for note in notes)


@pytest.mark.parametrize(
    ("sources", "files", "chosen"),
    [
        ((CLAUDE,), ("CLAUDE.md", "AGENTS.md", ".claude/CLAUDE.md"), "CLAUDE.md"),
        ((CLAUDE,), (".claude/CLAUDE.md", "AGENTS.md"), ".claude/CLAUDE.md"),
        ((CLAUDE,), ("AGENTS.md",), "AGENTS.md"),
        ((CLAUDE,), (), ".claude/rules/skillopt-sleep.md"),
        ((CLAUDE,), ("AGENTS.md", "CLAUDE.local.md"), ".claude/rules/skillopt-sleep.md"),
        ((CLAUDE,), ("AGENTS.md", "../CLAUDE.md"), ".claude/rules/skillopt-sleep.md"),
        ((CLAUDE,), ("AGENTS.md", "../../home/.claude/CLAUDE.md"), "AGENTS.md"),
        ((CLAUDE, CODEX), ("CLAUDE.md", "AGENTS.md"), "CLAUDE.md"),
        ((CLAUDE, CODEX), ("AGENTS.md",), "AGENTS.md"),
        ((CLAUDE, CODEX), (), ".claude/rules/skillopt-sleep.md"),
        (("tasks_file",), ("CLAUDE.md",), "CLAUDE.md"),
        (("tasks_file", CODEX), (), ".agents/skills/skillopt-sleep/SKILL.md"),
        (("tasks_file", CODEX), ("AGENTS.md",), "AGENTS.md"),
        (("tasks_file",), ("AGENTS.md",), "AGENTS.md"),
        (("tasks_file",), (".claude/settings.json",), ".claude/rules/skillopt-sleep.md"),
        (("tasks_file",), (), ".agents/skills/skillopt-sleep/SKILL.md"),
        ((CODEX,), ("CLAUDE.md", "AGENTS.md"), "AGENTS.md"),
        ((CODEX,), ("CLAUDE.md",), ".agents/skills/skillopt-sleep/SKILL.md"),
        ((CODEX,), (), ".agents/skills/skillopt-sleep/SKILL.md"),
        ((CODEX,), ("AGENTS.md", "AGENTS.override.md"), ".agents/skills/skillopt-sleep/SKILL.md"),
    ],
)
def test_lessons_go_to_what_the_agents_of_the_project_read(
    home: Path, shop: Path, sources: tuple[str, ...], files: tuple[str, ...], chosen: str
) -> None:
    for name in files:
        (shop / name).parent.mkdir(parents=True, exist_ok=True)
        (shop / name).write_text("# Rules\n")
    tasks = [task(shop, source, name=f"t{index}") for index, source in enumerate(sources)]
    ids, (document,), notes = route(home, *tasks)
    assert set(ids) == {f"shop-api/{chosen}"}
    assert document.path == str(shop / chosen)
    assert document.project == str(shop)
    assert document.kind is (DocumentKind.SKILL if chosen.endswith("SKILL.md") else DocumentKind.MEMORY)
    assert notes == ()


def test_lessons_of_a_folder_that_is_gone_go_to_the_users_skill(home: Path, shop: Path) -> None:
    (shop / "CLAUDE.md").write_text("# Rules\n")
    ids, documents, notes = route(
        home, task("/gone/old", name="a"), task("", CODEX, name="b"), task("relative", name="c"), task(shop, name="d")
    )
    assert ids == ("~/.agents/skills/skillopt-sleep/SKILL.md",) * 3 + ("shop-api/CLAUDE.md",)
    assert documents[0].path == str(home / ".agents/skills/skillopt-sleep/SKILL.md")
    assert documents[0].project == str(home)
    (note,) = notes
    assert "/gone/old is gone" in note
    assert "~/.agents/skills/skillopt-sleep/SKILL.md" in note


def test_lessons_of_a_folder_that_cannot_be_looked_at_go_nowhere_else(home: Path, shop: Path, tmp_path: Path) -> None:
    # Root may look at everything; a link to itself nobody can follow.
    circle = tmp_path / "client"
    circle.symlink_to(circle)
    paths, documents, notes = route(home, task(circle, name="t1"), task(shop, name="t2"))

    assert paths[0] == ""
    assert paths[1].startswith(f"{shop.name}/")
    assert len(documents) == 1
    assert any(str(circle) in said and "wait for another night" in said for said in notes)


def test_two_projects_of_one_name_have_two_ids(home: Path, tmp_path: Path) -> None:
    folders = [tmp_path / "a" / "web", tmp_path / "b" / "web", tmp_path / "c" / "other"]
    for folder in folders:
        folder.mkdir(parents=True)
    ids, _, _ = route(home, *(task(folder, name=str(index)) for index, folder in enumerate(folders)))
    assert len(set(ids)) == 3
    assert ids[0].startswith("web~")
    assert ids[1].startswith("web~")
    assert ids[2] == "other/.claude/rules/skillopt-sleep.md"
    assert route(home, task(folders[1]), task(folders[0], name="t2"))[0] == (ids[1], ids[0])


def test_two_spellings_of_one_folder_are_one_document(home: Path, shop: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(shop)
    ids, documents, _ = route(home, task(shop), task(link, CODEX, name="t2"))
    assert len(set(ids)) == 1
    assert len(documents) == 1


def test_the_order_of_the_tasks_is_kept(home: Path, shop: Path) -> None:
    tasks = [task(shop, name="b"), task("/gone", name="c"), task(shop, name="a")]
    assert [routed.id for routed in FileTargets(home).route(tasks, {}).tasks] == ["b", "c", "a"]


def test_no_tasks_have_no_documents(home: Path) -> None:
    assert FileTargets(home).route((), {}) == ((), (), ())


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("Größe\n".encode("latin-1"), "is not UTF-8"),
        ("rules\n".encode("utf-16"), "is not UTF-8"),
        (f"{BEGIN}\nrule\n".encode(), "begin in line 1"),
        (b"a\n<<<<<<< HEAD\nb\n", "line 2 is part of an unfinished merge"),
        (b"```\nnever closed\n", "line 1"),
    ],
)
def test_an_instruction_file_that_cannot_be_edited_is_passed_over_and_told(
    home: Path, shop: Path, content: bytes, why: str
) -> None:
    (shop / "CLAUDE.md").write_bytes(content)
    (shop / "AGENTS.md").write_bytes(content)
    ids, _, notes = route(home, task(shop))
    assert ids == ("shop-api/.claude/rules/skillopt-sleep.md",)
    assert why in notes[0]
    assert str(shop / "CLAUDE.md") in notes[0]
    assert "go to shop-api/.claude/rules/skillopt-sleep.md" in notes[0]
    ids, _, notes = route(home, task(shop, CODEX))
    assert ids == ("shop-api/.agents/skills/skillopt-sleep/SKILL.md",)
    assert why in notes[0]


def test_a_link_out_of_the_project_is_passed_over(home: Path, shop: Path) -> None:
    (home / "CLAUDE.md").write_text("mine\n")
    (shop / "CLAUDE.md").symlink_to(home / "CLAUDE.md")
    ids, _, notes = route(home, task(shop))
    assert ids == ("shop-api/.claude/rules/skillopt-sleep.md",)
    assert "outside" in notes[0]


def test_an_agents_file_that_codex_would_cut_is_passed_over(home: Path, shop: Path) -> None:
    agents = shop / "AGENTS.md"
    agents.write_bytes(b"x" * (28 * 1024))
    assert route(home, task(shop, CODEX))[0] == ("shop-api/AGENTS.md",)
    agents.write_bytes(splice(agents.read_bytes(), "- a rule\n" * 300))
    assert route(home, task(shop, CODEX))[0] == ("shop-api/AGENTS.md",)
    agents.write_bytes(b"x" * (28 * 1024 + 1))
    ids, _, notes = route(home, task(shop, CODEX))
    assert ids == ("shop-api/.agents/skills/skillopt-sleep/SKILL.md",)
    assert "32 KiB" in notes[0]
    assert route(home, task(shop))[0] == ("shop-api/.claude/rules/skillopt-sleep.md",)


@pytest.mark.parametrize("place", [live.RULES, live.SKILL])
def test_a_file_under_our_name_that_we_did_not_write_is_never_used(home: Path, shop: Path, place: Path) -> None:
    path = shop / place
    path.parent.mkdir(parents=True)
    for content in (
        "# My rules\n\n- skillopt-sleep is nice\n",
        "---\nname: skillopt-sleep\n---\nmine\n",
        "",
        "---\n",
    ):
        path.write_text(content)
        ids, documents, notes = route(home, task(shop, CLAUDE if place == live.RULES else CODEX))
        assert ids == ("",)
        assert documents == ()
        assert "wasn't written by skillopt-sleep" in notes[0]


def test_a_block_document_is_exactly_the_file_that_will_be_written(home: Path, shop: Path) -> None:
    path = shop / "CLAUDE.md"
    for original in (b"# Rules\n", b"# Rules", b"\xef\xbb\xbf# Rules\r\n", b""):
        path.write_bytes(original)
        _, (fresh,), _ = route(home, task(shop))
        assert fresh.text.encode() == original
        assert (fresh.body, fresh.trail) == ("", "")
        path.write_bytes(splice(original, "- one rule") + b"\nmore\n")
        _, (read,), _ = route(home, task(shop))
        assert read.text.encode() == path.read_bytes()
        assert read.body == "- one rule"
        assert BEGIN in read.open
        assert END in read.close
        assert read.trail.endswith("more\n")


@pytest.mark.parametrize("place", [live.RULES, live.SKILL])
def test_an_own_file_has_its_head_as_lead_and_the_rest_as_body(home: Path, shop: Path, place: Path) -> None:
    path = shop / place
    source = CLAUDE if place == live.RULES else CODEX
    _, (fresh,), _ = route(home, task(shop, source))
    assert fresh.body == ""
    assert "skillopt-sleep" in fresh.lead
    path.parent.mkdir(parents=True)
    path.write_bytes(live.change(path, None, "", "- one\n---\n- two").data)
    _, (read,), _ = route(home, task(shop, source))
    assert read.body == "- one\n---\n- two"
    assert read.lead == fresh.lead
    assert read.text.encode() == path.read_bytes()


def test_what_the_user_changed_in_the_head_of_our_skill_stays(home: Path, shop: Path) -> None:
    path = shop / live.SKILL
    path.parent.mkdir(parents=True)
    ours = live.change(path, None, "", "- one").data.decode()
    mine = ours.replace("name: skillopt-sleep\n", "name: skillopt-sleep # keep\nlicense: &l 'MIT'\n")
    for text in (mine, mine.replace("\n", "\r\n"), "\ufeff" + mine):
        path.write_bytes(text.encode())
        _, (read,), _ = route(home, task(shop, CODEX))
        assert read.body == "- one"
        changed = live.change(path, path.read_bytes(), "- one", "- one\n- two").data.decode()
        eol = "\r\n" if "\r\n" in text else "\n"
        assert changed == text.removesuffix(eol) + f"{eol}- two{eol}"


def test_our_skill_is_valid_for_the_standards_own_validator(home: Path, tmp_path: Path) -> None:
    path = tmp_path / live.SKILL
    path.parent.mkdir(parents=True)
    for body in ("", "- Run the linter before every commit."):
        path.write_bytes(live.change(path, None, "", body).data)
        assert validate(path.parent) == []


def test_a_folder_that_cannot_be_written_is_told_before_anything_is_spent(home: Path, shop: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    shop.chmod(0o555)
    ids, _, notes = route(home, task(shop))
    shop.chmod(0o755)
    assert ids == ("",)
    assert "read-only" in notes[0]


def a_skill(root: Path, name: str = "release", folder: str = ".claude/skills") -> Path:
    path = root / folder / name / "SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_text(f"---\nname: {name}\ndescription: How we release.\n---\n\n# Release\n")
    return path


def with_skills(*skills: str, number: int, lesson: str = "c", project: Path) -> Task:
    return changed(task(project, name=f"t{number}"), skills=skills, lesson=lesson)


@pytest.mark.parametrize("folder", [".claude/skills", ".agents/skills"])
def test_a_lesson_of_sessions_that_used_a_skill_of_the_project_goes_to_it(
    home: Path, shop: Path, folder: str
) -> None:
    (shop / "CLAUDE.md").write_text("# Rules\n")
    path = a_skill(shop, folder=folder)
    tasks = [with_skills("release", number=n, project=shop) for n in range(2)]
    ids, documents, notes = route(home, *tasks, with_skills(number=2, lesson="other", project=shop))

    assert ids == (f"shop-api/{folder}/release/SKILL.md",) * 2 + ("shop-api/CLAUDE.md",)
    skill = documents[0]
    assert (skill.path, skill.kind, skill.body, notes) == (str(path), DocumentKind.SKILL, "", ())
    assert skill.text == path.read_text()


def test_a_lesson_stays_whole_and_with_the_memory_where_few_of_its_sessions_used_the_skill(
    home: Path, shop: Path
) -> None:
    (shop / "CLAUDE.md").write_text("# Rules\n")
    a_skill(shop)
    ids, _, _ = route(home, with_skills("release", number=0, project=shop), with_skills(number=1, project=shop))

    assert ids == ("shop-api/CLAUDE.md",) * 2


@pytest.mark.parametrize("name", ["gone", "plugin:release", "../release", "skillopt-sleep"])
def test_a_skill_the_project_does_not_keep_itself_is_left_alone(home: Path, shop: Path, name: str) -> None:
    (shop / "CLAUDE.md").write_text("# Rules\n")
    live_skill = shop / live.SKILL
    live_skill.parent.mkdir(parents=True)
    live_skill.write_text(live.SKILL_HEAD)
    ids, _, _ = route(home, with_skills(name, number=0, project=shop))

    assert ids == ("shop-api/CLAUDE.md",)


@pytest.mark.parametrize(
    ("files", "chosen"),
    [
        ({"AGENTS.md": "rules\n"}, "AGENTS.md"),
        ({"AGENTS.md": "rules\n", "CLAUDE.md": "# Mine\n\n@AGENTS.md\n"}, "AGENTS.md"),
        ({"AGENTS.md": "rules\n", "CLAUDE.md": "see AGENTS.md\n"}, "CLAUDE.md"),
        ({"CLAUDE.md": "rules\n"}, "CLAUDE.md"),
    ],
)
def test_a_lesson_of_both_agents_goes_where_both_read_it_if_there_is_such_a_file(
    home: Path, shop: Path, files: dict[str, str], chosen: str
) -> None:
    for name, text in files.items():
        (shop / name).write_text(text)

    ids, _, _ = route(home, task(shop), task(shop, CODEX, name="t2"))

    assert set(ids) == {f"shop-api/{chosen}"}


@pytest.mark.parametrize(
    ("files", "place", "read_by"),
    [
        ({"AGENTS.md": ""}, "AGENTS.md", ("Claude Code", "Codex")),
        ({"AGENTS.md": "a", "CLAUDE.md": "c"}, "AGENTS.md", ("Codex",)),
        ({"AGENTS.md": "a", "CLAUDE.md": "c"}, "CLAUDE.md", ("Claude Code",)),
        ({"AGENTS.md": "a", "CLAUDE.md": ""}, "AGENTS.md", ("Claude Code", "Codex")),
        ({"AGENTS.md": "a", "AGENTS.override.md": "", "CLAUDE.md": "@./AGENTS.md\n"}, "AGENTS.md", ("Claude Code",)),
        ({}, ".agents/skills/skillopt-sleep/SKILL.md", ("Codex",)),
        ({}, ".claude/skills/release/SKILL.md", ("Claude Code",)),
        ({}, ".claude/rules/skillopt-sleep.md", ("Claude Code",)),
    ],
)
def test_it_is_known_whom_a_file_reaches(
    home: Path, shop: Path, files: dict[str, str], place: str, read_by: tuple[str, ...]
) -> None:
    for name, text in files.items():
        (shop / name).write_text(text)

    reaching: list[str] = []
    for agent in AGENTS.values():
        start = Start(shop, shop, home, agent.home({}, home))
        reaching += [agent.title] * agent.documents.reads(start, PurePath(place))
    assert tuple(reaching) == read_by


RULES, SKILL = ".claude/rules/skillopt-sleep.md", ".agents/skills/skillopt-sleep/SKILL.md"


@pytest.mark.parametrize(
    ("files", "first", "twins"),
    [
        ({"CLAUDE.md": "mine\n", "AGENTS.md": "mine\n"}, "CLAUDE.md", ("AGENTS.md",)),
        ({"CLAUDE.md": "mine\n"}, "CLAUDE.md", (SKILL,)),
        ({"AGENTS.md": "mine\n", "CLAUDE.local.md": "mine\n"}, RULES, ("AGENTS.md",)),
        ({}, RULES, (SKILL,)),
        (
            {"CLAUDE.md": "mine\n", "AGENTS.md": splice(b"mine\n", "- Be brief.").decode()},
            "CLAUDE.md",
            ("AGENTS.md",),
        ),
        ({"AGENTS.md": "mine\n"}, "AGENTS.md", ()),
        ({"AGENTS.md": "mine\n", "CLAUDE.md": "@AGENTS.md\n"}, "AGENTS.md", ()),
    ],
)
def test_where_no_file_reaches_both_agents_the_document_has_a_twin(
    home: Path, shop: Path, files: dict[str, str], first: str, twins: tuple[str, ...]
) -> None:
    for name, text in files.items():
        (shop / name).write_text(text)

    both, notes = FileTargets(home).route([task(shop), task(shop, CODEX, name="t2")], {})[1:]
    known, _ = FileTargets(home).route([task(shop)], {str(shop): {CLAUDE, CODEX}})[1:]

    (document,) = both
    assert notes == ()
    assert known == both  # also if tonight's tasks come from one of the agents only
    assert document.id == f"shop-api/{first}"
    assert tuple(twin.id for twin in document.twins) == tuple(f"shop-api/{name}" for name in twins)
    reached = {*document.read_by}.union(*(twin.read_by for twin in document.twins))
    assert reached == {"Claude Code", "Codex"}
    for twin in document.twins:
        assert twin.body == live.load(Path(twin.path), root=shop, name="")[0].body_sha


def test_a_project_of_one_agent_has_no_twin(home: Path, shop: Path) -> None:
    (shop / "CLAUDE.md").write_text("mine\n")
    (shop / "AGENTS.md").write_text("mine\n")

    (document,) = FileTargets(home).route([task(shop)], {"/elsewhere": {CODEX}}).documents

    assert document.twins == ()
    assert document.read_by == ("Claude Code",)


def test_a_twin_that_can_not_be_edited_is_another_file_or_none_and_told(home: Path, shop: Path) -> None:
    (shop / "CLAUDE.md").write_text("mine\n")
    (shop / "AGENTS.md").write_text(f"{BEGIN}\nno end\n")
    tasks = [task(shop), task(shop, CODEX, name="t2")]

    routing = FileTargets(home).route(tasks, {})
    assert [twin.path for twin in routing.documents[0].twins] == [str(shop / SKILL)]
    assert "markers" in routing.notes[0].summary

    (shop / SKILL).parent.mkdir(parents=True)
    (shop / SKILL).write_text("somebody else's\n")
    routing = FileTargets(home).route(tasks, {})
    assert routing.documents[0].twins == ()
    assert "Codex doesn't get its lessons" in routing.notes[-1].summary


def test_the_twin_of_a_skill_is_the_other_agents_skill_of_that_name(home: Path, shop: Path) -> None:
    (shop / "CLAUDE.md").write_text("mine\n")
    a_skill(shop)
    tasks = [with_skills("release", number=number, project=shop) for number in range(2)]
    used = {str(shop): {CLAUDE, CODEX}}

    (alone,) = FileTargets(home).route(tasks, used).documents
    assert alone.twins == ()

    other = shop / ".agents" / "skills" / "release"
    other.parent.mkdir(parents=True, exist_ok=True)
    other.symlink_to(shop / ".claude" / "skills" / "release")
    (linked,) = FileTargets(home).route(tasks, used).documents
    assert (linked.twins, linked.read_by) == ((), ("Claude Code", "Codex"))

    other.unlink()
    other.mkdir()
    (other / "SKILL.md").write_text("---\nname: release\ndescription: How we release.\n---\n\nSteps.\n")
    (paired,) = FileTargets(home).route(tasks, used).documents
    assert [twin.path for twin in paired.twins] == [str(other / "SKILL.md")]


def loaded_with(home: Path, *tasks: Task) -> list[str]:
    """The files that stand in the attempts at these tasks, in order."""
    (document,) = FileTargets(home, {"PATH": ""}).route(tasks, {}).documents
    assert next(file.text for file in document.loaded if file.path == document.path) == ""
    return [str(Path(file.path).relative_to(home.parent)) for file in document.loaded]


def test_a_document_stands_among_what_the_agent_loads_in_the_folder_of_the_sessions(home: Path, shop: Path) -> None:
    inner = shop / "apps" / "web"
    inner.mkdir(parents=True)
    for path in (shop / "CLAUDE.md", shop / "CLAUDE.local.md", inner / "CLAUDE.md", home / ".claude" / "CLAUDE.md"):
        path.parent.mkdir(exist_ok=True)
        path.write_text("a rule\n")
    in_web = changed(task(shop), folder=str(inner))
    above = ["home/.claude/CLAUDE.md", "work/shop-api/CLAUDE.md", "work/shop-api/CLAUDE.local.md"]

    assert loaded_with(home, in_web) == [*above, "work/shop-api/apps/web/CLAUDE.md"]
    at_root = task(shop, name="t2")
    assert loaded_with(home, *(msgspec.structs.replace(one, lesson="l1") for one in (in_web, at_root))) == above
    assert loaded_with(home, changed(in_web, folder="/elsewhere")) == above


@pytest.mark.parametrize("own", ["AGENTS.md", "CLAUDE.md"])
@pytest.mark.parametrize(
    ("sources", "memory"),
    [((CODEX,), ".codex/AGENTS.md"), ((CODEX, CLAUDE, CODEX), ".codex/AGENTS.md"), ((CLAUDE,), ".claude/CLAUDE.md")],
)
def test_beside_a_document_stands_what_the_agent_loads_that_taught_most_of_its_lessons(
    home: Path, shop: Path, own: str, sources: tuple[str, ...], memory: str
) -> None:
    (shop / own).write_text("mine\n")
    for path in (home / ".codex" / "AGENTS.md", home / ".claude" / "CLAUDE.md"):
        path.parent.mkdir(exist_ok=True)
        path.write_text("a rule\n")
    tasks = [task(shop, source, name=f"t{number}") for number, source in enumerate(sources)]
    routed = FileTargets(home, {"PATH": ""}).route(tasks, {str(shop): {CLAUDE, CODEX}})
    (document,) = routed.documents
    assert [file.path for file in document.loaded] == [str(home / memory), document.path]


@pytest.mark.parametrize(
    ("sources", "tried"), [((CODEX,), "AGENTS.md"), ((CODEX, CLAUDE, CLAUDE), "CLAUDE.md"), ((CLAUDE,), "CLAUDE.md")]
)
def test_the_file_that_is_tried_is_read_by_the_agent_that_taught_most(
    home: Path, shop: Path, sources: tuple[str, ...], tried: str
) -> None:
    (shop / "CLAUDE.md").write_text(splice(b"mine\n", "- Be brief.").decode())
    (shop / "AGENTS.md").write_text("- Use pnpm, never npm.\n")
    tasks = [task(shop, source, name=f"t{number}") for number, source in enumerate(sources)]
    (document,) = FileTargets(home, {"PATH": ""}).route(tasks, {str(shop): {CLAUDE, CODEX}}).documents
    assert Path(document.path).name == tried
    assert [Path(file.path).name for file in document.loaded] == [tried]
    assert len(document.twins) == 1


def test_a_file_that_is_not_there_yet_stands_last(home: Path, shop: Path) -> None:
    (shop / "CLAUDE.local.md").write_text("mine\n")
    assert loaded_with(home, task(shop)) == ["work/shop-api/CLAUDE.local.md", f"work/shop-api/{RULES}"]


def test_lessons_go_where_the_users_settings_of_codex_let_them_be_read(home: Path, shop: Path) -> None:
    (shop / "AGENTS.md").write_text("mine\n")
    (home / "codex").mkdir()
    (home / "codex" / "config.toml").write_text("project_doc_max_bytes = 0\n")
    at_home = FileTargets(home, {"CODEX_HOME": str(home / "codex")}).route([task(shop, CODEX)], {})
    assert at_home.documents[0].path == str(shop / SKILL)
    assert FileTargets(home, {"CODEX_HOME": "/elsewhere"}).route([task(shop, CODEX)], {}).documents[0].path == str(
        shop / "AGENTS.md"
    )
