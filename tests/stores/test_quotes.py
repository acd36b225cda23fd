from pathlib import Path

from skillopt_sleep.stores.quotes import PurgeSearch, plain_words, rule_phrases


def test_ids_are_whole_strings_and_phrases_parts_of_them() -> None:
    search = PurgeSearch(ids=frozenset({"codex:1"}), phrases=(plain_words("Blue  Whale"),))
    assert search.is_in({"a": [{"session": "codex:1"}]})
    assert search.is_in({"codex:1": 0.5})
    assert not search.is_in({"a": ["codex:12", 3, None]})
    assert search.is_in(["the blue\nwhale swims"])
    assert search.is_in_text('{"content": "the \\"blue\\nwhale\\""}')


def test_a_folder_is_found_with_what_is_in_it_and_not_beside_it() -> None:
    search = PurgeSearch(folders=("/work/shop",))
    assert search.is_in(["/work/shop"])
    assert search.is_in({"path": "/work/shop/CLAUDE.md"})
    assert not search.is_in(["/work/shop-two/CLAUDE.md", "see /work/shop"])


def test_bytes_are_read_as_json_as_lines_of_json_or_as_text(tmp_path: Path) -> None:
    search = PurgeSearch(ids=frozenset({"codex:1"}))
    assert search.is_in_bytes(b'{\n  "session": "codex:1"\n}\n')
    assert search.is_in_bytes(b'{"a": 1}\n{"session": "codex:1"}\n')
    assert search.is_in_bytes(b"# Report\n\nYou said in codex:1, turn 3\n")
    assert not search.is_in_bytes(b'{"session": "codex:11"}\n')
    assert not search.is_in_file(tmp_path / "gone.json")


def test_short_lines_of_rules_are_no_phrases() -> None:
    assert rule_phrases(["- Use pnpm, never npm.\n- Be brief.", ""]) == ("use pnpm, never npm.",)
