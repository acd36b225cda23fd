"""A made-up history of both agents, in their genuine formats, for benchmarks: the same seed gives the same bytes."""

import json
import random
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from pydoc_data.topics import topics
from typing import NamedTuple

from tests.sessions import Exchange, ToolCall, claude_session, codex_session, stamp

START = datetime(2026, 10, 1, 7, 0, tzinfo=UTC)
SECRETS = ("ghp_" + "a1B2c3D4" * 4 + "e5F6", "AKIA" + "Q7ZX2M4N6P8R3T5V", "postgres://app:s3cr3t-pw@db.internal/app")


MOST = 1 << 60  # no limit
OLD = 0.2  # of the sessions are of an old version
PROJECTS = 23
DELEGATED = 0.3  # of the others have a sub-agent


class Made(NamedTuple):
    """What was written: sessions, files of sub-agents, what a person typed, and the bytes of all."""

    sessions: int = 0
    delegated: int = 0
    prompts: int = 0
    size: int = 0

    def and_one(self, path: Path, *, prompts: int) -> "Made":
        """With this file; one without prompts is a sub-agent's."""
        grown = self.size + path.stat().st_size
        if not prompts:
            return self._replace(delegated=self.delegated + 1, size=grown)
        return self._replace(sessions=self.sessions + 1, prompts=self.prompts + prompts, size=grown)


