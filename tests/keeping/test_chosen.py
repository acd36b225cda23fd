from pathlib import Path

from msgspec.structs import replace

from skillopt_sleep.keeping.purge import of_project, of_session, of_words
from skillopt_sleep.records import Session
from skillopt_sleep.stores.purge import PurgedSession
from tests.builders import a_session


def _names(rows: list[PurgedSession]) -> list[str]:
    return [row.session.id for row in rows]


def _row(session: Session, path: str = "/h/x.jsonl") -> PurgedSession:
    return PurgedSession(path, session)


def test_a_project_is_chosen_with_what_is_below_it(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "shop")
    rows = [
        _row(a_session("hi", id=f"codex:{name}", project=str(tmp_path / name), cwd=str(tmp_path / name)))
        for name in ("shop", "shop/api", "shop-two")
    ]
    chosen, search = of_project(rows, str(tmp_path / "link"))
    assert _names(chosen) == ["codex:shop", "codex:shop/api"]
    assert str(tmp_path / "shop") in search.folders
    assert _names(of_project(rows, str(tmp_path / "shop"))[0]) == ["codex:shop", "codex:shop/api"]


def test_a_session_takes_its_sub_agents_and_its_forks_along() -> None:
    first = a_session("hi", id="claude_code:1")
    first = replace(first, turns=tuple(replace(turn, id=f"t{at}") for at, turn in enumerate(first.turns)))
    rows = [
        _row(first),
        _row(replace(first, id="claude_code:fork")),
        _row(a_session("hi", id="claude_code:agent-7"), "/h/p/1/subagents/agent-7.jsonl"),
        _row(a_session("hi", id="claude_code:other")),
    ]
    assert _names(of_session(rows, "claude_code:1")[0]) == [
        "claude_code:1",
        "claude_code:fork",
        "claude_code:agent-7",
    ]
    assert of_session(rows, "claude_code:none")[0] == []


def test_a_session_takes_along_what_another_agent_made_of_it() -> None:
    said = ("create a run script", "Here it is.", "no, use pnpm", "Done.")
    first = a_session(*said, id="claude_code:1")
    rows = [
        _row(first),
        _row(replace(first, id="codex:converted", source="codex")),
        _row(a_session(*said, "now a test", id="codex:went-on", source="codex")),
        _row(a_session(*said[:2], id="codex:begun-alike", source="codex")),
        _row(replace(first, id="codex:elsewhere", source="codex", project="/home/ada/bakery")),
    ]
    chosen = _names(of_session(rows, "claude_code:1")[0])
    assert chosen == ["claude_code:1", "codex:converted", "codex:went-on"]
    assert _names(of_session(rows, "codex:elsewhere")[0]) == ["codex:elsewhere"]


def test_words_are_found_in_any_turn_whatever_their_case() -> None:
    rows = [_row(a_session("ship the Blue\nWhale", id="codex:1")), _row(a_session("the whale is blue", id="codex:2"))]
    chosen, search = of_words(rows, "blue whale")
    assert _names(chosen) == ["codex:1"]
    assert search.is_in_text("The blue whale")
