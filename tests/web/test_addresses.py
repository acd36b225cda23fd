from pathlib import Path

from skillopt_sleep.web.addresses import file_at, key_of, turn_at


def test_a_file_is_named_by_its_path_and_not_shown_in_the_address() -> None:
    assert file_at(Path("/home/a/AGENTS.md")) == f"/documents/{key_of(Path('/home/a/AGENTS.md'))}"
    assert key_of(Path("/home/a/AGENTS.md")) != key_of(Path("/home/b/AGENTS.md"))
    assert "home" not in file_at(Path("/home/a/AGENTS.md"))


def test_a_turn_is_a_place_on_its_sessions_page_whatever_the_session_is_called() -> None:
    assert turn_at("codex:a b&c#d", 3) == "/sessions/one?id=codex%3Aa%20b%26c%23d#turn-3"