class Words:
    """Real prose and code, out of Python's own documentation and library, and made-up pictures."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        library = sorted(Path(random.__file__).parent.glob("[a-z]*.py"))
        self.code = "\n".join(path.read_text(encoding="utf-8") for path in library)
        lines = "\n\n".join(topics[name] for name in sorted(topics)).splitlines()
        self.prose = "\n".join(line for line in lines if not re.search(r"[-=*~^+]{4}", line))
        alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        self.picture = "iVBORw0KGgo" + "".join(self.random.choices(alphabet, k=600_000))

    def cut(self, pool: str, size: int) -> str:
        """This much of a pool, from anywhere in it."""
        at = self.random.randrange(max(len(pool) - size, 1))
        return pool[at : at + size]

    def size(self, median: float, sigma: float, most: int) -> int:
        """A size as sizes are: many small ones, a few huge ones."""
        return min(int(self.random.lognormvariate(0, sigma) * median) + 1, most)

    def sentence(self, median: float, most: int = 4000) -> str:
        """Something said; now and then with a secret in it."""
        text = self.cut(self.prose, self.size(median, 0.9, most)).strip() or "go on"
        return f"{text} {self.random.choice(SECRETS)}" if self.random.random() < 0.01 else text


def write_claude(projects: Path, *, size: int = MOST, most: int = MOST, seed: int = 1) -> Made:
    """Sessions of Claude Code worth this many bytes, or so many at most: mostly 2.1.329 with some sub-agents, some 1.0.128."""
    words = Words(seed)
    vendor_text = words.cut(words.prose, 60_000)
    made = Made()
    while made.size < size and made.sessions < most:
        started = START + timedelta(minutes=7 * made.sessions)
        cwd = f"/home/dev/work/app-{made.sessions % PROJECTS}"
        old = words.random.random() < OLD
        exchanges = _exchanges(words, answer=500, pictures=0.005)
        path = claude_session(
            projects,
            cwd=cwd,
            started=started,
            exchanges=exchanges,
            version="1.0.128" if old else "2.1.329",
            vendor_text=vendor_text,
        )
        made = made.and_one(path, prompts=len(exchanges))
        if not old and words.random.random() < DELEGATED:
            task = _task(words)
            path = claude_session(
                projects, cwd=cwd, started=started, exchanges=task, vendor_text=vendor_text, subagent_of=path
            )
            made = made.and_one(path, prompts=0)
    return made


def write_codex(home: Path, *, size: int = MOST, most: int = MOST, seed: int = 2, archived: bool = True) -> Made:
    """Rollouts of Codex worth this many bytes, or so many at most: mostly 0.169.0 with some sub-agents, some 0.47.0."""
    words = Words(seed)
    vendor_text = words.cut(words.prose, 22_000)
    told = [words.cut(words.prose, words.size(4000, 0.7, 32_000)) for _ in range(PROJECTS)]
    made = Made()
    while made.size < size and made.sessions < most:
        started = START + timedelta(minutes=7 * made.sessions)
        cwd = f"/home/dev/work/app-{made.sessions % PROJECTS}"
        old = words.random.random() < OLD
        project_text = "" if old else told[made.sessions % PROJECTS]
        exchanges = _exchanges(words, answer=900, pictures=0.003)
        path = codex_session(
            home,
            cwd=cwd,
            started=started,
            exchanges=exchanges,
            version="0.47.0" if old else "0.169.0",
            archived=archived,
            vendor_text=vendor_text,
            project_text=project_text,
        )
        made = made.and_one(path, prompts=len(exchanges))
        if not old and words.random.random() < DELEGATED:
            task = _task(words)
            path = codex_session(
                home, cwd=cwd, started=started + timedelta(seconds=5), exchanges=task, archived=archived,
                vendor_text=vendor_text, project_text=project_text, subagent_of=path.stem[-36:],
            )  # fmt: skip
            made = made.and_one(path, prompts=0)
    return made


def write_small(projects: Path, *, count: int) -> None:
    """Many short sessions of Claude Code 1.0.128, for what a harvest costs by the file."""
    for number in range(count):
        claude_session(
            projects,
            cwd=f"/home/dev/work/app-{number % 40}",
            started=START + timedelta(minutes=number),
            exchanges=(Exchange(f"rename the helper of number {number}", "Done."),),
            version="1.0.128",
        )


def write_days(projects: Path, *, count: int, seed: int = 3) -> None:
    """Many sessions of Claude Code 1.0.128 of the length of a working day."""
    words = Words(seed)
    days = [_exchanges(words, answer=500, pictures=0) for _ in range(50)]
    for number in range(count):
        claude_session(
            projects,
            cwd=f"/home/dev/work/app-{number % 40}",
            started=START + timedelta(minutes=number),
            exchanges=days[number % len(days)],
            version="1.0.128",
        )


def write_huge(projects: Path, *, line_mb: int, file_mb: int) -> None:
    """Two files in a project: one with a line of so many megabytes, one of so many megabytes of short records."""
    folder = projects / "-home-dev-work-huge"
    folder.mkdir(parents=True)
    with (folder / "line.jsonl").open("wb") as file:
        file.write(last_prompt(1, "line") + b'{"type":"user","message":"')
        for _ in range(line_mb):
            file.write(b"x" * (1 << 20))
        file.write(b'"}\n' + last_prompt(2, "line"))
    records = b"".join(last_prompt(number) for number in range(1000))
    with (folder / "file.jsonl").open("wb") as file:
        for _ in range((file_mb << 20) // len(records)):
            file.write(records)


def last_prompt(number: int, owner: str = "") -> bytes:
    """A line that may be added to any session of Claude Code."""
    record = {
        "parentUuid": f"before-{owner}-{number}",
        "isSidechain": False,
        "type": "user",
        "message": {"role": "user", "content": f"rename the helper of number {number}, and its tests"},
        "uuid": f"added-{owner}-{number}",
        "timestamp": stamp(START + timedelta(days=30, seconds=number)),
        "cwd": "/home/dev/work/huge",
    }
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"


def _exchanges(words: Words, *, answer: int, pictures: float) -> Sequence[Exchange]:
    return [
        Exchange(
            words.sentence(160),
            words.sentence(answer),
            tools=[_tool(words, pictures) for _ in range(words.random.randint(0, 6))],
            opening=words.sentence(160),
            thought=words.cut(words.picture, words.size(1500, 0.8, 12_000)),
        )
        for _ in range(words.size(1.2, 0.9, 40) + 1)
    ]


def _task(words: Words) -> Sequence[Exchange]:
    """What an agent lets a sub-agent do: one request, a lot of reading, one answer."""
    tools = [_tool(words, 0) for _ in range(words.random.randint(3, 12))]
    return [Exchange(words.sentence(400), words.sentence(900), tools=tools, opening=words.sentence(120))]


def _tool(words: Words, pictures: float) -> ToolCall:
    chance = words.random.random()
    path = f"/home/dev/work/src/{words.random.randint(1, 400)}.py"
    if chance < pictures:
        return ToolCall(
            path=path.replace(".py", ".png"), image=words.cut(words.picture, words.size(120_000, 0.7, 500_000))
        )
    if chance < 0.15:
        before = words.cut(words.code, words.size(9000, 0.9, 200_000))
        return ToolCall(path=path, content=words.cut(words.code, words.size(300, 1.0, 8_000)), before=before)
    if chance < 0.22:
        return ToolCall(path=path, content=words.cut(words.code, words.size(1500, 1.0, 40_000)))
    output = words.cut(words.code, words.size(3000, 1.7, 1_000_000))
    if chance < 0.55:
        return ToolCall(path=path, output=output)
    code = 1 if words.random.random() < 0.12 else 0
    return ToolCall(command=words.cut(words.prose, 40), output=output[:30_000], exit_code=code)
