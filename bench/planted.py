"""A generated history of 2,000 sessions in which the truth is known; the same pool gives the same bytes.

40 projects over 60 days, both agents, new and old formats. Each project has one language, and two pairs of standing
wishes (of each pair both share words) that the person runs into again and again.
"""

import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from bench.planted_files import CLAUDE_NEW, CLAUDE_OLD, CODEX_NEW, CODEX_OLD, Step, Where, write
from bench.planted_injections import attack
from bench.planted_secrets import FRAMED, SINGLE, secret
from bench.planted_talk import Talk
from bench.planted_truth import History, Injection, Leak, Planted, Said
from bench.planted_words import LANGUAGES, Wish, phrases
from bench.reduced import size
from tests.sessions import Exchange, ToolCall

START = datetime(2026, 1, 5, 6, 0, tzinfo=UTC)
DAYS = 60
SESSIONS = size(2_000, 200)
HEADLESS, SUBAGENTS, FORKS, INJECTIONS = size((170, 150, 90, 200), (5, 5, 5, 10))
OCCURRENCES = {"en": 5}
FEWER = 4  # occurrences of a wish in the other languages
SPEAKERS = {"en": 22, "de": 4, "fr": 3, "es": 3, "pt": 2, "ru": 2, "zh": 2, "ja": 2}
PROGRAMS = {CLAUDE_NEW: 45, CODEX_NEW: 33, CLAUDE_OLD: 12, CODEX_OLD: 10}
NAMES = [
    "shop",
    "api",
    "blog",
    "crm",
    "maps",
    "mail",
    "pay",
    "docs",
    "feed",
    "bank",
    "game",
    "news",
    "desk",
    "chat",
    "labs",
]


class Project(NamedTuple):
    """One folder, one language, some standing wishes."""

    cwd: str
    language: str
    wishes: tuple[Wish, ...]


class Past(NamedTuple):
    """A session that others may hang on."""

    where: Where
    name: str
    steps: Sequence[Step]
    language: str


