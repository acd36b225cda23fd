"""Whole nights over hostile sessions and a hostile miner: each ends with its report, and what is true is still learned."""

import json
import os
import random
import socket
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from skillopt_sleep.replay.seals import SEALS, chosen
from tests.cli.corrected import Keeper, Lesson, Teacher, generated_files
from tests.cli.test_run_attacked import Outside, files_with, mounts_below, outside
from tests.cli.test_run_repositories import MODELS, Kept
from tests.command import ONE_ROUND
from tests.genuine import Programs
from tests.runners import SCRIPT
from tests.server import ModelServer
from tests.sessions import Exchange, ToolCall

MB = 1 << 20
TEXTS = (
    *(
        "/abs/path",
        "../x",
        "a;rm -rf /",
        'a"$(touch {outside}/pwned)"',
        "a\nb",
        "x" * 300,
        "$(touch {outside}/pwned)",
    ),
    *("^(a+)+$", "(?:x+x+)+y", "a" * 10_000, "(?P<n>a)(?P=n)+" * 200, "[" * 5_000, "\0", "9" * 5_000),
)
SKILLS = ("..", "CON", "caf\u00e9", "cafe\u0301", "s" * 300, "a\0b", "-rf", "a/../../outside", "{outside}")
NO_RECORDS = (
    b'{"type":"user","message":"before \xff\xfe after"}',
    b'{"type":"user","message":"\xc0\xaf"}',
    b'{"type":"user","message":"\xed\xa0\x80"}',
    b'{"type":"user","message":{"role":"user","content":"\\ud83d"}}',
    b"\x00" * 4096,
    *(b"5", b'"text"', b"[1,2]", b"null", b"{}{}", b"[" * 100_000, b'{"type":7,"message":7}'),
    b'{"type":"user","n":' + b"9" * 5000 + b"}",
)


class Liar(Teacher):
    """A miner that names what is true and, beside it, every hostile thing on the strength of the same words."""

    def __init__(self, lesson: Lesson, place: Outside) -> None:
        super().__init__(lesson)
        self._hostile = [text.format(outside=place.folder) for text in TEXTS]

    def _mined(self, prompt: str) -> list[dict[str, Any]]:
        true = super()._mined(prompt)
        others = [one | {"lesson": f"Use {text}"} for one in true for text in self._hostile]
        places = [one | {"where": f"path: {text}", "takes_back": text} for one in true for text in self._hostile]
        return [*true, *others, *places]


@contextmanager
def planted(projects: Path, place: Outside) -> Generator[None]:
    """Spoil the sessions in every way: lines, whole files, what is no file, and one that grows all the time."""
    files = sorted(projects.rglob("*.jsonl"))
    folder = files[0].parent
    _spoil_lines(files)
    _spoil_copies(files, folder)
    os.mkfifo(folder / "pipe.jsonl")
    (folder / "zero.jsonl").symlink_to("/dev/zero")
    (folder / "secret.jsonl").symlink_to(place.folder / "secret")
    (folder / "nowhere.jsonl").symlink_to(folder / "missing.jsonl")
    (folder / "loop.jsonl").symlink_to(folder / "loop.jsonl")
    (folder / "folder.jsonl").mkdir()
    done = Event()

    def grow() -> None:
        with (folder / "growing.jsonl").open("ab") as file:
            while not done.wait(0.001) and file.tell() < 30 * MB:
                file.write(files[0].read_bytes())

    writer = Thread(target=grow)
    with socket.socket(socket.AF_UNIX) as listening:
        here = Path.cwd()
        os.chdir(folder)  # the address of a socket may not be long
        listening.bind("socket.jsonl")
        os.chdir(here)
        writer.start()
        try:
            yield
        finally:
            done.set()
            writer.join()


def _spoil_lines(files: Sequence[Path]) -> None:
    for file in files:
        file.write_bytes(b"\n".join([*NO_RECORDS, file.read_bytes().rstrip(b"\n"), *NO_RECORDS, b'{"type":"us']))


def _spoil_copies(files: Sequence[Path], folder: Path) -> None:
    noise = random.Random(7)
    text = files[0].read_bytes()
    (folder / "utf16.jsonl").write_bytes(text.decode(errors="replace").encode("utf-16"))
    (folder / "long.jsonl").write_bytes(b"x" * (20 * MB) + b"\n" + text)
    (folder / "times.jsonl").write_bytes(text.replace(b'"timestamp":"', b'"timestamp":["').replace(b'Z"', b'Z"]'))
    (folder / "later.jsonl").write_bytes(text.replace(b'"version":"', b'"version":"999.'))
    for number in range(200):
        mutated = bytearray(text)
        for _ in range(50):
            mutated[noise.randrange(len(mutated))] = noise.randrange(256)
        (folder / f"mutated-{number}.jsonl").write_bytes(mutated)


def with_skills(days: Sequence[Sequence[Exchange]], place: Outside) -> list[list[Exchange]]:
    """The same days, in which the agent used skills of names that can't be."""
    skills = [ToolCall(skill=name.format(outside=place.folder)) for name in SKILLS]
    return [[replace(first, tools=[*first.tools, *skills]), *others] for first, *others in days]


@pytest.mark.cli
@pytest.mark.slow
@pytest.mark.parametrize("attack", ["sessions", "miner"])
def test_a_night_over_hostile_sessions_and_replies_learns_what_is_true_and_changes_nothing_else(
    tmp_path: Path, programs: Programs, attack: str
) -> None:
    probes = tmp_path / "probes"
    probes.mkdir()
    if chosen(SEALS, probes).seal is None:
        pytest.skip("nothing can be sealed here")
    lesson, days = generated_files(SCRIPT)
    with ModelServer() as server, outside(tmp_path / "outside") as place:
        server.model = Liar(lesson, place) if attack == "miner" else Teacher(lesson)
        server.acts = Keeper(lesson)
        home = Kept(tmp_path / "home", program=programs.claude, address=server.root_url, model=MODELS["claude"])
        home.opened(SCRIPT)
        home.had_trouble(SCRIPT, lesson.asks, with_skills(days, place))
        project = {str(path): path.read_bytes() for path in home.project.rglob("*") if path.is_file()}
        if attack == "sessions":
            with planted(home.folder / ".claude" / "projects", place):
                done = home.night(server.base_url, **ONE_ROUND)
        else:
            done = home.night(server.base_url, **ONE_ROUND)

        assert done.code == 0, f"{done.err}\n{done.out}"
        assert done.json["verdict"] == "improved"
        assert {str(path): path.read_bytes() for path in home.project.rglob("*") if path.is_file()} == project
        assert place.is_untouched
    (night,) = (home.folder / "sleep" / "data" / "nights").iterdir()
    report = json.loads((night / "report.json").read_text())
    assert [edit["content"] for proposal in report["proposals"] for edit in proposal["edits"]] == [lesson.rule]
    assert (night / "report.md").stat().st_size > 0
    (proposal,) = report["proposals"]
    # A spoiled copy that says it began earlier may own one session's words, and hold no request that can be asked.
    assert proposal["tested"]["solved"]["requests"] in ((2, 3) if attack == "sessions" else (3,))
    if attack == "sessions":
        assert report["found"]["sessions"]["seen"] > 200
    assert files_with(home.folder / "sleep", place.secret) == []
    assert mounts_below(tmp_path) == []
