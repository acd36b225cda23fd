"""Every fault that a session file may have: what is whole is used, the rest is counted, and nothing ends the reading."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from skillopt_sleep.agents.claude_code import sessions as claude_code
from skillopt_sleep.agents.codex import sessions as codex
from skillopt_sleep.agents.transcripts.draft import LIMITS, MOST_TEXT
from skillopt_sleep.agents.transcripts.jsonl import LONGEST_LINE, Records
from skillopt_sleep.night.harvest import Harvest, harvest
from skillopt_sleep.night.survey import HarvestRules
from skillopt_sleep.protocols.stores import Index
from skillopt_sleep.records import Origin
from skillopt_sleep.stores.sqlite import SqliteStore
from tests.agents.agents import AGENTS, NAME, START, Agent
from tests.sweeps import thinned

MB = 1 << 20
PARSE = {"claude": claude_code.parse, "codex": codex.parse}
NOW = datetime(2027, 6, 1, tzinfo=UTC)
RULES = HarvestRules(
    now=NOW, horizon=None, include_headless=False,
    excluded=lambda project, cwd: False, own_roots=(),
)  # fmt: skip


only_linux = pytest.mark.skipif(sys.platform != "linux", reason="memory is measured by /proc")


@pytest.fixture(params=AGENTS, ids=lambda agent: agent.name)
def agent(request: pytest.FixtureRequest) -> Agent:
    return request.param


def index_in(folder: Path) -> Index:
    return SqliteStore(folder, clock=lambda: NOW, lookback=timedelta(days=7), config="").index


def night(agent: Agent, home: Path, index: Index) -> Harvest:
    return harvest([agent.source(home)], index, RULES)


def test_a_file_that_holds_only_a_torn_line_is_damaged(agent: Agent, tmp_path: Path) -> None:
    line = agent.typed(1, "first")
    agent.write(tmp_path, [line[: len(line) // 2]])
    assert agent.read(tmp_path).gaps.damaged == 1


# G1, G2: lines that are no records ------------------------------------------------------------------------

TEXT = "before and after"
NO_RECORDS: dict[str, Callable[[bytes], bytes]] = {
    "G1-invalid-utf8": lambda line: line.replace(TEXT.encode(), b"before \xff\xfe after"),
    "G1-overlong": lambda line: line.replace(TEXT.encode(), b"before \xc0\xaf after"),
    "G1-encoded-surrogate": lambda line: line.replace(TEXT.encode(), b"before \xed\xa0\x80 after"),
    "G1-utf16-line": lambda line: line.decode().encode("utf-16").replace(b"\n", b" "),
    "G1-nul-in-text": lambda line: line.replace(TEXT.encode(), b"before \x00 after"),
    "G1-only-nul": lambda line: b"\x00" * 512,
    "G2-scalar": lambda line: b"5",
    "G2-string": lambda line: b'"text"',
    "G2-array": lambda line: b"[1,2]",
    "G2-null": lambda line: b"null",
    "G2-wrong-type": lambda line: b'{"type":7,"payload":7,"message":7}',
    "G4-depth-100k": lambda line: line[:-1] + b',"x":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "G4-depth-100k-unclosed": lambda line: line[:-1] + b',"x":' + b"[" * 100_000,
}


@pytest.mark.parametrize("damage", NO_RECORDS.values(), ids=NO_RECORDS.keys())
def test_a_line_that_is_no_record_is_counted_and_the_others_are_used(
    damage: Callable[[bytes], bytes], agent: Agent, tmp_path: Path
) -> None:
    agent.write(tmp_path, [agent.typed(1, "first"), damage(agent.typed(2, TEXT)), agent.typed(3, "last")])
    session = agent.read(tmp_path)
    assert (session.typed, session.gaps.damaged) == (("first", "last"), 1)


def test_g1_lone_surrogate_in_a_text_loses_only_itself(agent: Agent, tmp_path: Path) -> None:
    agent.write(tmp_path, [agent.typed(1, "cut CUT here").replace(b"CUT", rb"\ud83d")])
    session = agent.read(tmp_path)
    assert (session.typed, session.gaps.damaged) == (("cut \ufffd here",), 0)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-32"])
def test_g1_a_whole_file_in_another_encoding_is_counted(encoding: str, agent: Agent, tmp_path: Path) -> None:
    body = b"\n".join([agent.head, agent.typed(1, "first"), agent.typed(2, "last")]) + b"\n"
    agent.write_bytes(tmp_path, body.decode().encode(encoding))
    session = agent.read(tmp_path)
    assert session.typed == ()
    assert session.gaps.damaged >= 3


def test_g1_a_byte_order_mark_is_no_damage(agent: Agent, tmp_path: Path) -> None:
    agent.write_bytes(tmp_path, b"\xef\xbb\xbf" + agent.head + b"\r\n" + agent.typed(1, "first") + b"\r\n")
    session = agent.read(tmp_path)
    assert (session.typed, session.gaps.damaged, session.cwd) == (("first",), 0, "/home/dev/shop")


def test_g4_a_number_of_5000_digits_is_passed_over(agent: Agent, tmp_path: Path) -> None:
    agent.write(tmp_path, [agent.typed(1, "first")[:-1] + b',"x":' + b"9" * 5000 + b"}"])
    assert agent.read(tmp_path).typed == ("first",)


# G3: damaged lines ----------------------------------------------------------------------------------------


def test_g3_two_records_in_one_line_are_one_damaged_line(agent: Agent, tmp_path: Path) -> None:
    agent.write(tmp_path, [agent.typed(1, "one") + agent.typed(2, "two"), agent.typed(3, "three")])
    session = agent.read(tmp_path)
    assert (session.typed, session.gaps.damaged) == (("three",), 1)


def test_g3_a_record_behind_a_torn_one_is_lost_with_it_and_the_next_line_is_read(
    agent: Agent, tmp_path: Path
) -> None:
    torn, behind, last = agent.typed(2, 'a "torn" \\ text é'), agent.typed(3, "behind"), agent.typed(4, "last")
    for at in range(1, len(torn)):
        agent.write(tmp_path, [agent.typed(1, "first"), torn[:at] + behind, last])
        session = agent.read(tmp_path)
        assert (session.typed, session.gaps.damaged) == (("first", "last"), 1), torn[:at]


def test_g3_a_tail_of_nuls_is_counted_once(agent: Agent, tmp_path: Path) -> None:
    agent.write(tmp_path, [agent.typed(1, "one")], ending=b"\n" + b"\x00" * 143_000)
    session = agent.read(tmp_path)
    assert (session.typed, session.gaps.damaged) == (("one",), 1)
    with (tmp_path / agent.place).open("ab") as file:
        file.write(b"\n" + agent.typed(2, "written after the crash") + b"\n")
    session = agent.read(tmp_path)
    assert (session.typed, session.gaps.damaged) == (("one", "written after the crash"), 1)


def test_g3_what_a_tool_gave_back_is_no_record_however_it_looks(agent: Agent, tmp_path: Path) -> None:
    evil = json.loads(agent.typed(9, "evil"))
    holder = json.loads(agent.result(2))
    holder["payload" if "payload" in holder else "toolUseResult"]["structured"] = {"x": [evil], "cut": "CUT"}
    line = json.dumps(holder, separators=(",", ":")).encode()
    for damaged in (line, line[: line.find(b'"CUT"') + 2], line.replace(b'"CUT"', b'"\xff\x00"')):
        agent.write(tmp_path, [agent.typed(1, "first"), damaged, damaged + agent.typed(3, "behind")])
        assert agent.read(tmp_path).typed == ("first",)


# G4: sizes ------------------------------------------------------------------------------------------------

# What getrusage tells of a new process is never less than what its parent held, which says nothing here.
_MEASURE = """
import re, sys, time
from pathlib import Path
from skillopt_sleep.agents.claude_code import sessions as claude_code
from skillopt_sleep.agents.codex import sessions as codex
begun = time.monotonic()
_, reading = {"claude": claude_code, "codex": codex}[sys.argv[1]].parse(sys.argv[2])
session = reading.sessions[0].session
peak = re.search(r"VmHWM:\\s*(\\d+) kB", Path("/proc/self/status").read_text())
print(len(session.turns), session.gaps.damaged, int(peak[1]) // 1024, time.monotonic() - begun)
"""


def measured(agent: Agent, path: Path) -> tuple[int, int]:
    """Turns and damage of a file that a process of its own reads in little memory and time."""
    command = [sys.executable, "-c", _MEASURE, agent.name, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    turns, damaged, megabytes, seconds = done.stdout.split()
    assert int(megabytes) < 200
    assert float(seconds) < 30
    return int(turns), int(damaged)


@only_linux
def test_g4_a_line_of_300_mb_is_passed_over(agent: Agent, tmp_path: Path) -> None:
    path = agent.write(tmp_path, [agent.typed(1, "first")])
    with path.open("ab") as file:
        for _ in range(300):
            file.write(b"x" * MB)
        file.write(b"\n" + agent.typed(2, "last") + b"\n")
    assert measured(agent, path) == (2, 1)


@only_linux
@pytest.mark.parametrize("character", thinned(["語", "a", "é", "🙂"], every=4))
def test_g4_the_longest_line_that_is_read_fits_into_memory(character: str, agent: Agent, tmp_path: Path) -> None:
    text = character * ((LONGEST_LINE - 1000) // len(character.encode()))
    path = agent.write(tmp_path, [agent.typed(1, text), agent.typed(2, "torn " + text)[:-9], agent.typed(3, "last")])
    assert measured(agent, path) == (2, 1)


@only_linux
def test_g4_a_session_that_holds_too_much_is_read_up_to_a_limit_and_the_rest_counted(
    agent: Agent, tmp_path: Path
) -> None:
    text = "go on " * 5000
    count = 100 * MB // len(text)
    path = agent.write(tmp_path, [agent.typed(number, text) for number in range(1, count + 1)])
    turns, damaged = measured(agent, path)
    assert turns + damaged == count
    assert MOST_TEXT / LIMITS[Origin.USER] / 2 < turns < count / 2


# G5: things that are no files -----------------------------------------------------------------------------


def test_g5_pipes_devices_sockets_folders_and_links_are_passed_over(agent: Agent, tmp_path: Path) -> None:
    folder = agent.write(tmp_path, [agent.typed(1, "first")]).parent
    os.mkfifo(folder / "pipe.jsonl")
    (folder / "zero.jsonl").symlink_to("/dev/zero")
    (folder / "broken.jsonl").symlink_to(folder / "nowhere.jsonl")
    (folder / "loop.jsonl").symlink_to(folder / "loop.jsonl")
    (folder / "round").symlink_to(folder)
    (folder / "folder.jsonl").mkdir()
    (folder / "link.jsonl").symlink_to(folder / Path(agent.place).name)
    with socket.socket(socket.AF_UNIX) as listening:
        here = Path.cwd()
        os.chdir(folder)  # the address of a socket may not be long
        try:
            listening.bind("socket.jsonl")
        finally:
            os.chdir(here)
        assert agent.read(tmp_path).typed == ("first",)


@pytest.mark.parametrize("what", ["pipe", "device", "socket", "folder", "link", "loop", "gone"])
def test_g5_what_became_something_else_since_it_was_listed_is_unreadable(
    what: str, agent: Agent, tmp_path: Path
) -> None:
    path = agent.write(tmp_path, [agent.typed(1, "first")])
    source = agent.source(tmp_path)
    ((name, _),) = source.stamps()
    path.rename(tmp_path / "away")
    kept: list[Any] = []
    if what == "pipe":
        os.mkfifo(path)
    elif what == "folder":
        path.mkdir()
    elif what == "socket":
        kept.append(listening := socket.socket(socket.AF_UNIX))
        listening.bind(str(tmp_path / "s"))
        (tmp_path / "s").rename(path)
    elif what != "gone":
        path.symlink_to({"device": "/dev/zero", "link": tmp_path / "away", "loop": path}[what])
    ((_, _, reading),) = source.read([name])
    for one in kept:
        one.close()
    assert reading.unreadable
    assert reading.sessions == ()


def test_g5_a_name_that_is_no_text_is_passed_over(agent: Agent, tmp_path: Path) -> None:
    path = agent.write(tmp_path, [agent.typed(1, "first")])
    bad = os.fsencode(path.parent) + b"/\xff\xfe"
    with open(bad + b".jsonl", "wb") as file:  # noqa: PTH123 - a path can't hold these bytes
        file.write(path.read_bytes())
    os.mkdir(bad)  # noqa: PTH102
    with open(bad + b"/in.jsonl", "wb") as file:  # noqa: PTH123
        file.write(path.read_bytes())
    assert night(agent, tmp_path, index_in(tmp_path / "store")).counts.used == 1


# G6, G7: files that change --------------------------------------------------------------------------------


@pytest.mark.slow
def test_g6_a_file_that_grows_at_full_speed_ends_where_it_ended_when_it_was_opened(
    agent: Agent, tmp_path: Path
) -> None:
    line = agent.typed(1, "go on") + b"\n"
    path = agent.write_bytes(tmp_path, agent.head + b"\n" + line * 20_000)
    done = Event()

    def write() -> None:
        with path.open("ab") as file:
            while not done.is_set() and file.tell() < 256 * MB:
                file.write(line * 1000)
                file.flush()

    writer = Thread(target=write)
    writer.start()
    try:
        for _ in range(3):
            lines = Records(str(path), len)
            size = sum(lines)
            assert size <= lines.stamp.size + 1
            stamp, reading = PARSE[agent.name](str(path))
            assert len(reading.sessions[0].session.typed) <= stamp.size // len(line)
    finally:
        done.set()
        writer.join()


def test_g7_a_partial_last_line_is_read_once_when_it_is_complete(agent: Agent, tmp_path: Path) -> None:
    line = agent.typed(2, "second")
    index = index_in(tmp_path / "store")
    for cut in (1, 20, len(line) // 2, len(line) - 1):
        path = agent.write(tmp_path, [agent.typed(1, "first"), line[:cut]], ending=b"")
        (session,) = night(agent, tmp_path, index).sessions
        assert (session.typed, session.gaps.damaged) == (("first",), 0)
        with path.open("ab") as file:
            file.write(line[cut:] + b"\n")
        (session,) = night(agent, tmp_path, index).sessions
        assert (session.typed, session.gaps.damaged) == (("first", "second"), 0)


@pytest.mark.parametrize("change", ["truncated", "replaced", "removed"])
def test_g7_a_file_that_changes_while_it_is_read_gives_what_was_read(
    change: str, agent: Agent, tmp_path: Path
) -> None:
    path = agent.write_bytes(
        tmp_path, agent.head + b"\n" + b"".join(agent.typed(n, f"prompt {n}") + b"\n" for n in range(1, 20_000))
    )
    whole = path.stat().st_size
    lines = Records(str(path), len)
    found = 0
    for _ in lines:
        if found == 0 and change == "truncated":
            os.truncate(path, whole // 2)
        elif found == 0 and change == "removed":
            path.unlink()
        elif found == 0:
            path.with_suffix(".new").write_bytes(b"other\n")
            path.with_suffix(".new").replace(path)
        found += 1
    assert lines.stamp.size == whole
    assert 0 < found <= 20_000
    if change != "truncated":
        assert found == 20_000


@pytest.mark.parametrize("change", ["truncated", "replaced", "removed"])
def test_g7_the_next_harvest_knows_what_became_of_the_file(change: str, agent: Agent, tmp_path: Path) -> None:
    path = agent.write(tmp_path, [agent.typed(1, "first"), agent.typed(2, "second")])
    index = index_in(tmp_path / "store")
    assert [session.typed for session in night(agent, tmp_path, index).sessions] == [("first", "second")]
    if change == "truncated":
        os.truncate(path, len(agent.head) + 1 + len(agent.typed(1, "first")) + 1)
    elif change == "removed":
        path.unlink()
    else:
        path.unlink()
        agent.write(tmp_path, [agent.typed(3, "another")])
    found = [session.typed for session in night(agent, tmp_path, index).sessions]
    assert found == {"truncated": [("first",)], "removed": [("first", "second")], "replaced": [("another",)]}[change]


# G8: records that say what can't be -----------------------------------------------------------------------


@pytest.mark.parametrize("value", [[1], {"a": 1}, True], ids=["list", "object", "true"])
def test_g8_a_time_that_is_none_spoils_its_record_only(value: Any, agent: Agent, tmp_path: Path) -> None:
    lines = [agent.typed(1, "first"), agent.typed(2, "second", timestamp=value), agent.typed(3, "third")]
    agent.write(tmp_path, lines)
    session = agent.read(tmp_path)
    assert (session.typed, session.gaps.damaged) == (("first", "third"), 1)


@pytest.mark.parametrize(
    "value", [None, "", "soon", 0, -1, 1e300, "1970-01-01T00:00:00Z", "9999-12-31T23:59:59-14:00"]
)
def test_g8_a_last_time_that_can_not_be_one_is_the_files_own(value: Any, agent: Agent, tmp_path: Path) -> None:
    path = agent.write(tmp_path, [agent.typed(1, "first"), agent.typed(2, "second", timestamp=value)])
    os.utime(path, (START.timestamp() + 60, START.timestamp() + 60))
    session = agent.read(tmp_path)
    assert session.typed == ("first", "second")
    assert START <= session.started <= session.ended <= START + timedelta(seconds=60)


def test_g8_a_time_in_the_future_is_used_as_it_is(agent: Agent, tmp_path: Path) -> None:
    agent.write(tmp_path, [agent.typed(1, "first", timestamp="2099-01-01T00:00:00Z")])
    assert agent.read(tmp_path).ended.year == 2099
    assert night(agent, tmp_path, index_in(tmp_path / "store")).counts.used == 1


@pytest.mark.parametrize(
    "cwd", ["", "relative/folder", "..", "/a\0b", "/" + "x" * 5000], ids=["empty", "relative", "up", "nul", "long"]
)
def test_g8_a_folder_that_can_not_be_one_is_none(cwd: str, agent: Agent, tmp_path: Path) -> None:
    if agent.name == "claude":
        agent.write(tmp_path, [agent.typed(1, "first", cwd=cwd)])
    else:
        head = json.loads(agent.head)
        head["payload"]["cwd"] = cwd
        agent.write_bytes(tmp_path, json.dumps(head).encode() + b"\n" + agent.typed(1, "first") + b"\n")
    session = agent.read(tmp_path)
    assert (session.typed, session.cwd, session.project) == (("first",), "", "")
    assert night(agent, tmp_path, index_in(tmp_path / "store")).counts.used == 1


def test_g8_a_folder_that_is_no_text_spoils_its_record_only(agent: Agent, tmp_path: Path) -> None:
    if agent.name == "claude":
        agent.write(tmp_path, [agent.typed(1, "first"), agent.typed(2, "second", cwd=["/etc"])])
    else:
        head = json.loads(agent.head)
        head["payload"]["cwd"] = 5
        agent.write_bytes(tmp_path, json.dumps(head).encode() + b"\n" + agent.typed(1, "first") + b"\n")
    session = agent.read(tmp_path)
    assert (session.typed, session.gaps.damaged) == (("first",), 1)


CLAUDE = AGENTS[0]


def test_g8_records_of_another_session_are_left_out_and_counted(tmp_path: Path) -> None:
    CLAUDE.write(
        tmp_path,
        [
            CLAUDE.typed(1, "first"),
            CLAUDE.typed(50, "strayed", sessionId="other", cwd="/home/dev/elsewhere"),
            CLAUDE.typed(51, "strayed too", sessionId="other"),
            CLAUDE.typed(2, "second"),
        ],
    )
    session = CLAUDE.read(tmp_path)
    assert (session.typed, session.gaps.damaged, session.cwd) == (("first", "second"), 2, "/home/dev/shop")


def test_g8_strayed_records_that_come_first_do_not_name_the_session_nor_its_place(tmp_path: Path) -> None:
    strayed = CLAUDE.typed(50, "strayed", sessionId="other", cwd="/home/dev/elsewhere")
    CLAUDE.write(tmp_path, [strayed, CLAUDE.typed(1, "first")])
    session = CLAUDE.read(tmp_path)
    assert (session.typed, session.gaps.damaged, session.cwd) == (("first",), 1, "/home/dev/shop")


def test_g8_a_stray_that_claims_a_parent_here_is_still_one_when_the_session_goes_on_without_it(
    tmp_path: Path,
) -> None:
    strayed = CLAUDE.typed(50, "strayed", parent=1, sessionId="other")
    CLAUDE.write(tmp_path, [CLAUDE.typed(1, "first"), strayed, CLAUDE.typed(2, "second")])
    session = CLAUDE.read(tmp_path)
    assert (session.typed, session.gaps.damaged) == (("first", "second"), 1)


def test_g8_a_session_that_goes_on_under_another_id_after_a_resume_is_one(tmp_path: Path) -> None:
    lines = [
        CLAUDE.typed(1, "first"),
        CLAUDE.typed(2, "second", sessionId="next"),
        CLAUDE.typed(3, "third", sessionId="last"),
    ]
    CLAUDE.write(tmp_path, lines)
    assert (CLAUDE.read(tmp_path).typed, CLAUDE.read(tmp_path).gaps.damaged) == (("first", "second", "third"), 0)


def test_g8_a_fork_that_keeps_the_id_of_what_it_copied_is_one(tmp_path: Path) -> None:
    CLAUDE.write(
        tmp_path, [CLAUDE.typed(1, "copied", sessionId="parent"), CLAUDE.typed(2, "new"), CLAUDE.typed(3, "last")]
    )
    assert (CLAUDE.read(tmp_path).typed, CLAUDE.read(tmp_path).gaps.damaged) == (("copied", "new", "last"), 0)


def test_g8_a_session_in_a_file_of_another_name_is_one(tmp_path: Path) -> None:
    CLAUDE.write(tmp_path, [CLAUDE.typed(1, "first", sessionId="a"), CLAUDE.typed(2, "second", sessionId="a")])
    assert (CLAUDE.read(tmp_path).typed, CLAUDE.read(tmp_path).gaps.damaged) == (("first", "second"), 0)


# G9: what a later version may write -----------------------------------------------------------------------


def test_g9_records_of_an_unknown_kind_are_passed_over(agent: Agent, tmp_path: Path) -> None:
    unknown = [
        json.dumps(json.loads(agent.typed(2, "?")) | {"type": "hologram"}).encode(),
        json.dumps(json.loads(agent.typed(2, "?")) | {"type": "hologram"}, separators=(",", ":")).encode(),
    ]
    agent.write(tmp_path, [agent.typed(1, "first"), *unknown, agent.typed(3, "last")])
    session = agent.read(tmp_path)
    assert (session.typed, session.gaps.damaged) == (("first", "last"), 0)


def test_g9_records_in_an_unknown_schema_are_counted(agent: Agent, tmp_path: Path) -> None:
    changed = json.loads(agent.typed(2, "?"))
    changed["message" if "message" in changed else "payload"] = {"type": ["v9"], "content": {"parts": 3}, "id": 7}
    agent.write(tmp_path, [agent.typed(1, "first"), json.dumps(changed).encode()])
    session = agent.read(tmp_path)
    assert (session.typed, session.gaps.damaged) == (("first",), 1)


def test_g9_a_file_in_an_unknown_format_is_a_session_without_prompts(agent: Agent, tmp_path: Path) -> None:
    agent.write_bytes(tmp_path, b'{"schema":9}\n' + b'{"v":9,"body":{"who":"human","says":"hello"}}\n' * 50)
    found = night(agent, tmp_path, index_in(tmp_path / "store"))
    assert (found.counts.used, found.counts.skipped) == (0, {"no_user_turn": 1})


# All of them at once --------------------------------------------------------------------------------------


def test_a_night_over_every_fault_at_once_uses_what_is_whole(agent: Agent, tmp_path: Path) -> None:
    lines = [agent.typed(1, "first")]
    lines += [damage(agent.typed(2, TEXT)) for damage in NO_RECORDS.values()]
    lines += [agent.typed(3, "torn")[:60] + agent.typed(4, "second"), b"\x00" * 99 + agent.typed(5, "third")]
    lines.append(agent.typed(6, "last"))
    agent.write(tmp_path, lines)
    begun = time.monotonic()
    found = night(agent, tmp_path, index_in(tmp_path / "store"))
    assert time.monotonic() - begun < 5
    assert [session.typed for session in found.sessions] == [("first", "last")]
    assert found.sessions[0].gaps.damaged == len(NO_RECORDS) + 2
    assert found.sessions[0].id.endswith(NAME)