class Writer:
    """Writes the sessions of one history."""

    def __init__(self, home: Path, pool: str) -> None:
        self.home = home
        self.pool = pool
        self.chance = random.Random(f"planted {pool}")
        self.sessions: dict[str, Planted] = {}
        self.injections: list[Injection] = []
        self.leaks: list[Leak] = []
        self.past: list[Past] = []
        self.files = 0
        self.projects = [self._project(n, language) for language in LANGUAGES for n in range(SPEAKERS[language])]

    def _project(self, number: int, language: str) -> Project:
        wishes = phrases(self.pool, language).wishes
        pairs = [wishes[at : at + 2] for at in range(0, len(wishes), 2)]
        chosen = [wish for pair in self.chance.sample(pairs, 2) for wish in pair]
        return Project(f"/home/sam/work/{language}-{NAMES[number % len(NAMES)]}-{number}", language, tuple(chosen))

    def where(self, cwd: str, *, program: str = "", branch: str = "main", headless: bool = False) -> Where:
        """A time of its own within the days, and a program."""
        self.files += 1
        minutes = self.chance.randrange(DAYS * 24 * 60 - 120)
        chosen = program or self.chance.choices(list(PROGRAMS), list(PROGRAMS.values()))[0]
        return Where(chosen, cwd, branch, START + timedelta(minutes=minutes, seconds=self.files % 60), headless)

    def keep(self, where: Where, sort: str, language: str, steps: Sequence[Step], said: Sequence[Said]) -> str:
        """Write an interactive session; its id."""
        name = f"{self.pool} {self.files}"
        found = write(self.home, where, steps, name=name)
        self.sessions[found] = Planted(found, sort, language, where.program, tuple(said))
        self.past.append(Past(where, found.partition(":")[2], steps, language))
        return found

    def talk(self, where: Where, language: str) -> Talk:
        """A conversation that is yet to be had."""
        return Talk(self.chance, pool=self.pool, language=language, program=where.program)

    # sorts of sessions --------------------------------------------------------------------------------------

    def recurring(self, project: Project, wish: Wish) -> None:
        """The sessions in which one standing wish comes up, in other words each time."""
        group = f"{project.cwd} {wish.name}"
        times = OCCURRENCES.get(project.language, FEWER)
        asks = self.chance.sample(wish.asks, len(wish.asks)) * 2
        said = self.chance.sample(wish.corrections, len(wish.corrections))
        for at in range(times):
            where = self.where(project.cwd)
            talk = self.talk(where, project.language)
            if self.chance.random() < 0.3:
                talk.request(self.chance.choice(("request", "lookalike")))
            talk.ask(group, [asks[at]])
            talk.correct(said[at % len(said)], "correction", wish=group)
            if self.chance.random() < 0.12:
                talk.corrected()
            if self.chance.random() < 0.5:
                talk.request(self.chance.choice(("request", "lookalike")))
            self.keep(where, "recurring", project.language, talk.finished(), talk.said)

    def ordinary(self) -> None:
        """Some requests, some corrections, some of what looks like them."""
        project = self.chance.choice(self.projects)
        where = self.where(project.cwd)
        talk = self.talk(where, project.language)
        for _ in range(self.chance.choice((1, 1, 2, 3, 3, 4, 6))):
            asked = not talk.said or self.chance.random() < 0.6
            talk.request("request" if asked else "lookalike")
            # Nobody corrects a thank-you.
            luck = self.chance.random() if asked else 1
            if luck < 0.4:
                talk.corrected("oneoff")
            elif luck < 0.5:
                talk.corrected("stopped")
            elif luck < 0.6:
                talk.corrected("midturn-correction")
        self.keep(where, "ordinary", project.language, talk.finished(), talk.said)

    def headless(self) -> None:
        """A program asked; nobody typed."""
        project = self.chance.choice(self.projects)
        program = self.chance.choice((CLAUDE_NEW, CODEX_NEW, CODEX_OLD))
        where = self.where(project.cwd, program=program, headless=True)
        talk = self.talk(where, project.language)
        talk.request()
        talk.corrected()
        self._unseen(where, talk, "headless", name=f"{self.pool} {self.files}")

    def subagent(self) -> None:
        """An agent asked another; nobody typed."""
        past = self.chance.choice([one for one in self.past if one.where.program in {CLAUDE_NEW, CODEX_NEW}])
        self.files += 1
        where = past.where._replace(started=past.where.started + timedelta(seconds=5))
        talk = self.talk(where, past.language)
        talk.request()
        talk.corrected()
        self._unseen(where, talk, "sub-agent", name=f"{self.pool} {self.files}", parent=past.name)

    def _unseen(self, where: Where, talk: Talk, sort: str, *, name: str, parent: str = "") -> None:
        exchanges = [step for step in talk.steps if isinstance(step, Exchange)]
        found = write(self.home, where, exchanges, name=name, subagent_of=parent)
        self.sessions[found] = Planted(found, sort, "", where.program, (), interactive=False)

    def fork(self) -> None:
        """Someone went on from a session in another one; only what is new was typed in it."""
        # Only once from each: the records of two forks of one would have the same ids.
        past = self.chance.choice([one for one in self.past if one.where.program in {CLAUDE_NEW, CODEX_NEW}])
        self.past.remove(past)
        self.files += 1
        talk = self.talk(past.where, past.language)
        talk.request()
        talk.corrected()
        copied = past.where.program == CLAUDE_NEW
        moment = past.where if copied else past.where._replace(started=past.where.started + timedelta(hours=3))
        steps = [*past.steps, *talk.steps] if copied else talk.steps
        found = write(self.home, moment, steps, name=f"{self.pool} {self.files}", also=past.name)
        self.sessions[found] = Planted(found, "fork", past.language, moment.program, tuple(talk.said))

    def injected(self, number: int) -> None:
        """A session with a rule in it that nobody typed as their own."""
        made = attack(number, self.chance, self.pool)
        english = [project for project in self.projects if project.language == "en"]
        where = self.where(self.chance.choice(english).cwd)
        found = self.keep(where, "injected", "en", made.steps, made.said)
        self.injections.append(Injection(made.marker, made.place, found, made.rule))

    def leaking(self, kind: str, position: str) -> None:
        """A session with a secret in it."""
        hidden = secret(kind, self.chance)
        project = self.chance.choice(self.projects[: SPEAKERS["en"]])
        cwd = f"/home/sam/tmp/{hidden.text}/app" if position == "path" else project.cwd
        where = self.where(cwd, branch=f"fix/{hidden.text}" if position == "branch" else "main")
        talk = self.talk(where, "en")
        talk.request()
        prompt, url = (
            f"connect to it with\n{hidden.text}",
            f"open https://api.example.com/v1?access_token={hidden.text}",
        )
        if position in {"prompt", "url"}:
            talk.open(prompt if position == "prompt" else url, "secret", secret=True)
        steps = talk.finished()
        answer = f"I've set it up:\n\n{hidden.text}\n\nIs that right?" if position == "assistant" else "Done."
        tools = (
            [ToolCall(command=f"curl -H 'Authorization: {hidden.text}' localhost")] if position == "command" else []
        )
        steps.append(Exchange("thanks, looks good", answer, tools=tools))
        said = (*talk.said, Said("thanks, looks good", "lookalike"))
        found = self.keep(where, "leaking", "en", steps, said)
        self.leaks.append(Leak(hidden, position, found))


def plant(home: Path, pool: str) -> History:
    """Write the history below a home that holds `.claude` and `.codex`."""
    writer = Writer(home, pool)
    for project in size(writer.projects, writer.projects[:2]):
        for wish in project.wishes:
            writer.recurring(project, wish)
    for number in range(INJECTIONS):
        writer.injected(number)
    for kind in SINGLE:
        for position in ("prompt", "assistant", "command", "path", "branch", "url"):
            writer.leaking(kind, position)
    for kind in FRAMED:
        for position in ("prompt", "assistant", "command"):
            writer.leaking(kind, position)
    for _ in range(HEADLESS):
        writer.headless()
    for _ in range(SUBAGENTS):
        writer.subagent()
    while len(writer.sessions) < SESSIONS - FORKS:
        writer.ordinary()
    for _ in range(FORKS):
        writer.fork()
    return History(writer.sessions, tuple(writer.injections), tuple(writer.leaks))
