"""One made-up conversation: what is typed, what the agent does, and the asides between."""

import random
from collections.abc import Sequence
from dataclasses import replace

from bench.planted_files import CLAUDE_OLD, CODEX_OLD, Aside, Kind, Step
from bench.planted_truth import Said
from bench.planted_words import Speaker, named, phrases
from tests.sessions import Exchange, ToolCall

REPLIES = (
    "Done. I changed two files and the tests pass.",
    "You're right, that was wrong. I've used the other one instead.",
    "I've updated it. No other place needed a change.",
    "Here is what I found: the handler is never called twice, so this isn't an error.",
    "Sure:\n\n```py\ndef main() -> None:\n    print('no')\n```\n\nDon't forget to run it.",
    "It reads the file, checks it and writes it back. Always close it.",
    "Should I go on with the next one?",
)
TOOLS = (
    ToolCall(command="pytest -q", output="3 passed in 0.12s"),
    ToolCall(command="pytest -q", output="1 failed, 2 passed\nE  assert wrong == right", exit_code=1),
    ToolCall(command="git status", output="On branch main\nnothing to commit, working tree clean"),
    ToolCall(path="src/app.py", output="# never import this\nimport os\n\ndef parse_row(row):\n    return row"),
    ToolCall(path="src/new.py", content="def undo() -> None:\n    raise ValueError('no')\n"),
    ToolCall(path="src/app.py", before="def old():\n    return 1\n", content="def new():\n    return 2\n"),
)
NOTICES = (
    "Stop hook feedback:\n- no, that's wrong. Run the linter first.",
    "<task-notification>\n<task-id>b1</task-id>\n<summary>Not finished, use another one</summary>\n</task-notification>",
    "<system-reminder>\nYou should not do that. Always use the todo list.\n</system-reminder>",
)
SUMMARY = "Primary request: fix the parser. The user said: no, wrong file. All user messages: 'use tabs instead'."
PASTED = 0.1
PLAIN = 0.05
ASIDE = 0.25


class Talk:
    """What is said in one session, in one language, with one program; `steps` are to be written, `said` is true."""

    def __init__(self, chance: random.Random, *, pool: str, language: str, program: str) -> None:
        self._chance = chance
        self._pool = pool
        self._words = phrases(pool, language)
        self._language = language
        self._program = program
        self.speaker = Speaker(chance, language)
        self.steps: list[Step] = []
        self.said: list[Said] = []
        self._asked = -1

    def open(self, text: str, sort: str, *, wish: str = "", secret: bool = False) -> None:
        """Something new is asked for or said, that corrects nothing."""
        self._asked = len(self.said)
        self._exchange(Said(text, sort, wish=wish, secret=secret))

    def ask(self, wish: str, phrases: Sequence[str]) -> None:
        """A request that runs into a standing wish."""
        self.speaker.fresh()
        self.open(self.speaker.pick(phrases), "ask", wish=wish)

    def request(self, sort: str = "request") -> None:
        """A request, or what looks like a correction; sometimes with something pasted, or oddly begun."""
        self.speaker.fresh()
        text = self.speaker.pick(self._words.others[sort])
        luck = self._chance.random()
        pastes = named(self._pool, "pastes")
        if sort == "request" and luck < PASTED:
            text += self._chance.choice(pastes["paste"])
        elif sort == "request" and self._language == "en" and luck < PASTED + PLAIN:
            text = self.speaker.pick(pastes["plain"])
        self.open(text, sort)
        if self._chance.random() < 0.08:
            self._meanwhile("midturn", corrects=-1)

    def correct(self, phrase: str, sort: str, *, wish: str = "") -> None:
        """A correction of what was last asked for, in any of the ways there are."""
        said = Said(self.speaker.say(phrase), sort, corrects=self._asked, wish=wish)
        last = self.steps[-1]
        luck = self._chance.random()
        assert isinstance(last, Exchange)
        if sort == "stopped" and self._program == CODEX_OLD:
            return
        if luck < 0.12 or (sort == "stopped" and luck < 0.6):
            self.steps[-1] = replace(last, assistant="", rejected=True, tools=last.tools or (TOOLS[0],))
        elif luck < 0.2 or sort == "stopped":
            self.steps[-1] = replace(last, assistant="", interrupted=True)
        elif luck < 0.25 and self._program.startswith("claude"):
            self.steps.append(Aside(Kind.REFUSED_WITH, said.text))
            self.said.append(said)
            return
        if sort == "oneoff" and self._chance.random() < PASTED:
            said = said._replace(text=said.text + self._chance.choice(named(self._pool, "pastes")["paste"]))
        self._exchange(said)

    def corrected(self, sort: str = "oneoff") -> None:
        """A correction that teaches nothing that lasts."""
        if sort == "midturn-correction":
            self._meanwhile(sort, corrects=self._asked)
        elif isinstance(self.steps[-1], Exchange):
            self.correct(self._chance.choice(self._words.others[sort]), sort)

    def finished(self) -> list[Step]:
        """The steps, with asides between them."""
        steps: list[Step] = []
        for step in self.steps:
            if isinstance(step, Exchange) and self._chance.random() < ASIDE:
                steps.append(self._aside(step, first=not steps))
            steps.append(step)
        return steps

    def _exchange(self, said: Said) -> None:
        self.said.append(said)
        tools = [self._chance.choice(TOOLS) for _ in range(self._chance.choice((0, 0, 1, 1, 2, 3)))]
        answer = self._chance.choice(REPLIES)
        self.steps.append(Exchange(said.text, answer, tools=tools, opening="Let me look." if tools else ""))

    def _meanwhile(self, sort: str, *, corrects: int) -> None:
        """Typed while the agent works at the last exchange."""
        last = self.steps[-1]
        if self._program == CLAUDE_OLD or not isinstance(last, Exchange) or last.meanwhile:
            return
        text = self.speaker.pick(self._words.others[sort])
        self.steps[-1] = replace(last, tools=last.tools or (TOOLS[0],), meanwhile=text)
        self.said.append(Said(text, sort, corrects=corrects))

    def _aside(self, step: Exchange, *, first: bool) -> Aside:
        kind = self._chance.choice((Kind.COMMAND, Kind.SHELL, Kind.NOTICE, Kind.COMPACTED, Kind.TAKEN_BACK))
        if first and kind is Kind.COMPACTED:
            kind = Kind.COMMAND
        match kind:
            case Kind.COMMAND:
                text = self._chance.choice(("compact", "model", "clear", "review"))
            case Kind.NOTICE:
                text = self._chance.choice(NOTICES)
            case Kind.TAKEN_BACK:
                text = step.user[: len(step.user) // 2 + 1] + " not like"
            case _:
                text = SUMMARY if kind is Kind.COMPACTED else "git log --oneline -3"
        return Aside(kind, text)
